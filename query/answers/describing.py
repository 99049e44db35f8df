"""Portraits: a virus, a run, a study, a project, a sample, a community or a term in brief."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from index.claims import Claim, Counted, Holding, Portrait, number_text
from index.claims.phrases import article, in_quotes, listed
from query.answers.drafting import Answering, Draft, table_of
from query.answers.finding import found
from query.answers.next_steps import next_steps
from query.answers.relatives import beside_relatives
from query.answers.subject import Topic
from query.request import Carries, Describe, Has, Hit
from query.request.fields import field_named
from query.request.run_sets import RunSet

_OF_RUNS: Final = {"study": "study", "project": "project", "biosample": "biosample",
                   "community": "community"}  # fmt: skip
Facts = Mapping[str, str]
_QUOTED: Final = 200
"""Letters of an abstract."""


def draft_described(context: Answering, measure: Describe) -> Draft:
    """Return what a thing is in a sentence, then what its runs hold."""
    facts = {str(what): _text(value) for what, value in context.result.rows}
    portrait = _PORTRAITS[measure.kind](facts, context, measure)
    hits = (Hit(virus=(measure.id,)),) if measure.kind == "virus" else ()
    subject = Topic(hits, (), measure.id, "", None)
    of = _runs(measure, facts)
    certainty = _runs_of(context, measure)
    bullets: Sequence[Claim] = [
        Portrait(text=value) for what, value in facts.items() if what.startswith("hit ")
    ]
    if of is not None:
        bullets = next_steps(context, subject, of, skip=measure.kind)
    return Draft([portrait], certainty, bullets, table=table_of(context.result))


def _text(value: object) -> str:
    return number_text(value) if isinstance(value, int | float) else str(value)


def _runs(measure: Describe, facts: Facts) -> RunSet | None:
    """Return the runs of what is described; None where the portrait says all."""
    if measure.kind == "virus":
        return Carries(Hit(virus=(measure.id,)))
    if measure.kind == "term":
        return Has(facts["field"], (facts["curie"],))
    if measure.kind in _OF_RUNS:
        field = _OF_RUNS[measure.kind]
        return Has(field, (facts[field],))
    return None


def _runs_of(context: Answering, measure: Describe) -> list[Claim]:
    """Return how many runs there are, and how many have a virus."""
    tally = context.result.tally
    if tally is None:
        return []
    called = context.names.called(measure.id, measure.kind)
    if measure.kind == "virus":
        hits = (Hit(virus=(measure.id,)),)
        found_in = found(context, Topic(hits, (), called, "", None), tally.runs)
        return [found_in, *beside_relatives(context, hits, Carries(hits[0]))]
    if not tally.runs:
        return [Counted(number=0, before="the index has", where="of it")]
    return [Holding(runs=tally.runs, searched=tally.searched, positive=tally.positive)]


def _virus(facts: Facts, context: Answering, measure: Describe) -> Claim:
    """Return what a virus is: names, family, risk group, genome."""
    if "virus" not in facts:
        return Portrait(text=f"{facts['reported_name']} is a name that only a source uses")
    called = context.names.called(measure.id, "virus")
    rank = facts.get("rank")
    is_ranked = rank not in (None, "no rank", "")
    official = facts.get("ictv_name") or facts["scientific_name"]
    named = [f"{rank} {official}" if is_ranked else official] if official != called else []
    family = facts.get("family")
    if family and family not in (facts.get("name"), facts["scientific_name"]):
        named.append(f"family {family}")
    said = []
    risk = facts.get("risk_group", "unknown")
    if risk.startswith("RG"):
        said.append(f"is in risk group {risk.removeprefix('RG')}")
    if "genome" in facts:
        genome = facts["genome"]
        said.append(f"has {'an' if genome.startswith('ss') else 'a'} {genome} genome")
    kind = f"a {rank} of viruses" if is_ranked and rank != "species" else "a virus"
    names = f" ({', '.join(named)})" if named else ""
    return Portrait(text=f"{called}{names} {listed(said) or f'is {kind}'}")


def _run(facts: Facts, context: Answering, measure: Describe) -> Claim:
    """Return what a run is: strategy, organism, host, place, date, size, viruses."""
    del context, measure
    strategy = f"{article(facts['library_strategy'])} {facts['library_strategy']} run" if (
        "library_strategy" in facts
    ) else "a run"  # fmt: skip
    organism = f" labelled {facts['organism']}" if "organism" in facts else ""
    host = facts.get("host")
    of_host = f" from {host}" if host and host != facts.get("organism") else ""
    tissue = f" ({facts['tissue']})" if "tissue" in facts else ""
    place = f" in {facts['country']}" if "country" in facts else ""
    released = f", released {facts['release_date']}" if "release_date" in facts else ""
    spots = f", {facts['spots']} spots" if "spots" in facts else ""
    home = facts.get("study") or facts.get("bioproject")
    belongs = f", of {home}" if home else ""
    origin = f"{organism}{of_host}{tissue}{place}"
    text = f"{facts['run']} is {strategy}{origin}{released}{spots}{belongs}"
    if "viruses" in facts:
        return Portrait(text=f"{text}; it holds {_and(facts['viruses'])}")
    if "searched_by" in facts:
        return Portrait(text=f"{text}; no virus was found by {_and(facts['searched_by'])}")
    return Portrait(text=f"{text}; no source searched it for viruses")


def _study(facts: Facts, context: Answering, measure: Describe) -> Claim:
    """Return the title of a study or project, and since when it is public."""
    del context
    name = facts[measure.kind]
    title = f"the index has no title for {name}"
    if "title" in facts:
        title = f"{name} is {in_quotes(facts['title'].rstrip('.'))}"
    elif "abstract" in facts:
        title = f"{name} is described as {in_quotes(facts['abstract'].rstrip('.'), most=_QUOTED)}"
    released = f", public since {facts['first_released']}" if "first_released" in facts else ""
    return Portrait(text=f"{title}{released}")


def _sample(facts: Facts, context: Answering, measure: Describe) -> Claim:
    """Return the title and origin of a sample."""
    del context, measure
    title = f" is {in_quotes(facts['title'])}" if "title" in facts else " is a sample"
    places = [facts[part] for part in ("country", "biome") if part in facts]
    origin = f", from {', '.join(places)}" if places else ""
    return Portrait(text=f"{facts['biosample']}{title}{origin}")


def _community(facts: Facts, context: Answering, measure: Describe) -> Claim:
    """Return the title of a community with its strongest virus, host and tissue."""
    del context, measure
    title = f", “{facts['title']}”," if "title" in facts else ""
    level = facts.get("level", "0")
    parts = [facts[part] for part in ("species", "host", "tissue", "disease") if part in facts]
    marks = f", marked by {', '.join(parts)}" if parts and not title else ""
    return Portrait(text=f"{facts['community']}{title} is a community of level {level}{marks}")


def _term(facts: Facts, context: Answering, measure: Describe) -> Claim:
    """Return what a term is and in which field runs state it."""
    del context, measure
    rank = f", {facts['rank']}" if facts.get("rank") not in (None, "no rank") else ""
    label, curie = facts["label"], facts["curie"]
    field = field_named(facts["field"]).said
    return Portrait(text=f"{label} ({curie}{rank}) is {article(field)} {field}")


def _and(joined: str) -> str:
    """Return values that are joined by semicolons as a list."""
    return listed(joined.split("; "))


_PORTRAITS: Final = {
    "virus": _virus,
    "run": _run,
    "study": _study,
    "project": _study,
    "biosample": _sample,
    "community": _community,
    "term": _term,
}

"""Portraits: a virus, a run, a study, a project, a sample, a community or a term in brief."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from index.claims import Claim, Counted, Holding, Portrait, number_text
from index.claims.claim import joined
from index.claims.phrases import article, in_quotes, is_or_are, listed
from query.answers.drafting import Answering, Draft, table_of
from query.answers.finding import Topic, beside_relatives, found
from query.answers.listing_words import and_words, ranking
from query.answers.next_steps import next_steps
from query.compiler.describing import runs_of_facts
from query.request import Carries, Describe, Hit, RunSet, Values, field_named

Facts = Mapping[str, str]
_NAMED: Final = 8
_FIRST: Final = 3
"""Up to so many viruses of a run, all are named; of more, the first."""
MOST_VIRUSES: Final = 5
_QUOTED: Final = 200
"""Most letters of an abstract."""


def draft_described(context: Answering, measure: Describe) -> Draft:
    """Return what a thing is in a sentence, then what its runs contain."""
    facts = {
        str(what): number_text(value) if isinstance(value, int | float) else str(value)
        for what, value in context.result.rows
    }
    called = context.names.called(measure.id, measure.kind)
    hits = (Hit(virus=(measure.id,)),) if measure.kind == "virus" else ()
    if "sotu" in facts:
        hits = (Hit(sotu=(facts["sotu"],)),)
    subject = Topic(hits, (), called, "")
    of = runs_of_facts(measure, facts)
    bullets: Sequence[Claim] = [
        Portrait(text=value) for what, value in facts.items() if what.startswith("hit ")
    ]
    if of is not None:
        bullets = next_steps(context, subject, of, skip=measure.kind)
        bullets = [*_viruses_of(context, measure, of), *bullets]
    portrait = Portrait(text=_PORTRAITS[measure.kind]({**facts, "called": called}))
    certainty = _runs_of(context, subject)
    reported = facts.get("carried_from") or facts.get("community")
    links = [f"query report {reported}"] if "summary" in facts else []
    return Draft([portrait], certainty, bullets, links, table_of(context.result))


def _viruses_of(context: Answering, measure: Describe, of: RunSet) -> list[Claim]:
    """Return the most frequent viruses of the runs of a study, a sample or a community."""
    if measure.kind in ("virus", "run"):
        return []
    found = context.look(Values(("virus",), hits=Hit(named=True), limit=MOST_VIRUSES), of)
    most = "the most frequent viruses are" if found.total > len(found.rows) else "the viruses are"
    most = "the only virus found is" if found.total == 1 else most
    return [ranking(found, most)] if found.rows else []


def _runs_of(context: Answering, subject: Topic) -> list[Claim]:
    """Return how many runs there are, and how many have a virus."""
    tally = context.result.tally
    if tally is None:
        return []
    if subject.hits:
        relatives = beside_relatives(context, subject.hits, Carries(subject.hits[0]))
        return [found(context, subject, tally.runs), *relatives]
    if not tally.runs:
        return [Counted(number=0, before="the index has", where="of it")]
    return [Holding(runs=tally.runs, searched=tally.searched, positive=tally.positive)]


def _virus(facts: Facts) -> str:
    """Return what a virus is: its other names, rank, and the taxa above it; then its genome."""
    if "sotu" in facts:
        return _sotu(facts)
    if "virus" not in facts:
        return f"{facts['reported_name']} is a name that only a source uses"
    called = facts["called"]
    names = _names(facts)
    rank = facts.get("rank", "").replace("no rank", "")
    kind = f"{article(rank)} {rank} of viruses" if rank not in ("", "species") else "a virus"
    of = _above(facts)
    is_, has = ("are", "have") if is_or_are(called) == "are" else ("is", "has")
    said = []
    risk, genome = facts.get("risk_group", "unknown"), facts.get("genome", "")
    if risk.startswith("RG"):
        said.append(f"{is_} in risk group {risk.removeprefix('RG')}")
    if genome:
        said.append(f"{has} {'an' if genome.startswith('ss') else 'a'} {genome} genome")
    more = f"; {'it' if is_ == 'is' else 'they'} {listed(said)}" if said else ""
    return joined(called, names, f"{is_} {kind}", of) + more


def _sotu(facts: Facts) -> str:
    """Return what a cluster of sequences is placed in, how near a reference, and its names."""
    ranks = (f"of the {rank} {facts[rank]}" for rank in ("family", "phylum") if rank in facts)
    said = [joined(f"{facts['sotu']} is a cluster of sequences (sOTU)", next(ranks, ""))]
    if "identity" in facts:
        said.append(f"with at most {facts['identity']}% identity to a reference")
    if "reported_name" in facts:
        said.append(f"reported as {and_words(facts['reported_name'])}")
    return ", ".join(said)


def _names(facts: Facts) -> str:
    """Return the other names of a virus in brackets: ICTV's name first."""
    official = facts.get("ictv_name") or facts["scientific_name"]
    known = [facts["called"].lower(), official.lower()]
    others = [
        name for name in facts.get("also_called", "").split("; ") if name.lower() not in known
    ]
    ictv = "ICTV species " if "ictv_name" in facts else ""
    said = [f"{ictv}{official}"] * (official != facts["called"])
    said += [f"also {', '.join(others[:_OTHER_NAMES])}"] if any(others) else []
    return f"({'; '.join(said)})" if said else ""


def _above(facts: Facts) -> str:
    """Return the nearest taxa above a virus: "of the genus X, family Y"."""
    own = {facts["scientific_name"], facts.get("ictv_name"), facts.get("name"), facts["called"]}
    taxa = [f"{rank} {facts[rank]}" for rank in _ABOVE if facts.get(rank, "") not in {"", *own}]
    return f"of the {', '.join(taxa[:_NEAREST])}" if taxa else ""


_OTHER_NAMES: Final = 3
_ABOVE: Final = ("species", "genus", "family", "order", "phylum", "realm")
_NEAREST: Final = 3
"""Other names, and taxa above, that are said of a virus."""


def _run(facts: Facts) -> str:
    strategy = facts.get("library_strategy", "")
    host, organism = facts.get("host"), facts.get("organism")
    home = facts.get("study") or facts.get("bioproject")
    origin = joined(
        f"{article(strategy)} {strategy} run" if strategy else "a run",
        f"labelled {organism}" if organism else "",
        f"from {host}" if host and host != organism else "",
        f"({facts['tissue']})" if "tissue" in facts else "",
        f"in {facts['country']}" if "country" in facts else "",
    )
    details = [
        f"released {facts['release_date']}" if "release_date" in facts else "",
        f"{facts['spots']} spots" if "spots" in facts else "",
        f"of {home}" if home else "",
    ]
    found_in = "it was not searched for viruses"
    if "viruses" in facts:
        found_in = _holding(facts)
    elif "searched_by" in facts:
        found_in = f"no virus was found by {and_words(facts['searched_by'])}"
    said = ", ".join(filter(None, (origin, *details)))
    return f"{facts['run']} is {said}; {found_in}"


def _holding(facts: Facts) -> str:
    """Return the viruses of a run; of many, how many there are and those with most reads."""
    names = facts["viruses"].split("; ")
    if len(names) <= _NAMED:
        return f"it has {listed(names)}"
    first = [text.partition(": ")[0] for what, text in facts.items() if what.startswith("hit ")]
    groups = f"{len(names)} viruses or groups of viruses"
    return f"it has {facts['detections']} detections of {groups}, such as {listed(first[:_FIRST])}"


def _study(facts: Facts) -> str:
    name = facts.get("study") or facts["project"]
    kind = "a study" if "study" in facts else "a BioProject"
    title = f"{name} is {kind} without a title in the index"
    if "title" in facts:
        title = f"{name} is {in_quotes(facts['title'].rstrip('.'))}"
    elif "abstract" in facts:
        title = f"{name} is described as {in_quotes(facts['abstract'].rstrip('.'), most=_QUOTED)}"
    released = f", public since {facts['first_released']}" if "first_released" in facts else ""
    if "title" in facts or "abstract" in facts or "samples_state" not in facts:
        return f"{title}{released}"
    stated = facts["samples_state"].split("; ")[:_FIRST]
    return f"{title}{released}; its samples state {listed([in_quotes(each) for each in stated])}"


def _sample(facts: Facts) -> str:
    title = in_quotes(facts["title"]) if "title" in facts else "a sample"
    places = [facts[part] for part in ("country", "biome") if part in facts]
    origin = f", from {', '.join(places)}" if places else ""
    return f"{facts['biosample']} is {title}{origin}"


def _community(facts: Facts) -> str:
    title = f", “{facts['title']}”," if "title" in facts else ""
    parts = [facts[part] for part in ("species", "host", "tissue", "disease") if part in facts]
    marks = f", marked by {', '.join(parts)}" if parts and not title else ""
    level = facts.get("level", "0")
    return f"{facts['community']}{title} is a community of level {level}{marks}"


def _term(facts: Facts) -> str:
    rank = f", {facts['rank']}" if facts.get("rank") not in (None, "no rank") else ""
    field = field_named(facts["field"]).said
    return f"{facts['label']} ({facts['curie']}{rank}) is {article(field)} {field}"


_PORTRAITS: Final = {
    "virus": _virus,
    "run": _run,
    "study": _study,
    "project": _study,
    "biosample": _sample,
    "community": _community,
    "term": _term,
}

"""Rows of stored tables as claims: how each kind of row is said."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from index.claims import AssociationClaim, Claim, Counted, Effect, Noun, number_text
from index.claims.claim import joined
from index.claims.phrases import counted, in_quotes, listed
from query.answers.listing_words import and_words, virus_words
from query.answers.names import place_name


def test_of_project(row: dict[str, Any], titles: dict[str, str]) -> AssociationClaim:
    """Return a test; ``titles`` are those of projects."""
    return AssociationClaim(
        family=row["family"],
        attribute=row["attribute"].replace("_", " "),
        value=row["value"],
        project=row["bioproject"],
        with_value=row["num_true"],
        without=row["num_false"],
        fold_change=row["fold_change"],
        q_value=row["q_value"],
        flag=row["flag"] or "",
        about=titles.get(row["bioproject"], ""),
    )


def effect_over_projects(row: dict[str, Any]) -> Effect:
    """Return an effect combined over several projects."""
    return Effect(
        family=row["family"],
        attribute=row["attribute"].replace("_", " "),
        value=row["value"],
        projects=row["projects"],
        agreeing=row["projects_agreeing"],
        effect=row["effect"],
        low=row["ci_low"],
        high=row["ci_high"],
        q_value=row["q_value"],
    )


def _titled(row: dict[str, Any]) -> Claim:
    name = row.get("community") or row.get("study") or row.get("project")
    title = f", {in_quotes(row['title'])}," if row["title"] else ""
    return Counted(number=row["runs"], before=f"{name}{title} has")


_AS_HOST: Final = {
    "recorded": ", which other sources record as its host",
    "new within class": ", a relative of its recorded hosts",
    "unexpected": ", which is not known as its host",
    "resident": ", in whose cells it lives",
    "library": ", as the virus that was sequenced",
}
"""What the plausibility of a pair says of its host."""


def _pair(row: dict[str, Any]) -> Claim:
    judged = _AS_HOST.get(row["plausibility"], "")
    before = f"{virus_words(row['virus'])} is found in"
    return Counted(number=row["runs"], before=before, where=f"from {row['host']}{judged}")


def _unlikely(row: dict[str, Any]) -> Claim:
    likely = f"{number_text(100 * row['probability'])}%"
    before = f"{row['virus']} in {row['host']} is predicted with a probability of {likely}, and"
    where = f"of {counted(row['searched'], 'study', 'studies')} that searched for it"
    return Counted(number=row["studies"], noun=("study", "studies"), before=f"{before} found in",
                   where=where)  # fmt: skip


def _novel(row: dict[str, Any]) -> Claim:
    nearest = f"nearest to {row['nearest'].removesuffix('-like')}" if row["nearest"] else ""
    identity = f"{number_text(row['identity'])}% identity" if row["identity"] else ""
    lineage = nearest or row["family"]
    hosts = f"in {and_words(row['hosts'])}" if row["hosts"] else ""
    named = [place_name(place) for place in (row["places"] or "").split("; ")]
    places = f"from {listed(named)}" if row["places"] else ""
    origin = joined(hosts, places)
    studies = f"of {counted(row['studies'], 'study', 'studies')}"
    known = ", ".join(filter(None, (lineage, identity)))
    called = f"sOTU {row['sotu']} ({known})" if known else f"the unnamed sOTU {row['sotu']}"
    return Counted(
        number=row["runs"],
        before=f"{called} is found in",
        where=f"{studies}, {origin}" if origin else studies,
    )


def _neighbourhood(row: dict[str, Any]) -> Claim:
    families = f"of {and_words(row['families'])}" if row["families"] else "of no stated family"
    found = f"found in {counted(row['studies'], 'study', 'studies')}"
    members = and_words(row["members"])
    hosts = f"most often of {and_words(row['hosts'])}" if row["hosts"] else ""
    return Counted(
        number=row["viruses"],
        noun=("virus", "viruses"),
        before=f"neighbourhood {row['neighbourhood']} has",
        where=f"{', '.join(filter(None, (families, found, hosts)))}; such as {members}",
    )


def _misnamed(row: dict[str, Any]) -> Claim:
    is_sure = "is" if row["runs_with_hits"] else "is probably"
    reported = f"{row['sotu']}, reported as {row['reported']}"
    before = f"{reported}, {is_sure} {virus_words(row['virus'])} in"
    evidence = f"of {counted(row['runs_with_evidence'], 'run', 'runs')} with other evidence"
    where = f"({number_text(row['runs'])} runs have it)"
    noun = (evidence, evidence)
    return Counted(number=row["runs_agreeing"], noun=noun, before=before, where=where)


def _metadata(row: dict[str, Any]) -> Claim:
    share = f"({number_text(row['percent'])}%)"
    return Counted(number=row["runs"], before=f"{row['field']} is stated for", where=share)


def _vocabulary(row: dict[str, Any]) -> Claim:
    before = f"{row['ontology']} {row['version'] or ''} has".replace("  ", " ")
    return Counted(number=row["terms"], noun=("term", "terms"), before=before)


class Kind(NamedTuple):
    """How the rows of a stored table are put into words.

    It has their noun, the columns that a sentence needs, the sentence of a row, and a caution.
    """

    noun: Noun
    columns: str
    said: Callable[[dict[str, Any]], Claim] | None = None
    caution: str = ""


KINDS: Final = {
    "tests": Kind(
        ("test", "tests"),
        "bioproject family attribute value num_true num_false fold_change q_value flag",
    ),
    "effects": Kind(
        ("association over several projects", "associations over several projects"),
        "family attribute value projects projects_agreeing effect ci_low ci_high q_value",
        effect_over_projects,
    ),
    "communities": Kind(("community", "communities"), "community runs title", _titled),
    "reports": Kind(("report", "reports"), "community runs title", _titled),
    "studies": Kind(("study", "studies"), "study title runs", _titled),
    "projects": Kind(("project", "projects"), "project title runs", _titled),
    "pairs": Kind(("virus–host pair", "virus–host pairs"), "virus host plausibility runs", _pair),
    "unlikely": Kind(
        ("virus-host pair that no source records", "virus-host pairs that no source records"),
        "virus host probability studies searched",
        _unlikely,
        "the probability is a prediction from all other studies: what is unlikely may be "
        "contamination, or a new host",
    ),
    "novel": Kind(
        ("virus far from any known one", "viruses far from any known one"),
        "sotu nearest family identity hosts places runs studies",
        _novel,
        "an sOTU without an identity was not compared with references, so it may be a known virus",
    ),
    "neighbourhoods": Kind(
        ("neighbourhood of viruses", "neighbourhoods of viruses"),
        "neighbourhood viruses studies families hosts members",
        _neighbourhood,
        "they are predicted: viruses of a neighbourhood are found in the same kinds of samples, "
        "and need not be related",
    ),
    "misnamed": Kind(
        ("sOTU whose name the runs contradict", "sOTUs whose name the runs contradict"),
        "sotu reported virus runs runs_with_evidence runs_agreeing runs_with_hits",
        _misnamed,
    ),
    "metadata": Kind(("field", "fields"), "field runs percent", _metadata),
    "vocabularies": Kind(("vocabulary", "vocabularies"), "ontology version terms", _vocabulary),
    "sources": Kind(("source of the index", "sources of the index"), "kind name as_of"),
    "builds": Kind(("record of builds", "records of builds"), ""),
}

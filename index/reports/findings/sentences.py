"""Sentences of reports: a claim, its citations, and how a fact is stated.

Every sentence is followed by citations of what it counts; a name of plain words gets a capital at
the start.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from index.claims import RUN, Counted, FoundIn, InRuns, NamedNumber, Noun, Ranking, Unassigned
from index.claims.phrases import sentence
from index.facets import REGISTRY
from index.reports.citations import MAX_PER_REFERENCE, CitedValue, format_reference, is_citable
from index.reports.fact_rows import FactRow
from index.reports.profiles import Profile
from index.stated import CLOSEST, REPORTED, VIRAL, names_no_species

WORDINGS: Final = {facet.name: facet.wording for facet in REGISTRY if facet.wording is not None}
"""The wording of each facet."""
NEARLY_ALL: Final = 0.95
"""From this share of the runs on, the others need not be mentioned."""
OFTEN_STATED: Final = 0.7
"""If a smaller share of the runs state a facet, its values are counted among all runs."""
FEW_TO_COMPARE: Final = 10
"""A value with fewer runs is not compared with other shares."""
_OF_THESE: Final = ("of these is", "of these are")
_LEAST_LABELLED: Final = 3
"""Minimum number of libraries of a virus for its name to be said of another one."""

_ASSIGNED: Final = ("species", "family")
_VIRUS: Final = re.compile(r"virus|viridae|phage")


class Clause(NamedTuple):
    """One sentence without its full stop, and what it cites."""

    text: str
    citations: Sequence[CitedValue] = ()


class Sentences(NamedTuple):
    """A finding: its summary, its explanation and what both cite."""

    summary: str
    explanation: str
    citations: tuple[CitedValue, ...]


def statement(fact: FactRow, runs: int, studies: str = "", *, positive: int = 0) -> str:
    """Return the claim of a fact of a community of ``runs``, with its ``studies``, if any.

    The whole are the runs that state the facet; of a species or a family, the ``positive`` runs,
    those with any virus, if their number is given. A percentage is given unless few runs state it.

    >>> statement(FactRow("tissue", "leaf", None, 9, 12, 3.0, 0.001), 40)
    'the tissue is leaf in 9 of the 12 runs with a stated tissue (of 40 in all)'
    >>> statement(FactRow("tissue", "leaf", None, 9, 12, 3.0, 0.001, cultured=9), 15)
    'the cultured cells are from leaf in 9 of the 12 runs with a stated tissue (75%)'
    >>> aroa = FactRow("species", "reported as Aroa virus", None, 9, 12, 3.0, 0.001)
    >>> statement(aroa, 12)
    'Aroa virus is reported in 9 of the 12 runs (75%)'
    """
    wording = WORDINGS[fact.facet]
    which = wording.stating if fact.known < runs else ""
    if fact.facet in VIRAL:
        is_named = fact.value.startswith(REPORTED)
        by_kmers = "k-mers of " if fact.is_reported and not is_named else ""
        whole = _viral_whole(fact, positive)
        which = "with a virus" if whole == positive else which
        claim = FoundIn(
            subject=f"{by_kmers}{wording.claim.format(value=named(fact.value))}",
            number=fact.runs,
            searched=whole,
            known=which if whole < runs else "",
            supported=not is_named,
        )
        return f"{claim.clause()}{studies}"
    subject = wording.claim.format(value=named(fact.value))
    if fact.is_of_cells:
        some = fact.cultured < fact.runs
        cells = f"cells ({Counted(number=fact.cultured, before='cultured in').clause()})"
        subject = f"the {cells if some else 'cultured cells'} are from {fact.value}"
    is_often = fact.known >= OFTEN_STATED * runs
    in_runs = InRuns(
        part=fact.runs,
        whole=fact.known,
        subject=subject,
        does=studies,
        which=which,
        shared=is_often,
        of_all=0 if is_often else runs,
    )
    return in_runs.clause()


def _viral_whole(fact: FactRow, positive: int) -> int:
    """Return the runs that a species or a family is counted among."""
    return max(fact.known, positive) if fact.facet in _ASSIGNED else fact.known


def unassigned(fact: FactRow, positive: int) -> str:
    """Return in how many of the ``positive`` runs no species, or no family, is known, if in many.

    >>> unassigned(FactRow("family", "Flaviviridae", None, 15, 15, 3.0, 0.001), 22)
    '; no family could be assigned in the other 7'
    >>> unassigned(FactRow("species", "Zika virus", None, 9, 15, 3.0, 0.001), 22)
    '; no species could be assigned in 7 of the 22'
    """
    whole = _viral_whole(fact, positive)
    if fact.known >= NEARLY_ALL * whole:
        return ""
    claim = Unassigned(
        taxon=fact.facet,
        number=whole - fact.known,
        whole=whole,
        is_rest=fact.runs == fact.known,
    )
    return f"; {claim.clause()}"


def named(value: str) -> str:
    """Return a value in the form that sentences use.

    >>> named("Orthopoxvirus reads closest to Variola virus"), named("reported as Aroa virus")
    ('a trace of Orthopoxvirus reads closest to Variola virus', 'Aroa virus')
    >>> named("human gammaherpesvirus 4")
    'Human gammaherpesvirus 4'
    """
    if CLOSEST in value:
        return f"a trace of {value}"
    name = value.removeprefix(REPORTED)
    return sentence(name) if _VIRUS.search(name) else name


def with_runs(begin: str, facts: Iterable[FactRow], lead: FactRow, profile: Profile) -> str:
    """Return ``facts`` as a list of values with their runs after ``begin``; "" without facts.

    Viruses have the number of runs that carry the ``lead``, too; of other values, it is said that
    runs state several where they do.
    """
    facts = list(facts)
    if not facts:
        return ""
    places = []
    for fact in facts:
        note = _doubt(fact, profile) if fact.is_deposited else ""
        name = f"a virus deposited as {named(fact.value)}" if note else listed_name(fact.value)
        both = None if note else _with_both(fact, lead, profile)
        places.append(NamedNumber(name=name, number=fact.runs, both=both, note=note))
    is_several = sum(fact.runs for fact in [lead, *facts]) > lead.known
    several = "; a run may state several" * (is_several and lead.facet not in VIRAL)
    return f"; {ranked(begin, places)}{several}"


def _doubt(fact: FactRow, profile: Profile) -> str:
    """Return that nothing supports the name of a virus, and the label of its libraries if that
    names a virus which is found in none of the runs.
    """
    doubt = "a name that nothing else supports"
    found = {virus.value for virus in profile.of("species")}
    for label in profile.of("virus"):
        both = profile.together(fact.facet_value, label.facet_value)
        if both >= _LEAST_LABELLED and label.value not in found:
            labelled = Counted(number=both, noun=_OF_THESE, after=f"labelled {label.value}")
            return f"{doubt}: {labelled.clause()}"
    return doubt


def ranked(begin: str, places: Iterable[NamedNumber], noun: Noun = RUN) -> str:
    """Return ``places`` with their numbers, all of them, after ``begin``; "" without places."""
    named = tuple(places)
    claim = Ranking(begin=begin, places=named, noun=noun, named=len(named))
    return claim.clause() if named else ""


def _with_both(fact: FactRow, lead: FactRow, profile: Profile) -> int | None:
    """Return how many of the runs of a virus carry the leading one, too, if that says anything."""
    if fact.facet not in VIRAL or fact.facet != lead.facet or fact == lead:
        return None
    both = carried_by(fact, lead, profile)
    is_usual = both == fact.runs and lead.runs >= NEARLY_ALL * profile.runs
    return None if is_usual else both


def carried_by(fact: FactRow, virus: FactRow, profile: Profile) -> int | None:
    """Return how many of the runs of a fact carry a virus; None if that was not counted.

    What is only like a virus is not counted so: it counts in runs without that virus. Nor is a
    virus with a name that another virus goes by, too.
    """
    if names_no_species(fact.value) or names_no_species(virus.value):
        return None
    if fact.far or virus.far:
        return None
    if not (profile.is_joined(fact) and profile.is_joined(virus)):
        return None
    return profile.together(fact.facet_value, virus.facet_value)


def listed_name(value: str) -> str:
    """Return a value in the form that lists use.

    >>> listed_name("reported as Aroa virus")
    'Aroa virus as reported'
    """
    if value.startswith(REPORTED):
        return f"{value.removeprefix(REPORTED)} as reported"
    return named(value)


def finding(claim: Clause, clauses: Sequence[Clause]) -> Sentences:
    """Return a finding from its claim and the sentences that explain it."""
    cited = list(claim.citations)
    sentences = []
    for clause in clauses:
        cited += clause.citations
        sentences.append(close(clause))
    explanation = " ".join(sentences)
    return Sentences(close(claim), explanation, tuple(cited))


def close(clause: Clause) -> str:
    """Return a clause as a sentence: a capital, its reference if it has one, and a full stop."""
    text = sentence(clause.text)
    if not clause.citations:
        return f"{text}."
    reference = format_reference(clause.citations)
    return f"{text} {reference}."


def cite(facts: Iterable[FactRow]) -> list[CitedValue]:
    """Return a citation for each of ``facts`` that can be cited, at most five."""
    return citable(fact.facet_value for fact in facts)


def citable(pairs: Iterable[tuple[str, str]]) -> list[CitedValue]:
    """Return the citations that can be written and read back, at most five."""
    written = []
    for key, value in pairs:
        citation = _citation(key, value)
        if citation is not None:
            written.append(citation)
    return written[:MAX_PER_REFERENCE]


def own(profile: Profile) -> list[CitedValue]:
    """Return the citation of the community itself, which resolves to all its runs."""
    itself = CitedValue("community", profile.community)
    return [itself]


@lru_cache(maxsize=65_536)
def _citation(key: str, value: str) -> CitedValue | None:
    if not is_citable(key, value):
        return None
    return CitedValue(key, value)

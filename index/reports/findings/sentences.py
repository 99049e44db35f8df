"""Sentences of reports: a claim, its citations, and how a fact is stated.

Every sentence has the citations of what it counts behind it; a name of plain words takes a capital
at its start.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from index.facets import REGISTRY
from index.reports.citations import MAX_PER_REFERENCE, CitedValue, format_reference, is_citable
from index.reports.phrases import against_index, counted, listed, sentence, share_of
from index.reports.profiles import FactRow, Profile
from index.stated import CLOSEST, REPORTED

WORDINGS: Final = {facet.name: facet.wording for facet in REGISTRY if facet.wording is not None}
"""How each facet is worded, by facet."""
LEAST_BESIDE: Final = 0.2
"""Share of the runs of a virus with more reads of a congener, from which that is said."""
FEW_TO_COMPARE: Final = 10
"""Runs that have a value, below which its share is compared with no other share."""


class Clause(NamedTuple):
    """One sentence without its full stop, and what it cites."""

    text: str
    citations: Sequence[CitedValue] = ()


class Sentences(NamedTuple):
    """A finding: its summary, its explanation and what both cite."""

    summary: str
    explanation: str
    citations: tuple[CitedValue, ...]


def statement(fact: FactRow, runs: int) -> str:
    """Return what is counted, with its share; ``runs`` is the size of the community.

    >>> statement(FactRow("tissue", "leaf", None, 9, 12, 3.0, 0.001), 40)
    'The tissue is leaf in 9 of 12 runs with a stated tissue (75%)'
    """
    wording = WORDINGS[fact.facet]
    value = named(fact.value)
    share = stated_share(fact, runs)
    return f"{wording.claim.format(value=value, share=share)}{with_doubt(fact)}"


def with_doubt(fact: FactRow) -> str:
    """Return in how many runs of a virus another one of its genus has more reads, and in how many
    of a family k-mers alone show it, to go behind it.

    >>> with_doubt(FactRow("family", "Caliciviridae", None, 6, 9, 3.0, 0.001, by_kmers=4))
    ', 4 of them by k-mers alone'
    """
    if 2 * fact.by_kmers < fact.runs or not fact.by_kmers:
        return beside_congener(fact)
    number = "all" if fact.by_kmers == fact.runs else f"{fact.by_kmers:,}"
    return f"{beside_congener(fact)}, {number} of them by k-mers alone"


def compared_with_index(fact: FactRow) -> str:
    """Return how the share of a fact compares with that in the whole index; "" where a handful of
    runs has it: their share is no measure.

    >>> compared_with_index(FactRow("tissue", "leaf", None, 7, 11, 3.0, 0.001))
    ''
    """
    if fact.runs < FEW_TO_COMPARE:
        return ""
    return against_index(fact.lift, fact.q_value)


def beside_congener(fact: FactRow) -> str:
    """Return in how many runs of a virus another one of its genus has more reads, to go behind it.

    >>> beside_congener(FactRow("species", "Variola virus", None, 6, 9, 3.0, 0.001))
    ''
    """
    if fact.beside < LEAST_BESIDE * fact.runs or not fact.beside:
        return ""
    return f", {fact.beside:,} of them with more reads of {fact.congener}"


def named(value: str) -> str:
    """Return a value as the subject of a sentence.

    >>> named("reported as Aroa virus")
    'what is reported as Aroa virus'
    >>> named("Orthopoxvirus reads closest to Variola virus")
    'a trace of Orthopoxvirus reads closest to Variola virus'
    """
    if CLOSEST in value:
        return f"a trace of {value}"
    if value.startswith(REPORTED):
        return f"what is {value}"
    return value


def stated_share(fact: FactRow, runs: int) -> str:
    """Return the share of a fact among the runs that state its facet, saying so where others do
    not.
    """
    stating = ""
    if fact.known < runs:
        stating = WORDINGS[fact.facet].stating
    return share_of(fact.runs, fact.known, stating)


def with_runs(facts: Iterable[FactRow]) -> str:
    """Return ``facts`` as a list of values with their runs."""
    values = []
    for fact in facts:
        runs = counted(fact.runs, "run")
        values.append(f"{named(fact.value)} ({runs}{with_doubt(fact)})")
    return listed(values)


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

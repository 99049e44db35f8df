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
from index.reports.naming import REPORTED
from index.reports.phrases import counted, listed, sentence, share_of
from index.reports.profiles import FactRow, Profile

WORDINGS: Final = {facet.name: facet.wording for facet in REGISTRY if facet.wording is not None}
"""How each facet is worded, by facet."""


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
    return wording.claim.format(value=named(fact.value), share=stated_share(fact, runs))


def named(value: str) -> str:
    """Return a value as the subject of a sentence.

    >>> named("reported as Aroa virus")
    'what is reported as Aroa virus'
    """
    return f"what is {value}" if value.startswith(REPORTED) else value


def stated_share(fact: FactRow, runs: int) -> str:
    """Return the share of a fact among the runs that state its facet, saying so where others do
    not.
    """
    stating = WORDINGS[fact.facet].stating if fact.known < runs else ""
    return share_of(fact.runs, fact.known, stating)


def with_runs(facts: Iterable[FactRow]) -> str:
    """Return ``facts`` as a list of values with their runs."""
    return listed([f"{fact.value} ({counted(fact.runs, 'run')})" for fact in facts])


def finding(claim: Clause, clauses: Sequence[Clause]) -> Sentences:
    """Return a finding from its claim and the sentences that explain it."""
    cited = tuple(one for clause in [claim, *clauses] for one in clause.citations)
    explanation = " ".join(close(clause) for clause in clauses)
    return Sentences(close(claim), explanation, cited)


def close(clause: Clause) -> str:
    """Return a clause as a sentence: a capital, its reference if it has one, and a full stop."""
    text = sentence(clause.text)
    if not clause.citations:
        return f"{text}."
    return f"{text} {format_reference(clause.citations)}."


def cite(facts: Iterable[FactRow]) -> list[CitedValue]:
    """Return a citation for each of ``facts`` that can be cited, at most five."""
    return citable((fact.facet, fact.value) for fact in facts)


def citable(pairs: Iterable[tuple[str, str]]) -> list[CitedValue]:
    """Return the citations that can be written and read back, at most five."""
    found = [_citation(key, value) for key, value in pairs]
    return [one for one in found if one is not None][:MAX_PER_REFERENCE]


def own(profile: Profile) -> list[CitedValue]:
    """Return the citation of the community itself, which resolves to all its runs."""
    return [CitedValue("community", profile.community)]


@lru_cache(maxsize=65_536)
def _citation(key: str, value: str) -> CitedValue | None:
    return CitedValue(key, value) if is_citable(key, value) else None

"""Sentences of reports: a claim, its citations, and how a fact is stated.

Every sentence is followed by citations of what it counts; a name of plain words gets a capital at
the start.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from index.claims.phrases import counted, listed, sentence, share_of
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


_WITHOUT: Final = {
    "species": "have no named virus",
    "family": "have no virus of a known family",
}
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


def statement(fact: FactRow, runs: int) -> str:
    """Return what is counted, with its share; ``runs`` is the size of the community.

    If fewer than seven tenths of the runs state the facet, the share is of all runs.

    >>> statement(FactRow("tissue", "leaf", None, 9, 12, 3.0, 0.001), 20)
    'The tissue is leaf in 9 of 20 runs (8 state none)'
    >>> statement(FactRow("tissue", "leaf", None, 9, 12, 3.0, 0.001), 40)
    'The tissue is leaf in 9 of 40 runs (28 state none)'
    >>> statement(FactRow("tissue", "leaf", None, 9, 12, 3.0, 0.001, cultured=9), 15)
    'The cultured cells are from leaf in 9 of 12 runs with a stated tissue (75%)'
    >>> statement(FactRow("species", "reported as Aroa virus", None, 9, 12, 3.0, 0.001), 12)
    'Aroa virus is reported in 9 of 12 runs (75%)'
    """
    wording = WORDINGS[fact.facet]
    share = stated_share(fact, runs)
    if fact.known < OFTEN_STATED * runs:
        none = _WITHOUT.get(fact.facet, "state none")
        share = f"{fact.runs:,} of {runs:,} runs ({runs - fact.known:,} {none})"
    claim = wording.claim
    if fact.value.startswith(REPORTED):
        claim = "{value} is reported in {share}"
    elif fact.is_reported:
        claim = "K-mers of {value} are found in {share}"
    elif fact.is_of_cells:
        some = "" if fact.cultured == fact.runs else f" (cultured in {fact.cultured:,} runs)"
        claim = f"The {'' if some else 'cultured '}cells{some} are from {{value}} in {{share}}"
    return claim.format(value=named(fact.value), share=share)


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


def stated_share(fact: FactRow, runs: int) -> str:
    """Return the share of a fact among the runs that state its facet; say so if others do not."""
    stating = ""
    if fact.known < runs:
        stating = WORDINGS[fact.facet].stating
    return share_of(fact.runs, fact.known, stating)


def with_runs(facts: Iterable[FactRow], lead: FactRow, profile: Profile) -> str:
    """Return ``facts`` as a list of values with their runs, of viruses also with how many of these
    carry the ``lead`` as well; of other values, that runs state several where they do.
    """
    facts = list(facts)
    values = []
    for fact in facts:
        reported = lead.value.startswith(REPORTED)
        name = named(fact.value) if reported else listed_name(fact.value)
        behind = _with_both(fact, lead, profile)
        if fact.is_deposited:
            name = f"a virus deposited as {named(fact.value)}"
            behind = ", a name that nothing else supports"
        values.append(f"{name} ({counted(fact.runs, 'run')}{behind})")
    is_several = sum(fact.runs for fact in [lead, *facts]) > lead.known
    several = "; a run may state several" * (is_several and lead.facet not in VIRAL)
    return f"{listed(values)}{several}"


def _with_both(fact: FactRow, lead: FactRow, profile: Profile) -> str:
    """Return how many of the runs of a virus carry the leading one, too."""
    is_pair = fact.facet in VIRAL and fact.facet == lead.facet and fact != lead
    both = carried_by(fact, lead, profile) if is_pair else None
    is_usual = both == "all" and lead.runs >= NEARLY_ALL * profile.runs
    also = "" if both == "none" else "also "
    return "" if both is None or is_usual else f", {both} {also}with it"


def carried_by(fact: FactRow, virus: FactRow, profile: Profile) -> str | None:
    """Return how many of the runs of a fact carry a virus; None if that was not counted.

    What is only like a virus is not counted so: it counts in runs without that virus.
    """
    if names_no_species(fact.value) or names_no_species(virus.value):
        return None
    if not (profile.is_joined(fact) and profile.is_joined(virus)):
        return None
    both = profile.together(fact.facet_value, virus.facet_value)
    return {0: "none", fact.runs: "all"}.get(both, f"{both:,}")


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

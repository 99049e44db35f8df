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
from index.reports.naming.named_values import identity_range
from index.reports.phrases import counted, listed, sentence, share_of
from index.reports.profiles import FactRow, Profile
from index.stated import CLOSEST, REPORTED, VIRAL, names_no_species

WORDINGS: Final = {facet.name: facet.wording for facet in REGISTRY if facet.wording is not None}
"""How each facet is worded, by facet."""
LEAST_BESIDE: Final = 0.2
"""Share of the runs of a virus with more reads of a congener, from which that is said."""
LEAST_BELOW: Final = 0.05
"""Share of the runs of a virus below 90 % identity to a reference, from which that is said."""
NEARLY_ALL: Final = 0.95
"""Share of the runs from which the others need no word."""
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
    """Return what is counted, with its share; ``runs`` is the size of the community, of which the
    share is where fewer than half of them state the facet.

    >>> statement(FactRow("tissue", "leaf", None, 9, 12, 3.0, 0.001), 20)
    'The tissue is leaf in 9 of 12 runs with a stated tissue (75%)'
    >>> statement(FactRow("tissue", "leaf", None, 9, 12, 3.0, 0.001), 40)
    'The tissue is leaf in 9 of 40 runs (most runs are without a stated tissue)'
    >>> statement(FactRow("tissue", "leaf", None, 9, 12, 3.0, 0.001, cultured=9), 20)
    'The cultured cells are from leaf in 9 of 12 runs with a stated tissue (75%)'
    """
    wording = WORDINGS[fact.facet]
    share = stated_share(fact, runs)
    if is_seldom_stated(fact, runs):
        without = wording.stating.replace("with", "without", 1)
        share = f"{fact.runs:,} of {runs:,} runs (most runs are {without})"
    claim = wording.claim
    if fact.is_of_cells:
        some = "" if fact.cultured == fact.runs else f" (cultured in {fact.cultured:,} runs)"
        claim = f"The {'' if some else 'cultured '}cells{some} are from {{value}} in {{share}}"
    return f"{claim.format(value=fact_name(fact), share=share)}{with_doubt(fact)}"


def is_seldom_stated(fact: FactRow, runs: int) -> bool:
    """Return whether fewer than half of the runs of a community state the facet of a fact."""
    return 2 * fact.known < runs


def with_doubt(fact: FactRow) -> str:
    """Return in how many runs of a virus another one of its genus has more reads, and in how many
    of a family k-mers alone show it, to go behind it.

    >>> with_doubt(FactRow("family", "Caliciviridae", None, 6, 9, 3.0, 0.001, by_kmers=4))
    ', 4 of them by k-mers alone'
    """
    doubt = f"{beside_congener(fact)}{_of_other_types(fact)}"
    if 2 * fact.by_kmers < fact.runs or not fact.by_kmers:
        return doubt
    number = "all" if fact.by_kmers == fact.runs else f"{fact.by_kmers:,}"
    return f"{doubt}, {number} of them by k-mers alone"


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


def fact_name(fact: FactRow) -> str:
    """Return the value of a fact as the subject of a sentence, with the identity to its reference
    where that is below 90 % in all of its runs: few references stand for many types.

    >>> below = FactRow("species", "Mayaro virus", None, 9, 9, 3.0, 0.001, below=9, low=83, high=89)
    >>> fact_name(below)
    'Mayaro virus (83 to 89% identity to the nearest reference)'
    """
    if fact.facet != "species" or not 0 < fact.runs <= fact.below:
        return named(fact.value)
    return f"{named(fact.value)} ({_alike(fact)})"


def _alike(fact: FactRow) -> str:
    return f"{identity_range(fact.low, fact.high)} identity to the nearest reference"


def _of_other_types(fact: FactRow) -> str:
    """Return how many of the runs of a virus are below 90 % identity to its reference.

    >>> some = FactRow("species", "Mayaro virus", None, 9, 9, 3.0, 0.001, below=3, low=83, high=89)
    >>> _of_other_types(some)
    ', 3 of them at 83 to 89% identity to the nearest reference, as other types of it are'
    """
    if (
        fact.facet != "species"
        or fact.below >= fact.runs
        or fact.below < max(3, LEAST_BELOW * fact.runs)
    ):
        return ""
    return f", {fact.below:,} of them at {_alike(fact)}, as other types of it are"


def stated_share(fact: FactRow, runs: int) -> str:
    """Return the share of a fact among the runs that state its facet, saying so where others do
    not.
    """
    stating = ""
    if fact.known < runs:
        stating = WORDINGS[fact.facet].stating
    return share_of(fact.runs, fact.known, stating)


def with_runs(facts: Iterable[FactRow], lead: FactRow, profile: Profile) -> str:
    """Return ``facts`` as a list of values with their runs, of viruses also with how many of these
    carry the ``lead`` as well.
    """
    values = []
    for fact in facts:
        runs = counted(fact.runs, "run")
        by_lead = fact.congener == lead.value.removeprefix(REPORTED)
        is_explained = by_lead and fact.beside == fact.runs
        doubt = f", all with more reads of {fact.congener}" if is_explained else with_doubt(fact)
        both = "" if is_explained else _with_both(fact, lead, profile)
        values.append(f"{listed_fact(fact)} ({runs}{doubt}{both})")
    return listed(values)


def listed_fact(fact: FactRow) -> str:
    """Return the value of a fact as lists name it."""
    return fact_name(fact) if fact.below >= fact.runs else listed_name(fact.value)


def _with_both(fact: FactRow, lead: FactRow, profile: Profile) -> str:
    """Return how many of the runs of a virus carry the leading one, too."""
    if fact.facet not in VIRAL or lead.runs >= NEARLY_ALL * profile.runs:
        return ""
    both = carried_by(fact, lead, profile)
    return "" if both is None else f", {both} with both"


def carried_by(fact: FactRow, virus: FactRow, profile: Profile) -> str | None:
    """Return how many of the runs of a fact carry a virus; None where that was not counted, as for
    what is only like a virus: it counts in runs without that virus.
    """
    if names_no_species(fact.value) or names_no_species(virus.value):
        return None
    if not (profile.is_joined(fact) and profile.is_joined(virus)):
        return None
    both = profile.together(fact.facet_value, virus.facet_value)
    return {0: "none", fact.runs: "all"}.get(both, f"{both:,}")


def listed_name(value: str) -> str:
    """Return a value as lists name it.

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

"""The sources, places and studies of the runs of one virus.

They need not be the hosts, places and studies of its community.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from index.claims import ComingFrom, NamedNumber, Ranking
from index.reports.citations import CitedValue
from index.reports.evidence_rows import SOTU, Deposit, Support
from index.reports.fact_rows import Value
from index.reports.findings.evidence import PATTERN
from index.reports.findings.sentences import Clause, citable, listed_name, own
from index.reports.naming.named_values import is_metagenome
from index.reports.profiles import Profile

LEAST: Final = 0.02
"""Minimum share of a virus's runs for a host or a place to be named."""
_DOUBT: Final = "not expected there: food, contamination or a wrong label"


def study_words(profile: Profile, virus: Value) -> str:
    """Return the number of studies of a virus's runs, or the one or two studies with most of them.

    Return "" if the studies of most runs are not known.
    """
    support = profile.support.get(virus, Support(0))
    deposits = most_deposits(support)
    most = tuple((deposit_name(deposit), deposit.runs) for deposit in deposits)
    if len(deposits) > 1 and not deposits[0].study:
        name, runs = most[1]
        most = (most[0], (name.replace("what is probably one study", "another"), runs))
    is_known = 2 * support.known >= support.runs
    studies = support.studies if is_known else 0
    return after_comma(ComingFrom(whole=support.runs, most=most, studies=studies))


def after_comma(claim: ComingFrom) -> str:
    """Return a claim to follow another one; "" if nothing is known."""
    return f", {claim.clause()}" if claim.clause() else ""


def deposit_name(deposit: Deposit) -> str:
    """Return the study of a deposit; if it is not known, the accessions that probably are one."""
    return deposit.study or f"what is probably one study ({deposit.first} to {deposit.last})"


def most_deposits(support: Support) -> Sequence[Deposit]:
    """Return the deposit, or the two deposits, with more than half of the runs of a virus."""
    for number in range(1, len(support.deposits) + 1):
        first = support.deposits[:number]
        if 2 * sum(deposit.runs for deposit in first) > support.runs:
            return [deposit for deposit in first if deposit.runs >= PATTERN]
    return []


def source_clauses(profile: Profile, virus: Value) -> list[Clause]:
    """Return the hosts and environments of a virus's runs, and how many runs state none.

    Of all but the first, their only study is given. A host in which a virus is not expected is only
    the label of these runs.
    """
    support = profile.support.get(virus, Support(0))
    name = listed_name(virus[1])
    places: list[NamedNumber] = []
    for source, runs in _large(support.sources, support):
        notes = [_DOUBT] if source in support.unexpected else []
        notes += _only_study(virus, source, profile) if places else []
        plural = f"{source}s" if is_metagenome(source) else source
        places.append(NamedNumber(name=plural, number=runs, note="; ".join(notes)))
    claim = _ranking(f"{name} is found in", places, support, support.sourced, "host or environment")
    return [Clause(claim.clause(), _cited(profile, virus))] if places else []


def unexpected_sources(profile: Profile, virus: Value) -> list[str]:
    """Return the hosts in which a virus is reported but not expected."""
    support = profile.support.get(virus, Support(0))
    return [name for name, _ in _large(support.sources, support) if name in support.unexpected]


def place_clauses(profile: Profile, virus: Value) -> list[Clause]:
    """Return the countries and seas that the runs of a virus come from."""
    support = profile.support.get(virus, Support(0))
    large = _large(support.places, support)
    places = [NamedNumber(name=name, number=runs) for name, runs in large]
    begin = f"the runs with {listed_name(virus[1])} come from"
    claim = _ranking(begin, places, support, support.placed, "place of origin")
    return [Clause(claim.clause(), _cited(profile, virus))] if places else []


def _ranking(
    begin: str, places: Sequence[NamedNumber], support: Support, known: int, what: str
) -> Ranking:
    """Return the sources or places of the runs of a virus, and how many runs state none."""
    return Ranking(
        begin=begin,
        places=tuple(places),
        named=len(places),
        whole=support.runs,
        unstated=max(0, support.runs - known),
        unstated_thing=what,
    )


def _cited(profile: Profile, virus: Value) -> list[CitedValue]:
    return own(profile) if virus[0] == SOTU else citable([virus])


def _only_study(virus: Value, source: str, profile: Profile) -> list[str]:
    """Return the study of all runs of ``source`` with the virus, if others are of other studies."""
    facet = "environment" if is_metagenome(source) else "host"
    first, second = sorted([virus, (facet, source)])
    behind = profile.behind.get((first, second))
    if behind is None or behind.study_runs < behind.runs or profile.only_study is not None:
        return []
    return [f"all from {behind.study}"]


def _large(counts: Sequence[tuple[str, int]], support: Support) -> list[tuple[str, int]]:
    least = max(PATTERN, LEAST * support.runs)
    return [(name, runs) for name, runs in counts if runs >= least]

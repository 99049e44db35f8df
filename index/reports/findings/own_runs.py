"""The sources, places and studies of the runs of one virus.

They need not be the hosts, places and studies of its community.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from index.claims.phrases import counted, listed
from index.reports.citations import CitedValue
from index.reports.evidence_rows import SOTU, Deposit, Support
from index.reports.fact_rows import Value
from index.reports.findings.evidence import PATTERN
from index.reports.findings.sentences import Clause, citable, listed_name, own
from index.reports.findings.studies import some_of
from index.reports.naming.named_values import is_metagenome
from index.reports.profiles import Profile

LEAST: Final = 0.02
"""Minimum share of a virus's runs for a host or a place to be named."""


def study_words(profile: Profile, virus: Value) -> str:
    """Return the number of studies of a virus's runs, or the one or two studies with most of them.

    Return "" if the studies of most runs are not known.
    """
    support = profile.support.get(virus, Support(0))
    most = most_deposits(support)
    if most and all(deposit.study for deposit in most):
        first, *others = most
        said = [f"{some_of(first.runs, support.runs)} from {first.study}"]
        said += [f"{deposit.runs:,} from {deposit.study}" for deposit in others]
        return f", {listed(said)}"
    is_known = 2 * support.known >= support.runs
    return f", in {support.studies:,} studies" if is_known and support.studies > 1 else ""


def most_deposits(support: Support) -> Sequence[Deposit]:
    """Return the deposit, or the two deposits, with more than half of the runs of a virus."""
    for number in range(1, len(support.deposits) + 1):
        first = support.deposits[:number]
        if 2 * sum(deposit.runs for deposit in first) > support.runs:
            return [deposit for deposit in first if deposit.runs >= PATTERN]
    return []


def own_clauses(profile: Profile, virus: Value, *others: Clause) -> list[Clause]:
    """Return the sources of a virus's runs and, if no study is known, who deposited them.

    ``others`` are viruses of the same runs, which are named once.
    """
    whole = f"the {_runs(profile.support.get(virus, Support(0)), virus)}"
    first, *more = [*source_clauses(profile, virus), *others] or [Clause("")]
    again = [clause._replace(text=clause.text.replace(whole, "these runs")) for clause in more]
    named = [first, *again] if first.text else []
    return [*neighbour_clauses(profile, virus), *named]


def neighbour_clauses(profile: Profile, virus: Value) -> list[Clause]:
    """Return which runs without a known study have neighbouring accessions.

    They must be most of the runs of a virus, alone or with those of one study.
    """
    support = profile.support.get(virus, Support(0))
    unknown = [deposit for deposit in most_deposits(support) if not deposit.study]
    said = [f"{deposit.runs:,} ({deposit.first} to {deposit.last})" for deposit in unknown]
    if not said:
        return []
    which = f"{said[0]} of the {_runs(support, virus)} are probably of one study"
    more = f", and {said[1]} of another" if len(said) > 1 else ""
    return [Clause(f"by their neighbouring accessions, {which}{more}", _cited(profile, virus))]


def source_clauses(profile: Profile, virus: Value) -> list[Clause]:
    """Return the hosts and environments of a virus's runs, and how many runs state none."""
    support = profile.support.get(virus, Support(0))
    large = _large(support.sources, support)
    if not large:
        return []
    silent = support.runs - support.sourced
    none = f"; {silent:,} state no host or environment" if silent else ""
    text = f"of the {_runs(support, virus)}, {listed(_from(large, virus, profile))}{none}"
    if large[0][1] == support.runs:
        text = f"all of the {_runs(support, virus)} are from {_several(large[0][0])}"
    return [Clause(text, _cited(profile, virus))]


def unexpected_sources(profile: Profile, virus: Value) -> list[str]:
    """Return the hosts in which a virus is reported but not expected."""
    support = profile.support.get(virus, Support(0))
    return [name for name, _ in _large(support.sources, support) if name in support.unexpected]


def place_clauses(profile: Profile, virus: Value) -> list[Clause]:
    """Return the countries and seas that the runs of a virus come from."""
    support = profile.support.get(virus, Support(0))
    said = [f"{name} ({number:,})" for name, number in _large(support.places, support)]
    stating = f"{support.placed:,} of the {_runs(support, virus)}"
    text = f"the place of origin is stated for {stating}: {listed(said)}"
    return [Clause(text, _cited(profile, virus))] if said else []


def _cited(profile: Profile, virus: Value) -> list[CitedValue]:
    return own(profile) if virus[0] == SOTU else citable([virus])


def _runs(support: Support, virus: Value) -> str:
    """Return the runs of a virus in words."""
    return f"{counted(support.runs, 'run')} with {listed_name(virus[1])}"


def _from(counts: Sequence[tuple[str, int]], virus: Value, profile: Profile) -> list[str]:
    """Return hosts and environments with their runs; of all but the first, their only study.

    A host in which a virus is not expected is only the label of these runs.
    """
    unexpected = profile.support[virus].unexpected
    doubt = " (not expected there: food, contamination or a wrong label)"
    said = [
        f"from {_several(name)}{of_one}{doubt * (name in unexpected)}"
        for name, of_one in zip(
            [name for name, _ in counts],
            ["", *(_only_study(virus, name, profile) for name, _ in counts[1:])],
            strict=True,
        )
    ]
    runs = [f"{number:,}" for _, number in counts]
    runs[0] = f"{runs[0]} are"
    return [f"{number} {words}" for number, words in zip(runs, said, strict=True)]


def _only_study(virus: Value, source: str, profile: Profile) -> str:
    """Return the study of all runs of ``source`` with the virus, if others are of other studies."""
    facet = "environment" if is_metagenome(source) else "host"
    first, second = sorted([virus, (facet, source)])
    behind = profile.behind.get((first, second))
    if behind is None or behind.study_runs < behind.runs or profile.only_study is not None:
        return ""
    return f" (all of {behind.study})"


def _large(counts: Sequence[tuple[str, int]], support: Support) -> list[tuple[str, int]]:
    least = max(PATTERN, LEAST * support.runs)
    return [(name, runs) for name, runs in counts if runs >= least]


def _several(source: str) -> str:
    """Return a host or an environment; of metagenomes in the plural."""
    return f"{source}s" if is_metagenome(source) else source

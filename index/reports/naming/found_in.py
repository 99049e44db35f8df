"""What the viruses of a title were found in: hosts, environments and libraries that runs join."""

from __future__ import annotations

from collections.abc import Sequence

from index.claims.phrases import listed
from index.facets import SAMPLED
from index.reports.evidence_rows import Pairing
from index.reports.fact_rows import FactRow, by_runs
from index.reports.joints import JOINED
from index.reports.naming.named_values import is_metagenome, key
from index.reports.naming.title_values import MAJORITY, is_of_most, is_of_positive
from index.reports.profiles import SEVERAL_SOURCES, Profile
from index.stated import REPORTED


def is_found_in(virus: FactRow, organism: FactRow, profile: Profile) -> bool:
    """Return whether a title may say that a virus was found in an organism: half of its runs are
    of that organism, and a fifth of those with a named virus are of both.
    """
    return _both(virus, organism, profile) >= max(JOINED * virus.known, MAJORITY * virus.runs)


def organisms_of(virus: FactRow, profile: Profile) -> list[FactRow]:
    """Return the organisms that enough runs join to ``virus``, most frequent first.

    Only the most frequent of hosts, metagenomes and libraries is returned: a title names no
    minority.
    """
    most = [fact for facet in SAMPLED for fact in by_runs(profile.of(facet))[:1]]
    joined = [
        fact
        for fact in most
        if is_of_most(fact, profile)
        and is_of_positive([fact], profile)
        and is_found_in(virus, fact, profile)
        and not is_unexpected(virus, fact, profile)
        and is_found(fact, profile)
        and (fact.facet != "virus" or _is_library_of(fact, virus))
    ]

    def order(fact: FactRow) -> tuple[int, str]:
        return -_both(virus, fact, profile), fact.value

    return sorted(joined, key=order)


def organism_with(virus: FactRow, host: FactRow, profile: Profile) -> str | None:
    """Return what was sequenced in most runs that join a virus to a host, if not the host."""
    by_organism: dict[str, int] = {}
    for pair in _pairings_of(virus, host, profile):
        if pair.organism is not None:
            by_organism[pair.organism] = by_organism.get(pair.organism, 0) + pair.runs
    most = MAJORITY * _both(virus, host, profile)
    return next((name for name, runs in by_organism.items() if runs > most), None)


def is_unexpected(virus: FactRow, host: FactRow, profile: Profile) -> bool:
    """Return whether ``virus`` is unexpected in ``host`` in at least half of the runs with both.

    A title never joins these two plainly.
    """
    pairs = _pairings_of(virus, host, profile)
    unexpected = sum(pair.runs for pair in pairs if pair.plausibility == "unexpected")
    return unexpected > 0 and unexpected >= MAJORITY * _both(virus, host, profile)


def _pairings_of(virus: FactRow, host: FactRow, profile: Profile) -> list[Pairing]:
    """Return what is known about how expected a virus is in a host."""
    name = virus.value.removeprefix(REPORTED)
    return [
        pair
        for pair in profile.pairings
        if (pair.facet, pair.virus.removeprefix(REPORTED)) == (virus.facet, name)
        and pair.host == host.value
    ]


def is_found(sampled: FactRow, profile: Profile) -> bool:
    """Return whether a fact is about a host, an environment, or libraries of a virus.

    Half of the libraries must have the virus: a label does not show that it is there.
    """
    if sampled.facet != "virus":
        return True
    own = [fact for fact in profile.of("species") if _is_library_of(sampled, fact)]
    return any(_both(fact, sampled, profile) >= MAJORITY * sampled.runs for fact in own)


def _is_library_of(sampled: FactRow, virus: FactRow) -> bool:
    """Return whether a library is labelled as the virus, or as a type of it."""
    name = virus.value.removeprefix(REPORTED).lower()
    label = sampled.value.lower()
    return sampled.facet == "virus" and (label == name or label.startswith(f"{name} "))


def _both(fact: FactRow, other: FactRow, profile: Profile) -> int:
    return profile.together(key(fact), key(other))


def homes_in_words(homes: Sequence[str]) -> str:
    """Return hosts and environments in words, with the word for metagenomes only once."""
    if homes[0] == SEVERAL_SOURCES:
        return ", mostly ".join(homes)
    kinds = [home.removesuffix(" metagenome") for home in homes if home.endswith(" metagenome")]
    metagenomes = [f"{listed(kinds)} metagenomes"] if kinds else []
    named = [listed([home for home in homes if not is_metagenome(home)])]
    both = [*metagenomes, *named] if is_metagenome(homes[0]) else [*named, *metagenomes]
    return " and in ".join(filter(None, both))

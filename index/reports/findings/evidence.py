"""The evidence for the viruses of a report: the runs with most of a virus, its identity to the
reference, the method that found it, and other viruses that may explain its reads.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from math import floor
from typing import Final

from index.claims import Inferred
from index.claims.phrases import counted, listed, share_of
from index.reports.evidence_rows import FAR_MORE, SOTU, Example, Support, Weighed
from index.reports.fact_rows import FactRow, Value
from index.reports.findings.sentences import (
    FEW_TO_COMPARE,
    Clause,
    citable,
    cite,
    listed_name,
    named,
    own,
)
from index.reports.naming.named_values import SPECIES_IDENTITY, identity_range
from index.reports.profiles import Profile
from index.stated import names_no_species

PATTERN: Final = 3
"""Minimum number of runs with a value of a finding: one or two runs are not a pattern."""
SHARING: Final = 0.3
"""Minimum share of the runs with a virus for their method to be mentioned."""
LEAST_BESIDE: Final = 0.2
"""Minimum share of a virus's runs with reads of a congener for that to be mentioned."""
FAR_IN_MOST: Final = 0.9
"""If one of two viruses has far more reads in this share of the runs with both, the other is
probably carried over."""
FAR_IN_MANY: Final = 0.25
"""From this share on it is mentioned that either has far more."""
LEAST_BELOW: Final = 0.05
"""Minimum share of a virus's runs below 90 % identity to a reference for that to be mentioned."""
DISTANT: Final = 70
"""Below this identity, in percent, a hit is not a type of a virus."""


def support_clauses(profile: Profile, virus: Value, hosts: Sequence[FactRow] = ()) -> list[Clause]:
    """Return the runs with most of a virus; nothing if k-mers alone name most viruses.

    The source of a run is given if it is not one of the ``hosts`` that the report names.
    """
    support = profile.support.get(virus)
    if support is None or not support.examples or classified_clauses(profile):
        return []
    led = tuple(fact.value for fact in hosts)
    labels = {fact.value for fact in profile.of("virus")}
    best = listed([_example(example, (*led, virus[1]), labels) for example in support.examples])
    measure = "coverage" if support.examples[0].reads is None else "reads"
    of_virus = "" if virus[0] == SOTU else f" of {named(virus[1])}"
    led_by = support.examples[0].virus
    if virus[0] == "family" and led_by is not None and led_by != virus[1]:
        of_virus = f" of {listed_name(led_by)}, the most frequent virus of {virus[1]},"
    cited = citable(("runId", example.run) for example in support.examples)
    are = "are" if len(support.examples) > 1 else "is"
    runs = "runs" if len(support.examples) > 1 else "run"
    return [Clause(f"the {runs} with most {measure}{of_virus} {are} {best}", cited)]


def _example(example: Example, led: tuple[str, ...], labels: Collection[str]) -> str:
    """Return a run with how much of a virus it has, and its source unless that is ``led``; say if
    the source is only one of the ``labels`` of libraries.
    """
    shown = []
    if example.reads is not None:
        shown.append(counted(example.reads, "read"))
    elif example.coverage is not None:
        shown.append(f"{example.coverage:,.0f}-fold coverage")
    if example.identity is not None:
        shown.append(f"{example.identity:.3g}% identity")
    if example.source is not None and not example.source.startswith(led):
        is_label = example.source in labels or example.source.endswith(" virus")
        shown.append(f"{'labelled ' * is_label}{example.source}")
    return f"{example.run} ({', '.join(shown)})" if shown else example.run


def median_identity(profile: Profile, virus: FactRow) -> str:
    """Return the median identity of a species to its reference, if known for half of its runs.

    All of these runs must be of this species.
    """
    support = profile.support.get(virus.facet_value, Support(0))
    is_known = support.measured >= max(FEW_TO_COMPARE, support.runs / 2)
    if virus.facet != "species" or not is_known or virus.far:
        return ""
    return f", at a median identity of {support.identity:.0f}%"


def classified_clauses(profile: Profile) -> list[Clause]:
    """Return how many runs have viruses found by k-mers alone, if these are many."""
    found = profile.searched
    if found.classified < max(PATTERN, SHARING * found.positive):
        return []
    share = share_of(found.classified, found.positive, "with a virus")
    text = f"in {share} the named viruses rest on k-mers of reads alone and are not confirmed"
    return [Clause(text, own(profile))]


def evidence_clauses(facts: Iterable[FactRow], profile: Profile) -> list[Clause]:
    """Return what speaks against the viruses that were named: the names they were deposited under,
    their identity, and viruses that have more reads in the same runs.
    """
    species = [fact for fact in dict.fromkeys(facts) if fact.facet == "species"]
    deposited = [clause for fact in species for clause in _deposited_clauses(fact, profile)]
    return [*deposited, *stray_clauses(species, profile), *_unlike_clauses(species)]


def stray_clauses(facts: Iterable[FactRow], profile: Profile) -> list[Clause]:
    """Return which reads belong to a virus other than the one named, or were carried over."""
    clauses = [clause for fact in profile.of("species") for clause in _far_clauses(fact, profile)]
    shown = {fact.value for fact in facts}
    pairs = [pair for pair in profile.weighed if {pair.first, pair.second} <= shown]
    return [*clauses, *(clause for pair in pairs for clause in _weighed_clauses(pair, profile))]


def _deposited_clauses(fact: FactRow, profile: Profile) -> list[Clause]:
    """Return the name under which a virus was deposited if other evidence names it differently."""
    known = profile.inferred.get(fact.facet_value)
    if known is None or known.runs < max(PATTERN, LEAST_BELOW * fact.runs):
        return []
    claim = Inferred(
        virus=named(fact.value),
        deposited=known.deposited,
        runs=known.runs,
        everywhere=known.everywhere,
        agreeing=known.agreeing,
        evident=known.evident,
        with_hits=known.with_hits,
    )
    return [Clause(claim.clause(), cite([fact]))]


def _unlike_clauses(species: Sequence[FactRow]) -> list[Clause]:
    """Return how many runs of the viruses are of types other than their reference."""
    unlike = [fact for fact in species if fact.below >= max(PATTERN, LEAST_BELOW * fact.runs)]
    if not unlike:
        return []
    is_distant = unlike[0].high < DISTANT
    kin = "distant relatives" if is_distant else "other types of a species, or close relatives"
    runs = listed([_unlike(fact) for fact in unlike])
    text = f"in {runs}, the match is below {SPECIES_IDENTITY}%: these may be {kin}"
    return [Clause(text, cite(unlike))]


def _unlike(fact: FactRow) -> str:
    """Return how many runs of a virus are unlike its reference, and how unlike."""
    below = min(fact.below, fact.runs)
    which = f"all {below:,}" if below == fact.runs else f"{below:,} of the {fact.runs:,}"
    virus = f"{fact.value} viruses" if names_no_species(fact.value) else named(fact.value)
    return f"{which} runs with {virus} ({identity_range(fact.low, fact.high)} identity)"


def _far_clauses(fact: FactRow, profile: Profile) -> list[Clause]:
    """Return how many further runs have another virus that goes by the same name."""
    if fact.far < max(PATTERN, LEAST_BELOW * profile.runs):
        return []
    runs = counted(fact.runs, "run")
    has = "has" if fact.runs == 1 else "have"
    text = (
        f"{runs} {has} {named(fact.value)}; another {fact.far:,} match it at only "
        f"{floor(fact.far_low)} to {fact.gap_low:.0f}% and are not counted: no run of the index "
        f"lies between {fact.gap_low:.0f} and {fact.gap_high:.0f}%, so they are probably of "
        "another species"
    )
    return [Clause(text, cite([fact]))]


def print_clauses(fact: FactRow) -> list[Clause]:
    """Return that a species is known by its polymerase alone in most of its runs."""
    is_other = fact.facet != "species" or fact.is_deposited or names_no_species(fact.value)
    if is_other or 2 * fact.by_print <= fact.runs:
        return []
    which = f"{fact.by_print:,} of its {fact.runs:,} runs"
    if fact.by_print >= fact.runs:
        which = f"all {counted(fact.runs, 'run')}"
    alone = "is known from its polymerase gene in assembled contigs alone"
    return [Clause(f"in {which} {named(fact.value)} {alone}", cite([fact]))]


def _weighed_clauses(pair: Weighed, profile: Profile) -> list[Clause]:
    """Return which of two viruses has more reads in the runs with both, if one may be strays.

    Congeners share reads, and far fewer reads may be carried over.
    """
    runs = {fact.value: fact.runs for fact in profile.of("species")}
    fewer = min(runs.get(pair.first, 0), runs.get(pair.second, 0))
    first, second = named(pair.first), named(pair.second)
    cited = citable([("species", pair.first), ("species", pair.second)])
    if pair.are_congeners and pair.runs >= LEAST_BESIDE * fewer:
        most, least = max(pair.first_more, pair.second_more), min(pair.first_more, pair.second_more)
        if pair.second_more > pair.first_more:
            first, second = second, first
        fewer_in = f", and fewer in {least:,}" if least else ""
        text = (
            f"{first} has more reads than {second} in {most:,} of the {counted(pair.runs, 'run')} "
            f"with both{fewer_in}: in each run, one may be a false match of reads of the other, or "
            "both may be matches to a relative"
        )
        return [Clause(text, cited)]
    of_first = (pair.first_far_more, first, second)
    of_second = (pair.second_far_more, second, first)
    for far, more, less in (of_first, of_second):
        if not pair.are_congeners and far >= max(PATTERN, FAR_IN_MOST * pair.runs):
            often = f"all {far:,}" if far == pair.runs else f"{far:,} of the {pair.runs:,}"
            text = (
                f"{more} has over {FAR_MORE} times the reads of {less} in {often} runs with both, "
                "which carry-over may explain"
            )
            return [Clause(text, cited)]
    far = pair.first_far_more + pair.second_far_more
    if not pair.are_congeners and far >= max(PATTERN, FAR_IN_MANY * pair.runs):
        often = f"all {far:,}" if far == pair.runs else f"{far:,} of the {pair.runs:,}"
        text = (
            f"in {often} runs with both {first} and {second}, one has over {FAR_MORE} times the "
            "reads of the other, which carry-over may explain"
        )
        return [Clause(text, cited)]
    return []

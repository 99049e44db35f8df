"""The evidence for the viruses of a report: the runs with most of a virus, its identity to the
reference, the method that found it, and other viruses that may explain its reads.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from typing import Final

from index.claims import Counted, FoundIn, InRuns, MoreReads, NamedNumber
from index.claims.phrases import identity_of, identity_range, percent
from index.reports.evidence_rows import SOTU, Example, Provenance, Support, Weighed
from index.reports.fact_rows import FactRow, Value
from index.reports.findings.sentences import (
    FEW_TO_COMPARE,
    Clause,
    citable,
    cite,
    listed_name,
    named,
    own,
    ranked,
)
from index.reports.naming.named_values import SPECIES_IDENTITY
from index.reports.origin import HEAVY
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
    examples = profile.support.get(virus, Support(0)).examples
    if not examples or classified_clauses(profile):
        return []
    led = tuple(fact.value for fact in hosts)
    labels = {fact.value for fact in profile.of("virus")}
    by_reads = examples[0].reads is not None
    noun = ("read", "reads") if by_reads else ("", "-fold coverage")
    of_virus = "" if virus[0] == SOTU else f" of {named(virus[1])}"
    led_by = examples[0].virus
    if virus[0] == "family" and led_by is not None and led_by != virus[1]:
        of_virus = f" of {listed_name(led_by)}, the most frequent virus of {virus[1]},"
    are = "runs", "are"
    if len(examples) == 1:
        are = "run", "is"
    begin = f"the {are[0]} with the {'most reads' if by_reads else 'highest coverage'}{of_virus} "
    best = [
        NamedNumber(
            name=example.run,
            number=example.reads or 0 if by_reads else float(round(example.coverage or 0)),
            note=_about(example, (*led, virus[1]), labels),
        )
        for example in examples
    ]
    cited = citable(("runId", example.run) for example in examples)
    heavy = _heavy_clauses(profile, virus, examples, labels)
    return [Clause(ranked(f"{begin}{are[1]}", best, noun), cited), *heavy]


def _heavy_clauses(
    profile: Profile, virus: Value, examples: Sequence[Example], labels: Collection[str]
) -> list[Clause]:
    """Return that so many reads in a run of a stated host are usually not of a natural infection,
    unless the report says so of runs of unknown origin or most runs are of a laboratory.
    """
    origin = profile.origins.get(virus, Provenance())
    heavy = [
        example
        for example in examples
        if example.source is not None
        and example.source not in labels
        and not example.source.endswith((" virus", "metagenome"))
        and (example.reads or 0) >= HEAVY
    ]
    if not heavy or origin.is_laboratory or origin.heavy >= PATTERN:
        return []
    text = (
        "over a million reads in one run are typical of cultures and enriched libraries, whatever "
    )
    return [Clause(f"{text}the stated host", citable([("runId", heavy[0].run)]))]


def _about(example: Example, led: tuple[str, ...], labels: Collection[str]) -> str:
    """Return the identity of the virus in a run, and the source of the run unless that is ``led``;
    say if the source is only one of the ``labels`` of libraries.
    """
    shown = [] if example.identity is None else [identity_of(example.identity)]
    if example.source is not None and not example.source.startswith(led):
        is_label = example.source in labels or example.source.endswith(" virus")
        shown.append(f"{'labelled ' * is_label}{example.source}")
    return ", ".join(shown)


def median_identity(profile: Profile, virus: FactRow) -> str:
    """Return the median identity of a species to its reference, if known for half of its runs.

    All of these runs must be of this species.
    """
    support = profile.support.get(virus.facet_value, Support(0))
    is_known = support.measured >= max(FEW_TO_COMPARE, support.runs / 2)
    if virus.facet != "species" or not is_known or virus.far or support.identity is None:
        return ""
    return f", with a median identity of {percent(round(support.identity) / 100)}"


def classified_clauses(profile: Profile) -> list[Clause]:
    """Return how many runs have viruses found by k-mers alone, if these are many."""
    found = profile.searched
    if found.classified < max(PATTERN, SHARING * found.positive):
        return []
    claim = InRuns(
        part=found.classified,
        whole=found.positive,
        which="with a virus",
        shared=True,
        does="the named viruses rest on k-mers of reads alone and are not confirmed",
    )
    return [Clause(claim.clause(), own(profile))]


def evidence_clauses(
    facts: Iterable[FactRow], profile: Profile, further: Iterable[FactRow] = ()
) -> list[Clause]:
    """Return what speaks against the viruses that were named: the names they were deposited under,
    their identity, and viruses that have more reads in the same runs. Of ``further`` viruses,
    return the identity if it is low in most of their runs.
    """
    species = [fact for fact in dict.fromkeys(facts) if fact.facet == "species"]
    deposited = [clause for fact in species for clause in _deposited_clauses(fact, profile)]
    unlike = [fact for fact in further if 2 * fact.below > fact.runs]
    unlike = list(dict.fromkeys([*species, *unlike]))
    return [*deposited, *stray_clauses(species, profile), *_unlike_clauses(unlike)]


def stray_clauses(facts: Iterable[FactRow], profile: Profile) -> list[Clause]:
    """Return which reads belong to a virus other than the one named, or were carried over."""
    shown = {fact.value for fact in facts}
    clauses = [
        clause
        for fact in profile.of("species")
        for clause in _far_clauses(fact, profile, is_shown=fact.value in shown)
    ]
    pairs = [pair for pair in profile.weighed if {pair.first, pair.second} <= shown]
    return [*clauses, *(clause for pair in pairs for clause in _weighed_clauses(pair, profile))]


def _deposited_clauses(fact: FactRow, profile: Profile) -> list[Clause]:
    """Return the name under which a virus was deposited if other evidence names it differently."""
    known = profile.inferred.get(fact.facet_value)
    if known is None or known.runs < max(PATTERN, LEAST_BELOW * fact.runs):
        return []
    claim = replace(known, virus=named(fact.value))
    return [Clause(text, cite([fact])) for text in (claim.clause(), claim.reason())]


def is_often_below(fact: FactRow) -> bool:
    """Return whether more than a few runs of a virus are below the identity of a species."""
    return fact.below >= max(PATTERN, LEAST_BELOW * fact.runs)


def _unlike_clauses(species: Sequence[FactRow]) -> list[Clause]:
    """Return how many runs of the viruses are of types other than their reference."""
    unlike = [fact for fact in species if is_often_below(fact)]
    distant = [fact for fact in unlike if fact.high < DISTANT]
    near = [fact for fact in unlike if fact.high >= DISTANT]
    of_kin = {
        "another type of the species or a close relative": near,
        "a distant relative": distant,
    }
    return [_unlike(facts, kin) for kin, facts in of_kin.items() if facts]


def _unlike(facts: Sequence[FactRow], kin: str) -> Clause:
    """Return in how many runs of each virus the identity is low, and what they may have instead."""
    below = f"the identity is below {SPECIES_IDENTITY}%"
    if len(facts) == 1:
        (fact,) = facts
        claim = InRuns(
            part=min(fact.below, fact.runs),
            whole=fact.runs,
            which=f"with {_called(fact)}",
            does=f"{below} ({identity_range(fact.low, fact.high)}), so it may be {kin}",
        )
        return Clause(claim.clause(), cite(facts))
    parts = [
        NamedNumber(
            name=_called(fact),
            number=min(fact.below, fact.runs),
            out_of=fact.runs,
            note=identity_range(fact.low, fact.high),
        )
        for fact in facts
    ]
    return Clause(ranked(f"in these runs {below}, so they may have {kin}:", parts), cite(facts))


def _called(fact: FactRow) -> str:
    return f"{fact.value} viruses" if names_no_species(fact.value) else named(fact.value)


def _far_clauses(fact: FactRow, profile: Profile, *, is_shown: bool) -> list[Clause]:
    """Return how many further runs have another virus that goes by the same name; if the virus is
    not ``is_shown`` elsewhere, also its own runs.
    """
    if fact.far < max(PATTERN, LEAST_BELOW * profile.runs):
        return []
    near = identity_range(fact.far_low, fact.gap_low)
    between = identity_range(fact.gap_low, fact.gap_high).replace(" to ", " and ")
    virus = named(fact.value)
    found = f"{FoundIn(subject=virus, number=fact.runs).clause()}; "
    claim = Counted(
        number=fact.far,
        noun=("further run matches", "further runs match"),
        after=f"{virus if is_shown else 'it'} at only {near} identity and are not counted: no run "
        f"of the index lies between {between}, so this is probably another species",
    )
    return [Clause(f"{found * (not is_shown)}{claim.clause()}", cite([fact]))]


def print_clauses(fact: FactRow) -> list[Clause]:
    """Return that a species is known by its polymerase alone in most of its runs."""
    is_other = fact.facet != "species" or fact.is_deposited or names_no_species(fact.value)
    if is_other or 2 * fact.by_print <= fact.runs:
        return []
    claim = InRuns(
        part=min(fact.by_print, fact.runs),
        whole=fact.runs,
        which=f"with {named(fact.value)}",
        does="the only evidence of it is its polymerase gene in assembled contigs",
    )
    return [Clause(claim.clause(), cite([fact]))]


def _weighed_clauses(pair: Weighed, profile: Profile) -> list[Clause]:
    """Return which of two viruses has more reads in the runs with both, if one may be strays.

    Congeners share reads, and far fewer reads may be carried over.
    """
    runs = {fact.value: fact.runs for fact in profile.of("species")}
    fewer = min(runs.get(pair.first, 0), runs.get(pair.second, 0))
    if pair.are_congeners and pair.runs < LEAST_BESIDE * fewer:
        return []
    more = (pair.first_more, pair.second_more)
    far = more if pair.are_congeners else (pair.first_far_more, pair.second_far_more)
    first, second = named(pair.first), named(pair.second)
    if far[1] > far[0]:
        first, second = second, first
    either = not pair.are_congeners and max(far) < max(PATTERN, FAR_IN_MOST * pair.runs)
    number = sum(far) if either else max(far)
    if either and number < max(PATTERN, FAR_IN_MANY * pair.runs):
        return []
    claim = MoreReads(
        first=first,
        second=second,
        number=number,
        runs=pair.runs,
        are_congeners=pair.are_congeners,
        either=either,
    )
    return [Clause(claim.clause(), citable([("species", pair.first), ("species", pair.second)]))]

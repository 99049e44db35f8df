"""What marks a community: contrast with its parent and the index, viruses in company, hosts that
need a caveat.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from index.claims.organisms import OtherOrganism
from index.facets import SAMPLED
from index.reports.contrast import LARGE, is_within
from index.reports.findings.sentences import (
    FEW_TO_COMPARE,
    NEARLY_ALL,
    WORDINGS,
    Clause,
    Sentences,
    citable,
    cite,
    fact_name,
    finding,
    is_seldom_stated,
    listed_fact,
    listed_name,
    named,
    own,
    statement,
    with_runs,
)
from index.reports.findings.studies import origin_clauses
from index.reports.phrases import against_index, counted, factor, listed, share_of
from index.reports.profiles import (
    FEW_READS,
    MOST_JOINED,
    SOTU,
    Company,
    Example,
    FactRow,
    Pairing,
    Profile,
    Value,
    by_runs,
)
from index.stated import VIRAL, names_no_species

_MOST_PAIRS: Final = 3
FEWEST_SHARING: Final = 3
"""Runs that share an unnamed virus before that is worth a finding."""
SHARING: Final = 0.3
"""Share of the runs with a virus that share an unnamed one before that is worth a finding."""
PATTERN: Final = 3
"""Runs that a value of a finding has at least: one or two runs are no pattern."""
LEAST_CARRIED: Final = 0.1
"""Share of the runs of a value that carry a virus, before that is worth a word."""
LEAST_OTHER: Final = 0.05
"""Share of the runs that are mostly of another organism, before that is worth a finding."""
MOST_NEXT: Final = 2
NEXT_SHARE: Final = 0.05
"""Share of the runs that state a facet from which a value is worth a word behind another."""
INTRODUCED: Final = {
    "unexpected": "Probably contamination, diet or a false match, since no such host is recorded",
    "new within class": "Recorded in related hosts only, so possibly a new host",
    "resident": "Known to live in the cell line sequenced, so no sign of a new infection",
}
"""Plausibility of a pair: how it is introduced, with what to be careful about."""
_LEAST_SHARES: Final = {"unexpected": 0.02, "new within class": 0.02, "resident": 0.05}
"""Share of the runs of a community from which a pair is worth a caveat."""


def facet_finding(profile: Profile, lead: FactRow) -> Sentences:
    """Return the finding of a fact: how it compares with the index, which viruses its runs carry,
    and what other values there are; the most frequent value comes first.
    """
    others = [fact for fact in by_runs(profile.of(lead.facet)) if fact != lead]
    comparison = compared(lead, profile.runs)
    claim = f"{statement(lead, profile.runs)}{comparison}"
    cited = [lead]
    if others and others[0].runs > lead.runs and lead.facet not in VIRAL:
        first = others.pop(0)
        apart = f"{listed_fact(lead)} ({counted(lead.runs, 'run')}) stands out"
        claim = f"{statement(first, profile.runs)}; {apart}{comparison}"
        cited = [first, lead]
    compared_virus = _more_often(profile, lead.facet)
    if compared_virus is not None:
        return finding(compared_virus, [])
    clauses = [*support_clauses(profile, lead.facet_value)]
    clauses += virus_clauses(profile, cited[0])
    shown = frequent_enough(others)[:MOST_NEXT]
    if shown:
        beside = Clause(f"Beside it: {with_runs(shown, lead, profile)}", cite(shown))
        clauses.append(beside)
    clauses += sequenced_clauses(cited[0], profile)
    return finding(Clause(claim, cite(cited)), clauses)


def _more_often(profile: Profile, facet: str) -> Clause | None:
    """Return in which of two tissues or diseases the most frequent virus is more often, where it is
    a fifth of the runs or more: the value of most runs is not that of most infections.
    """
    viruses = [one for one in by_runs(profile.of("species")) if not one.is_outweighed][:1]
    values = [one for one in by_runs(profile.of(facet)) if profile.is_joined(one)][:2]
    if facet not in ("tissue", "disease") or not viruses or len(values) < 2:
        return None
    virus = viruses[0]
    if not profile.is_joined(virus) or min(one.runs for one in values) < FEW_TO_COMPARE:
        return None
    both = {one: profile.together(virus.facet_value, one.facet_value) for one in values}
    most, least = sorted(values, key=lambda one: -both[one] / one.runs)
    if both[most] / most.runs - both[least] / least.runs < LARGE:
        return None
    found = f"{fact_name(virus)} is found in {both[most]:,} of {most.runs:,} runs of {most.value}"
    text = f"{found}, against {both[least]:,} of {least.runs:,} of {least.value}"
    return Clause(text, cite([virus, most, least]))


def compared(fact: FactRow, runs: int) -> str:
    """Return how the share of a fact compares with the index, where it is twice as large; "" where
    that says nothing.

    >>> compared(FactRow("tissue", "leaf", None, 10, 12, 3.0, 0.001), 12)
    ', 3 times its share in the whole index'
    """
    if fact.runs < FEW_TO_COMPARE or is_seldom_stated(fact, runs):
        return ""
    larger = against_index(fact.lift, fact.q_value)
    return f", {larger}" if larger else ""


def support_clauses(profile: Profile, virus: Value) -> list[Clause]:
    """Return where the runs of a virus come from, where it is best supported, how alike it is to a
    reference and how many studies have it; nothing where its runs were not gathered, or of a family
    whose species say it.
    """
    support = profile.support.get(virus)
    is_of_species = virus[0] == "family" and 2 * profile.known("species") >= profile.known("family")
    if support is None or not support.examples or is_of_species:
        return []
    best = listed([_example(one) for one in support.examples])
    said = [f"The strongest evidence is in {best}"]
    if support.measured >= max(FEW_TO_COMPARE, support.runs / 2):
        said.append(f"the median identity to a reference is {support.identity:.0f}%")
    is_common = 2 * support.sotu_runs >= support.runs
    if virus[0] == "family" and support.measured and is_common:
        said.append(f"mostly as {support.sotu} ({counted(support.sotu_runs, 'run')})")
    if 1 < support.studies < support.runs:
        said.append(f"it is seen in {support.studies:,} studies")
    cited = citable(("runId", one.run) for one in support.examples)
    return [*origin_clauses(profile, virus), Clause("; ".join(said), cited)]


def _example(example: Example) -> str:
    """Return a run with its best supported detection of a virus."""
    shown = []
    if example.identity is not None:
        shown.append(f"{example.identity:g}% identity")
    if example.reads is not None:
        shown.append(counted(example.reads, "read"))
    elif example.coverage is not None:
        shown.append(f"{example.coverage:,.0f}-fold coverage")
    return f"{example.run} ({', '.join(shown)})" if shown else example.run


def virus_clauses(profile: Profile, fact: FactRow) -> list[Clause]:
    """Return which viruses the runs of a host, tissue, disease or place carry, where the community
    has several.
    """
    viruses = [one for one in by_runs(profile.of("species"))[:MOST_JOINED] if not one.is_outweighed]
    if fact.facet in VIRAL or len(viruses) < 2 or not profile.is_joined(fact):
        return []
    viruses = [one for one in viruses if not names_no_species(one.value)]
    carried = {one: profile.together(one.facet_value, fact.facet_value) for one in viruses}
    most = sorted(carried, key=lambda one: (-carried[one], one.value))[:MOST_NEXT]
    named_here = [one for one in most if carried[one] >= max(PATTERN, LEAST_CARRIED * fact.runs)]
    if not named_here or carried[named_here[0]] >= NEARLY_ALL * fact.runs:
        return []
    held = listed([f"{carried[one]:,} carry {listed_name(one.value)}" for one in named_here])
    return [Clause(f"Of these runs {held}", cite([fact, *named_here]))]


def frequent_enough(facts: Iterable[FactRow]) -> list[FactRow]:
    """Return the facts that are worth a word behind another of their facet."""
    return [fact for fact in facts if fact.runs >= max(PATTERN, NEXT_SHARE * fact.known)]


def sequenced_clauses(host: FactRow, profile: Profile) -> list[Clause]:
    """Return what was sequenced in most runs of a host, where that is another organism."""
    apart = profile.organism_of(host) if host.facet == "host" else None
    if apart is None:
        return []
    share = share_of(apart.runs, host.runs, f"from {host.value}")
    cited = citable([("label", apart.organism), host.facet_value])
    return [Clause(f"What was sequenced is {apart.organism} in {share}", cited)]


def company_finding(pair: Company) -> Sentences:
    """Return the finding of two viruses that are found together more often than chance would have
    it.
    """
    both = citable([("species", pair.first), ("species", pair.second)])
    held = share_of(pair.together, pair.known, WORDINGS["species"].stating)
    first, second = named(pair.first), named(pair.second)
    within = f", counted within each {pair.within}," if pair.within else ""
    chance = f"by chance{within} about {factor(pair.expected)} would have both"
    return finding(Clause(f"{first} and {second} are found together in {held}; {chance}", both), [])


def unnamed_findings(profile: Profile) -> list[Sentences]:
    """Return the virus without a name that many of the runs with a virus share, if there is one and
    the parent does not have it as often.
    """
    searched, before = profile.searched, profile.parent_searched
    least = max(FEWEST_SHARING, SHARING * searched.positive)
    if searched.unnamed is None or searched.unnamed_runs < least:
        return []
    if before.unnamed == searched.unnamed:
        share_before = before.unnamed_runs / before.positive
        if is_within(share_before, searched.unnamed_runs, searched.positive):
            return []
    itself = own(profile)
    virus = (SOTU, searched.unnamed)
    share = share_of(searched.unnamed_runs, searched.positive, "with a virus")
    claim = Clause(f"One unnamed virus, sOTU {searched.unnamed}, is shared by {share}", itself)
    elsewhere = searched.unnamed_everywhere - searched.unnamed_runs
    runs = "no other run" if not elsewhere else counted(elsewhere, "other run")
    carry = "carries" if elsewhere < 2 else "carry"
    clauses = [
        Clause(f"In the whole index {runs} {carry} it", itself),
        Clause("Its source gives no family and no identity to a reference", itself),
        *_everywhere_clauses(profile),
        *support_clauses(profile, virus),
    ]
    taken = [
        (profile.together(fact.facet_value, virus), fact)
        for facet in SAMPLED
        for fact in by_runs(profile.of(facet))
    ]
    hosts = [(both, fact) for both, fact in taken if both >= max(PATTERN, NEXT_SHARE * both)]
    hosts.sort(key=lambda one: (-one[0], one[1].value))
    if hosts:
        said = listed([f"{fact.value} ({both:,})" for both, fact in hosts[:_MOST_PAIRS]])
        cited = cite([fact for _, fact in hosts[:_MOST_PAIRS]])
        clauses.append(Clause(f"Its runs are of {said}", cited))
    return [finding(claim, clauses)]


def _everywhere_clauses(profile: Profile) -> list[Clause]:
    """Return that an unnamed virus is in too many kinds of hosts to be a virus of one."""
    if not profile.searched.is_everywhere:
        return []
    text = (
        "Hosts of many phyla have it: contamination, food or a microbe is likelier than infection"
    )
    return [Clause(text, own(profile))]


def faint_clauses(profile: Profile) -> list[Clause]:
    """Return the names that k-mers of few reads give to many runs."""
    weak = [fact for fact in by_runs(profile.faint) if fact.facet == "species"]
    weak = [fact for fact in weak if fact.is_reported and fact.runs >= PATTERN][:MOST_NEXT]
    if not weak:
        return []
    names = listed([f"{listed_name(fact.value)} ({counted(fact.runs, 'run')})" for fact in weak])
    text = f"Weak signals by k-mers of fewer than {FEW_READS} reads in most runs: {names}"
    return [Clause(text, cite(weak))]


def surroundings_clauses(profile: Profile) -> list[Clause]:
    """Return what the studies of runs without a stated source sampled, where that is known."""
    if profile.surroundings is None or profile.surroundings[1] < NEXT_SHARE * profile.runs:
        return []
    environment, runs = profile.surroundings
    of_studies = f"{counted(runs, 'run')} without a stated source are of studies"
    text = f"{of_studies} whose labelled runs are all of {environment}"
    return [Clause(text, own(profile))]


def classified_clauses(profile: Profile) -> list[Clause]:
    """Return in how many runs viruses were found by k-mers alone, where these are many."""
    found = profile.searched
    if found.classified < PATTERN or found.classified < SHARING * found.positive:
        return []
    share = share_of(found.classified, found.positive, "with a virus")
    why = "relatives, and genomes with genes of viruses, share k-mers"
    text = f"The viruses of {share} are known by the k-mers of reads alone and not confirmed: {why}"
    return [Clause(text, own(profile))]


def kmer_findings(profile: Profile) -> list[Sentences]:
    """Return in how many runs k-mers are mostly of another organism than the host, where several
    are.
    """
    pairs = profile.other_by_kmers
    if not pairs or pairs[0].number < max(PATTERN, LEAST_OTHER * profile.runs):
        return []
    claim = OtherOrganism.of_rows(pairs)
    cited = citable(dict.fromkeys(("host", pair.host) for pair in pairs))
    why = "A meal, a symbiont, contamination and a mistaken entry look alike here"
    return [finding(Clause(claim.clause(), cited), [Clause(why, own(profile))])]


def leading_caveat(profile: Profile) -> list[Clause]:
    """Return the virus and host that a summary warns of, if there are any."""
    return [_caveat(kind, pairs[:1]) for kind, pairs in _pairs_by_kind(profile)[:1]]


def caveat_findings(profile: Profile) -> list[Sentences]:
    """Return the virus and host pairs that need a caveat, one finding for each kind, without the
    pair that the summary warns of.
    """
    said = 1
    found = []
    for kind, pairs in _pairs_by_kind(profile):
        unsaid = pairs[said:]
        said = 0
        if unsaid:
            found.append(finding(_caveat(kind, unsaid), []))
    return found


def _pairs_by_kind(profile: Profile) -> list[tuple[str, list[Pairing]]]:
    """Return the pairs that need a caveat by kind, the gravest first."""
    by_kind = []
    for kind, share in _LEAST_SHARES.items():
        least = max(PATTERN, share * profile.runs)
        of_kind = [pair for pair in profile.pairings if pair.plausibility == kind]
        common = [pair for pair in of_kind if pair.runs >= least]
        pairs = [pair for pair in common if not _is_said_of_species(pair, common)]
        if pairs:
            by_kind.append((kind, pairs[:_MOST_PAIRS]))
    return by_kind


def _is_said_of_species(family: Pairing, pairs: Sequence[Pairing]) -> bool:
    """Return whether half of the runs of a family in a host are of a species that is warned of."""
    of_species = [
        pair.runs for pair in pairs if pair.facet == "species" and pair.host == family.host
    ]
    return family.facet == "family" and 2 * max(of_species, default=0) >= family.runs


def _caveat(kind: str, pairs: list[Pairing]) -> Clause:
    values: dict[tuple[str, str], None] = {}
    met = []
    for pair in pairs:
        runs = counted(pair.runs, "run")
        met.append(f"{named(pair.virus)} in {pair.found_in} ({runs})")
        values[(pair.facet, pair.virus)] = None
        if pair.organism is not None:
            values[("label", pair.organism)] = None
        values[("host", pair.host)] = None
    cited = citable(values)
    return Clause(f"{INTRODUCED[kind]}: {listed(met)}", cited)

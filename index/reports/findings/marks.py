"""What marks a community: contrasts with its parent and the index, and hosts that need a caveat."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from index.claims import (
    Counted,
    DoubtfulHost,
    InRuns,
    Labelled,
    NamedNumber,
    OtherOrganism,
    OutweighedViruses,
    Unnamed,
)
from index.claims.phrases import listed
from index.reports.evidence_rows import FarVirus, Pairing
from index.reports.fact_rows import FEW_READS, FactRow, by_runs
from index.reports.findings.evidence import PATTERN, evidence_clauses
from index.reports.findings.sentences import (
    NEARLY_ALL,
    Clause,
    Sentences,
    citable,
    cite,
    finding,
    listed_name,
    named,
    own,
    ranked,
    statement,
    with_runs,
)
from index.reports.findings.studies import of_studies
from index.reports.naming.found_in import is_found
from index.reports.naming.named_values import SPECIES_IDENTITY
from index.reports.naming.title_values import is_probable
from index.reports.profiles import MOST_JOINED, Profile
from index.stated import VIRAL, names_no_species

_MOST_PAIRS: Final = 3
LEAST_CARRIED: Final = 0.1
"""Minimum share of a value's runs that carry a virus for that to be mentioned."""
LEAST_OTHER: Final = 0.1
"""Minimum share of runs that are mostly of another organism for a finding."""
MOST_FAR: Final = 2
"""Number of viruses far from every reference that are named."""
LABELLED: Final = 0.2
"""Minimum share of runs labelled as a virus for that to be mentioned."""
MOST_NEXT: Final = 2
NEXT_SHARE: Final = 0.05
"""Minimum share of the runs that state a facet for a value to be mentioned after another."""
MOST_LEFT_OUT: Final = 5
"""Number of left-out viruses that are named with the reason."""
_WEAK: Final = f"not counted, with fewer than {FEW_READS} k-mer reads in most of their runs:"
_LEAST_SHARES: Final = {"unexpected": 0.02, "new within class": 0.02, "resident": 0.05}
"""Minimum share of a community's runs for a pair to need a caveat."""


def facet_finding(profile: Profile, lead: FactRow) -> Sentences:
    """Return the finding of a fact: its studies, other values of its facet, viruses of its runs.

    For any facet but the virus, the most frequent value comes first.
    """
    facts = by_runs(profile.of(lead.facet))
    first = lead if lead.facet in VIRAL else facts[0]
    others = [fact for fact in facts if fact != first and fact.runs <= first.runs]
    shown = frequent_enough(others)[:MOST_NEXT]
    if lead not in (first, *shown):
        shown = [*shown[:1], lead]
    then = with_runs("then", shown, first, profile)
    studies = of_studies(profile, first.facet_value)
    positive = profile.searched.positive
    claim = f"{statement(first, profile.runs, studies, positive=positive)}{then}"
    clauses = virus_clauses(profile, first)
    clauses += evidence_clauses([first] if first is lead else [], profile)
    clauses += sequenced_clauses(first, profile)
    return finding(Clause(claim, cite([first, *shown])), clauses)


def virus_clauses(profile: Profile, fact: FactRow) -> list[Clause]:
    """Return which viruses the runs of a host, tissue, disease or place carry.

    Nothing is returned unless the community has several viruses.
    """
    viruses = [
        virus for virus in by_runs(profile.of("species"))[:MOST_JOINED] if not virus.is_outweighed
    ]
    if fact.facet in VIRAL or len(viruses) < 2 or not profile.is_joined(fact):
        return []
    viruses = [virus for virus in viruses if not (names_no_species(virus.value) or virus.far)]
    if any(virus.runs >= NEARLY_ALL * profile.runs for virus in viruses):
        return []
    carried = {virus: profile.together(virus.facet_value, fact.facet_value) for virus in viruses}
    most = sorted(carried, key=lambda virus: (-carried[virus], virus.value))[:MOST_NEXT]
    named_here = [
        virus for virus in most if carried[virus] >= max(PATTERN, LEAST_CARRIED * fact.runs)
    ]
    if not named_here or carried[named_here[0]] >= NEARLY_ALL * fact.runs:
        return []
    often = [
        NamedNumber(
            name=listed_name(virus.value),
            number=carried[virus],
            part=carried[virus],
            whole=fact.runs,
        )
        for virus in named_here
    ]
    are = "virus in these runs is" if len(often) == 1 else "viruses in these runs are"
    with_name = "named " * any(is_probable(label, profile) for label in profile.of("virus"))
    text = ranked(f"the most frequent {with_name}{are}", often)
    return [Clause(text, cite([fact, *named_here]))]


def frequent_enough(facts: Iterable[FactRow]) -> list[FactRow]:
    """Return the facts that are worth mentioning after another of their facet."""
    return [fact for fact in facts if fact.runs >= max(PATTERN, NEXT_SHARE * fact.known)]


def sequenced_clauses(host: FactRow, profile: Profile) -> list[Clause]:
    """Return the organism that was sequenced in most runs of a host, if it is another one."""
    apart = profile.organism_of(host) if host.facet == "host" else None
    if apart is None:
        return []
    claim = InRuns(
        subject=f"what was sequenced is {apart.organism}",
        part=apart.runs,
        whole=host.runs,
        which=f"from {host.value}",
        shared=True,
    )
    cited = citable([("label", apart.organism), host.facet_value])
    return [Clause(claim.clause(), cited)]


def faint_clauses(profile: Profile) -> list[Clause]:
    """Return the viruses of many runs that are left out, with the reason.

    They are named by k-mers of few reads, or their runs have more reads of a congener.
    """
    least = max(PATTERN, NEXT_SHARE * profile.runs)
    weak = [fact for fact in profile.faint if fact.is_weak and fact.facet == "species"]
    strays = [fact for fact in profile.of("species") if fact.is_reported and fact.is_outweighed]
    weak, strays = _large(weak, least), _large(strays, least)
    clauses = []
    if weak:
        places = [NamedNumber(name=named(fact.value), number=fact.runs) for fact in weak]
        clauses.append(Clause(ranked(_WEAK, places), cite(weak)))
    if strays:
        relative = "another virus of its genus"
        viruses = tuple((named(fact.value), relative, fact.beside, fact.runs) for fact in strays)
        clauses.append(Clause(OutweighedViruses(viruses=viruses).clause(), cite(strays)))
    return clauses


def _large(facts: Iterable[FactRow], least: float) -> list[FactRow]:
    return [fact for fact in by_runs(facts) if fact.runs >= least][:MOST_LEFT_OUT]


def label_clauses(profile: Profile) -> list[Clause]:
    """Return how many libraries are labelled as a virus, and how few of them have it.

    The label alone is not a finding.
    """
    for label in by_runs(profile.of("virus"))[:1]:
        if label.runs >= LABELLED * profile.runs and not is_found(label, profile):
            unnamed = f"the unnamed virus {label.unnamed}" * (label.unnamed_runs >= PATTERN)
            matching = profile.together(("species", label.value), label.facet_value)
            return [labelled(label, unnamed, matching)]
    return []


def labelled(label: FactRow, unnamed: str, matching: int = 0) -> Clause:
    """Return how many libraries labelled as a virus have it, or the ``unnamed`` one that it may be.

    ``matching`` libraries match the reference of the virus of the label.
    """
    claim = Labelled(
        label=label.value,
        whole=label.runs,
        matching=matching,
        unnamed=unnamed,
        carrying=label.unnamed_runs,
        titled=label.unnamed_titled,
        probable=unnamed == "it" or not label.unnamed_elsewhere,
    )
    return Clause(claim.clause(), cite([label]))


def probable_label(profile: Profile) -> bool:
    """Return whether a report says that libraries have an unnamed virus in place of a hit."""
    return any(fact.unnamed_runs >= PATTERN for fact in profile.of("virus")) and bool(
        label_clauses(profile)
    )


def kmer_findings(profile: Profile) -> list[Sentences]:
    """Return how many runs have k-mers mostly of an organism other than the host, if several do."""
    pairs = profile.other_by_kmers
    least = max(PATTERN, LEAST_OTHER * profile.runs)
    if not pairs or pairs[0].number < least:
        return []
    claim = OtherOrganism.of_rows(pairs)
    cited = citable(dict.fromkeys(("host", pair.host) for pair in pairs))
    why = "A meal, a symbiont, contamination and a mistaken entry look alike here"
    return [finding(Clause(claim.clause(), cited), [Clause(why, own(profile))])]


def novel_findings(profile: Profile) -> list[Sentences]:
    """Return how many viruses are far from every reference, and the most frequent shared ones."""
    viruses = profile.far_viruses
    if not viruses or viruses[0].runs < PATTERN or viruses[0].whole < LEAST_OTHER * profile.runs:
        return []
    number = viruses[0].number
    subject = Counted(number=number, noun=("virus", "viruses")).clause()
    are = "is" if number == 1 else "are"
    claim = InRuns(
        subject=subject,
        part=viruses[0].whole,
        whole=profile.runs,
        shared=True,
        does=f"{are} below {SPECIES_IDENTITY}% identity to every reference",
    )
    most = [_far(virus) for virus in viruses[:MOST_FAR] if virus.runs >= PATTERN]
    often = f"the most frequent {'are' if len(most) > 1 else 'is'} {listed(most)}"
    return [finding(Clause(claim.clause(), own(profile)), [Clause(often)])]


def _far(virus: FarVirus) -> str:
    """Return a virus by its sOTU, with its nearest reference."""
    nearest = (virus.nearest or "").removesuffix("-like") or "a reference without a name"
    claim = Unnamed(sotu=virus.sotu, runs=virus.runs, nearest=nearest, identity=virus.identity)
    return claim.phrase()


def leading_caveat(profile: Profile) -> list[Clause]:
    """Return the virus and host that a summary warns of, if there are any."""
    return [_caveat(kind, pairs[:1]) for kind, pairs in _pairs_by_kind(profile)[:1]]


def caveat_findings(profile: Profile) -> list[Sentences]:
    """Return a finding for each kind of virus and host pairs that need a caveat.

    The pair that the summary warns of is left out.
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
    """Return the pairs that need a caveat by kind, the most serious first."""
    by_kind = []
    for kind, share in _LEAST_SHARES.items():
        least = max(PATTERN, share * profile.runs)
        of_kind = [
            pair._replace(runs=pair.runs - pair.metagenomes)
            for pair in profile.pairings
            if pair.plausibility == kind and _is_of_species(pair)
        ]
        of_kind.sort(key=lambda pair: -pair.runs)
        pairs = [pair for pair in of_kind if pair.runs >= least]
        if pairs:
            by_kind.append((kind, pairs[:_MOST_PAIRS]))
    return by_kind


def _is_of_species(pair: Pairing) -> bool:
    """Return whether a pair is of a known virus: a new virus of its family may have any host."""
    return pair.facet == "species" and not names_no_species(pair.virus)


def _caveat(kind: str, pairs: list[Pairing]) -> Clause:
    values: dict[tuple[str, str], None] = {}
    for pair in pairs:
        values[(pair.facet, pair.virus)] = None
        if pair.organism is not None:
            values[("label", pair.organism)] = None
        values[("host", pair.host)] = None
    described = tuple((listed_name(pair.virus), pair.found_in, pair.runs) for pair in pairs)
    of_sample = any(pair.is_of_sample for pair in pairs)
    claim = DoubtfulHost(kind=kind, pairs=described, of_sample=of_sample)
    return Clause(claim.clause(), citable(values))

"""Write the findings of a report, the most informative first.

Each has a one-sentence summary, an explanation and citations.

A finding adds something that the title, the summary and the findings before it do not say
(``index.reports.redundancy``). First comes what sets the community apart from the rest of its
parent, then what was tested, what sets it apart from the index, how it divides, and what its
studies are and write. Cautions follow, and what is unknown comes last.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeAlias

from index.claims.phrases import SIGNIFICANT_Q
from index.reports.contrast import contrast_size, is_contrast, is_expected, is_large
from index.reports.fact_rows import FactRow, by_runs
from index.reports.findings.evidence import PATTERN
from index.reports.findings.hierarchy import division_findings
from index.reports.findings.marks import (
    caveat_findings,
    facet_finding,
    kmer_findings,
    novel_findings,
)
from index.reports.findings.sentences import (
    OFTEN_STATED,
    WORDINGS,
    Sentences,
)
from index.reports.findings.studies import (
    association_finding,
    study_findings,
    telling_associations,
)
from index.reports.findings.viruses import virus_findings
from index.reports.profiles import Profile
from index.reports.redundancy import NOTHING_SAID, Said
from index.stated import KMER_BASED, VIRAL

MAX_FINDINGS: Final = 8
SELDOM: Final = 0.1
"""A value that a smaller share of the runs has says little about the community."""
FEW_STATED: Final = 10
"""With so many runs a value is worth a finding, even if chance may explain it."""
MANY_STATED: Final = 20
"""Number of runs that is enough in a community of any size."""
_SOUND: Final = (None, KMER_BASED)
"""Flags of an association that need no caution: none, or what is compared."""
_MOST_CAUTIONS: Final = 2
HOSTS: Final = ("host", "environment")
HABITATS: Final = (*HOSTS, "biome")
"""Facets of what was sequenced, and where; the label of a virus library hides its host."""
_MOST_CONTRASTS: Final = 4


PossibleFinding: TypeAlias = tuple[Sentences, FactRow | None]
"""A finding that may be written, and the fact it states, if it states a single one."""


def write_findings(
    profile: Profile, said: Said = NOTHING_SAID, *, most: int = MAX_FINDINGS
) -> list[Sentences]:
    """Return up to ``most`` findings of a community, the most informative first.

    ``said`` is what its title and its summary say; if there is nothing to add, there is no finding.
    """
    if profile.origin.is_laboratory:
        return [*virus_findings(profile, said.stated), *study_findings(profile)]
    telling = telling_findings(profile, said)
    first = virus_findings(profile, said.stated)
    behind = [*study_findings(profile), *_cautions(profile)]
    room = max(1, most - len(first) - len(behind))
    return [*first, *[*telling, *division_findings(profile)][:room], *behind][:most]


def telling_findings(profile: Profile, said: Said = NOTHING_SAID) -> list[Sentences]:
    """Return what sets a community apart from parent, siblings and index, not yet ``said``."""
    found: list[Sentences] = []
    led = {facet for facet, _ in said.stated if facet not in VIRAL}
    if any(facet in VIRAL for facet, _ in said.stated):
        led |= set(HABITATS)
    for written, fact in _candidates(profile):
        if fact is not None and (fact.facet in led or said.implies(fact, profile)):
            continue
        found.append(written)
        if fact is not None:
            said = said.with_values([fact.facet_value])
    return found


def stated_facts(profile: Profile, leads: Sequence[FactRow]) -> list[FactRow]:
    """Return the facts that a report rests on: those of its summary and those that are telling."""
    telling = [fact for fact in _telling_facts(profile) if fact not in leads]
    return [*leads, *telling]


def _candidates(profile: Profile) -> Iterator[PossibleFinding]:
    """Yield what may be said about a single community, the most telling first."""
    tested = telling_associations(profile.associations)
    sound = [row for row in tested if row.flag in _SOUND]
    if profile.shared_virus is not None or profile.main_phylum is not None:
        # values of the community need not be those of the runs with that virus or phylum
        yield from _unconditional(map(association_finding, sound))
        yield from _unconditional(novel_findings(profile) if profile.main_phylum else [])
        return
    facts = _telling_facts(profile)
    leading = _contrasts(facts, profile.runs)
    others = [fact for fact in facts if fact not in leading]
    yield from _of_facts(leading, profile)
    yield from _unconditional(map(association_finding, sound))
    yield from _of_facts(others, profile)
    yield from _unconditional(novel_findings(profile))


def _cautions(profile: Profile) -> list[Sentences]:
    """Return unexpected hosts of viruses, and tests that must be read with care."""
    tested = telling_associations(profile.associations)
    flagged = [row for row in tested if row.flag not in _SOUND]
    found = [*caveat_findings(profile), *kmer_findings(profile)]
    return [*found, *map(association_finding, flagged)][:_MOST_CAUTIONS]


def _unconditional(written: Iterable[Sentences]) -> Iterator[PossibleFinding]:
    """Yield findings that state no single fact, so nothing said before can imply them."""
    yield from ((finding, None) for finding in written)


def _of_facts(facts: Iterable[FactRow], profile: Profile) -> Iterator[PossibleFinding]:
    """Yield the finding of each of ``facts``."""
    yield from ((facet_finding(profile, fact), fact) for fact in facts)


def _telling_facts(profile: Profile) -> list[FactRow]:
    """Return the most salient fact of each facet if it does not follow from the parent.

    K-mers say what was sequenced if few runs state it, but cannot distinguish families. The label
    of a virus library is not a finding.
    """
    leads = []
    by_kmers = 2 * profile.searched.classified >= profile.searched.positive
    is_sampled = any(2 * profile.known(facet) >= profile.runs for facet in HOSTS)
    for facet in WORDINGS:
        if facet == "statOrganism" and is_sampled:
            continue
        if facet == "biome" and _is_environment(profile):
            continue
        if facet == "geography" and not is_sampled and _is_stated_often(profile, facet):
            leads += by_runs(profile.of(facet))[:1]
            continue
        if facet == "virus" or (facet == "family" and by_kmers):
            continue
        salient = profile.salient(facet)
        values = [fact for fact in salient if fact.runs >= PATTERN]
        leads += values[:1]
    stated = [lead for lead in leads if _is_stated(lead, profile)]
    stated = [lead for lead in stated if not _is_seldom_mark(lead, profile)]

    return [
        lead
        for lead in stated
        if _says_what_was_sequenced(lead, profile)
        or (not is_expected(lead) and is_large(lead))
        or (lead.facet == "geography" and not is_sampled and _is_stated_often(profile, "geography"))
    ]


def _is_environment(profile: Profile) -> bool:
    """Return whether the most frequent environment says the same as the most frequent biome."""
    biomes = by_runs(profile.of("biome"))[:1]
    environments = by_runs(profile.of("environment"))[:1]
    is_known = 2 * profile.known("environment") >= profile.runs
    pairs = zip(environments, biomes, strict=False)
    return is_known and any(
        environment.value.startswith(biome.value) for environment, biome in pairs
    )


def _is_stated_often(profile: Profile, facet: str) -> bool:
    return profile.known(facet) >= OFTEN_STATED * profile.runs


def _says_what_was_sequenced(lead: FactRow, profile: Profile) -> bool:
    """Return whether, at the coarsest level, k-mers say of most runs what no host says."""
    is_known = 2 * lead.known >= profile.runs
    return lead.facet == "statOrganism" and profile.parent is None and is_known


def _contrasts(facts: Sequence[FactRow], runs: int) -> list[FactRow]:
    """Return the facts that differ most from the rest of the parent, the greatest first."""
    contrasts = [fact for fact in facts if is_contrast(fact)]

    def size(fact: FactRow) -> float:
        return round(contrast_size(fact, runs), 6)

    ordered = sorted(contrasts, key=size, reverse=True)
    return ordered[:_MOST_CONTRASTS]


def _is_seldom_mark(fact: FactRow, profile: Profile) -> bool:
    """Return whether few runs state the facet and the rest of the parent has the value, too.

    A share of so few runs says nothing.
    """
    elsewhere = fact.rest_runs / fact.rest_known if fact.rest_known else 0.0
    return 2 * fact.known < profile.runs and elsewhere > SELDOM * fact.share


def _is_stated(fact: FactRow, profile: Profile) -> bool:
    """Return whether enough of all runs have a value.

    A value of a tenth of them does not mark a community, unless many runs have it and the rest of
    the parent states other values.
    """
    least = SELDOM * profile.runs
    if is_contrast(fact):
        least = min(least, MANY_STATED)
    if fact.known <= 1 or fact.runs < least:
        return False
    return fact.runs >= FEW_STATED or (
        fact.q_value < SIGNIFICANT_Q and 2 * fact.runs >= profile.runs
    )

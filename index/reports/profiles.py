"""A profile: everything that may be said about one community, gathered from the tables only.

Templates word it, models are shown it, verification checks against it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from math import log2
from typing import Final

from index.claims import Inferred
from index.claims.phrases import factor, q_text, times
from index.facets import FACT_FACETS, SAMPLED
from index.reports.evidence_rows import (
    SOTU,
    WHOLE,
    Carrier,
    Clade,
    FarVirus,
    OftenOther,
    Pairing,
    Provenance,
    Searched,
    SequencedApart,
    Studies,
    StudyCount,
    StudyShare,
    Support,
    Weighed,
)
from index.reports.fact_rows import AssociationRow, FactRow, Value, by_runs

FACTS_PER_FACET: Final = 8
MAX_ASSOCIATIONS: Final = 3
FEW_VIRUSES: Final = 0.1
SHARING: Final = 0.25
"""Minimum share of the runs with a virus that share an unnamed one for it to be worth a report."""
AT_HOME: Final = 0.25
"""An unnamed virus is a community's own from this share of its runs in the index on."""
LEAST_HOME: Final = 0.2
"""With a smaller share of runs from sources with much coverage, an unnamed virus has no home."""
MOST_HOMES: Final = 3
SHARED_BY: Final = 0.8
"""Share that a title's sources must have of an unnamed virus's runs that state a source."""
ALSO_HOME: Final = 0.1
"""Minimum share of these runs for a title to name a host or an environment."""
SEVERAL_SOURCES: Final = "several sources"
OTHER_METAGENOMES: Final = "other metagenome"
OF_PHYLUM: Final = 2 / 3
"""A community is about a phylum if this share of its runs with a virus are known only by it."""
CLOSE_RANKS: Final = ("species", "genus", "family", "order")
"""Ranks of a taxon that a title may name as the host of a virus without a name."""
LONGEST_VALUE: Final = 80
"""Characters; longer verbatim values are protocols pasted into a field, and stay in the fact table.
"""
UNKNOWN_RISK: Final = "unknown"
MOST_JOINED: Final = 3
"""Minimum number of frequent values of a facet whose joint runs with viruses are counted."""


@dataclass(frozen=True)
class Profile:
    """One community with its facts by facet (strongest first), its place in the hierarchy and its
    evidence.
    """

    community: str
    level: int
    parent: str | None
    runs: int
    facts: Mapping[str, tuple[FactRow, ...]]
    children: tuple[tuple[str, int], ...] = ()
    """Children with a report, and their runs."""
    associations: tuple[AssociationRow, ...] = ()
    biosamples: int = 0
    bioprojects: int = 0
    risk_group: str = UNKNOWN_RISK
    joints: Mapping[tuple[Value, Value], int] = field(default_factory=dict)
    """Runs that carry two values, each pair once in order; weak pairs are left out."""
    behind: Mapping[tuple[Value, Value], StudyCount] = field(default_factory=dict)
    """Studies of the runs that carry two values; a single value is a pair with itself."""
    weighed: tuple[Weighed, ...] = ()
    """Pairs of its viruses, in the order of their names."""
    pairings: tuple[Pairing, ...] = ()
    """Virus and host pairs that need a caveat or whose host was not sequenced, most runs first.
    """
    sequenced: tuple[SequencedApart, ...] = ()
    """Libraries of an organism other than their host, most runs first."""
    other_by_kmers: tuple[OftenOther, ...] = ()
    """Most runs first."""
    far_viruses: tuple[FarVirus, ...] = ()
    """Most runs first."""
    searched: Searched = field(default_factory=Searched)
    studies: Studies = field(default_factory=Studies)
    largest_studies: tuple[StudyShare, ...] = ()
    """The largest studies, most runs first."""
    support: Mapping[Value, Support] = field(default_factory=dict)
    """The evidence for its viruses: species, families, and its sOTU without a name."""
    parts_marked: tuple[tuple[str, FactRow], ...] = ()
    """Children with a report, and the value that sets each apart from the others."""
    origins: Mapping[Value, Provenance] = field(default_factory=dict)
    """Where the runs of each virus come from, and of the community as ``WHOLE``."""
    faint: tuple[FactRow, ...] = ()
    """Weak signals and probable contamination, which are not facts of the community."""
    family_of: Mapping[str, str] = field(default_factory=dict)
    """Family of each virus as stated, over the whole index."""
    clade: Clade | None = None
    carriers: Clade | None = None
    """The lowest taxon of most of the runs with its unnamed sOTU."""
    sources: tuple[Carrier, ...] = ()
    """Sources of the runs with the unnamed sOTU, most coverage first."""
    inferred: Mapping[Value, Inferred] = field(default_factory=dict)
    """Viruses whose sOTUs were deposited under another name."""
    parent_runs: int = 0
    """Runs of the parent; 0 without a parent."""
    parent_searched: Searched = field(default_factory=Searched)
    """The evidence for the viruses of the parent."""
    parent_silence: Mapping[str, float] = field(default_factory=dict)
    """Share of the runs of the parent that do not state a facet; empty without a parent."""

    @property
    def only_study(self) -> str | None:
        """Accession of the study that all runs belong to; None where there is no such study."""
        stated = self.studies
        if stated.studies != 1 or stated.projects or stated.study_runs < self.runs:
            return None
        return stated.one_study

    @property
    def study_key(self) -> str:
        """Key that cites ``only_study``: ``bioproject``, or ``study`` where no run states one."""
        return "bioproject" if self.bioprojects else "study"

    @cached_property
    def home(self) -> tuple[str, ...]:
        """The home of the unnamed sOTU; empty if it is at home nowhere.

        It is a taxon, up to three sources that have most of its runs (highest median coverage
        first), or "several" with the source of most runs.
        """
        strong = sum(source.runs for source in self.sources if source.is_strong)
        if strong < max(1, LEAST_HOME * self.searched.unnamed_runs):
            return ()
        if self.carriers is not None and self.carriers.rank in CLOSE_RANKS:
            return (self.carriers.name,)
        stating = self.support.get((SOTU, self.searched.unnamed or ""), Support(0)).sourced
        whole = max(stating, sum(source.runs for source in self.sources))
        ordered = sorted(self.sources, key=lambda source: -source.runs)
        large = [carrier for carrier in ordered[:MOST_HOMES] if carrier.runs >= ALSO_HOME * whole]
        for number in range(1, len(large) + 1):
            named = large[:number]
            if sum(source.runs for source in named) >= SHARED_BY * whole:
                return tuple(
                    carrier.value for carrier in sorted(named, key=lambda carrier: -carrier.median)
                )
        metagenomes = [source for source in ordered if source.is_environment]
        if sum(source.runs for source in metagenomes) >= SHARED_BY * whole:
            return (*(source.value for source in metagenomes[:2]), OTHER_METAGENOMES)
        most = [source.value for source in ordered[:1] if 2 * source.runs > whole]
        return (SEVERAL_SOURCES, *most)

    @property
    def shared_virus(self) -> str | None:
        """The unnamed sOTU that many of the runs with a virus share, and that is at home here."""
        found = self.searched
        is_shared = found.unnamed_runs >= SHARING * found.positive > 0
        is_own = found.unnamed_runs >= AT_HOME * found.unnamed_everywhere
        return found.unnamed if is_shared and is_own and self.home else None

    @property
    def main_phylum(self) -> str | None:
        """The phylum, if nothing else is known about the viruses of most runs with a virus."""
        found = self.searched
        is_main = found.phylum_runs >= OF_PHYLUM * found.positive > 0
        return found.phylum if is_main and 2 * self.known("species") < self.runs else None

    def silence(self) -> dict[str, float]:
        """Return the share of the runs that do not state a facet, by facet."""
        silent = {}
        for facet in FACT_FACETS:
            stated = self.known(facet) / self.runs
            silent[facet] = 1 - stated
        return silent

    def organism_of(self, host: FactRow) -> SequencedApart | None:
        """Return what was sequenced in most runs of a host, if that is another organism."""
        for apart in self.sequenced:
            if apart.host == host.value and 2 * apart.runs > host.runs:
                return apart
        return None

    def together(self, one: Value, other: Value) -> int:
        """Return how many runs carry both values; 0 if few or none of the rarer value's runs do."""
        pair = sorted([one, other])
        first, second = pair
        return self.joints.get((first, second), 0)

    @property
    def origin(self) -> Provenance:
        """Where its runs come from."""
        return self.origins.get(WHOLE, Provenance())

    def is_joined(self, fact: FactRow) -> bool:
        """Return whether the runs that a fact shares with viruses were counted, even if none."""
        most = MOST_JOINED if fact.facet in ("species", "family", *SAMPLED) else 2
        return fact in by_runs(self.of(fact.facet))[:most]

    def of(self, facet: str) -> tuple[FactRow, ...]:
        """Return the facts of a facet, strongest first; empty where no run states it."""
        return self.facts.get(facet, ())

    def known(self, facet: str) -> int:
        """Return how many runs state any value of the facet."""
        facts = self.of(facet)
        if not facts:
            return 0
        return facts[0].known

    def salient(self, facet: str) -> tuple[FactRow, ...]:
        """Return the facts of a facet, those that best say what the community is about first.

        That is a large share of something that is rare elsewhere: share times log2(1 + lift).
        """
        return self._salient.get(facet, ())

    def has_viruses(self, facet: str) -> bool:
        """Return whether enough runs name a virus (a species or family) to represent them all."""
        enough = FEW_VIRUSES * self.runs
        return self.known(facet) >= enough

    @cached_property
    def _salient(self) -> dict[str, tuple[FactRow, ...]]:
        ordered = {}
        for facet, facts in self.facts.items():
            most_salient_first = sorted(facts, key=_salience)
            ordered[facet] = tuple(most_salient_first)
        return ordered

    @cached_property
    def facts_hash(self) -> str:
        """Digest of what a reader would see: exact counts, and lift and q-value as printed.

        A new run elsewhere shifts every background share a little; only a change that a reader
        would see counts.
        """
        rows = sorted(
            (*fact[:2], *fact[3:5], times(fact.lift), q_text(fact.q_value), *fact[7:])
            for facts in self.facts.values()
            for fact in facts
        )
        tested = [
            (
                *row[:6],
                row.flag,
                row.num_found,
                row.found_true,
                factor(2 ** (row.fold_change or 0)),
                q_text(row.q_value),
            )
            for row in self.associations
        ]
        said = (
            self.runs,
            self.biosamples,
            self.children,
            tested,
            sorted(self.joints.items()),
            sorted(self.behind.items()),
            self.weighed,
            self.pairings,
            self.sequenced,
            self.other_by_kmers,
            self.far_viruses,
            self.searched,
            self.studies,
            self.parts_marked,
            self.largest_studies,
            sorted(self.support.items()),
            self.clade,
            self.carriers,
            self.sources,
            sorted(self.inferred.items()),
            sorted(self.origins.items()),
            self.faint,
        )
        return sha256(repr((rows, said, self.risk_group)).encode()).hexdigest()


def _salience(fact: FactRow) -> tuple[bool, float, str]:
    rarity = log2(1 + fact.lift)
    salience = round(fact.share * rarity, 6)
    return fact.is_outweighed, -salience, fact.value

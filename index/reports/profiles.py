"""A profile: all that may be said of one community, gathered from the tables and nothing else.

Templates word it, models are shown it, verification checks against it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from math import log2
from typing import Final, NamedTuple, TypeAlias

from index.facets import FACT_FACETS, SAMPLED
from index.reports.phrases import factor, q_text, times
from index.stated import REPORTED
from index.store.run_pairs import sequenced_from

FACTS_PER_FACET: Final = 8
MAX_ASSOCIATIONS: Final = 3
FEW_VIRUSES: Final = 0.1
SHARING: Final = 0.25
"""Share of the runs with a virus that share an unnamed one before that is worth a report."""
AT_HOME: Final = 0.25
"""Share of the runs of the index with an unnamed virus from which a community is its own."""
LEAST_HOME: Final = 0.2
"""Share of its runs that are of sources with much coverage, from which these are its home."""
MOST_HOMES: Final = 2
OF_CARRIERS: Final = 2 / 3
"""Most sources that an unnamed virus is said to be of, and the share of the runs of its strong ones
that are of these."""
CLOSE_RANKS: Final = ("species", "genus", "family", "order")
"""Ranks of a taxon that a title may name as the host of a virus without a name."""
FEW_READS: Final = 20
"""Median reads of a run below which k-mers name no virus."""
LONGEST_VALUE: Final = 80
"""Characters; longer verbatim values are protocols pasted into a field, and stay in the fact table.
"""
UNKNOWN_RISK: Final = "unknown"
MOST_JOINED: Final = 3
"""Most frequent values of a facet whose joint runs with viruses are counted, at the least."""
FAR_MORE: Final = 100
"""Times the reads of another virus in the same run that a few of them may be carried over from."""
SOTU: Final = "sotu"
"""In a joint, the kind of value of a virus without a name."""


class FactRow(NamedTuple):
    """One fact; ``known`` are the runs of the community that state any value of the facet."""

    facet: str
    value: str
    curie: str | None
    runs: int
    known: int
    lift: float
    q_value: float
    parent_runs: int = 0
    """Runs of the parent that have the value; 0 where there is no parent or it is not counted."""
    parent_known: int = 0
    """Runs of the parent that state the facet; 0 where ``parent_runs`` is not known."""
    beside: int = 0
    """Runs of a virus in which another virus of its genus has more reads."""
    sampled: int = 0
    """Runs of a virus that state a host, a metagenome or a virus as their organism."""
    by_kmers: int = 0
    """Runs of a virus family that only methods without identity find, as k-mers do."""
    below: int = 0
    """Runs of a virus whose identity to its nearest reference is known and below 90 %."""
    low: float = 0.0
    high: float = 0.0
    """Lowest and highest identity of these, percent."""
    far: int = 0
    """Runs below a gap of identity that no run of the index has: of another species, not among
    ``runs``.
    """
    far_low: float = 0.0
    gap_low: float = 0.0
    gap_high: float = 0.0
    """Lowest identity of these, and the ends of the gap, percent."""
    reads: float | None = None
    """Median reads of a virus in the runs where methods without identity find it."""
    unexpected: int = 0
    """Runs of a virus in which it is not expected in any recorded host."""
    cultured: int = 0
    """Runs of a tissue or disease that are of cell cultures."""
    positive: int | None = None
    """Runs of a value with any virus; None where that was not counted."""
    unnamed: str = ""
    """Of the label of a library, the sOTU without a name that hardly any other library has."""
    unnamed_runs: int = 0
    """Runs of the label that carry it: it is probably the virus of the label."""
    by_print: int = 0
    """Runs of a species that only the sequence of a polymerase in contigs shows."""

    @property
    def is_of_cells(self) -> bool:
        """Whether most runs of a tissue or disease are of cells cultured from it."""
        names_cells = self.value.endswith(("cell", "cell line", "culture", "cyte", "blast"))
        return 0 < self.runs <= 2 * self.cultured and not names_cells

    @property
    def is_outweighed(self) -> bool:
        """Whether in half of the runs of a virus another one of its genus has more reads."""
        return 0 < self.runs <= 2 * self.beside

    @property
    def is_reported(self) -> bool:
        """Whether its source alone says what a virus is: no identity supports the name."""
        return self.value.startswith(REPORTED) or 0 < self.runs <= 2 * self.by_kmers

    @property
    def is_deposited(self) -> bool:
        """Whether only the name of a deposited polymerase says what a virus is."""
        return self.value.startswith(REPORTED) and 2 * self.by_print > self.runs

    @property
    def is_weak(self) -> bool:
        """Whether only a source names a virus, from few reads."""
        return self.is_reported and self.reads is not None and self.reads < FEW_READS

    @property
    def is_faint(self) -> bool:
        """Whether a virus is probably contamination, or a name that k-mers of few reads give."""
        return self.is_weak or 0 < self.runs <= 2 * self.unexpected

    @property
    def rest_runs(self) -> int:
        """Runs of the siblings together that have the value."""
        others = self.parent_runs - self.runs
        return max(0, others)

    @property
    def rest_known(self) -> int:
        """Runs of the siblings together that state the facet; 0 where that is not known."""
        others = self.parent_known - self.known
        return max(0, others)

    @property
    def share(self) -> float:
        """Share of the runs that state the facet."""
        return self.runs / self.known

    @property
    def facet_value(self) -> Value:
        """Facet and value."""
        return self.facet, self.value


class AssociationRow(NamedTuple):
    """One association of a bioproject and a virus family; runs of the community that belong to the
    project carry the family.
    """

    bioproject: str
    family: str
    attribute: str
    value: str
    num_true: int
    num_false: int
    fold_change: float | None
    q_value: float
    flag: str | None
    key: str = "bioproject"
    """Key that cites the study: ``study`` where it is one of the SRA."""
    num_found: int | None = None
    found_true: int | None = None
    """Samples with the value that have the family, where presence was compared."""
    unit: str = "biosample"
    """What the groups count: biosamples, runs where none is known, or samples of both kinds."""


class Weighed(NamedTuple):
    """Two viruses of which a number of runs have reads, by which has more of them."""

    first: str
    second: str
    are_congeners: bool
    runs: int
    first_more: int
    second_more: int
    first_far_more: int
    """Runs in which the first has ``FAR_MORE`` times the reads of the second."""
    second_far_more: int


class Pairing(NamedTuple):
    """A virus and a host that runs of the community carry both, how expected that is, and the runs
    of which this holds.
    """

    virus: str
    host: str
    plausibility: str
    runs: int
    facet: str = "species"
    """Facet that the virus is a value of: species, or family where no species says more."""
    organism: str | None = None
    """What was sequenced, where that is another organism than the host."""
    metagenomes: int = 0
    """Of the runs, those labelled as a metagenome: nobody says that they are of the host."""
    eaten: int = 0
    """Of the runs, those of feces or gut."""
    is_recorded: bool = False
    """Whether runs of the community have the virus in a host that it is recorded in."""

    @property
    def is_of_sample(self) -> bool:
        """Whether another organism of the sample may have the virus: food, a parasite, a fungus."""
        return self.is_recorded or 2 * self.eaten >= self.runs

    @property
    def found_in(self) -> str:
        """What the virus was found in: the host, or what was sequenced from it."""
        return sequenced_from(self.host, self.organism)


class SequencedApart(NamedTuple):
    """Runs of the community that are libraries of another organism than their host."""

    host: str
    organism: str
    runs: int


class OftenOther(NamedTuple):
    """Runs of the community that are mostly of another organism than their host, by k-mers."""

    organism: str
    host: str
    runs: int
    number: int
    """Runs of the community that are so, whatever the pair."""
    whole: int
    """Runs of the community with k-mer counts."""


class FarVirus(NamedTuple):
    """A virus of the community that is far from every reference."""

    sotu: str
    nearest: str | None
    identity: float
    runs: int
    number: int
    """Such viruses of the community."""
    whole: int
    """Runs of the community that have any of them."""


class Studies(NamedTuple):
    """Independent studies: bioprojects, and SRA studies of runs without a bioproject; a campaign
    is one.
    """

    studies: int = 0
    study_runs: int = 0
    """Runs of the community with a stated study."""
    one_study: str | None = None
    """Accession of the first of them."""
    projects: int = 0
    """Bioprojects that belong to campaigns."""


class StudyCount(NamedTuple):
    """The studies of the runs that have a value, or two at once."""

    runs: int
    studies: int
    study: str
    """The study that most of the runs are of; empty where no study is known."""
    key: str
    study_runs: int
    """Of these, runs of that study."""
    known: int
    """Runs whose study is known."""


class StudyShare(NamedTuple):
    """A study of the community with how many of its runs it has, and what these are."""

    study: str
    key: str
    """Key that cites it: ``bioproject``, or ``study`` of runs without one."""
    runs: int
    title: str | None = None
    organism: str | None = None
    """Host or environment that most of the runs state."""
    organism_runs: int = 0
    virus: str | None = None
    """What is stated of a virus in most of the runs, or else the sOTU that most have."""
    virus_runs: int = 0
    tissue: str | None = None
    """Tissue and place of origin that most of the runs state."""
    tissue_runs: int = 0
    place: str | None = None
    place_runs: int = 0


class DepositedName(NamedTuple):
    """A virus that other evidence names in sOTUs which were deposited under another name."""

    runs: int
    """Runs of the community with such a sOTU."""
    deposited: str
    """Names that they were deposited under, in words."""
    agreeing: int
    """Runs of the index with the sOTUs whose other evidence agrees on the virus."""
    evident: int
    """Runs of the index with the sOTUs that hold other evidence."""
    with_hits: int
    """Of those agreeing, runs with a hit of another source; the others are labels of libraries."""


class Example(NamedTuple):
    """A run with the virus, and its best supported detection there."""

    run: str
    identity: float | None = None
    """Percent."""
    reads: int | None = None
    coverage: float | None = None
    """Fold."""
    source: str | None = None
    """Environment or host that the run states."""


class Support(NamedTuple):
    """What stands behind a virus in the runs of a community that carry it."""

    runs: int
    measured: int = 0
    """Runs whose identity to a reference is known."""
    identity: float | None = None
    """Median over ``measured``, percent."""
    studies: int = 0
    examples: tuple[Example, ...] = ()


class Clade(NamedTuple):
    """The lowest taxon that nearly all hosts of the community belong to."""

    name: str
    runs: int
    rank: str | None = None


class Carrier(NamedTuple):
    """A genus of hosts, or an environment, whose runs carry the unnamed sOTU of the community."""

    value: str
    is_environment: bool
    runs: int
    median: float
    upper: float
    """Coverage, fold; a tenth of the runs has more than ``upper``."""
    of_order: str | None
    is_strong: bool
    """Whether the virus is at home here: a fifth of the best coverage or more."""


class Provenance(NamedTuple):
    """Where the runs of a virus, or of a community, come from: each run counts once."""

    runs: int = 0
    laboratory: int = 0
    """Runs with evidence that the virus came from a laboratory."""
    natural: int = 0
    """Of the others, runs of patients or field samples by the words of their studies."""
    of_vertebrates: bool = False
    """Whether a register lists the virus, so that nature or a laboratory is a question."""
    open: int = 0
    """Runs of a pathogen, of humans or without a host, that may be of either."""
    heavy: int = 0
    """Of these, runs with over a million reads of the virus."""
    why: str = ""
    """Kinds of evidence with their runs, in words."""

    @property
    def is_laboratory(self) -> bool:
        """Whether the runs are mostly of a laboratory, and few are natural."""
        return 2 * self.laboratory >= self.runs > 0 and 10 * self.natural <= self.runs


class Searched(NamedTuple):
    """The runs behind the viruses of a community, each counted once."""

    searched: int = 0
    """A source of detections looked at them."""
    positive: int = 0
    """Of these, runs with a virus."""
    identified: int = 0
    """Of these, runs with a virus at 90 % identity or more to its reference."""
    unnamed: str | None = None
    """sOTU without a name and a family that more runs share than any other; None without one."""
    unnamed_runs: int = 0
    """Runs of the community that carry it."""
    unnamed_everywhere: int = 0
    """Runs of the whole index that carry it."""
    next_unnamed: str | None = None
    """The next one."""
    next_runs: int = 0
    sources: Sequence[str] = ()
    """Sources that searched any of them, each for the viruses in its scope."""
    classified: int = 0
    """Runs whose named viruses were all found by methods that give no identity, as k-mers do."""

    measured: int = 0
    """Runs with a virus whose identity to a reference is known."""
    sourced: int = 0
    """Runs with a virus that state a host, a metagenome or a virus as their organism."""
    phylum: str | None = None
    """Phylum that most polymerases without a closer relative are of; None without any."""
    phylum_runs: int = 0
    """Runs with one of these."""


Value: TypeAlias = tuple[str, str]
"""Facet and value."""
WHOLE: Final[Value] = ("", "")
"""In place of a virus, all runs of a community."""


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
    """Those with a report, and their runs."""
    associations: tuple[AssociationRow, ...] = ()
    biosamples: int = 0
    bioprojects: int = 0
    risk_group: str = UNKNOWN_RISK
    joints: Mapping[tuple[Value, Value], int] = field(default_factory=dict)
    """Runs that carry two values, each pair once in order; weak pairs are left out."""
    behind: Mapping[tuple[Value, Value], StudyCount] = field(default_factory=dict)
    """Studies of the runs that carry two values, of one value as a pair with itself."""
    weighed: tuple[Weighed, ...] = ()
    """Pairs of its viruses, in the order of their names."""
    pairings: tuple[Pairing, ...] = ()
    """Virus and host pairs that need a caveat, or whose host is not what was sequenced, most runs
    first.
    """
    sequenced: tuple[SequencedApart, ...] = ()
    """Libraries of another organism than their host, most runs first."""
    other_by_kmers: tuple[OftenOther, ...] = ()
    """Most runs first."""
    far_viruses: tuple[FarVirus, ...] = ()
    """Most runs first."""
    searched: Searched = field(default_factory=Searched)
    studies: Studies = field(default_factory=Studies)
    largest_studies: tuple[StudyShare, ...] = ()
    """Studies of most runs, most runs first."""
    support: Mapping[Value, Support] = field(default_factory=dict)
    """What stands behind its viruses: species, families, and its sOTU without a name."""
    parts_marked: tuple[tuple[str, FactRow], ...] = ()
    """Children with a report, and the value that sets each apart from the others."""
    origins: Mapping[Value, Provenance] = field(default_factory=dict)
    """Where the runs of each virus come from, and of the community as ``WHOLE``."""
    faint: tuple[FactRow, ...] = ()
    """Viruses of weak signals and of probable contamination: no fact of the community."""
    family_of: Mapping[str, str] = field(default_factory=dict)
    """Family of each virus as it is stated, over the whole index."""
    clade: Clade | None = None
    carriers: Clade | None = None
    """The lowest taxon that two thirds of the runs of its strong ``sources`` are of."""
    sources: tuple[Carrier, ...] = ()
    """What the runs with the unnamed sOTU are of, those of most coverage first."""
    inferred: Mapping[Value, DepositedName] = field(default_factory=dict)
    """Viruses of sOTUs that were deposited under another name."""
    parent_runs: int = 0
    """Runs of the parent; 0 without a parent."""
    parent_searched: Searched = field(default_factory=Searched)
    """What stands behind the viruses of the parent."""
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
        """Where the unnamed sOTU of most runs has its coverage: a taxon, or a source or two; empty
        where it is at home nowhere.
        """
        strong = [source for source in self.sources if source.is_strong]
        whole = sum(source.runs for source in strong)
        if whole < LEAST_HOME * self.searched.unnamed_runs:
            return ()
        if self.carriers is not None and self.carriers.rank in CLOSE_RANKS:
            return (self.carriers.name,)
        most = sorted(strong, key=lambda source: -source.runs)[:MOST_HOMES]
        if sum(source.runs for source in most) < OF_CARRIERS * whole:
            return ()
        ordered = sorted(most, key=lambda source: not source.is_environment)
        return tuple(source.value for source in ordered)

    @property
    def shared_virus(self) -> str | None:
        """The unnamed sOTU that many of the runs with a virus share, and that is at home here."""
        found = self.searched
        is_shared = found.unnamed_runs >= SHARING * found.positive > 0
        is_own = found.unnamed_runs >= AT_HOME * found.unnamed_everywhere
        return found.unnamed if is_shared and is_own and self.home else None

    def silence(self) -> dict[str, float]:
        """Return the share of the runs that do not state a facet, by facet."""
        silent = {}
        for facet in FACT_FACETS:
            stated = self.known(facet) / self.runs
            silent[facet] = 1 - stated
        return silent

    def organism_of(self, host: FactRow) -> SequencedApart | None:
        """Return what was sequenced in most runs of a host, where that is another organism."""
        for apart in self.sequenced:
            if apart.host == host.value and 2 * apart.runs > host.runs:
                return apart
        return None

    def together(self, one: Value, other: Value) -> int:
        """Return how many runs carry both values; 0 where few or none of the rarer one do."""
        pair = sorted([one, other])
        first, second = pair
        return self.joints.get((first, second), 0)

    @property
    def origin(self) -> Provenance:
        """Where its runs come from."""
        return self.origins.get(WHOLE, Provenance())

    def is_joined(self, fact: FactRow) -> bool:
        """Return whether the runs that a fact shares with viruses were counted, none among them."""
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
        """Return whether enough runs name a virus (``facet`` is species or family) for it to stand
        for them all.
        """
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
        """Digest of what a reader would see: exact counts, and lift and q-value as worded.

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


def by_runs(facts: Iterable[FactRow]) -> list[FactRow]:
    """Return ``facts``, the most frequent first."""

    def most_frequent_first(fact: FactRow) -> tuple[int, str]:
        return -fact.runs, fact.value

    return sorted(facts, key=most_frequent_first)


def _salience(fact: FactRow) -> tuple[bool, float, str]:
    rarity = log2(1 + fact.lift)
    salience = round(fact.share * rarity, 6)
    return fact.is_outweighed, -salience, fact.value

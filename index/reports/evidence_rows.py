"""Rows of evidence behind the viruses, hosts and studies of a community."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from index.reports.fact_rows import Value
from index.store.run_pairs import sequenced_from

SOTU: Final = "sotu"
"""The facet, in a joint, of a virus without a name."""


class Weighed(NamedTuple):
    """Two viruses found in the same runs, and in how many of these each has more reads."""

    first: str
    second: str
    are_congeners: bool
    runs: int
    first_more: int
    second_more: int
    first_far_more: int
    """Runs in which the first has ``EXPLAINED`` times the reads of the second."""
    second_far_more: int


class Pairing(NamedTuple):
    """A virus and a host that occur together in runs of the community, and how expected that is."""

    virus: str
    host: str
    plausibility: str
    runs: int
    facet: str = "species"
    """Facet of the virus: species, or family if no species says more."""
    organism: str | None = None
    """What was sequenced, if that is an organism other than the host."""
    metagenomes: int = 0
    """Runs labelled as a metagenome: nobody says that they are of the host."""
    eaten: int = 0
    """Runs of feces or gut."""
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
    """Runs of the community that are libraries of an organism other than their host."""

    host: str
    organism: str
    runs: int


class OftenOther(NamedTuple):
    """Runs of the community whose k-mers are mostly of an organism other than their host."""

    organism: str
    host: str
    runs: int
    number: int
    """All such runs of the community, whatever the pair."""
    whole: int
    """Runs of the community with k-mer counts."""


class FarVirus(NamedTuple):
    """A virus of the community that is far from every reference."""

    sotu: str
    nearest: str | None
    identity: float
    runs: int
    number: int
    """Number of such viruses in the community."""
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
    """The studies of the runs that have a value, or two values at once."""

    runs: int
    studies: int
    study: str
    """The study of most of the runs; empty if no study is known."""
    key: str
    study_runs: int
    """Of these, runs of that study."""
    known: int
    """Runs whose study is known."""


class StudyShare(NamedTuple):
    """A study of the community, with the number and the nature of its runs."""

    study: str
    key: str
    """Key that cites it: ``bioproject``, or ``study`` of runs without one."""
    runs: int
    title: str | None = None
    organism: str | None = None
    """What most runs are of: an environment, the organism sequenced from a host, or the host.
    """
    organism_runs: int = 0
    virus: str | None = None
    """The virus stated in most of the runs, or else the sOTU that most of them have."""
    virus_runs: int = 0
    tissue: str | None = None
    """Tissue and place of origin that most of the runs state."""
    tissue_runs: int = 0
    place: str | None = None
    place_runs: int = 0
    both_runs: int | None = None
    """Runs of the organism that have the virus; None if that was not counted."""

    @property
    def is_apart(self) -> bool:
        """Whether the virus and the organism are in different runs."""
        fewer = min(self.organism_runs, self.virus_runs)
        return self.both_runs is not None and 2 * self.both_runs < fewer


class Example(NamedTuple):
    """A run with the virus, and its best supported detection there."""

    run: str
    identity: float | None = None
    """Percent."""
    reads: int | None = None
    coverage: float | None = None
    """Fold."""
    virus: str | None = None
    """What is stated of the virus of the detection, or its sOTU."""
    source: str | None = None
    """Environment or host that the run states."""


class Deposit(NamedTuple):
    """Runs of a virus from one study or, if no study is known, with neighbouring accessions.

    Such runs were probably deposited together.
    """

    study: str
    """Empty where no study is known."""
    runs: int
    first: str
    last: str


class Support(NamedTuple):
    """The evidence for a virus in the runs of a community that carry it."""

    runs: int
    measured: int = 0
    """Runs whose identity to a reference is known."""
    identity: float | None = None
    """Median over ``measured``, percent."""
    studies: int = 0
    known: int = 0
    """Runs whose study is known."""
    sourced: int = 0
    """Runs that state a host or an environment."""
    placed: int = 0
    """Runs that state a country or a sea."""
    deposits: Sequence[Deposit] = ()
    """The largest, most runs first."""
    sources: Sequence[tuple[str, int]] = ()
    """Environments, else hosts, of its runs, most runs first."""
    unexpected: Sequence[str] = ()
    """Hosts among ``sources`` in which the virus is not expected."""
    places: Sequence[tuple[str, int]] = ()
    """Countries and seas of its runs, most runs first."""
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
    """Coverage, fold; a tenth of the runs have more than ``upper``."""
    of_order: str | None
    is_strong: bool
    """Whether the virus is at home here: a fifth of the best coverage or more."""
    is_large: bool = False
    """Whether it is a plant or a vertebrate, which other organisms live and feed on."""


class Provenance(NamedTuple):
    """Where the runs of a virus, or of a community, come from: each run counts once."""

    runs: int = 0
    laboratory: int = 0
    """Runs with evidence that the virus came from a laboratory."""
    natural: int = 0
    """Other runs, of patients or field samples by the words of their studies."""
    of_vertebrates: bool = False
    """Whether a register lists the virus, so that it matters whether it is from a laboratory.
    """
    open: int = 0
    """Runs of a virus of vertebrates, of humans or without a host, that may come from either."""
    heavy: int = 0
    """Runs among these with over a million reads of the virus."""
    kinds: Sequence[int] = ()
    """Runs of a laboratory by the kinds of evidence in ``origins.KINDS``."""

    @property
    def is_laboratory(self) -> bool:
        """Whether the runs are mostly of a laboratory, and far fewer are natural."""
        return 2 * self.laboratory >= self.runs > 0 and 4 * self.natural <= self.laboratory


class Searched(NamedTuple):
    """The runs behind the viruses of a community, each counted once."""

    searched: int = 0
    """Runs that a source of detections looked at."""
    positive: int = 0
    """Runs among these with a virus."""
    identified: int = 0
    """Runs among these with a virus at 90 % identity or more to its reference."""
    unnamed: str | None = None
    """The sOTU without a name and a family that most runs share; None if there is none."""
    unnamed_runs: int = 0
    """Runs of the community that carry it."""
    unnamed_everywhere: int = 0
    """Runs of the whole index that carry it."""
    next_unnamed: str | None = None
    """The next most frequent one."""
    next_runs: int = 0
    sources: Sequence[str] = ()
    """Sources that searched any of the runs, each for the viruses in its scope."""
    classified: int = 0
    """Runs whose named viruses were all found by methods that give no identity, as k-mers do."""

    measured: int = 0
    """Runs with a virus whose identity to a reference is known."""
    sourced: int = 0
    """Runs with a virus that state a host, a metagenome or a virus as their organism."""
    phylum: str | None = None
    """Phylum of most polymerases without a closer relative; None if there are none."""
    phylum_runs: int = 0
    """Runs with one of these."""
    phylum_alone: int = 0
    """Runs among these without another virus of the phylum, or of no known family or phylum."""
    nearest: str | None = None
    """The virus after which its source names the unnamed sOTU, without an identity."""


WHOLE: Final[Value] = ("", "")
"""All runs of a community, in place of a virus."""

"""Rows of facts and associations: one value of a community with the runs that have it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple, TypeAlias

from index.stated import REPORTED

FEW_READS: Final = 20
"""Below this median number of reads per run, k-mers are not enough to name a virus."""


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
    by_kmers: int = 0
    """Runs in which only methods without identity, such as k-mers, find a virus family."""
    below: int = 0
    """Runs of a virus whose identity to its nearest reference is known and below 90 %."""
    low: float = 0.0
    high: float = 0.0
    """Lowest and highest identity of these runs, percent."""
    far: int = 0
    """Runs below a gap in identity that no run of the index is in: another species, not in
    ``runs``.
    """
    far_low: float = 0.0
    gap_low: float = 0.0
    gap_high: float = 0.0
    """Lowest identity of these runs, and the ends of the gap, percent."""
    reads: float | None = None
    """Median reads of a virus in the runs where methods without identity find it."""
    unexpected: int = 0
    """Runs of a virus in which it is not expected in any recorded host."""
    cultured: int = 0
    """Runs of a tissue or disease that are of cell cultures."""
    positive: int | None = None
    """Runs of a value with any virus; None where that was not counted."""
    unnamed: str = ""
    """For the label of a library: the unnamed sOTU most of whose runs are such libraries, or else
    that nearly all such libraries have.
    """
    unnamed_runs: int = 0
    """Runs of the label that carry it."""
    unnamed_elsewhere: bool = False
    """Whether other runs have it, too: if not, it is probably the virus of the label."""
    unnamed_titled: int = 0
    """Further runs with the sOTU, from studies whose titles name the virus."""
    by_print: int = 0
    """Runs of a species in which only the polymerase of a contig shows it."""

    @property
    def is_of_cells(self) -> bool:
        """Whether most runs of a tissue or disease are of cells cultured from it."""
        names_cells = self.value.endswith(("cell", "cell line", "culture", "cyte", "blast"))
        return 0 < self.runs <= 2 * self.cultured and not names_cells

    @property
    def is_outweighed(self) -> bool:
        """Whether another virus of the genus has more reads in half of the runs of a virus."""
        return 0 < self.runs <= 2 * self.beside

    @property
    def is_reported(self) -> bool:
        """Whether only the source says what a virus is: no identity supports the name."""
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
        """Whether a virus is probably contamination, or named only by k-mers of few reads."""
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
    """Key that cites the study: ``study`` for a study of the SRA."""
    num_found: int | None = None
    found_true: int | None = None
    """Samples with the value that have the family, where presence was compared."""


Value: TypeAlias = tuple[str, str]
"""Facet and value."""


def by_runs(facts: Iterable[FactRow]) -> list[FactRow]:
    """Return ``facts``, the most frequent first."""

    def most_frequent_first(fact: FactRow) -> tuple[int, str]:
        return -fact.runs, fact.value

    return sorted(facts, key=most_frequent_first)

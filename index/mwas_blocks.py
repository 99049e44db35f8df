"""Cut the splits of all projects into blocks that are tested together, as arrays.

A block is one universe: the samples of a project that have an attribute. Attributes that all samples have share a
universe, so most projects are one block or a few. Everything is joined and numbered once, over all projects; a block is
then a slice of three sorted arrays.

Blocks with equally many samples are tested together: most projects are small, and what a call costs apart from its
arithmetic would be most of the time. They also share their shuffles.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse

from index.mwas_flags import SPLIT_KEY
from index.mwas_tests import Floats

BLOCK: Final = ["bioproject", "universe"]
BATCH_CELLS: Final = 8_000
"""Splits times families of the blocks tested together: enough to make calls rare, few enough to waste little."""


@dataclass(frozen=True)
class Block:
    """The distinct splits of one universe and the families found in it.

    ``partition`` and ``group`` (S,) are the hashes of the splits and of the groups that count as true;
    ``rpm`` is (samples, families); ``members`` (S, samples), rows of 0/1.
    """

    bioproject: str
    universe: int
    partition: NDArray[np.uint64]
    group: NDArray[np.uint64]
    families: list[str]
    rpm: Floats
    members: sparse.csr_array


@dataclass(frozen=True)
class Batch:
    """Blocks of equally many samples n, one after another: ``rpm`` is (n, F), ``members`` (S, n) as in ``Block``.

    ``tested`` (S, F) is true where split and family are of the same block.
    """

    blocks: list[Block]
    rpm: Floats
    members: sparse.csr_array
    tested: NDArray[np.bool_]

    def of_splits(self, values: Sequence[object]) -> NDArray[np.object_]:
        """Return ``values``, one per block, repeated for each pair tested, in row-major order of ``tested``."""
        counts = [len(block.partition) * len(block.families) for block in self.blocks]
        return np.repeat(np.array(values, dtype=object), counts)


@dataclass(frozen=True)
class Blocks:
    """All blocks by number of samples, project and universe; those in which no family was found are left out."""

    index: pl.DataFrame
    splits: pl.DataFrame
    cells: pl.DataFrame
    hits: pl.DataFrame
    families: pl.DataFrame

    def __len__(self) -> int:
        return len(self.index)

    def __iter__(self) -> Iterator[Block]:
        partition, group = self.splits["partition"].to_numpy(), self.splits["group"].to_numpy()
        cell_row, cell_column = self.cells["row"].to_numpy(), self.cells["column"].to_numpy()
        hit_row, hit_column, rpm = (self.hits[name].to_numpy() for name in ("column", "family_number", "rpm"))
        names = self.families["family"].to_list()
        ends = pl.col("splits", "cells", "hits", "families").cum_sum()
        placed = self.index.with_columns(ends.name.suffix("_end")).sort("samples", *BLOCK)
        for bioproject, universe, samples, *placing in placed.iter_rows():
            lengths, stops = placing[:4], placing[4:]
            split, cell, hit, family = (slice(end - n, end) for n, end in zip(lengths, stops, strict=True))
            matrix = np.zeros((samples, family.stop - family.start))
            matrix[hit_row[hit], hit_column[hit]] = rpm[hit]
            shape = (split.stop - split.start, samples)
            yield Block(
                bioproject, universe, partition[split], group[split], names[family], matrix,
                _member_matrix(cell_row[cell], cell_column[cell], shape),
            )  # fmt: skip


def batch_blocks(blocks: Iterable[Block]) -> Iterator[Batch]:
    """Yield ``blocks``, which come by number of samples, in batches of equal number."""
    waiting: list[Block] = []
    splits = families = 0
    for block in blocks:
        splits, families = splits + len(block.partition), families + len(block.families)
        if waiting and (len(block.rpm) != len(waiting[0].rpm) or splits * families > BATCH_CELLS):
            yield _stacked(waiting)
            waiting, splits, families = [], len(block.partition), len(block.families)
        waiting.append(block)
    if waiting:
        yield _stacked(waiting)


def _stacked(blocks: list[Block]) -> Batch:
    rows = np.repeat(np.arange(len(blocks)), [len(block.partition) for block in blocks])
    columns = np.repeat(np.arange(len(blocks)), [len(block.families) for block in blocks])
    return Batch(
        blocks=blocks,
        rpm=np.hstack([block.rpm for block in blocks]),
        members=sparse.csr_array(sparse.vstack([block.members for block in blocks], format="csr")),
        tested=rows[:, None] == columns[None, :],
    )


def cut_blocks(splits: pl.DataFrame, members: pl.DataFrame, found: pl.DataFrame) -> Blocks:
    """Return the blocks of ``splits`` and ``members`` (see ``find_splits``) over the families in ``found``.

    Splits that part a universe alike are one: the first by attribute and value stands for all.
    """
    key = [*BLOCK, "partition"]
    distinct = splits.unique(key, keep="first", maintain_order=True)
    one_attribute = distinct.unique(BLOCK, keep="first", maintain_order=True).select(*BLOCK, "attribute")
    samples = (
        members.join(one_attribute, on=["bioproject", "attribute"])
        .select(*BLOCK, "biosample")
        .unique()
        .sort(*BLOCK, "biosample")
        .with_columns(column=pl.int_range(pl.len()).over(BLOCK))
    )
    hits = found.join(samples, on=["bioproject", "biosample"]).with_columns(
        family_number=(pl.col("family").rank("dense").over(BLOCK).cast(pl.Int64) - 1)
    )
    families = hits.select(*BLOCK, "family").unique().sort(*BLOCK, "family")
    rows = (
        distinct.join(families, on=BLOCK, how="semi")
        .sort(key)
        .with_columns(row=pl.int_range(pl.len()).over(BLOCK))
        .select(*SPLIT_KEY, "universe", "partition", "group", "row")
    )
    cells = (
        members.join(rows, on=SPLIT_KEY)
        .join(samples, on=[*BLOCK, "biosample"])
        .select(*BLOCK, "row", "column")
        .sort(*BLOCK, "row", "column")
    )
    return Blocks(
        index=_index(samples, rows, cells, hits, families),
        splits=rows,
        cells=cells,
        hits=hits.sort(*BLOCK, "column", "family_number"),
        families=families,
    )


def _index(
    samples: pl.DataFrame, splits: pl.DataFrame, cells: pl.DataFrame, hits: pl.DataFrame, families: pl.DataFrame
) -> pl.DataFrame:
    """Return [bioproject, universe, samples, splits, cells, hits, families]: how much of each array a block takes."""
    index = splits.group_by(BLOCK).agg(splits=pl.len())
    for name, table in {"samples": samples, "cells": cells, "hits": hits, "families": families}.items():
        index = index.join(table.group_by(BLOCK).agg(pl.len().alias(name)), on=BLOCK)
    return index.select(*BLOCK, "samples", "splits", "cells", "hits", "families").sort(BLOCK)


def _member_matrix(row: NDArray[np.int64], column: NDArray[np.int64], shape: tuple[int, int]) -> sparse.csr_array:
    """Return 1 at each (row, column), which come sorted."""
    pointer = np.searchsorted(row, np.arange(shape[0] + 1))
    return sparse.csr_array((np.ones(len(row)), column, pointer), shape=shape)

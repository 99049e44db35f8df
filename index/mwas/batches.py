"""Cut the splits of all projects into blocks that are tested together, as arrays.

A block is one universe: the samples of a project that have an attribute. Attributes that all
samples have share a universe, so most projects are one block or a few. Everything is joined and
numbered once, over all projects; a block is then a slice of three sorted arrays.

Blocks with equally many samples are tested together: most projects are small, and what a call costs
apart from its arithmetic would be most of the time. They also share their shuffles.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse

from index.mwas.flags import SPLIT_KEY
from index.mwas.statistics import Floats, Ints

BLOCK: Final = ["bioproject", "universe"]
BATCH_CELLS: Final = 8_000
"""Splits times families of the blocks tested together: enough to make calls rare, few enough to
waste little.
"""


@dataclass(frozen=True)
class Batch:
    """Blocks of equally many samples n, one after another, as they lie in ``Blocks``.

    ``splits`` and ``families`` (B,) count those of each block; the first of them are
    ``first_split`` and ``first_family`` of all. ``cells`` (2, C) are the split and the sample of
    each sample in a true group; ``hits`` (2, H) the sample and the family of each abundance in
    ``abundance`` (H,), in reads per million.
    """

    samples: int
    splits: Ints
    families: Ints
    first_split: int
    first_family: int
    cells: Ints
    hits: Ints
    abundance: Floats

    def __len__(self) -> int:
        return len(self.splits)

    @cached_property
    def rpm(self) -> Floats:
        """Reads per million, shape (n, F)."""
        matrix = np.zeros((self.samples, self.families.sum()))
        matrix[self.hits[0], self.hits[1]] = self.abundance
        return matrix

    @cached_property
    def members(self) -> sparse.csr_array:
        """Rows of 0/1 that mark the true group of each split, shape (S, n)."""
        row, column = self.cells
        pointer = np.searchsorted(row, np.arange(self.splits.sum() + 1))
        return sparse.csr_array(
            (np.ones(len(row)), column, pointer), shape=(len(pointer) - 1, self.samples)
        )

    @cached_property
    def tested(self) -> NDArray[np.bool_]:
        """Whether split and family are of the same block, shape (S, F)."""
        number = np.arange(len(self))
        return np.asarray(
            np.repeat(number, self.splits)[:, None] == np.repeat(number, self.families)[None, :]
        )

    def pairs(self) -> tuple[Ints, Ints]:
        """Return the numbers in ``Blocks`` of split and family of each pair tested, in row-major
        order.
        """
        split, family = np.nonzero(self.tested)
        return split + self.first_split, family + self.first_family


@dataclass(frozen=True)
class Blocks:
    """All blocks in which a family was found, by number of samples, project and universe.

    ``index`` [bioproject, universe, samples, splits, cells, hits, families] says how much of each
    table a block takes; ``splits`` [bioproject, universe, partition, group]; ``families`` [family];
    ``cells`` [split, sample] and ``hits`` [sample, family, rpm] point to rows of these and to
    samples of the block.
    """

    index: pl.DataFrame
    splits: pl.DataFrame
    families: pl.DataFrame
    cells: pl.DataFrame
    hits: pl.DataFrame

    def __len__(self) -> int:
        return len(self.index)

    def batches(self) -> Iterator[Batch]:
        """Yield all blocks in batches of equally many samples."""
        cells = self.cells.select(pl.col("split", "sample").cast(pl.Int64)).to_numpy().T
        hits = self.hits.select(pl.col("sample", "family").cast(pl.Int64)).to_numpy().T
        rpm = self.hits["rpm"].to_numpy()
        counts = (
            self.index.select(pl.col("splits", "families", "cells", "hits").cast(pl.Int64))
            .to_numpy()
            .T
        )
        ends = np.concatenate([np.zeros((4, 1), np.int64), counts.cumsum(axis=1)], axis=1)
        samples = self.index["samples"].to_list()
        for start, stop in _cut(samples, counts[0].tolist(), counts[1].tolist()):
            split, family, cell, hit = (slice(end[start], end[stop]) for end in ends)
            yield Batch(
                samples=samples[start],
                splits=counts[0, start:stop],
                families=counts[1, start:stop],
                first_split=split.start,
                first_family=family.start,
                cells=cells[:, cell] - [[split.start], [0]],
                hits=hits[:, hit] - [[0], [family.start]],
                abundance=rpm[hit],
            )


def _cut(samples: list[int], splits: list[int], families: list[int]) -> Iterator[tuple[int, int]]:
    """Yield where batches start and stop, from the numbers of each block."""
    start = rows = columns = 0
    for at, n in enumerate(samples):
        rows, columns = rows + splits[at], columns + families[at]
        if at > start and (n != samples[start] or rows * columns > BATCH_CELLS):
            yield start, at
            start, rows, columns = at, splits[at], families[at]
    if samples:
        yield start, len(samples)


def cut_blocks(splits: pl.DataFrame, members: pl.DataFrame, found: pl.DataFrame) -> Blocks:
    """Return the blocks of ``splits`` and ``members`` (see ``find_splits``) over the families in
    ``found``.

    Splits that part a universe alike are one: the first by attribute and value stands for all.
    """
    distinct = splits.unique([*BLOCK, "partition"], keep="first", maintain_order=True)
    one_attribute = distinct.unique(BLOCK, keep="first", maintain_order=True).select(
        *BLOCK, "attribute"
    )
    placed = (
        members.join(one_attribute, on=["bioproject", "attribute"])
        .select(*BLOCK, "biosample")
        .unique()
    )
    virus_bearing = placed.join(found, on=["bioproject", "biosample"], how="semi")
    sized = placed.group_by(BLOCK).agg(samples=pl.len()).join(virus_bearing, on=BLOCK, how="semi")
    block = sized.sort("samples", *BLOCK).with_row_index("block")
    sample = (
        placed.join(block.select("block", *BLOCK), on=BLOCK)
        .select("block", "bioproject", "biosample")
        .sort("block", "biosample")
        .with_columns(sample=pl.int_range(pl.len()).over("block"))
    )
    hit = sample.join(found, on=["bioproject", "biosample"]).select(
        "block", "sample", "family", "rpm"
    )
    family = hit.select("block", "family").unique().sort("block", "family").with_row_index("number")
    split = (
        distinct.join(block, on=BLOCK)
        .select("block", *SPLIT_KEY, "universe", "partition", "group")
        .sort("block", "partition")
        .with_row_index("split")
    )
    cell = (
        members.join(split.select("split", "block", *SPLIT_KEY), on=SPLIT_KEY)
        .join(sample.drop("bioproject"), on=["block", "biosample"])
        .select("block", "split", "sample")
        .sort("split", "sample")
    )
    numbered = hit.join(family, on=["block", "family"]).select(
        "block", "sample", "rpm", family="number"
    )
    index = block
    for name, table in {"splits": split, "families": family, "cells": cell, "hits": hit}.items():
        index = index.join(
            table.group_by("block").agg(pl.len().alias(name)), on="block", maintain_order="left"
        )
    return Blocks(
        index=index,
        splits=split.select(*BLOCK, "partition", "group"),
        families=family.select("family"),
        cells=cell.select("split", "sample"),
        hits=numbered.sort("block", "sample", "family").select("sample", "family", "rpm"),
    )

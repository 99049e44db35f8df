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
"""Splits times families of a batch: enough to make calls rare, few enough to waste little."""


@dataclass(frozen=True)
class Batch:
    """Blocks of equally many samples n, in the order of ``Blocks``.

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
        sample, family = self.hits
        matrix = np.zeros((self.samples, self.families.sum()))
        matrix[sample, family] = self.abundance
        return matrix

    @cached_property
    def members(self) -> sparse.csr_array:
        """Rows of 0/1 that mark the true group of each split, shape (S, n)."""
        split, sample = self.cells
        splits = self.splits.sum()
        row_starts = np.searchsorted(split, np.arange(splits + 1))
        ones = np.ones(len(split))
        return sparse.csr_array((ones, sample, row_starts), shape=(splits, self.samples))

    @cached_property
    def tested(self) -> NDArray[np.bool_]:
        """Whether split and family are of the same block, shape (S, F)."""
        block = np.arange(len(self))
        of_split = np.repeat(block, self.splits)
        of_family = np.repeat(block, self.families)
        return np.asarray(of_split[:, None] == of_family[None, :])

    def pairs(self) -> tuple[Ints, Ints]:
        """Return the split and the family of each tested pair, in row-major order.

        They are numbers of rows in ``Blocks.splits`` and ``Blocks.families``.
        """
        split, family = np.nonzero(self.tested)
        return (split + self.first_split, family + self.first_family)


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
        cells = _integer_rows(self.cells, "split", "sample")
        hits = _integer_rows(self.hits, "sample", "family")
        rpm = self.hits["rpm"].to_numpy()
        counts = _integer_rows(self.index, "splits", "families", "cells", "hits")
        first_rows = np.zeros((4, 1), np.int64)
        bounds = np.concatenate([first_rows, counts.cumsum(axis=1)], axis=1)

        samples = self.index["samples"].to_list()
        splits, families, _, _ = counts.tolist()
        for start, stop in _cut(samples, splits, families):
            split, family, cell, hit = (slice(bound[start], bound[stop]) for bound in bounds)
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


def _integer_rows(table: pl.DataFrame, *columns: str) -> Ints:
    """Return ``columns`` of ``table`` as rows of one array, shape (columns, height)."""
    integers = table.select(pl.col(columns).cast(pl.Int64))
    return integers.to_numpy().T


def _cut(samples: list[int], splits: list[int], families: list[int]) -> Iterator[tuple[int, int]]:
    """Yield where batches start and stop, from the numbers of each block."""
    start = rows = columns = 0
    for at, n in enumerate(samples):
        rows += splits[at]
        columns += families[at]
        full = rows * columns > BATCH_CELLS
        other_size = n != samples[start]
        if at > start and (other_size or full):
            yield start, at
            start = at
            rows = splits[at]
            columns = families[at]
    if samples:
        yield start, len(samples)


def cut_blocks(splits: pl.DataFrame, members: pl.DataFrame, found: pl.DataFrame) -> Blocks:
    """Return the blocks of ``splits`` and ``members`` over the families in ``found``.

    Takes what ``find_splits`` returns. Of splits that divide a universe alike, only the first by
    attribute and value is tested.
    """
    distinct = splits.unique([*BLOCK, "partition"], keep="first", maintain_order=True)
    placed = _place_samples(distinct, members)
    block = _number_blocks(placed, found)
    sample = _number_samples(placed, block)
    hit = sample.join(found, on=["bioproject", "biosample"]).select(
        "block", "sample", "family", "rpm"
    )
    family = _number_families(hit)
    split = _number_splits(distinct, block)
    cell = _find_cells(members, split, sample)

    tables = {
        "splits": split,
        "families": family,
        "cells": cell,
        "hits": hit,
    }
    numbered = hit.join(family, on=["block", "family"]).select(
        "block",
        "sample",
        "rpm",
        family="number",
    )
    ordered_hits = numbered.sort("block", "sample", "family")
    return Blocks(
        index=_count_rows(block, tables),
        splits=split.select(*BLOCK, "partition", "group"),
        families=family.select("family"),
        cells=cell.select("split", "sample"),
        hits=ordered_hits.select("sample", "family", "rpm"),
    )


def _place_samples(distinct: pl.DataFrame, members: pl.DataFrame) -> pl.DataFrame:
    """Return [bioproject, universe, biosample]: the samples of each universe."""
    first = distinct.unique(BLOCK, keep="first", maintain_order=True)
    one_attribute = first.select(*BLOCK, "attribute")
    placed = members.join(one_attribute, on=["bioproject", "attribute"])
    return placed.select(*BLOCK, "biosample").unique()


def _number_blocks(placed: pl.DataFrame, found: pl.DataFrame) -> pl.DataFrame:
    """Return [block, bioproject, universe, samples] of the universes where a family was found."""
    with_virus = placed.join(found, on=["bioproject", "biosample"], how="semi")
    sized = placed.group_by(BLOCK).agg(samples=pl.len())
    blocks = sized.join(with_virus, on=BLOCK, how="semi")
    return blocks.sort("samples", *BLOCK).with_row_index("block")


def _number_samples(placed: pl.DataFrame, block: pl.DataFrame) -> pl.DataFrame:
    """Return [block, bioproject, biosample, sample]; ``sample`` counts from 0 in each block."""
    in_block = placed.join(block.select("block", *BLOCK), on=BLOCK)
    samples = in_block.select("block", "bioproject", "biosample")
    position = pl.int_range(pl.len()).over("block")
    return samples.sort("block", "biosample").with_columns(sample=position)


def _number_families(hit: pl.DataFrame) -> pl.DataFrame:
    """Return [number, block, family]: each family of each block."""
    families = hit.select("block", "family").unique()
    return families.sort("block", "family").with_row_index("number")


def _number_splits(distinct: pl.DataFrame, block: pl.DataFrame) -> pl.DataFrame:
    """Return [split, block, …]: the splits of each block, ``split`` their number."""
    in_block = distinct.join(block, on=BLOCK)
    splits = in_block.select("block", *SPLIT_KEY, "universe", "partition", "group")
    return splits.sort("block", "partition").with_row_index("split")


def _find_cells(members: pl.DataFrame, split: pl.DataFrame, sample: pl.DataFrame) -> pl.DataFrame:
    """Return [block, split, sample]: the samples in the true group of each split."""
    key_of_split = split.select("split", "block", *SPLIT_KEY)
    member = members.join(key_of_split, on=SPLIT_KEY)
    numbered = member.join(sample.drop("bioproject"), on=["block", "biosample"])
    cells = numbered.select("block", "split", "sample")
    return cells.sort("split", "sample")


def _count_rows(block: pl.DataFrame, tables: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """Return ``block`` with a column for each of ``tables``: how many of its rows a block has."""
    counted = block
    for name, table in tables.items():
        rows = table.group_by("block").agg(pl.len().alias(name))
        counted = counted.join(rows, on="block", maintain_order="left")
    return counted

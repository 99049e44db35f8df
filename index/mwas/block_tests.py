"""Test blocks (see ``index.mwas.batches``): all splits and families of a universe at once.

Batches of blocks run side by side on threads or processes.
"""

from __future__ import annotations

from collections import deque
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from itertools import chain
from multiprocessing import get_context
from typing import Any, Final

import numpy as np
import polars as pl

from index.config import MwasConfig
from index.mwas.batches import BLOCK, Batch, Blocks
from index.mwas.permutation import Comparison, permutation_p_values
from index.mwas.statistics import (
    Floats,
    Ints,
    group_moments,
    rank_columns,
    rank_p_values,
    top_samples,
    welch,
)

IN_PROCESSES_FROM: Final = 10_000
"""From this many universes on they are tested in processes of their own."""
BATCHES_WAITING: Final = 8

_Bools = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]
_Columns = dict[str, np.ndarray[tuple[int, ...], np.dtype[Any]]]


def compare_blocks(blocks: Blocks, *, config: MwasConfig, workers: int) -> pl.DataFrame:
    """Return the results of all blocks, in their order; only a few batches are in memory at once.

    Columns: those of ``BLOCK``, partition, tested_group (hash of the true group), family, test and
    the statistics.
    """
    tested: list[_Columns] = []
    waiting: deque[Future[_Columns]] = deque()
    no_more = [None] * BATCHES_WAITING
    with _pool(workers, len(blocks)) as pool:
        for batch in chain(blocks.batches(), no_more):
            if batch is not None:
                waiting.append(pool.submit(_test_batch, batch, config=config))
            full = len(waiting) > BATCHES_WAITING
            if waiting and (batch is None or full):
                tested.append(waiting.popleft().result())
    return _name_results(blocks, tested) if tested else pl.DataFrame()


def _name_results(blocks: Blocks, tested: list[_Columns]) -> pl.DataFrame:
    """Return ``tested`` as a table, with the names of splits and families for their numbers."""
    columns = []
    for name in tested[0]:
        parts = [batch[name] for batch in tested]
        columns.append(pl.Series(name, np.concatenate(parts)))
    split, family, *statistics = columns
    keys = blocks.splits.select(*BLOCK, "partition", pl.col("group").alias("tested_group"))
    families = blocks.families[family]
    return keys[split].hstack(families).hstack(statistics)


def _pool(workers: int, blocks: int) -> Executor:
    """Return threads, or processes from ``IN_PROCESSES_FROM`` blocks on.

    Processes take seconds to start. Sorting, sparse products and comparisons run without the GIL,
    but the steps between them on small matrices do not: two threads keep hardly more than one core
    busy.
    """
    if blocks < IN_PROCESSES_FROM:
        return ThreadPoolExecutor(workers)
    return ProcessPoolExecutor(workers, mp_context=get_context("spawn"))


def _test_batch(batch: Batch, *, config: MwasConfig) -> _Columns:
    """Return columns with a row per split and family of each block: numbers, then statistics.

    The numbers are those of split and family; the true group is the group hashed as ``group``.
    """
    n = batch.samples
    size = np.diff(batch.members.indptr)
    moments = group_moments(batch.rpm, batch.members)
    mean_t, mean_f, sd_t, sd_f = moments
    t, welch_p, low, high = _welch_of(batch.tested, moments, size, n)
    permuted = np.minimum(size, n - size) >= config.min_group
    permutation_p, rank_p = _permute(batch, permuted, config)

    found = np.count_nonzero(batch.rpm, axis=0)
    by_permutation = permuted[:, None]
    columns = {
        "num_found": np.broadcast_to(found, t.shape),
        "mean_rpm_true": mean_t,
        "mean_rpm_false": mean_f,
        "sd_rpm_true": sd_t,
        "sd_rpm_false": sd_f,
        "test_statistic": np.where(by_permutation, mean_t - mean_f, t),
        "p_value": np.where(by_permutation, permutation_p, welch_p),
        "p_rank": rank_p,
        "ci_low": low,
        "ci_high": high,
        "driver": _driven(batch, mean_t, mean_f),
    }
    results = {name: values[batch.tested] for name, values in columns.items()}

    split, family = batch.pairs()
    name_of_test = np.where(permuted, "permutation", "welch")
    numbers = {
        "split": split,
        "family": family,
        "test": name_of_test[split - batch.first_split],
    }
    return numbers | results


def _permute(batch: Batch, permuted: _Bools, config: MwasConfig) -> tuple[Floats, Floats]:
    """Return the p-values of the permutation test and of ranks, each split by split and family.

    Splits that are not ``permuted`` have NaN for the first; their ranks are permuted, where those
    of the other splits have Mann-Whitney's approximation.
    """
    rpm = batch.rpm
    members = batch.members
    ranked = rank_columns(rpm)
    of_means = Comparison(rpm, members[permuted], batch.tested[permuted])
    of_ranks = Comparison(ranked.ranks, members[~permuted], batch.tested[~permuted])
    p_value = np.full((len(permuted), rpm.shape[1]), np.nan)
    rank_p = rank_p_values(ranked, members)
    p_value[permuted], rank_p[~permuted] = permutation_p_values(
        [of_means, of_ranks],
        resamples=config.resamples,
        max_resamples=config.max_resamples,
        seed=config.seed,
    )
    return p_value, rank_p


def _welch_of(
    tested: _Bools,
    moments: tuple[Floats, Floats, Floats, Floats],
    size: Ints,
    n: int,
) -> list[Floats]:
    """Return what ``welch`` does for the tested pairs, NaN elsewhere: it is expensive."""
    mean_t, mean_f, sd_t, sd_f = (moment[tested] for moment in moments)
    size_of_pair = np.broadcast_to(size[:, None], tested.shape)
    results = welch(
        mean_t,
        mean_f,
        sd_t,
        sd_f,
        size_of_pair[tested],
        n,
    )
    whole = []
    for result in results:
        filled = np.full(tested.shape, np.nan)
        filled[tested] = result
        whole.append(filled)
    return whole


def _driven(batch: Batch, mean_t: Floats, mean_f: Floats) -> _Bools:
    """Return where the higher mean falls by more than half without the top biosample."""
    lengths = np.diff(batch.members.indptr)
    size = lengths[:, None]
    other_size = batch.samples - size
    top_t, top_f = top_samples(batch.rpm, batch.members)

    true_is_higher = mean_t >= mean_f
    mean = np.where(true_is_higher, mean_t, mean_f)
    top = np.where(true_is_higher, top_t, top_f)
    k = np.where(true_is_higher, size, other_size)
    without_top = (mean * k - top) / (k - 1)
    return np.asarray(without_top < mean / 2)

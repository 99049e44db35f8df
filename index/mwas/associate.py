"""Metadata-wide association (MWAS): which attribute values go with more or fewer reads of a virus
family.

For every bioproject, virus family and (attribute, value) the reads per million of the biosamples
with the value are compared with those of the biosamples that have another value: a permutation test
of the difference of means where both groups have ``min_group`` samples, Welch's t below (after Open
Virome's MWAS; Serratus, Edgar et al. 2022). Beside it stand a Mann-Whitney p-value (permuted too
where Welch's t is the test), Welch's 95 % interval of the difference, a fold change with
pseudocount and flags. Nothing is left out for being insignificant; what cannot be tested is
counted.

Every p-value depends only on the samples of its own test, their number and the seed: never on the
order of the input nor on which other projects are in the index. Tests over equally many samples see
the same shuffles.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain
from multiprocessing import get_context
from typing import Any, Final

import numpy as np
import polars as pl
from scipy.special import binom
from scipy.stats import rankdata

from index.config import MwasConfig
from index.false_discovery import benjamini_hochberg
from index.mwas.abundance import Abundance, measure_abundance
from index.mwas.batches import BLOCK, Batch, Blocks, cut_blocks
from index.mwas.flags import MIN_FOUND, SPLIT_KEY, find_duplicates, find_host_bound, flag_text
from index.mwas.permutation import Comparison, permutation_p_values
from index.mwas.splits import find_splits, label_samples
from index.mwas.statistics import (
    Floats,
    Ints,
    group_moments,
    rank_p_values,
    top_samples,
    welch,
)
from index.records import Records
from index.tables import Association
from ontology_etl.tables import conform

COMPUTED: Final = "computed"
HOST_ATTRIBUTE: Final = "host (NCBITaxon)"
MIN_SAMPLES: Final = 2
"""A group of one has no spread; its pairs are counted, not tested."""

APART_FROM: Final = 10_000
"""From this many universes on they are tested in processes of their own."""
BATCHES_WAITING: Final = 8

Progress = Callable[[int, int], None]
"""Called with the number of universes done and their total."""

_TEST_KEY: Final = ["bioproject", "universe", "partition"]
_Columns = dict[str, np.ndarray[tuple[int, ...], np.dtype[Any]]]


@dataclass(frozen=True)
class Associations:
    """Result of ``associate``: rows of the association table, and [reason, count] of what could not
    be tested.
    """

    association: pl.DataFrame
    skipped: pl.DataFrame
    tests: int
    """Distinct tests made; rows that part a universe alike share one."""


def associate(
    records: Records,
    annotation: pl.DataFrame,
    *,
    config: MwasConfig,
    workers: int = 2,
    on_progress: Progress | None = None,
) -> Associations:
    """Return the associations of every bioproject in ``records``, uncorrected (see ``adjust``).

    ``annotation`` (contract Annotation) adds the grounded attributes. A family that two sources of
    detections measure in one project is tested on the one with read counts. ``workers`` threads or
    processes test universes side by side; the result does not depend on them.
    """
    measured = [
        measure_abundance(records, source=name)
        for name in sorted(records.detection["source"].unique())
    ]
    labels = _labels(records, annotation, measured)
    owner = _owners(measured)
    parts = [
        _associate_source(
            one, labels, owner.filter(pl.col("source") == one.source), config, workers, on_progress
        )
        for one in measured
    ]
    if not parts:
        return Associations(Association.create_empty(), _total([]), 0)
    rows = pl.concat([part.association for part in parts])
    skipped = _total([one.skipped for one in measured] + [part.skipped for part in parts])
    return Associations(conform(rows, Association), skipped, sum(part.tests for part in parts))


def adjust(association: pl.DataFrame) -> pl.DataFrame:
    """Return ``association`` with q-values: Benjamini-Hochberg over the index and within each
    project, per source.

    Rows that are one test (same project, family and ``split``) count once and share the q-value;
    rows without a p-value have none. A Welch test enters with the larger of its own and its rank
    p-value: on two or three samples of skewed counts Welch's t rejects a true null in up to 40 % of
    tests at the 5 % level, and would fill the index with false discoveries
    (decisions/0020-association-tests.md). An imported row, whose samples are not at hand, enters
    with at least the smallest p-value that any rearrangement of its groups can give, 2 / C(n, k). A
    family found in fewer than ``MIN_FOUND`` biosamples is neither called nor counted (independent
    filtering: Bourgon, Gentleman and Huber 2010): the number does not depend on labels.
    """
    weighed = pl.col("p_value").is_not_nan() & (
        pl.col("num_found").fill_null(MIN_FOUND) >= MIN_FOUND
    )
    tested = association.filter(weighed)
    one_test = pl.coalesce("split", pl.concat_str("attribute", pl.lit("\x1f"), "value"))
    guard = (
        pl.when(pl.col("test") == "welch")
        .then("p_rank")
        .when(pl.col("test") == "imported")
        .then("least_p")
        .otherwise(0)
    )
    guarded = pl.max_horizontal("p_value", guard)
    tests = (
        tested.with_columns(least_p=_least_p(tested))
        .group_by("source", "bioproject", "family", one_test.alias("test_id"), maintain_order=True)
        .agg(guarded.first().alias("p_value"))
    )
    corrected = tests.with_columns(
        _bh("p_value").over("source").alias("q_value"),
        _bh("p_value").over("source", "bioproject").alias("q_value_project"),
    ).drop("p_value")
    keyed = association.drop("q_value", "q_value_project").with_columns(test_id=one_test)
    joined = keyed.join(corrected, on=["source", "bioproject", "family", "test_id"], how="left")
    masked = joined.with_columns(pl.when(weighed).then(pl.col("q_value", "q_value_project")))
    return conform(masked, Association)


def _least_p(association: pl.DataFrame) -> pl.Series:
    """Return two over the number of ways to part the samples of each row in groups of their sizes,
    at most 1.
    """
    k, n = (
        association["num_true"].to_numpy(),
        (association["num_true"] + association["num_false"]).to_numpy(),
    )
    return pl.Series(np.minimum(2 / binom(n, k), 1.0))


def _bh(column: str) -> pl.Expr:
    return pl.col(column).map_batches(
        lambda p_values: pl.Series(benjamini_hochberg(p_values.to_numpy())),
        return_dtype=pl.Float64,
        is_elementwise=False,
    )


def _labels(records: Records, annotation: pl.DataFrame, measured: list[Abundance]) -> pl.DataFrame:
    """Return the labels (see ``label_samples``) of the biosamples that were searched by any source."""
    searched = pl.concat(
        [
            records.run.select("biosample").clear(),
            *(one.searched.select("biosample") for one in measured),
        ]
    )
    run = records.run.join(searched, on="biosample", how="semi")
    attribute = records.biosample_attribute.join(searched, on="biosample", how="semi")
    return label_samples(attribute, annotation, run)


def _owners(measured: list[Abundance]) -> pl.DataFrame:
    """Return [bioproject, family, coverage_based, source]: the source each family of each project
    is tested on.
    """
    claims = [one.families.with_columns(source=pl.lit(one.source)) for one in measured]
    if not claims:
        return pl.DataFrame(
            schema={
                "bioproject": pl.String,
                "family": pl.String,
                "coverage_based": pl.Boolean,
                "source": pl.String,
            }
        )
    ranked = pl.concat(claims).sort("bioproject", "family", "coverage_based", "source")
    return ranked.unique(["bioproject", "family"], keep="first", maintain_order=True)


def _associate_source(
    measured: Abundance,
    labels: pl.DataFrame,
    families: pl.DataFrame,
    config: MwasConfig,
    workers: int,
    on_progress: Progress | None,
) -> Associations:
    all_splits, members = find_splits(labels, measured.searched)
    testable = (pl.col("num_true") >= MIN_SAMPLES) & (pl.col("num_false") >= MIN_SAMPLES)
    splits = all_splits.filter(testable).sort(SPLIT_KEY)
    found = measured.found.join(families, on=["bioproject", "family"], how="semi")
    results = _test_blocks(cut_blocks(splits, members, found), config, workers, on_progress)
    rows = (
        _rows(results, splits, members, labels, families, config)
        if len(results)
        else Association.create_empty()
    )
    skipped = _skipped(all_splits, splits, families, len(rows))
    return Associations(rows, skipped, len(results))


def _test_blocks(
    blocks: Blocks, config: MwasConfig, workers: int, on_progress: Progress | None
) -> pl.DataFrame:
    """Return the results of all blocks, in their order; only a few batches are in memory at once."""
    tested: list[_Columns] = []
    waiting: deque[tuple[Future[_Columns], int]] = deque()
    done = 0
    with _pool(workers, len(blocks)) as pool:
        for batch in chain(blocks.batches(), [None] * BATCHES_WAITING):
            if batch is not None:
                waiting.append((pool.submit(_test_batch, batch, config=config), len(batch)))
            if waiting and (batch is None or len(waiting) > BATCHES_WAITING):
                future, size = waiting.popleft()
                tested.append(future.result())
                done += size
                if on_progress is not None:
                    on_progress(done, len(blocks))
    if not tested:
        return pl.DataFrame()
    split, family, *statistics = (
        pl.Series(name, np.concatenate([part[name] for part in tested])) for name in tested[0]
    )
    keyed = blocks.splits.select(*BLOCK, "partition", pl.col("group").alias("tested_group"))[split]
    return keyed.hstack(blocks.families[family]).hstack(statistics)


def _pool(workers: int, blocks: int) -> Executor:
    """Return threads, or processes where there are so many blocks that their start-up of seconds is
    nothing.

    Sorting, sparse products and comparisons run without the GIL, but what lies between them on
    small matrices does not: two threads keep hardly more than one core busy.
    """
    if blocks < APART_FROM:
        return ThreadPoolExecutor(workers)
    return ProcessPoolExecutor(workers, mp_context=get_context("spawn"))


def _test_batch(batch: Batch, *, config: MwasConfig) -> _Columns:
    """Return columns with one row per split and family of each block: their numbers first, then the
    statistics.

    The true group is the one hashed ``group``.
    """
    rpm, members = batch.rpm, batch.members
    n, size = rpm.shape[0], np.diff(members.indptr)
    mean_t, mean_f, sd_t, sd_f = group_moments(rpm, members)
    t, welch_p, low, high = _welch_of(batch.tested, (mean_t, mean_f, sd_t, sd_f), size, n)
    rank_p = rank_p_values(rpm, members)
    permuted = np.minimum(size, n - size) >= config.min_group
    p_value, statistic = welch_p.copy(), t.copy()
    statistic[permuted] = (mean_t - mean_f)[permuted]
    p_value[permuted], rank_p[~permuted] = permutation_p_values(
        [
            Comparison(rpm, members[permuted], batch.tested[permuted]),
            Comparison(rankdata(rpm, axis=0), members[~permuted], batch.tested[~permuted]),
        ],
        resamples=config.resamples,
        max_resamples=config.max_resamples,
        seed=config.seed,
    )
    columns = {
        "num_found": np.broadcast_to(np.count_nonzero(rpm, axis=0), p_value.shape),
        "mean_rpm_true": mean_t, "mean_rpm_false": mean_f, "sd_rpm_true": sd_t, "sd_rpm_false": sd_f,
        "test_statistic": statistic, "p_value": p_value, "p_rank": rank_p, "ci_low": low, "ci_high": high,
        "driver": _driven(batch, mean_t, mean_f),
    }  # fmt: skip
    split, family = batch.pairs()
    test = np.where(permuted, "permutation", "welch")[split - batch.first_split]
    return {"split": split, "family": family, "test": test} | {
        name: values[batch.tested] for name, values in columns.items()
    }


def _welch_of(
    tested: np.ndarray[tuple[int, ...], np.dtype[np.bool_]],
    moments: tuple[Floats, Floats, Floats, Floats],
    size: Ints,
    n: int,
) -> list[Floats]:
    """Return what ``welch`` does for the pairs that are tested, NaN elsewhere: its quantiles are
    dear.
    """
    mean_t, mean_f, sd_t, sd_f = (moment[tested] for moment in moments)
    results = welch(
        mean_t, mean_f, sd_t, sd_f, np.broadcast_to(size[:, None], tested.shape)[tested], n
    )
    whole = [np.full(tested.shape, np.nan) for _ in results]
    for filled, result in zip(whole, results, strict=True):
        filled[tested] = result
    return whole


def _driven(
    batch: Batch, mean_t: Floats, mean_f: Floats
) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    """Return where the mean of the higher group falls by more than half without its top biosample."""
    n, size = batch.rpm.shape[0], np.diff(batch.members.indptr)[:, None]
    top_t, top_f = top_samples(batch.rpm, batch.members)
    higher = mean_t >= mean_f
    mean, top, k = (
        np.where(higher, mean_t, mean_f),
        np.where(higher, top_t, top_f),
        np.where(higher, size, n - size),
    )
    return np.asarray((mean * k - top) / (k - 1) < mean / 2)


def _rows(
    results: pl.DataFrame,
    splits: pl.DataFrame,
    members: pl.DataFrame,
    labels: pl.DataFrame,
    families: pl.DataFrame,
    config: MwasConfig,
) -> pl.DataFrame:
    """Return association rows: every split takes the result of its test, turned round where it is
    the other half.
    """
    bound = find_host_bound(members, labels, host_attribute=HOST_ATTRIBUTE).with_columns(
        host_bound=pl.lit(True)
    )
    flagged = splits.join(find_duplicates(splits), on=SPLIT_KEY, how="left").join(
        bound, on=SPLIT_KEY, how="left"
    )
    joined = flagged.join(results, on=_TEST_KEY).join(families, on=["bioproject", "family"])
    turned = pl.col("group") != pl.col("tested_group")
    statistics = pl.col(
        "mean_rpm_true",
        "mean_rpm_false",
        "sd_rpm_true",
        "sd_rpm_false",
        "test_statistic",
        "p_value",
        "ci_low",
        "ci_high",
    )
    oriented = joined.with_columns(statistics.fill_nan(None)).with_columns(
        *_swap(turned, "mean_rpm_true", "mean_rpm_false"),
        *_swap(turned, "sd_rpm_true", "sd_rpm_false"),
        *_swap(turned, "ci_low", "ci_high", sign=-1),
        pl.when(turned)
        .then(-pl.col("test_statistic"))
        .otherwise("test_statistic")
        .alias("test_statistic"),
    )
    pseudo = config.pseudocount_rpm
    complete = oriented.with_columns(
        pl.col("host_bound").fill_null(False),
        fold_change=((pl.col("mean_rpm_true") + pseudo) / (pl.col("mean_rpm_false") + pseudo)).log(
            2
        ),
        q_value=pl.lit(None, pl.Float64),
        q_value_project=pl.lit(None, pl.Float64),
        split=pl.format("{}-{}", "universe", "partition"),
        source=pl.lit(COMPUTED),
    )
    return complete.with_columns(flag=flag_text(config.min_group)).select(
        Association.column_names()
    )


def _swap(turned: pl.Expr, one: str, other: str, *, sign: int = 1) -> tuple[pl.Expr, pl.Expr]:
    swapped = [
        pl.when(turned).then(sign * pl.col(b)).otherwise(a).alias(a)
        for a, b in ((one, other), (other, one))
    ]
    return swapped[0], swapped[1]


def _skipped(
    all_splits: pl.DataFrame, splits: pl.DataFrame, families: pl.DataFrame, rows: int
) -> pl.DataFrame:
    """Return the pairs that were not tested; a pair is a value and a family of its project."""
    per_project = families.group_by("bioproject").agg(families=pl.len().cast(pl.Int64))
    pairs = all_splits.join(per_project, on="bioproject")
    constant = pl.col("num_false") == 0
    lone = ~constant & (pl.min_horizontal("num_true", "num_false") < MIN_SAMPLES)
    counted = pairs.select(
        pl.col("families")
        .filter(constant)
        .sum()
        .alias("pair whose value is constant within its project"),
        pl.col("families").filter(lone).sum().alias("pair with a group of one biosample"),
    ).row(0, named=True)
    possible = splits.join(per_project, on="bioproject")["families"].sum()
    reasons = {**counted, "pair with no reads in either group": possible - rows}
    frame = {"reason": list(reasons), "count": list(reasons.values())}
    return pl.DataFrame(frame, schema={"reason": pl.String, "count": pl.Int64}).filter(
        pl.col("count") > 0
    )


def _total(parts: list[pl.DataFrame]) -> pl.DataFrame:
    empty = pl.DataFrame(schema={"reason": pl.String, "count": pl.Int64})
    return pl.concat([empty, *parts]).group_by("reason").agg(pl.col("count").sum()).sort("reason")

"""Metadata-wide association (MWAS): attribute values that go with more or fewer reads of a virus.

For every bioproject, virus family and (attribute, value) the reads per million of the biosamples
with the value are compared with those of the biosamples that have another value of the same
attribute: a permutation test of the difference of means where both groups have ``min_group``
samples, Welch's t below (after Open Virome's MWAS; Serratus, Edgar et al. 2022). Where no run of a
project states its spots, the presence of the family is compared (``index.mwas.presence``). Only
biosamples that the source of the detections searched for the family take part: a biosample
without a detection is a negative there, and unknown elsewhere. Each row also has a Mann-Whitney
p-value (permuted too where Welch's t is the test), Welch's 95 % interval of the difference, a fold
change with pseudocount and flags.
Nothing is left out for being insignificant; what cannot be tested is counted.

Every p-value depends only on the samples of its own test, their number and the seed: never on the
order of the input nor on which other projects are in the index. Tests over equally many samples see
the same shuffles.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain
from typing import Final

import polars as pl

from index.config import MwasConfig
from index.mwas.abundance import Abundance, measure_abundance, name_samples
from index.mwas.batches import cut_blocks
from index.mwas.block_tests import compare_blocks
from index.mwas.flags import SPLIT_KEY, find_duplicates, find_host_bound, flag_text
from index.mwas.presence import compare_presence
from index.mwas.skipped import count_reasons, count_skipped_runs, total_reasons
from index.mwas.splits import find_splits, label_samples
from index.records import Records
from index.tables import AssociationTest
from ontology_etl.tables import conform

COMPUTED: Final = "computed"
MIN_SAMPLES: Final = 2
"""A group of one has no spread; its pairs are counted, not tested."""

_TEST_KEY: Final = ["bioproject", "universe", "partition"]
_OWNER: Final = {
    "bioproject": pl.String,
    "family": pl.String,
    "coverage_based": pl.Boolean,
    "source": pl.String,
}
_STATISTICS: Final = (
    "mean_rpm_true", "mean_rpm_false", "sd_rpm_true", "sd_rpm_false", "test_statistic", "p_value",
    "ci_low", "ci_high",
)  # fmt: skip


@dataclass(frozen=True)
class AssociationTests:
    """Rows of the association table, and [reason, count] of what could not be tested."""

    association: pl.DataFrame
    skipped: pl.DataFrame
    tests: int
    """Distinct tests made; rows that split a universe in the same way share one."""


@dataclass(frozen=True)
class _Groups:
    """The values compared in the samples of one source.

    ``splits`` and ``members`` are those of ``find_splits``; ``testable`` the splits whose groups
    both have ``MIN_SAMPLES``; ``labels`` those of ``label_samples``.
    """

    splits: pl.DataFrame
    testable: pl.DataFrame
    members: pl.DataFrame
    labels: pl.DataFrame


def associate(
    records: Records,
    annotation: pl.DataFrame,
    *,
    config: MwasConfig,
    workers: int = 2,
    labels: pl.DataFrame | None = None,
) -> AssociationTests:
    """Return the associations of every bioproject in ``records``, uncorrected.

    ``index.mwas.correction`` corrects them. ``annotation`` (contract Annotation) adds the grounded
    attributes. A family that two sources of detections measure in one project is tested on the
    source with read counts. ``workers`` threads or processes test universes side by side; the
    result does not depend on them. ``labels`` are those of ``label_records``, where they are known.
    """
    measured = _measure(records)
    if labels is None:
        labels = _labels(records, annotation, measured)
    owner = _owners(measured)
    parts = []
    for abundance in measured:
        own = owner.filter(pl.col("source") == abundance.source)
        families = own.join(abundance.families, on=["bioproject", "family"], how="semi")
        groups = _group(labels, abundance)
        found = abundance.found.join(families, on=["bioproject", "family"], how="semi")
        blocks = cut_blocks(groups.testable, groups.members, found)
        results = compare_blocks(blocks, config=config, workers=workers)
        parts.append(_describe(results, groups, families, config, abundance.is_presence))

    joined = join_tests(parts)
    skipped = [joined.skipped, count_skipped_runs(records)]
    skipped += [abundance.skipped for abundance in measured]
    return replace(joined, skipped=total_reasons(skipped))


def join_tests(parts: list[AssociationTests]) -> AssociationTests:
    """Return the tests of all ``parts``, none of which repeats a test of another."""
    tables = [AssociationTest.create_empty(), *(part.association for part in parts)]
    return AssociationTests(
        association=conform(pl.concat(tables), AssociationTest),
        skipped=total_reasons([part.skipped for part in parts]),
        tests=sum(part.tests for part in parts),
    )


def label_records(records: Records, annotation: pl.DataFrame) -> pl.DataFrame:
    """Return the labels that samples are grouped by, as ``label_samples`` does.

    A value is spelled as most samples of all projects spell it: where projects are tested in parts,
    the labels of all are made first.
    """
    return _labels(records, annotation, _measure(records))


def _measure(records: Records) -> list[Abundance]:
    """Return the abundances that each source of detections gives."""
    sources = sorted(records.detection["source"].unique())
    return list(chain.from_iterable(measure_abundance(records, source=name) for name in sources))


def _labels(records: Records, annotation: pl.DataFrame, measured: list[Abundance]) -> pl.DataFrame:
    """Return the labels (see ``label_samples``) of the biosamples that any source searched."""
    samples = name_samples(records.run)
    none_yet = samples.select("biosample").clear()
    searched_by = [abundance.searched.select("biosample") for abundance in measured]
    searched = pl.concat([none_yet, *searched_by])
    run = samples.join(searched, on="biosample", how="semi")
    of_sample = records.biosample_attribute.join(searched, on="biosample", how="semi")
    of_run = records.run_attribute.join(run, on="run")
    attribute = pl.concat([of_sample, of_run.select(of_sample.columns)])
    return label_samples(attribute, annotation, run)


def _owners(measured: list[Abundance]) -> pl.DataFrame:
    """Return [bioproject, family, coverage_based, source]: the source of each family's tests.

    That is per project; of several sources, one with read counts is taken first.
    """
    claims = [
        abundance.families.with_columns(source=pl.lit(abundance.source)) for abundance in measured
    ]
    claimed = pl.concat([pl.DataFrame(schema=_OWNER), *claims])
    by_trust = claimed.sort("bioproject", "family", "coverage_based", "source")
    return by_trust.unique(["bioproject", "family"], keep="first", maintain_order=True)


def _group(labels: pl.DataFrame, abundance: Abundance) -> _Groups:
    splits, members = find_splits(labels, abundance.searched)
    smaller_group = pl.min_horizontal("num_true", "num_false")
    testable = splits.filter(smaller_group >= MIN_SAMPLES)
    return _Groups(splits=splits, testable=testable.sort(SPLIT_KEY), members=members, labels=labels)


def _describe(
    results: pl.DataFrame,
    groups: _Groups,
    families: pl.DataFrame,
    config: MwasConfig,
    is_presence: bool,
) -> AssociationTests:
    """Return the association rows of ``results`` with flags, and what could not be tested."""
    rows: pl.DataFrame = AssociationTest.create_empty()
    if len(results):
        flagged = _flag_splits(groups)
        tested = flagged.join(results, on=_TEST_KEY)
        measured = tested.join(families, on=["bioproject", "family"])
        rows = _rows(measured, config, is_presence=is_presence)
    return AssociationTests(
        association=rows,
        skipped=_skipped(groups, families, len(rows)),
        tests=len(results),
    )


def _flag_splits(groups: _Groups) -> pl.DataFrame:
    """Return the testable splits with the columns duplicate_of and host_bound."""
    duplicates = find_duplicates(groups.testable)
    bound = find_host_bound(groups.members, groups.labels)
    with_duplicates = groups.testable.join(duplicates, on=SPLIT_KEY, how="left")
    return with_duplicates.join(bound.with_columns(host_bound=True), on=SPLIT_KEY, how="left")


def _rows(tested: pl.DataFrame, config: MwasConfig, *, is_presence: bool) -> pl.DataFrame:
    """Return association rows of splits with the result of their test.

    The result is turned round where the split is the other half of the tested one.
    """
    of_reads = _orient(tested).with_columns(found_true=pl.lit(None, pl.Int64))
    oriented = compare_presence(of_reads) if is_presence else of_reads
    pseudo = config.pseudocount_rpm
    mean_true = pl.col("mean_rpm_true") + pseudo
    mean_false = pl.col("mean_rpm_false") + pseudo
    ratio = mean_true / mean_false
    no_value = pl.lit(None, pl.Float64)
    complete = oriented.with_columns(
        pl.col("host_bound").fill_null(False),
        fold_change=ratio.log(2),
        q_value=no_value,
        q_value_project=no_value,
        split=pl.format("{}-{}", "universe", "partition"),
        measured_by=pl.col("source"),
        source=pl.lit(COMPUTED),
    )
    flagged = complete.with_columns(flag=flag_text(config.min_group))
    return flagged.select(AssociationTest.column_names())


def _orient(tested: pl.DataFrame) -> pl.DataFrame:
    """Return ``tested`` with the statistics of the true group in the columns of the true group."""
    turned = pl.col("group") != pl.col("tested_group")
    negated = pl.when(turned).then(-pl.col("test_statistic"))
    known = tested.with_columns(pl.col(_STATISTICS).fill_nan(None))
    return known.with_columns(
        *_swap(turned, "mean_rpm_true", "mean_rpm_false"),
        *_swap(turned, "sd_rpm_true", "sd_rpm_false"),
        *_swap(turned, "ci_low", "ci_high", sign=-1),
        negated.otherwise("test_statistic").alias("test_statistic"),
    )


def _swap(turned: pl.Expr, left: str, right: str, *, sign: int = 1) -> tuple[pl.Expr, pl.Expr]:
    """Return ``left`` and ``right``, each with the values of the other where ``turned``."""
    new_left = pl.when(turned).then(sign * pl.col(right))
    new_right = pl.when(turned).then(sign * pl.col(left))
    return (new_left.otherwise(left).alias(left), new_right.otherwise(right).alias(right))


def _skipped(groups: _Groups, families: pl.DataFrame, rows: int) -> pl.DataFrame:
    """Return the pairs that were not tested; a pair is a value and a family of its project."""
    per_project = families.group_by("bioproject").agg(families=pl.len().cast(pl.Int64))
    pairs = groups.splits.join(per_project, on="bioproject")
    testable = groups.testable.join(per_project, on="bioproject")

    constant = pl.col("num_false") == 0
    smaller_group = pl.min_horizontal("num_true", "num_false")
    lone = ~constant & (smaller_group < MIN_SAMPLES)
    reasons = {
        "pair whose value is constant within its project": _sum_families(pairs.filter(constant)),
        "pair with a group of one biosample": _sum_families(pairs.filter(lone)),
        "pair with no reads in either group": _sum_families(testable) - rows,
    }
    return count_reasons(reasons)


def _sum_families(splits: pl.DataFrame) -> int:
    return int(splits["families"].sum())

"""How fast and how right association tests are, beside scipy's permutation_test.

    python -m benchmarks.mwas compare                 the same pairs by SciPy and by index.mwas
    python -m benchmarks.mwas scale --pairs 1000000   seconds and peak memory from 10,000 pairs up
    python -m benchmarks.mwas power                   planted effects called, and false discoveries
    python -m benchmarks.mwas recall                  the effects planted in data/sample

Figures are written as JSON, plots and one Markdown table of all; ``--record`` writes them to
benchmarks/results.

Cohorts are synthetic: zero-inflated lognormal reads, attributes of five unequal values. The
yardstick is ``scipy.stats.permutation_test`` as the reference implementation calls it: vectorised,
10,000 resamples, a call a pair.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse, stats

from benchmarks.mwas_cohorts import PLANTED, VALUES, make_cohort, planted_cohort
from benchmarks.mwas_report import FOLDS, GROUP_SIZES, TABLES, plot_power, plot_scale, write_table
from benchmarks.places import add_record_option, results_folder
from index.config import MwasConfig
from index.false_discovery import benjamini_hochberg
from index.mwas.associate import AssociationTests, associate
from index.mwas.correction import adjust
from index.mwas.permutation import Comparison, permutation_p_values
from index.records import Records
from index.sources.inputs import read_records
from index.sources.manifest import read_manifest
from index.tables import Annotation

CONFIG = MwasConfig()
REPEATS = 5
PROJECTS = 20
SAMPLE = Path(__file__).parents[1] / "data" / "sample" / "inputs.toml"

Result = TypeVar("Result")


def compare(*, samples: int, seed: int) -> dict[str, float]:
    """Return the time of both engines on the same pairs of one project, and how far their p-values
    are apart.

    ``test_*`` is the permutation test alone with the same resamples; ``row_*`` all of
    ``associate``: records in, flagged rows out, longer draws for unresolved p-values, Welch, rank
    tests and intervals included, over ``PROJECTS`` such projects, as an index has many. Ratios are
    of CPU time, because a busy machine slows wall clocks unevenly; ours is the median of
    ``REPEATS``.
    """
    records = make_cohort(projects=1, samples=samples, attributes=10, families=10, seed=seed)
    rows = _permutation_rows(records)
    many = make_cohort(projects=PROJECTS, samples=samples, attributes=10, families=10, seed=seed)
    row_s, rows_of_many = _timed(lambda: _permutation_rows(many))
    rpm, labels = _matrices(records)
    test_s, matrix = _timed(lambda: _permutation_tests(rpm, labels))
    pairs = list(rows.select("family", "attribute", "value").iter_rows())
    ours = np.array([matrix[attribute, value][family] for family, attribute, value in pairs])
    started = time.process_time()
    theirs = np.array(
        [
            _scipy_p_value(rpm[family], labels[attribute] == value)
            for family, attribute, value in pairs
        ]
    )
    scipy_s = time.process_time() - started
    tail = np.clip(theirs / 2, 1e-4, 0.5)
    error = 2 * np.sqrt(2 * tail * (1 - tail) / CONFIG.resamples)
    return {
        "samples": samples,
        "pairs": len(pairs),
        "scipy_cpu_ms_per_pair": 1e3 * scipy_s / len(pairs),
        "test_cpu_ms_per_pair": 1e3 * test_s / len(pairs),
        "test_ratio": scipy_s / test_s,
        "row_cpu_ms_per_pair": 1e3 * row_s / len(rows_of_many),
        "row_ratio": scipy_s / len(pairs) / (row_s / len(rows_of_many)),
        "largest_difference_in_standard_errors": float(np.max(np.abs(ours - theirs) / error)),
    }


def _permutation_rows(records: Records) -> pl.DataFrame:
    return _associate(records).association.filter(pl.col("test") == "permutation")


def scale(*, most_pairs: int, seed: int) -> list[dict[str, float]]:
    """Return seconds and peak memory (MB, of the process so far) of cohorts of 10,000 pairs and
    more.
    """
    measured = []
    for pairs in sorted(
        {size for size in (10_000, 30_000, 100_000, 300_000) if size < most_pairs} | {most_pairs}
    ):
        records = make_cohort(
            projects=pairs // 480, samples=60, attributes=10, families=10, seed=seed
        )
        started, busy = time.perf_counter(), time.process_time()
        rows = adjust(_associate(records).association)
        seconds, cpu_s = time.perf_counter() - started, time.process_time() - busy
        peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        measured.append(
            {
                "pairs": len(rows),
                "seconds": seconds,
                "cpu_seconds": cpu_s,
                "peak_mb": peak_mb,
            }
        )
        print(
            f"{len(rows):>10,} pairs  {seconds:8.1f} s  {cpu_s:8.1f} s CPU  {peak_mb:8.0f} MB",
            flush=True,
        )
    return measured


def power(*, seed: int, projects: int = 12, repeats: int = 6) -> list[dict[str, float]]:
    """Return how many planted effects are called and how many calls are false, by effect and group
    size.

    An index of ``projects`` projects has one planted pair of value and family per project among the
    others; it is corrected as a whole. ``power_rank`` is what the rank test stored beside it would
    call. ``fdr`` is the mean over ``repeats`` of the share of false calls, ``fdr_error`` its
    standard error.
    """
    measured = []
    for group in GROUP_SIZES:
        for fold in FOLDS:
            draws = [
                _called(
                    planted_cohort(
                        projects=projects, group=group, fold=fold, seed=seed + 1_000 * number
                    ),
                    projects,
                )
                for number in range(repeats)
            ]
            found, false_share, by_rank = (np.array(column) for column in zip(*draws, strict=True))
            row = {
                "group": group,
                "fold": fold,
                "power": float(found.mean()),
                "power_rank": float(by_rank.mean()),
                "fdr": float(false_share.mean()),
                "fdr_error": float(false_share.std(ddof=1) / np.sqrt(repeats)),
            }
            measured.append(row)
            print("  ".join(f"{name} {value:.3g}" for name, value in row.items()), flush=True)
    return measured


def recall(manifest: Path = SAMPLE) -> dict[str, float]:
    """Return the share of the effects planted in the bundled sample that are called, and of calls
    that are elsewhere.

    A planted effect is a pair of project and family; it is called where a value of its attribute
    is.
    """
    listed = pl.read_csv(manifest.parent / "planted.tsv", separator="\t")
    planted = listed.filter(pl.col("planted") == "association").unique(
        ["bioproject", "family", "attribute"]
    )
    rows = adjust(_associate(read_records(read_manifest(manifest))).association)
    called = rows.filter(pl.col("q_value") <= 0.05).unique(
        ["bioproject", "family", "split", "attribute"]
    )
    tests = called.unique(["bioproject", "family", "split"])
    pair = ["bioproject", "family"]
    return {
        "planted": len(planted),
        "recall": len(
            planted.join(
                called,
                on=[*pair, "attribute"],
                how="semi",
            )
        )
        / len(planted),
        "recall_any_attribute": len(
            planted.join(
                called,
                on=pair,
                how="semi",
            )
        )
        / len(planted),
        "tests_called": len(tests),
        "called_elsewhere": len(
            tests.join(
                planted,
                on=pair,
                how="anti",
            )
        )
        / len(tests),
    }


def _timed(work: Callable[[], Result]) -> tuple[float, Result]:
    """Return the median CPU seconds of ``work`` and what it returned."""
    seconds = []
    for _ in range(REPEATS):
        started = time.process_time()
        result = work()
        seconds.append(time.process_time() - started)
    return float(np.median(seconds)), result


def _permutation_tests(
    rpm: dict[str, NDArray[np.float64]], labels: dict[str, NDArray[np.str_]]
) -> dict[tuple[str, str], dict[str, float]]:
    """Return p-values of every (attribute, value) that may be permuted and every family, no second
    stage.
    """
    masks = {(name, value): column == value for name, column in labels.items() for value in VALUES}
    kept = {
        key: mask
        for key, mask in masks.items()
        if min(mask.sum(), (~mask).sum()) >= CONFIG.min_group
    }
    values = np.column_stack(list(rpm.values()))
    members = sparse.csr_array(np.array(list(kept.values()), dtype=np.float64))
    test = Comparison(values, members, np.ones((len(kept), len(rpm)), dtype=bool))
    [p_values] = permutation_p_values(
        [test], resamples=CONFIG.resamples, max_resamples=CONFIG.resamples, seed=0
    )
    return {
        key: dict(zip(rpm, row.tolist(), strict=True))
        for key, row in zip(kept, p_values, strict=True)
    }


def _called(records: Records, projects: int) -> tuple[float, float, float]:
    """Return shares: of planted effects called, of calls (tests) that are false, of effects ranks
    would call.
    """
    rows = adjust(_associate(records).association).unique(["bioproject", "family", "split"])
    ranked = rows.with_columns(q_rank=pl.Series(benjamini_hochberg(rows["p_rank"].to_numpy())))
    planted = (pl.col("family") == PLANTED) & (pl.col("attribute") == "field_0")
    called = ranked.filter(pl.col("q_value") <= 0.05)
    true = called.filter(planted)
    by_rank = ranked.filter(planted & (pl.col("q_rank") <= 0.05))
    return (
        len(true) / projects,
        (len(called) - len(true)) / max(1, len(called)),
        len(by_rank) / projects,
    )


def _associate(records: Records) -> AssociationTests:
    return associate(records, Annotation.create_empty(), config=CONFIG)


def _matrices(
    records: Records,
) -> tuple[dict[str, NDArray[np.float64]], dict[str, NDArray[np.str_]]]:
    """Return RPM per family and value per attribute, each over the sorted biosamples."""
    run = records.run.sort("biosample")
    detected = records.detection.group_by("run", "family").agg(pl.col("reads").sum()).pivot(
        on="family", index="run", values="reads"
    )  # fmt: skip
    wide = (
        run.select("run", "spots")
        .join(detected, on="run", how="left", maintain_order="left")
        .fill_null(0)
    )
    rpm = {
        name: (wide[name] / wide["spots"] * 1e6).to_numpy()
        for name in wide.columns
        if name not in ("run", "spots")
    }
    described = records.biosample_attribute.pivot(
        on="attribute", index="biosample", values="value"
    ).sort("biosample")
    return rpm, {
        name: described[name].to_numpy() for name in described.columns if name != "biosample"
    }


def _scipy_p_value(rpm: NDArray[np.float64], true: NDArray[np.bool_]) -> float:
    result = stats.permutation_test(
        (rpm[true], rpm[~true]),
        lambda one, other, axis: one.mean(axis=axis) - other.mean(axis=axis),
        n_resamples=CONFIG.resamples,
        vectorized=True,
        rng=np.random.default_rng(0),
    )
    return float(result.pvalue)


def main() -> None:
    """Run the benchmark named on the command line and write its figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "what",
        choices=list(TABLES),
    )
    parser.add_argument(
        "--pairs",
        type=int,
        default=1_000_000,
        help="largest cohort of scale",
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=42,
    )
    add_record_option(parser)
    arguments = parser.parse_args()
    results = results_folder(record=arguments.record)
    measured: list[dict[str, float]] | dict[str, float]
    if arguments.what == "compare":
        measured = [
            compare(
                samples=samples,
                seed=arguments.seed,
            )
            for samples in (44, 100, 480)
        ]
        for row in measured:
            print("  ".join(f"{name} {value:.4g}" for name, value in row.items()))
    elif arguments.what == "scale":
        measured = scale(
            most_pairs=arguments.pairs,
            seed=arguments.seed,
        )
        plot_scale(measured, results / "mwas_scale.svg")
    elif arguments.what == "power":
        measured = power(seed=arguments.seed)
        plot_power(measured, results / "mwas_power.svg")
    else:
        measured = recall()
        print(measured)
    figures = results / f"mwas_{arguments.what}.json"
    figures.write_text(json.dumps(measured, indent=1) + "\n")
    write_table(results / "mwas.md")


if __name__ == "__main__":
    main()

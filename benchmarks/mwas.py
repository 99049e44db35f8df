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

import matplotlib as mpl
import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from scipy import sparse, stats

from benchmarks.places import add_record_option, results_folder
from index.config import MwasConfig
from index.false_discovery import benjamini_hochberg
from index.mwas.associate import AssociationTests, associate
from index.mwas.correction import adjust
from index.mwas.permutation import Comparison, permutation_p_values
from index.records import Records
from index.sources.inputs import read_records
from index.sources.manifest import read_manifest
from index.tables import Annotation, BiosampleAttribute, Detection, Run, SearchedRun
from ontology_etl.tables import conform

VALUES = ("leaf", "root", "stem", "seed", "soil")
VALUE_SHARES = (0.4, 0.25, 0.2, 0.1, 0.05)
CONFIG = MwasConfig()
REPEATS = 5
SAMPLE = Path(__file__).parents[1] / "data" / "sample" / "inputs.toml"
GROUP_SIZES = (4, 8, 16, 32)
FOLDS = (2, 4, 8, 16, 32)
PLANTED_SAMPLES = 64
PLANTED_SPREAD = 1.0
"""As in projects of the real inputs: the median over families and projects with ten positive
samples is 0.95.
"""
PLANTED = "SYN0viridae"
TABLES = {
    "compare": (
        ("samples", "samples", "{:,}"),
        ("pairs", "pairs", "{:,}"),
        ("scipy_cpu_ms_per_pair", "scipy, ms CPU a pair", "{:.1f}"),
        ("test_cpu_ms_per_pair", "the same test here", "{:.3f}"),
        ("test_ratio", "ratio", "{:,.0f}x"),
        ("row_cpu_ms_per_pair", "whole row here", "{:.3f}"),
        ("row_ratio", "ratio", "{:,.0f}x"),
    ),
    "scale": (
        ("pairs", "pairs", "{:,}"),
        ("seconds", "seconds, two threads", "{:,.1f}"),
        ("cpu_seconds", "seconds CPU", "{:,.1f}"),
        ("peak_mb", "peak MB", "{:,.0f}"),
    ),
    "power": (
        ("group", "group of 64", "{}"),
        ("fold", "planted fold", "{:g}"),
        ("power", "called", "{:.0%}"),
        ("power_rank", "by rank test alone", "{:.0%}"),
        ("fdr", "false share of calls", "{:.3f}"),
    ),
    "recall": (
        ("planted", "planted in data/sample", "{}"),
        ("recall", "called by their attribute", "{:.0%}"),
        ("recall_any_attribute", "called by any attribute", "{:.0%}"),
        ("tests_called", "tests called", "{}"),
        ("called_elsewhere", "elsewhere", "{:.1%}"),
    ),
}
"""Of each benchmark the figures of the Markdown table: key, title, format."""

Result = TypeVar("Result")


def make_cohort(
    *, projects: int, samples: int, attributes: int, families: int, seed: int, spread: float = 2.0
) -> Records:
    """Return ``projects`` bioprojects of ``samples`` biosamples, one run each, with reads of half
    the families.

    ``spread`` is the standard deviation of the logarithm of reads.
    """
    rng = np.random.default_rng(seed)
    total = projects * samples
    biosample = pl.select(pl.format("SYNS{}", pl.int_range(total))).to_series().rename("biosample")
    run = pl.DataFrame({"biosample": biosample}).with_columns(
        run=pl.format("{}R", "biosample"),
        bioproject=pl.format("SYNP{}", pl.int_range(total) // samples),
        spots=pl.Series(rng.integers(5_000_000, 40_000_000, total)),
    )
    values = rng.choice(len(VALUES), (attributes, total), p=VALUE_SHARES)
    described = [
        pl.DataFrame({"biosample": biosample, "value": np.array(VALUES)[column]}).with_columns(
            attribute=pl.lit(f"field_{number}")
        )
        for number, column in enumerate(values)
    ]
    detected = []
    for number in range(families):
        reads = pl.Series(rng.lognormal(5, spread, total)).cast(pl.Int64)
        is_found = pl.Series(rng.random(total) < 0.5)
        family = pl.lit(f"SYN{number}viridae")
        measured = run.select("run").with_columns(reads=reads, family=family)
        detected.append(measured.filter(is_found))
    detection = pl.concat(detected).with_columns(
        sotu=pl.col("family"), source=pl.lit("serratus_nt")
    )
    return Records(
        run=_filled(run, Run),
        detection=_filled(detection, Detection),
        searched=conform(run.select("run", source=pl.lit("serratus_nt")), SearchedRun),
        biosample_attribute=conform(pl.concat(described), BiosampleAttribute),
    )


def compare(*, samples: int, seed: int) -> dict[str, float]:
    """Return the time of both engines on the same pairs of one project, and how far their p-values
    are apart.

    ``test_*`` is the permutation test alone with the same resamples; ``row_*`` all of
    ``associate``: records in, flagged rows out, longer draws for unresolved p-values, Welch, rank
    tests and intervals included. Ratios are of CPU time, because a busy machine slows wall clocks
    unevenly; ours is the median of ``REPEATS``.
    """
    records = make_cohort(
        projects=1,
        samples=samples,
        attributes=10,
        families=10,
        seed=seed,
    )
    row_s, rows = _timed(
        lambda: _associate(records).association.filter(pl.col("test") == "permutation")
    )
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
        "row_cpu_ms_per_pair": 1e3 * row_s / len(pairs),
        "row_ratio": scipy_s / row_s,
        "largest_difference_in_standard_errors": float(np.max(np.abs(ours - theirs) / error)),
    }


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
            {"pairs": len(rows), "seconds": seconds, "cpu_seconds": cpu_s, "peak_mb": peak_mb}
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
                    _planted_cohort(
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


def plot_scale(measured: list[dict[str, float]], path: Path) -> None:
    """Write seconds over pairs, both axes logarithmic, with the line of linear growth through the
    last point.
    """
    figure, axes = _axes(5, 3.5, columns=1)
    pairs, seconds = [row["pairs"] for row in measured], [row["cpu_seconds"] for row in measured]
    axes[0].loglog(pairs, seconds, "o-", label="CPU, 10,000 resamples")
    axes[0].loglog(
        pairs, [row["seconds"] for row in measured], "o:", label="wall, two threads, machine shared"
    )
    axes[0].loglog(
        pairs,
        [seconds[-1] * count / pairs[-1] for count in pairs],
        "--",
        color="grey",
        label="linear",
    )
    axes[0].set(xlabel="pairs of value and family", ylabel="seconds")
    axes[0].legend(fontsize=8)
    _save(figure, path)


def plot_power(measured: list[dict[str, float]], path: Path) -> None:
    """Write power (dotted: of the rank test) and observed false discovery rate over fold change, by
    group size.
    """
    figure, axes = _axes(8.5, 3.5, columns=2)
    for group in GROUP_SIZES:
        rows = [row for row in measured if row["group"] == group]
        folds = [row["fold"] for row in rows]
        [line] = axes[0].plot(
            folds,
            [row["power"] for row in rows],
            "o-",
            label=f"{group} of {PLANTED_SAMPLES} samples",
        )
        axes[0].plot(folds, [row["power_rank"] for row in rows], ":", color=line.get_color())
        errors = [2 * row["fdr_error"] for row in rows]
        axes[1].errorbar(folds, [row["fdr"] for row in rows], yerr=errors, fmt="o-", capsize=2)
    axes[1].axhline(0.05, color="black", linestyle=":", linewidth=0.8)
    axes[0].set(
        xlabel="planted fold change", ylabel="planted effects called at q <= 0.05", ylim=(0, 1.02)
    )
    axes[1].set(
        xlabel="planted fold change",
        ylabel="false share of calls, 2 standard errors",
        ylim=(0, None),
    )
    for one in axes:
        one.set_xscale("log", base=2)
        one.set_xticks(FOLDS, [f"{fold:g}" for fold in FOLDS])
    axes[0].legend(fontsize=8)
    _save(figure, path)


def write_table(path: Path) -> None:
    """Write the figures of all runs so far, read back from their JSON files, as Markdown tables for
    the README.
    """
    tables = []
    for name, columns in TABLES.items():
        source = path.parent / f"mwas_{name}.json"
        if source.is_file():
            found = json.loads(source.read_text())
            rows = found if isinstance(found, list) else [found]
            lines = [
                f"| {' | '.join(shape.format(row[key]) for key, _, shape in columns)} |"
                for row in rows
            ]
            head = [
                f"| {' | '.join(title for _, title, _ in columns)} |",
                f"|{'---:|' * len(columns)}",
            ]
            tables.append("\n".join([f"`python -m benchmarks.mwas {name}`", "", *head, *lines]))
    path.write_text("\n\n".join(tables) + "\n")


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


def _planted_cohort(*, projects: int, group: int, fold: float, seed: int) -> Records:
    """Return a cohort in which reads of the first family are ``fold`` where the first field has its
    rare value.
    """
    records = make_cohort(
        projects=projects,
        samples=PLANTED_SAMPLES,
        attributes=4,
        families=5,
        seed=seed,
        spread=PLANTED_SPREAD,
    )
    rng = np.random.default_rng([seed, 1])
    total = projects * PLANTED_SAMPLES
    chosen = np.concatenate([rng.permutation(PLANTED_SAMPLES) < group for _ in range(projects)])
    described = pl.DataFrame(
        {"biosample": [f"SYNS{number}" for number in range(total)], "attribute": "field_0",
         "value": np.where(chosen, "treated", "control")}
    )  # fmt: skip
    treated = described.filter(pl.col("value") == "treated").select(
        run=pl.format("{}R", "biosample")
    )
    raised = records.detection.join(
        treated.with_columns(raised=pl.lit(fold)), on="run", how="left"
    ).with_columns(
        reads=pl.when(pl.col("family") == PLANTED)
        .then((pl.col("reads") * pl.col("raised").fill_null(1.0)).cast(pl.Int64))
        .otherwise("reads")
    )
    others = records.biosample_attribute.filter(pl.col("attribute") != "field_0")
    return Records(
        run=records.run,
        detection=conform(raised, Detection),
        searched=records.searched,
        biosample_attribute=conform(
            pl.concat([others, described.select(others.columns)]), BiosampleAttribute
        ),
    )


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


def _axes(width: float, height: float, *, columns: int) -> tuple[Figure, list[Axes]]:
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, list(figure.subplots(1, columns, squeeze=False)[0])


def _save(figure: Figure, path: Path) -> None:
    with mpl.rc_context({"svg.hashsalt": "mwas"}):
        figure.savefig(path, metadata={"Date": None})


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


def _filled(frame: pl.DataFrame, schema: type[Run] | type[Detection]) -> pl.DataFrame:
    absent = [name for name in schema.column_names() if name not in frame.columns]
    return conform(frame.with_columns(pl.lit(None).alias(name) for name in absent), schema)


def main() -> None:
    """Run the benchmark named on the command line and write its figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=list(TABLES))
    parser.add_argument(
        "--pairs",
        type=int,
        default=1_000_000,
        help="largest cohort of scale",
    )
    parser.add_argument("--seed", type=int, default=42)
    add_record_option(parser)
    arguments = parser.parse_args()
    results = results_folder(record=arguments.record)
    measured: list[dict[str, float]] | dict[str, float]
    if arguments.what == "compare":
        measured = [compare(samples=samples, seed=arguments.seed) for samples in (44, 100, 480)]
        for row in measured:
            print("  ".join(f"{name} {value:.4g}" for name, value in row.items()))
    elif arguments.what == "scale":
        measured = scale(most_pairs=arguments.pairs, seed=arguments.seed)
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

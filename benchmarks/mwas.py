"""How fast association tests are: against scipy's permutation_test on the same pairs, and as cohorts grow.

    python -m benchmarks.mwas compare               the same pairs through scipy and through index.mwas, one run
    python -m benchmarks.mwas scale --pairs 1000000 seconds and peak memory from 10,000 pairs up, and the plot

Cohorts are synthetic: zero-inflated lognormal reads, attributes of five unequal values. The yardstick is
``scipy.stats.permutation_test`` as the reference implementation calls it: vectorised, 10,000 resamples, a call a pair.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import stats

from index.config import MwasConfig
from index.mwas import Associations, adjust, associate
from index.records import Records
from index.tables import Annotation, BiosampleAttribute, Detection, Run
from ontology_etl.tables import conform

RESULTS = Path(__file__).parent / "results"
VALUES = ("leaf", "root", "stem", "seed", "soil")
VALUE_SHARES = (0.4, 0.25, 0.2, 0.1, 0.05)
CONFIG = MwasConfig()


def make_cohort(*, projects: int, samples: int, attributes: int, families: int, seed: int) -> Records:
    """Return ``projects`` bioprojects of ``samples`` biosamples, one run each, with reads of half the families."""
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
    detected = [
        run.select("run").with_columns(
            reads=pl.Series(rng.lognormal(5, 2, total)).cast(pl.Int64), family=pl.lit(f"SYN{number}viridae")
        ).filter(pl.Series(rng.random(total) < 0.5))
        for number in range(families)
    ]  # fmt: skip
    detection = pl.concat(detected).with_columns(sotu=pl.col("family"), source=pl.lit("serratus_nt"))
    return Records(
        run=_filled(run, Run),
        detection=_filled(detection, Detection),
        biosample_attribute=conform(pl.concat(described), BiosampleAttribute),
    )


def compare(*, samples: int, seed: int) -> dict[str, float]:
    """Return CPU time of both engines on the same pairs of one project, and how far their p-values are apart.

    Ours is all of ``associate``: records in, flagged rows out, Welch, rank tests and intervals included. CPU time,
    because a busy machine slows the two unevenly.
    """
    records = make_cohort(projects=1, samples=samples, attributes=10, families=10, seed=seed)
    started = time.process_time()
    rows = _associate(records).association.filter(pl.col("test") == "permutation")
    ours_s = time.process_time() - started
    rpm, labels = _matrices(records)
    started = time.process_time()
    theirs = np.array(
        [
            _scipy_p_value(rpm[family], labels[attribute] == value)
            for family, attribute, value in rows.select("family", "attribute", "value").iter_rows()
        ]
    )
    scipy_s = time.process_time() - started
    tail = np.clip(theirs / 2, 1e-4, 0.5)
    error = 2 * np.sqrt(2 * tail * (1 - tail) / CONFIG.resamples)
    return {
        "samples": samples,
        "pairs": len(rows),
        "ours_cpu_ms_per_pair": 1e3 * ours_s / len(rows),
        "scipy_cpu_ms_per_pair": 1e3 * scipy_s / len(rows),
        "ratio": scipy_s / ours_s,
        "largest_difference_in_standard_errors": float(np.max(np.abs(rows["p_value"].to_numpy() - theirs) / error)),
    }


def scale(*, most_pairs: int, seed: int) -> list[dict[str, float]]:
    """Return seconds and peak memory (MB, of the process so far) of cohorts of 10,000 pairs and more."""
    measured = []
    pairs = 10_000
    while pairs <= most_pairs:
        records = make_cohort(projects=pairs // 500, samples=60, attributes=10, families=10, seed=seed)
        started = time.perf_counter()
        rows = adjust(_associate(records).association)
        seconds = time.perf_counter() - started
        peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        measured.append({"pairs": len(rows), "seconds": seconds, "peak_mb": peak_mb})
        print(f"{len(rows):>10,} pairs  {seconds:8.1f} s  {peak_mb:8.0f} MB", flush=True)
        pairs *= 10
    return measured


def plot_scale(measured: list[dict[str, float]], path: Path) -> None:
    """Write seconds over pairs, both axes logarithmic, with the line of linear growth through the first point."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    pairs, seconds = [row["pairs"] for row in measured], [row["seconds"] for row in measured]
    figure, axes = plt.subplots(figsize=(5, 3.5), layout="constrained")
    axes.loglog(pairs, seconds, "o-", label="index.mwas, 10,000 resamples")
    axes.loglog(pairs, [seconds[0] * count / pairs[0] for count in pairs], "--", color="grey", label="linear")
    axes.set(xlabel="pairs of value and family", ylabel="seconds")
    axes.legend()
    figure.savefig(path)
    plt.close(figure)


def _associate(records: Records) -> Associations:
    return associate(records, Annotation.create_empty(), config=CONFIG)


def _matrices(records: Records) -> tuple[dict[str, NDArray[np.float64]], dict[str, NDArray[np.str_]]]:
    """Return RPM per family and value per attribute, each over the sorted biosamples."""
    run = records.run.sort("biosample")
    detected = records.detection.group_by("run", "family").agg(pl.col("reads").sum()).pivot(
        on="family", index="run", values="reads"
    )  # fmt: skip
    wide = run.select("run", "spots").join(detected, on="run", how="left", maintain_order="left").fill_null(0)
    rpm = {name: (wide[name] / wide["spots"] * 1e6).to_numpy() for name in wide.columns if name not in ("run", "spots")}
    described = records.biosample_attribute.pivot(on="attribute", index="biosample", values="value").sort("biosample")
    return rpm, {name: described[name].to_numpy() for name in described.columns if name != "biosample"}


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
    """Run the benchmark named on the command line and write its figures to benchmarks/results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["compare", "scale"])
    parser.add_argument("--pairs", type=int, default=1_000_000, help="largest cohort of scale")
    parser.add_argument("--seed", type=int, default=42)
    arguments = parser.parse_args()
    RESULTS.mkdir(exist_ok=True)
    if arguments.what == "compare":
        measured = [compare(samples=samples, seed=arguments.seed) for samples in (44, 100, 480)]
        for row in measured:
            print("  ".join(f"{name} {value:.4g}" for name, value in row.items()))
    else:
        measured = scale(most_pairs=arguments.pairs, seed=arguments.seed)
        plot_scale(measured, RESULTS / "mwas_scale.svg")
    (RESULTS / f"mwas_{arguments.what}.json").write_text(json.dumps(measured, indent=1) + "\n")


if __name__ == "__main__":
    main()

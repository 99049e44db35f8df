"""Synthetic records for benchmarks of associations: zero-inflated reads, five unequal values."""

from __future__ import annotations

import numpy as np
import polars as pl

from index.records import Records
from index.tables import BiosampleAttribute, Detection, Run, SearchedRun
from ontology_etl.tables import conform

VALUES = ("leaf", "root", "stem", "seed", "soil")
VALUE_SHARES = (0.4, 0.25, 0.2, 0.1, 0.05)
PLANTED_SAMPLES = 64
PLANTED_SPREAD = 1.0
"""As in projects of the real inputs: the median over families and projects with ten positive
samples is 0.95.
"""
PLANTED = "SYN0viridae"


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
    values = rng.choice(
        len(VALUES),
        (attributes, total),
        p=VALUE_SHARES,
    )
    described = [
        pl.DataFrame(
            {
                "biosample": biosample,
                "value": np.array(VALUES)[column],
            }
        ).with_columns(attribute=pl.lit(f"field_{number}"))
        for number, column in enumerate(values)
    ]
    detected = []
    for number in range(families):
        reads = pl.Series(rng.lognormal(5, spread, total)).cast(pl.Int64)
        is_found = pl.Series(rng.random(total) < 0.5)
        family = pl.lit(f"SYN{number}viridae")
        measured = run.select("run").with_columns(
            reads=reads,
            family=family,
        )
        detected.append(measured.filter(is_found))
    detection = pl.concat(detected).with_columns(
        sotu=pl.col("family"), source=pl.lit("serratus_nt")
    )
    return Records(
        run=_filled(run, Run),
        detection=_filled(detection, Detection),
        searched=conform(
            run.select(
                "run",
                source=pl.lit("serratus_nt"),
                search=pl.lit("serratus_nt"),
            ),
            SearchedRun,
        ),
        biosample_attribute=conform(pl.concat(described), BiosampleAttribute),
    )


def planted_cohort(*, projects: int, group: int, fold: float, seed: int) -> Records:
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


def _filled(frame: pl.DataFrame, schema: type[Run] | type[Detection]) -> pl.DataFrame:
    absent = [name for name in schema.column_names() if name not in frame.columns]
    return conform(frame.with_columns(pl.lit(None).alias(name) for name in absent), schema)

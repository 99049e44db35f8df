"""How much of a virus family there is in each biosample, zero where it was searched and not found.

Abundance is reads per million spots: reads of the family over all searched runs of the biosample,
divided by the spots of those runs, times a million. A source without read counts (palm_virome) has
the mean coverage of its contigs instead, which is proportional to reads as long as contigs and read
lengths are alike; such families say so in ``coverage_based`` and carry a flag.

What was searched is not written down anywhere, so it is taken from the run table, per source of
detections: a run with known spots, biosample and bioproject was searched if its bioproject has a
detection of that source and the run was public when the newest run with a detection was.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import polars as pl

from index.records import Records

SEARCHED: Final = ["bioproject", "biosample"]


@dataclass(frozen=True)
class Abundance:
    """Abundance of every family in the searched biosamples of one source of detections.

    ``searched`` [bioproject, biosample, spots]; ``found`` [bioproject, biosample, family, rpm], rpm
    above 0; ``families`` [bioproject, family, coverage_based]; ``skipped`` [reason, count].
    """

    source: str
    searched: pl.DataFrame
    found: pl.DataFrame
    families: pl.DataFrame
    skipped: pl.DataFrame


def measure_abundance(records: Records, *, source: str) -> Abundance:
    """Return the abundance that the detections of ``source`` give, per bioproject and biosample."""
    detection = records.detection.filter(pl.col("source") == source)
    usable = records.run.filter(_usable())
    hits = detection.filter(pl.col("family").is_not_null()).join(usable, on="run")
    newest = hits["release_date"].max()
    public = (
        pl.lit(True)
        if newest is None
        else pl.col("release_date").is_null() | (pl.col("release_date") <= newest)
    )
    candidates = usable.join(hits.select("bioproject").unique(), on="bioproject", how="semi")
    runs = candidates.filter(public)
    skipped = _counts(
        {
            "detection without a virus family": detection["family"].null_count(),
            "detection in a run without spots, biosample or bioproject": len(
                detection.filter(pl.col("family").is_not_null()).join(usable, on="run", how="anti")
            ),
            "run without spots, biosample or bioproject": len(records.run) - len(usable),
            "run newer than any detection: not known to be searched": len(candidates) - len(runs),
        }
    )
    searched = runs.group_by(SEARCHED).agg(pl.col("spots").sum()).sort(SEARCHED)
    families = _families(hits)
    found = _abundance(hits.join(runs.select("run"), on="run", how="semi"), searched, families)
    return Abundance(source, searched, found, families, skipped)


def _usable() -> pl.Expr:
    return (
        (pl.col("spots") > 0)
        & pl.col("biosample").is_not_null()
        & pl.col("bioproject").is_not_null()
    )


def _families(hits: pl.DataFrame) -> pl.DataFrame:
    """Return each family of each project; coverage-based where none of its detections there has a
    read count.
    """
    coverage_based = pl.col("reads").is_null().all().alias("coverage_based")
    return hits.group_by("bioproject", "family").agg(coverage_based).sort("bioproject", "family")


def _abundance(hits: pl.DataFrame, searched: pl.DataFrame, families: pl.DataFrame) -> pl.DataFrame:
    amount = (
        pl.when("coverage_based")
        .then(pl.col("coverage"))
        .otherwise(pl.col("reads").cast(pl.Float64))
    )
    summed = (
        hits.join(families, on=["bioproject", "family"])
        .group_by("bioproject", "biosample", "family")
        .agg(amount.sum().alias("amount"))
        .join(searched, on=SEARCHED)
    )
    rpm = summed.select(
        "bioproject", "biosample", "family", (pl.col("amount") / pl.col("spots") * 1e6).alias("rpm")
    )
    return rpm.filter((pl.col("rpm") > 0) & pl.col("rpm").is_finite()).sort(
        "bioproject", "biosample", "family"
    )


def _counts(reasons: dict[str, int]) -> pl.DataFrame:
    frame = pl.DataFrame(
        {"reason": list(reasons), "count": list(reasons.values())},
        schema={"reason": pl.String, "count": pl.Int64},
    )
    return frame.filter(pl.col("count") > 0)

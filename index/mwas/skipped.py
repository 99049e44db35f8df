"""What could not be tested, by reason: [reason, count]."""

from __future__ import annotations

from typing import Final

import polars as pl

from index.records import Records

USABLE: Final = (pl.col("spots") > 0) & pl.col("bioproject").is_not_null()
"""A run that can be tested: its project is known, and of how many reads its finds are a share."""


def runs_of_presence(run: pl.DataFrame) -> pl.DataFrame:
    """Return the runs of projects in which no run states its spots: their samples are compared by
    the presence of a family.
    """
    placed = run.filter(pl.col("bioproject").is_not_null())
    return placed.join(run.filter(USABLE), on="bioproject", how="anti", maintain_order="left")


def count_skipped_runs(records: Records) -> pl.DataFrame:
    """Return [reason, count] of the runs that no source can be tested on, each run counted once.

    A run without a study is in no test, even if it was searched without a hit: what
    was searched and not found is counted apart from what was found.
    """
    usable = pl.concat([records.run.filter(USABLE), runs_of_presence(records.run)])
    unsearched = usable.join(records.searched, on="run", how="anti")
    without_project = records.run.filter(pl.col("bioproject").is_null())
    projectless = without_project.join(records.searched, on="run", how="semi")
    positive = projectless.join(records.detection, on="run", how="semi")
    without_spots = len(records.run) - len(usable) - len(without_project)
    return count_reasons(
        {
            "searched run without a study, a virus found": len(positive),
            "searched run without a study, nothing found": len(projectless) - len(positive),
            "run without a study, not searched": len(without_project) - len(projectless),
            "run without spots in a study of runs with them": without_spots,
            "run that no source searched": len(unsearched),
        }
    )


def count_reasons(counts: dict[str, int]) -> pl.DataFrame:
    """Return ``counts`` as a table [reason, count] without the zeros."""
    columns = {"reason": list(counts), "count": list(counts.values())}
    frame = pl.DataFrame(columns, schema={"reason": pl.String, "count": pl.Int64})
    return frame.filter(pl.col("count") > 0)


def total_reasons(parts: list[pl.DataFrame]) -> pl.DataFrame:
    """Return the sum of ``parts`` per reason, sorted."""
    none_yet = count_reasons({})
    counts = pl.concat([none_yet, *parts])
    by_reason = counts.group_by("reason").agg(pl.col("count").sum())
    return by_reason.sort("reason")

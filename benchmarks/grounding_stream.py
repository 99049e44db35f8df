"""Attributes of a whole archive grounded block by block: seconds, rows per second, peak memory."""

from __future__ import annotations

import sys
from typing import Any, Final

import polars as pl

from benchmarks.places import SCRATCH
from benchmarks.processes import peak_mb, timed

PREPARED: Final = SCRATCH / "grounding"
FACETS: Final = {"host": "NCBITaxon", "tissue": "BTO", "disease": "DOID"}
BLOCK_ROWS: Final = 500_000
VALUE_ROWS: Final = 10


def stream(rows: int, *, seed: int) -> dict[str, Any]:
    """Return seconds and peak memory of grounding ``rows`` synthetic attributes in blocks, nothing
    kept but counts.
    """
    from ontology_etl.grounding import ground
    from ontology_etl.vocabulary import build_vocabulary

    vocabulary = build_vocabulary(
        prepared_table("term"), prepared_table("synonym"), prepared_table("term_edge")
    )
    names = prepared_table("names").select("ontology", "name")
    seconds: dict[str, float] = {"ground": 0.0}
    peaks, distinct, grounded = [], 0, 0
    for number, start in enumerate(range(0, rows, BLOCK_ROWS)):
        block = make_attributes(names, rows=min(BLOCK_ROWS, rows - start), seed=seed + number)
        once: dict[str, float] = {}
        with timed(once, "ground"):
            found = ground(block, vocabulary)
        seconds["ground"] = round(seconds["ground"] + once["ground"], 3)
        distinct += block.n_unique()
        grounded += (
            found.filter(pl.col("outcome") == "grounded").select("attribute", "text").n_unique()
        )
        peaks.append(peak_mb())
        print(
            f"{start + len(block):>12,} rows {seconds['ground']:8.1f} s {peaks[-1]:>7,} MB",
            file=sys.stderr,
            flush=True,
        )
    return {
        "rows": rows,
        "distinct_values": distinct,
        "values_with_a_term": grounded,
        "seconds": seconds["ground"],
        "rows_per_s": round(rows / seconds["ground"]),
        "block_rows": BLOCK_ROWS,
        "peak_mb_first_block": peaks[0],
        "peak_mb": peaks[-1],
    }


def make_attributes(names: pl.DataFrame, *, rows: int, seed: int) -> pl.DataFrame:
    """Return ``rows`` of attribute, text: names drawn at random, half of them with a number, each
    value some ten times.

    In the real records each value is in four rows; in tens of millions of rows it would be many
    more than ten.
    """
    values = rows // VALUE_ROWS // 3 + 1
    drawn = pl.concat(
        [
            names.filter(ontology=ontology)
            .sample(values, with_replacement=True, seed=seed)
            .select(pl.lit(facet).alias("attribute"), "name")
            for facet, ontology in FACETS.items()
        ]
    )
    number = pl.int_range(pl.len())
    numbered = pl.format("{}, sample {}", "name", number + seed * rows)
    spelled = drawn.select(
        "attribute", text=pl.when(number % 2 == 0).then("name").otherwise(numbered)
    )
    return spelled.sample(
        rows,
        with_replacement=True,
        seed=seed,
    )


def prepared_table(name: str) -> pl.DataFrame:
    """Return a table that ``benchmarks.grounding.prepare`` wrote."""
    return pl.read_parquet(PREPARED / f"{name}.parquet")

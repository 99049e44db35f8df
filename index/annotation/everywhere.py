"""Find viruses that a classifier reports in samples of every kind: their k-mers are common.

A virus lives in particular places. If a source without identities reports a virus in a third of the
runs of most kinds of samples that it searched, this is an artefact of its method: a granulovirus of
a moth in 74 % of marine, 81 % of soil and 82 % of wastewater metagenomes (446 of 1,210 runs that
Kraken 2 searched).
"""

from __future__ import annotations

from typing import Final

import polars as pl

from ontology_etl.tables import Rejected, conform

LEAST_RUNS: Final = 15
"""Searched runs that a kind of sample (an organism label) needs to be counted."""
LEAST_KINDS: Final = 5
EVERYWHERE: Final = 1 / 3
"""Share of the searched runs, in the median over the kinds of samples."""
_VIRUS: Final = ["source", "virus"]


def find_everywhere(
    detection: pl.DataFrame, searched: pl.DataFrame, run: pl.DataFrame
) -> pl.DataFrame:
    """Return [source, virus, runs] of the viruses that a source reports in samples of every kind.

    ``virus`` is the taxon as the source names it. Hits with an identity are not considered.
    """
    hits = detection.filter(pl.col("identity").is_null()).drop_nulls("virus")
    found = hits.select(*_VIRUS, "run").unique()
    kinds = _kinds(searched.join(found, on="source", how="semi"), run)
    of_kinds = found.join(kinds, on=["run", "source"])
    in_kind = of_kinds.group_by(*_VIRUS, "organism").agg(
        share=pl.len() / pl.col("of_kind").first(), kinds=pl.col("kinds").first()
    )
    # a kind without the virus has no row: its share is 0
    ordered = pl.col("share").sort(descending=True)
    middle = (pl.col("kinds").first() - 1) // 2
    median = ordered.get(middle, null_on_oob=True)
    everywhere = in_kind.group_by(_VIRUS).agg(median=median).filter(pl.col("median") >= EVERYWHERE)
    counted = found.group_by(_VIRUS).agg(runs=pl.len())
    return counted.join(everywhere, on=_VIRUS, how="semi").sort(_VIRUS)


def reject_everywhere(everywhere: pl.DataFrame) -> pl.DataFrame:
    """Return a row (contract Rejected) per virus, with the number of runs it is removed from."""
    reason = pl.format("{} is found in all kinds of samples alike ({} runs)", "virus", "runs")
    rows = everywhere.select(
        source=pl.format("detection {}", "source"), row=pl.lit(None, pl.Int64), reason=reason
    )
    return conform(rows, Rejected)


def _kinds(searched: pl.DataFrame, run: pl.DataFrame) -> pl.DataFrame:
    """Return [run, source, organism, of_kind, kinds] of searched runs of a kind that has enough."""
    labelled = run.select("run", "organism").drop_nulls()
    looked_at = searched.select("run", "source").unique().join(labelled, on="run")
    kind = pl.len().over("source", "organism")
    enough = looked_at.with_columns(of_kind=kind).filter(pl.col("of_kind") >= LEAST_RUNS)
    several = enough.with_columns(kinds=pl.col("organism").n_unique().over("source"))
    return several.filter(pl.col("kinds") >= LEAST_KINDS)

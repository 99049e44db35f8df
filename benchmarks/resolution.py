"""What finer or coarser clustering gains and costs, as a table and two figures.

    python -m benchmarks.resolution data/index/virome.duckdb --out docs/figures

Clusters the graph of an index anew at each resolution with the default configuration (nothing is
written to it), prints a table and draws it, together with the sizes, purity and stability of the
communities that the index has.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import duckdb
import numpy as np
import polars as pl

from benchmarks.community_figures import draw_communities, draw_resolution
from index.config import GraphConfig
from index.drawing import save_figure
from index.graph.arrays import FloatArray, build_clustered_graph, run_mask, sum_by
from index.graph.hierarchy import fine_partition
from index.graph.metrics import coverage, facet_purity, modularity, run_terms
from index.store.build import stored_table
from index.store.read import open_index

RESOLUTIONS: Final = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0)
REPORT_PROMPT_TOKENS: Final = 350
"""Tokens of a compact prompt of a small model, measured."""
REPORT_TOKENS: Final = 160
BATCH_TOKENS: Final = 12_000
"""Tokens of reports read per map call."""
SWEEP_COUNTS: Final = ("communities", "reports", "largest_runs", "summary_tokens")
"""Columns of ``resolution_sweep`` that are whole numbers."""
COLUMNS: Final = {
    "resolution": "gamma", "reports": "reports", "median_runs": "median runs",
    "largest_runs": "largest", "modularity": "modularity", "coverage": "coverage",
    "purity_host": "purity host", "purity_tissue": "purity tissue",
    "purity_disease": "purity disease", "purity_statOrganism": "purity k-mers",
    "summary_tokens": "summary tokens", "query_s": "query s",
}  # fmt: skip


def resolution_sweep(
    entity: pl.DataFrame,
    relationship: pl.DataFrame,
    annotation: pl.DataFrame,
    *,
    config: GraphConfig,
    resolutions: Sequence[float] = RESOLUTIONS,
    batch_s: float,
) -> pl.DataFrame:
    """Return one row per resolution of level 1: what a finer clustering brings and what it costs.

    ``reports`` counts communities of ``min_runs`` runs or more. Summary tokens are prompt and
    completion of one report each; query seconds are for reading all of them in map batches of
    12,000 tokens at ``batch_s`` seconds a batch, the upper bound that triage then cuts.
    """
    graph = build_clustered_graph(entity, relationship, config=config)
    is_run = run_mask(entity)
    terms = run_terms(annotation, graph.nodes)
    rows = []
    for resolution in resolutions:
        at_resolution = config.model_copy(update={"resolution": resolution})
        partition = fine_partition(graph, is_run, config=at_resolution)
        purity = facet_purity(partition, terms).select("facet", "purity").iter_rows()
        row = {"resolution": float(resolution)}
        row |= _sweep_sizes(sum_by(partition, is_run), config.min_runs)
        row["modularity"] = modularity(graph, partition)
        row["coverage"] = coverage(graph, partition)
        row |= {f"purity_{facet}": share for facet, share in purity}
        row |= _reading_costs(row["reports"], batch_s)
        rows.append(row)
    return pl.DataFrame(rows).cast(dict.fromkeys(SWEEP_COUNTS, pl.Int64))


def _sweep_sizes(sizes: FloatArray, min_runs: int) -> dict[str, float]:
    reported = sizes[sizes >= min_runs]
    return {
        "communities": len(sizes),
        "reports": len(reported),
        "median_runs": float(np.median(reported)) if len(reported) else 0.0,
        "largest_runs": sizes.max(initial=0),
    }


def _reading_costs(reports: float, batch_s: float) -> dict[str, float]:
    batches = np.ceil(reports * REPORT_TOKENS / BATCH_TOKENS)
    return {
        "summary_tokens": reports * (REPORT_PROMPT_TOKENS + REPORT_TOKENS),
        "query_s": batch_s * batches,
    }


def build_entries(con: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Return key and value of the measured rows of the build table, sorted by key."""
    measured = "regexp_matches(key, '^(quality|stability)\\.')"
    rows = con.execute(f"SELECT key, value FROM build WHERE {measured} ORDER BY key")
    return dict(rows.fetchall())


def as_markdown(sweep: pl.DataFrame) -> str:
    """Return the sweep as a Markdown table."""
    shown = {column: heading for column, heading in COLUMNS.items() if column in sweep.columns}
    rows = sweep.select(list(shown)).iter_rows()
    lines = ["| " + " | ".join(shown.values()) + " |", "|" + "---:|" * len(shown)]
    lines += ["| " + " | ".join(map(_cell, row)) + " |" for row in rows]
    return "\n".join(lines)


def _cell(value: float) -> str:
    """Return a number for a table: shares with two decimals, counts with thousands separators."""
    if isinstance(value, float) and value < 1:
        return f"{value:.2f}"
    return f"{value:,.5g}" if value < 100 else f"{value:,.0f}"


def draw(con: duckdb.DuckDBPyConnection, sweep: pl.DataFrame, folder: Path) -> None:
    """Draw the sweep and the communities of the index to ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    usual = GraphConfig()
    save_figure(draw_resolution(sweep, default=usual.resolution), folder / "resolution.svg")
    community = stored_table(con, "community")
    drawn = draw_communities(community, build_entries(con), min_runs=usual.min_runs)
    save_figure(drawn, folder / "communities.svg")


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the sweep of an index, and draw it where a folder is named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("index", type=Path)
    parser.add_argument("--resolutions", type=float, nargs="+", default=RESOLUTIONS)
    parser.add_argument(
        "--batch-seconds",
        type=float,
        default=20.0,
        help="seconds your model takes to read 12,000 tokens of reports",
    )
    parser.add_argument("--out", type=Path, help="folder for resolution.svg and communities.svg")
    options = parser.parse_args(arguments)
    with open_index(options.index) as con:
        tables = [stored_table(con, name) for name in ("entity", "relationship", "annotation")]
        sweep = resolution_sweep(
            *tables,
            config=GraphConfig(),
            resolutions=options.resolutions,
            batch_s=options.batch_seconds,
        )
        print(as_markdown(sweep))
        if options.out is not None:
            draw(con, sweep, options.out)


if __name__ == "__main__":
    main()

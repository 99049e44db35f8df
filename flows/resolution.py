"""The resolution guide: what a finer or coarser clustering of a published index brings and costs.

    python -m flows.resolution --db data/index/virome.duckdb --out docs/figures

Clusters the graph of the index anew at each resolution (nothing is written to it), prints a table
and draws it, together with the sizes, purity and stability of the communities that the index has.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Final

import duckdb
import polars as pl

from index.config import read_config
from index.graph.figures import plot_communities, plot_resolution
from index.graph.metrics import resolution_sweep
from index.store.build import DEFAULT_DB, open_index, read_table
from ontology_etl.errors import ViromeError

RESOLUTIONS: Final = "0.5,1,2,5,10,20,50"
BATCH_S: Final = 20.0
COLUMNS: Final = {
    "resolution": "gamma", "reports": "reports", "median_runs": "median runs", "largest_runs": "largest",
    "modularity": "modularity", "coverage": "coverage", "purity_host": "purity host",
    "purity_tissue": "purity tissue", "purity_disease": "purity disease", "purity_statOrganism": "purity k-mers",
    "summary_tokens": "summary tokens", "query_s": "query s",
}  # fmt: skip


def main(arguments: list[str] | None = None) -> int:
    """Print the guide for the index that the command line names; return the exit code."""
    args = _parser().parse_args(arguments)
    resolutions = [float(text) for text in args.resolutions.split(",")]
    try:
        config = read_config(args.config)
        with open_index(Path(args.db)) as connection:
            tables = [
                read_table(connection, name) for name in ("entity", "relationship", "annotation")
            ]
            community, entries = read_table(connection, "community"), build_entries(connection)
    except ViromeError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    sweep = resolution_sweep(
        *tables, config=config.graph, resolutions=resolutions, batch_s=args.batch_seconds
    )
    print(as_markdown(sweep))
    if args.out:
        folder = Path(args.out)
        folder.mkdir(parents=True, exist_ok=True)
        plot_resolution(sweep, folder / "resolution.svg", default=config.graph.resolution)
        plot_communities(
            community, entries, folder / "communities.svg", min_runs=config.graph.min_runs
        )
    return 0


def build_entries(connection: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Return key and value of the measured rows of the build table, sorted by key."""
    query = "SELECT key, value FROM build WHERE regexp_matches(key, '^(quality|stability)\\.') ORDER BY key"
    return dict(connection.execute(query).fetchall())


def as_markdown(sweep: pl.DataFrame) -> str:
    """Return the sweep as a Markdown table."""
    shown = {column: heading for column, heading in COLUMNS.items() if column in sweep.columns}
    lines = ["| " + " | ".join(shown.values()) + " |", "|" + "---:|" * len(shown)]
    lines += [
        "| " + " | ".join(map(_cell, row)) + " |" for row in sweep.select(list(shown)).iter_rows()
    ]
    return "\n".join(lines)


def _cell(value: float) -> str:
    """Return a number as it is read in a table: shares with two decimals, counts with thousands."""
    return (
        f"{value:.2f}"
        if isinstance(value, float) and value < 1
        else f"{value:,.5g}"
        if value < 100
        else f"{value:,.0f}"
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m flows.resolution",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--db", default=str(DEFAULT_DB), help="published index (default: %(default)s)"
    )
    parser.add_argument("--config", help="parameters, TOML (default: the built-in ones)")
    parser.add_argument(
        "--resolutions", default=RESOLUTIONS, help="comma-separated (default: %(default)s)"
    )
    parser.add_argument(
        "--batch-seconds", type=float, default=BATCH_S,
        help="seconds your model takes to read 12,000 tokens of reports (default: %(default)s)",
    )  # fmt: skip
    parser.add_argument("--out", help="folder for resolution.svg and communities.svg")
    return parser


if __name__ == "__main__":
    sys.exit(main())

"""Guide to the resolution: what finer or coarser clustering gains and costs.

    python -m flows.resolution --db data/index/virome.duckdb --out docs/figures

Clusters the graph of the index anew at each resolution (nothing is written to it), prints a table
and draws it, together with the sizes, purity and stability of the communities that the index has.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from flows.console import make_app, run_app
from index.config import GraphConfig, read_config
from index.store.read import DEFAULT_DB, open_index
from query.cli.console import reported

if TYPE_CHECKING:
    from collections.abc import Sequence

    import duckdb
    import polars as pl

NAME: Final = "python -m flows.resolution"
RESOLUTIONS: Final = "0.5,1,2,5,10,20,50"
BATCH_S: Final = 20.0
COLUMNS: Final = {
    "resolution": "gamma", "reports": "reports", "median_runs": "median runs",
    "largest_runs": "largest", "modularity": "modularity", "coverage": "coverage",
    "purity_host": "purity host", "purity_tissue": "purity tissue",
    "purity_disease": "purity disease", "purity_statOrganism": "purity k-mers",
    "summary_tokens": "summary tokens", "query_s": "query s",
}  # fmt: skip


app = make_app()


@app.command()
def guide(
    db: Annotated[Path, typer.Option(help="Published index.")] = DEFAULT_DB,
    config: Annotated[
        Path | None,
        typer.Option(help="Parameters, TOML; default: the built-in ones.", show_default=False),
    ] = None,
    resolutions: Annotated[str, typer.Option(help="Comma-separated.")] = RESOLUTIONS,
    batch_seconds: Annotated[
        float, typer.Option(help="Seconds your model takes to read 12,000 tokens of reports.")
    ] = BATCH_S,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for resolution.svg and communities.svg.", show_default=False),
    ] = None,
) -> None:
    """Show the benefits and costs of finer or coarser clustering, as a table and a figure.

    \b
    Examples:
      python -m flows.resolution --db data/index/demo.duckdb
      python -m flows.resolution --resolutions 1,5,20 --batch-seconds 71
      python -m flows.resolution --db data/index/virome.duckdb --out docs/figures
    """
    gammas = _numbers(resolutions)
    with reported(as_json=False):
        graph = read_config(config).graph
        connection = open_index(db)
    with connection:
        sweep = _sweep(connection, graph, gammas, batch_s=batch_seconds)
        typer.echo(as_markdown(sweep))
        if out is not None:
            _draw(connection, graph, sweep, out)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the guide for one index; return the exit code."""
    return run_app(app, arguments, name=NAME)


def build_entries(connection: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Return key and value of the measured rows of the build table, sorted by key."""
    measured = "regexp_matches(key, '^(quality|stability)\\.')"
    rows = connection.execute(f"SELECT key, value FROM build WHERE {measured} ORDER BY key")
    return dict(rows.fetchall())


def as_markdown(sweep: pl.DataFrame) -> str:
    """Return the sweep as a Markdown table."""
    shown = {column: heading for column, heading in COLUMNS.items() if column in sweep.columns}
    lines = ["| " + " | ".join(shown.values()) + " |", "|" + "---:|" * len(shown)]
    lines += [
        "| " + " | ".join(map(_cell, row)) + " |" for row in sweep.select(list(shown)).iter_rows()
    ]
    return "\n".join(lines)


def _cell(value: float) -> str:
    """Format a number for a table: shares with two decimals, counts with thousands separators."""
    return (
        f"{value:.2f}"
        if isinstance(value, float) and value < 1
        else f"{value:,.5g}"
        if value < 100
        else f"{value:,.0f}"
    )


def _numbers(text: str) -> list[float]:
    """Return the numbers of a comma-separated list; anything else is a usage error."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--resolutions") from error


def _sweep(
    connection: duckdb.DuckDBPyConnection,
    graph: GraphConfig,
    resolutions: list[float],
    *,
    batch_s: float,
) -> pl.DataFrame:
    from index.graph.quality import resolution_sweep
    from index.store.build import stored_table

    tables = [stored_table(connection, name) for name in ("entity", "relationship", "annotation")]
    return resolution_sweep(*tables, config=graph, resolutions=resolutions, batch_s=batch_s)


def _draw(
    connection: duckdb.DuckDBPyConnection, graph: GraphConfig, sweep: pl.DataFrame, folder: Path
) -> None:
    """Draw the sweep and the communities of the index to ``folder``."""
    from index.drawing import save_figure
    from index.graph.figures import draw_communities, draw_resolution
    from index.store.build import stored_table

    folder.mkdir(parents=True, exist_ok=True)
    swept = draw_resolution(sweep, default=graph.resolution)
    save_figure(swept, folder / "resolution.svg")
    community, entries = stored_table(connection, "community"), build_entries(connection)
    drawn = draw_communities(community, entries, min_runs=graph.min_runs)
    save_figure(drawn, folder / "communities.svg")


if __name__ == "__main__":
    sys.exit(main())

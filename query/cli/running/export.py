"""``query export``: the index as files for other programs."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from query.cli.console import AsJson, Database, index_opened, print_json, reported, say
from query.cli.usage import MOST

if TYPE_CHECKING:
    import duckdb

    from query.exports.tables import TableFormat


class Kind(StrEnum):
    """What an export is."""

    PARQUET = "parquet"
    CSV = "csv"
    JSON = "json"
    GRAPHML = "graphml"
    GEXF = "gexf"
    GRAPH_TABLES = "graph-tables"
    NOTES = "notes"
    CRATE = "crate"


TABLES = (Kind.PARQUET, Kind.CSV, Kind.JSON)


def export(
    folder: Annotated[
        Path, typer.Argument(help="Folder to write to; made where missing.", show_default=False)
    ],
    kind: Annotated[
        Kind,
        typer.Option(
            "--as",
            help="parquet, csv, json: tables. graphml, gexf: one file. graph-tables: nodes.csv and "
            "edges.csv for BioCypher and neo4j-admin. notes: linked Markdown for Obsidian. "
            "crate: the index with an RO-Crate description.",
        ),
    ] = Kind.PARQUET,
    table: Annotated[
        list[str] | None,
        typer.Option(
            help="Only this table or view; may be repeated. Else all tables and views.",
            show_default=False,
        ),
    ] = None,
    level: Annotated[
        int, typer.Option(help="Level whose communities a graph carries.", max=MOST)
    ] = 0,
    db: Database = None,
    as_json: AsJson = False,
) -> None:
    """Write the index as files that other programs read.

    What is written is the whole of what was asked for, of every risk group: keep the files as you
    keep the index.

    \b
    Examples:
      query export out --table summaries --table top_facts
      query export out --as csv --table association
      query export out --as graphml
      query export out --as graph-tables --level 1
      query export vault --as notes
      query export crate --as crate --json
    """
    with reported(as_json=as_json), index_opened(db) as con:
        written = _write(con, folder, kind, table or [], level=level, db=db)
    if as_json:
        listed = [{"file": str(path), "holds": what} for path, what in written]
        print_json({"written": listed})
        return
    for path, what in written:
        say(f"{path}: {what}")
    sizes = [file.stat().st_size for file in folder.iterdir() if file.is_file()]
    megabytes = sum(sizes) / 1e6
    say(f"{folder} now holds {len(sizes):,} files, {megabytes:,.1f} MB")


def _write(
    con: duckdb.DuckDBPyConnection,
    folder: Path,
    kind: Kind,
    tables: list[str],
    *,
    level: int,
    db: Path | None,
) -> list[tuple[Path, str]]:
    """Return the files written and what each holds; raises ``FolderError``."""
    from query.errors import FolderError

    try:
        folder.mkdir(parents=True, exist_ok=True)
        if kind in TABLES:
            return _write_tables(con, folder, kind, tables)
        return _write_whole(con, folder, kind, level=level, db=db)
    except OSError as error:
        raise FolderError(folder, reason=error.strerror or str(error)) from error


def _write_tables(
    con: duckdb.DuckDBPyConnection, folder: Path, kind: Kind, tables: list[str]
) -> list[tuple[Path, str]]:
    from query.exports.tables import export_table, relations

    form: TableFormat = kind.value  # type: ignore[assignment]
    written = []
    for name in tables or relations(con):
        path, rows = export_table(con, name, folder, form=form)
        written.append((path, f"{rows:,} rows"))
    return written


def _write_whole(
    con: duckdb.DuckDBPyConnection, folder: Path, kind: Kind, *, level: int, db: Path | None
) -> list[tuple[Path, str]]:
    from query.config import database_path
    from query.exports.crate import export_crate
    from query.exports.graphs import export_graph, export_graph_tables
    from query.exports.notes import export_notes

    if kind is Kind.CRATE:
        path = export_crate(con, database_path(db), folder)
        return [(path, "the index and what it was made from")]
    if kind is Kind.NOTES:
        return [(folder, f"{export_notes(con, folder):,} notes; open index.md")]
    if kind is Kind.GRAPH_TABLES:
        nodes, edges = export_graph_tables(con, folder, level=level)
        return [
            (folder / "nodes.csv", f"{nodes:,} entities"),
            (folder / "edges.csv", f"{edges:,} relationships"),
        ]
    path = folder / f"graph.{kind.value}"
    nodes, edges = export_graph(con, path, level=level)
    return [(path, f"{nodes:,} entities, {edges:,} relationships")]

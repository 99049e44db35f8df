"""``query export``: the index as files for other programs."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from index.claims.phrases import counted
from index.exposure import group_counts
from query.cli.answering import RiskPolicyName, config_of
from query.cli.console import AsJson, Database, index_opened, print_json, reported, say, writing
from query.cli.options import takes
from query.cli.usage import MOST, argument, optional
from query.exports.readers import Readers, reports_withheld, withheld_communities

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
    SSSOM = "sssom"
    CROISSANT = "croissant"


TABLES = (Kind.PARQUET, Kind.CSV, Kind.JSON)


@dataclass(frozen=True)
class ExportOptions:
    """Options of an export."""

    folder: Annotated[Path, argument("Folder to write to; created if missing.")]
    kind: Annotated[
        Kind,
        typer.Option(
            "--as",
            help="parquet, csv, json: tables. graphml, gexf: one file. graph-tables: nodes.csv, "
            "edges.csv and their schema for BioCypher and neo4j-admin. notes: linked Markdown for "
            "Obsidian. crate: the index with an RO-Crate and a Croissant description. croissant: "
            "Parquet tables with one. sssom: every grounding as a mapping.",
        ),
    ] = Kind.PARQUET
    table: Annotated[
        list[str] | None,
        optional("Only this table or view; may be repeated. Else all tables and views."),
    ] = None
    level: Annotated[int, typer.Option(help="Level of the communities in a graph.", max=MOST)] = 0
    readers: Annotated[
        Readers,
        typer.Option(
            help="Who reads the files. A model gets notes, or tables of communities, without the "
            "communities that it may not see."
        ),
    ] = Readers.PEOPLE
    with_donors: Annotated[
        bool,
        typer.Option(
            "--with-donors",
            help="Include attributes that may identify donors: donor, patient, age, ancestry, …",
        ),
    ] = False
    risk_policy: RiskPolicyName = None
    db: Database = None
    as_json: AsJson = False


@takes(ExportOptions)
def export(options: ExportOptions) -> None:
    """Write the index as files that other programs read.

    By default the files contain every risk group, so protect them like the index; --readers limits
    them to what a model may see (docs/biosafety.md). Attributes that may identify donors are left
    out unless you give --with-donors.

    \b
    Examples:
      query export out --table summaries --table top_facts
      query export out --as csv --table association
      query export out --as graphml
      query export out --as graph-tables --level 1
      query export vault --as notes
      query export crate --as crate --json
      query export out --as sssom
      query export vault --as notes --readers model-elsewhere
    """
    folder = options.folder
    with reported(as_json=options.as_json), index_opened(options.db) as con:
        policy = config_of(full=False, risk_policy=options.risk_policy).policy
        withheld = withheld_communities(con, options.readers, policy)
        kept_back = reports_withheld(con, withheld)
        written = _write(con, options, frozenset(withheld))
    if options.as_json:
        listed = [{"file": str(path), "holds": what} for path, what in written]
        print_json({"written": listed, "withheld": kept_back})
        return
    if kept_back:
        say(f"reports withheld for biosafety: {group_counts(kept_back)}")
    for path, what in written:
        say(f"{path}: {what}")
    sizes = [file.stat().st_size for file in folder.iterdir() if file.is_file()]
    megabytes = sum(sizes) / 1e6
    say(f"{folder} now holds {counted(len(sizes), 'file')}, {megabytes:,.1f} MB")


def _write(
    con: duckdb.DuckDBPyConnection, options: ExportOptions, withheld: frozenset[str]
) -> list[tuple[Path, str]]:
    """Return the files written and what each holds; raises ``FolderError``."""
    from query.errors import UngatedExportError
    from query.exports.tables import by_community

    folder, kind = options.folder, options.kind
    whole = kind not in (*TABLES, Kind.NOTES)
    if whole and options.readers is not Readers.PEOPLE:
        raise UngatedExportError(kind.value, gated=by_community(con))
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        if kind in TABLES:
            return _write_tables(con, options, withheld)
        if kind is Kind.CROISSANT:
            from query.exports.croissant import write_croissant

            written = _write_tables(con, options, withheld)
            path = write_croissant(con, folder, [file for file, _ in written])
            return [*written, (path, "what the tables are")]
        return _write_whole(con, options, withheld)


def _write_tables(
    con: duckdb.DuckDBPyConnection, options: ExportOptions, withheld: frozenset[str]
) -> list[tuple[Path, str]]:
    from query.exports.donors import count_personal
    from query.exports.tables import by_community, export_table, relations

    kind = Kind.PARQUET if options.kind is Kind.CROISSANT else options.kind
    form: TableFormat = kind.value  # type: ignore[assignment]
    usual = by_community(con) if withheld else relations(con)
    written = []
    for name in options.table or usual:
        path, rows = export_table(
            con, name, options.folder, form=form, withheld=withheld, donors=options.with_donors
        )
        left = 0 if options.with_donors or withheld else count_personal(con, name)
        without = f", without {left:,} that may identify donors" if left else ""
        written.append((path, f"{rows:,} rows{without}"))
    return written


def _write_whole(
    con: duckdb.DuckDBPyConnection, options: ExportOptions, withheld: frozenset[str]
) -> list[tuple[Path, str]]:
    from query.config import database_path
    from query.exports.biolink import SCHEMA
    from query.exports.crate import export_crate
    from query.exports.croissant import write_croissant
    from query.exports.graphs import export_graph, export_graph_tables
    from query.exports.notes import export_notes
    from query.exports.sssom import export_sssom

    folder, kind = options.folder, options.kind
    if kind is Kind.CRATE:
        db = database_path(options.db)
        path, removed = export_crate(con, db, folder, donors=options.with_donors)
        without = f", without {removed:,} attributes that may identify donors" if removed else ""
        croissant = write_croissant(con, folder, [folder / db.name])
        return [
            (path, f"the index and what it was made from{without}"),
            (croissant, "the same for machine-learning tools"),
        ]
    if kind is Kind.SSSOM:
        path, rows = export_sssom(con, folder, donors=options.with_donors)
        return [(path, f"{rows:,} mappings")]
    if kind is Kind.NOTES:
        notes = export_notes(con, folder, withheld=withheld)
        return [(folder, f"{notes:,} notes; open index.md")]
    if kind is Kind.GRAPH_TABLES:
        nodes, edges = export_graph_tables(con, folder, level=options.level)
        return [
            (folder / "nodes.csv", f"{nodes:,} entities"),
            (folder / "edges.csv", f"{edges:,} relationships"),
            (folder / SCHEMA, "the schema of both for BioCypher"),
        ]
    path = folder / f"graph.{kind.value}"
    nodes, edges = export_graph(con, path, level=options.level)
    return [(path, f"{nodes:,} entities, {edges:,} relationships")]

"""``query atlas`` and ``query export``: the index as a page, and as files for other programs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal, cast

import duckdb
import typer

from index.claims.phrases import counted
from index.exposure import group_counts
from index.store.whole_file import write_whole
from query.cli.answering import RiskPolicyName, policy_of
from query.cli.console import AsJson, Database, opened, print_json, say, writing
from query.cli.usage import MOST, argument, optional, takes
from query.config import database_path
from query.errors import UngatedExportError
from query.exports.readers import Readers, reports_withheld, withheld_communities

if TYPE_CHECKING:
    from query.exports.tables import TableFormat


def atlas(
    out: Annotated[Path, argument("HTML file to write.")],
    reports: Annotated[
        int,
        typer.Option(
            help="Maximum number of reports, the coarsest and largest first.", min=1, max=MOST
        ),
    ] = 20_000,
    db: Database = None,
    as_json: AsJson = False,
) -> None:
    """Draw the whole index as one HTML page: map, reports, hosts, associations, places.

    The page needs no network. It contains every risk group, so protect it like the index.

    \b
    Examples:
      query atlas atlas.html
      query atlas atlas.html --reports 500 --json
    """
    with opened(db, as_json=as_json) as con:
        from query.atlas.content import gather_content
        from query.atlas.page import page_of

        content = gather_content(con, most_reports=reports)
        page = page_of(content)
        with writing(out):
            write_whole(out, page)
    size = out.stat().st_size
    if as_json:
        shown = len(content.reports)
        print_json(
            {"file": str(out), "bytes": size, "reports": shown, "left_out": content.left_out}
        )
        return
    say(f"{out}: {len(content.reports):,} reports, {size / 1e6:.1f} MB")
    if content.left_out:
        say(f"{content.left_out:,} reports are left out: --reports")
    say(f"open it in a browser: file://{out.resolve()}")


Kind = Literal[
    "parquet", "csv", "json", "graphml", "gexf", "graph-tables", "notes", "crate", "sssom",
    "croissant",
]  # fmt: skip
"""What an export is."""
TABLES: Final = ("parquet", "csv", "json")


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
    ] = "parquet"
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
        optional(
            "Include attributes that may identify donors: donor, patient, age, ancestry, …",
            "--with-donors",
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
    with opened(options.db, as_json=options.as_json) as con:
        withheld = withheld_communities(con, options.readers, policy_of(options.risk_policy))
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
    from query.exports.tables import by_community

    folder, kind = options.folder, options.kind
    whole = kind not in (*TABLES, "notes")
    if whole and options.readers is not Readers.PEOPLE:
        raise UngatedExportError(kind, gated=by_community(con))
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        write = _write_tables if kind in (*TABLES, "croissant") else _write_whole
        return write(con, options, withheld)


def _write_tables(
    con: duckdb.DuckDBPyConnection, options: ExportOptions, withheld: frozenset[str]
) -> list[tuple[Path, str]]:
    from query.exports.croissant import write_croissant
    from query.exports.donors import count_personal
    from query.exports.tables import by_community, export_table, relations

    form = cast("TableFormat", "parquet" if options.kind == "croissant" else options.kind)
    usual = by_community(con) if withheld else relations(con)
    written = []
    for name in options.table or usual:
        path, rows = export_table(
            con, name, options.folder, form=form, withheld=withheld, donors=options.with_donors
        )
        left = 0 if options.with_donors or withheld else count_personal(con, name)
        without = f", without {left:,} that may identify donors" if left else ""
        written.append((path, f"{rows:,} rows{without}"))
    if options.kind == "croissant":
        tables = [file for file, _ in written]
        written.append((write_croissant(con, options.folder, tables), "what the tables are"))
    return written


def _write_whole(
    con: duckdb.DuckDBPyConnection, options: ExportOptions, withheld: frozenset[str]
) -> list[tuple[Path, str]]:
    from query.exports.biolink import SCHEMA
    from query.exports.crate import export_crate
    from query.exports.croissant import write_croissant
    from query.exports.graphs import export_graph, export_graph_tables
    from query.exports.notes import export_notes
    from query.exports.sssom import export_sssom

    folder, kind = options.folder, options.kind
    if kind == "crate":
        db = database_path(options.db)
        path, removed = export_crate(con, db, folder, donors=options.with_donors)
        without = f", without {removed:,} attributes that may identify donors" if removed else ""
        croissant = write_croissant(con, folder, [folder / db.name])
        return [
            (path, f"the index and what it was made from{without}"),
            (croissant, "the same for machine-learning tools"),
        ]
    if kind == "sssom":
        path, rows = export_sssom(con, folder, donors=options.with_donors)
        return [(path, f"{rows:,} mappings")]
    if kind == "notes":
        notes = export_notes(con, folder, withheld=withheld)
        return [(folder, f"{notes:,} notes; open index.md")]
    if kind == "graph-tables":
        nodes, edges = export_graph_tables(con, folder, level=options.level)
        return [
            (folder / "nodes.csv", f"{nodes:,} entities"),
            (folder / "edges.csv", f"{edges:,} relationships"),
            (folder / SCHEMA, "the schema of both for BioCypher"),
        ]
    path = folder / f"graph.{kind}"
    nodes, edges = export_graph(con, path, level=options.level)
    return [(path, f"{nodes:,} entities, {edges:,} relationships")]

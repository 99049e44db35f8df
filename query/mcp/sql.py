"""The tool ``sql``: the tables with their comments, and a read-only SELECT over them."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from typing import Annotated, Final

import duckdb
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field, WithJsonSchema

from query.mcp.paging import Cursor, Rows, table_page
from query.mcp.served import Opened, Record, withheld
from query.request.names import OneOrMore
from query.sql_search.catalogue import Catalogue, read_catalogue
from query.sql_search.checking import check_select, nodes_in, parsed
from query.sql_search.running import run_apart

MAIN: Final = (
    "run", "detection", "annotation", "virus", "virus_risk", "term", "closure", "biosample",
    "place", "stated_attribute", "study", "bioproject", "searched", "association",
    "combined_associations", "plausibility", "known_host", "distinct_community",
    "community_member", "report", "fact",
)  # fmt: skip
"""Tables that the catalogue lists with their columns; the others are named."""
ADVICE: Final = (
    "Count DISTINCT run: a run has one detection per sOTU and source, and several annotations. "
    "detection.virus and annotation.curie are CURIEs; what is below a term: JOIN closure ON "
    "descendant, WHERE ancestor. annotation.facet: host, tissue, disease, environment, label, "
    "geography (USA and USA: Utah are both stated), sex. species is null below 90 % identity. Runs "
    "that were searched for a taxon: searched_for('NCBITaxon:10376'). Columns: call with tables."
)

SqlGiven = Annotated[
    str | None, Field(description="one SELECT in DuckDB's SQL; left out: the tables")
]
TablesGiven = Annotated[
    list[str] | None,
    OneOrMore,
    WithJsonSchema(
        {
            "type": ["array", "null"],
            "items": {"type": "string"},
            "description": "tables whose columns are described",
        }
    ),
]


def sql(
    opened: Opened,
    sql: SqlGiven = None,
    tables: TablesGiven = None,
    rows: Rows = None,
    cursor: Cursor = None,
) -> Record:
    """Run your own SELECT, read-only, for what query cannot say: joins, statistics, raw
    columns. Without arguments: the tables and how to join them; with tables: their columns.
    """
    catalogue = read_catalogue(opened.con)
    if sql is None:
        return _described(catalogue, tables) if tables else _listed(catalogue)
    return _selected(opened, catalogue, sql, rows=rows, cursor=cursor)


def _selected(
    opened: Opened, catalogue: Catalogue, sql: str, *, rows: int | None, cursor: str | None
) -> Record:
    """Return the rows of ``sql`` that may be seen."""
    checked = check_select(opened.con, sql, catalogue)
    group = None if opened.gate.sees_all else _group_written(opened, checked.sql)
    if group is not None:
        return withheld(group, why=f": it selects by an agent of {group}")
    selected = run_apart(opened.db, checked.sql)
    page = table_page(
        opened, selected.columns, selected.rows, of=["sql", checked.sql], rows=rows, cursor=cursor
    )
    if selected.complete:
        return page
    cut = f"more than {len(selected.rows):,} rows: the rest is not read"
    return page | {"note": "; ".join(part for part in (page["note"], cut) if part)}


def _group_written(opened: Opened, sql: str) -> str | None:
    """Return the risk group of what the constants of ``sql`` name, completely or by a pattern."""
    hidden = opened.gate.policy.named_never(local=opened.gate.local)
    for text in _constants(opened.con, sql):
        if text in hidden:
            return text
        group = opened.unseen.group_of(text) or opened.unseen.group_of_part(text)
        if group is not None:
            return group
    return opened.unseen.group_of(sql)


def _constants(con: duckdb.DuckDBPyConnection, sql: str) -> Iterator[str]:
    for node in nodes_in(parsed(con, sql)):
        if node.get("class") == "CONSTANT":
            literal = node.get("literal") or node.get("value") or {}
            yield from (text for text in literal.values() if isinstance(text, str))


def _listed(catalogue: Catalogue) -> Record:
    """Return the main tables with their columns, and the names of the others."""
    tables = catalogue.tables
    shown = {name: ", ".join(tables[name].column_names) for name in MAIN if name in tables}
    others = ", ".join(sorted(set(tables) - set(shown)))
    return {"tables": shown, "others": others, "advice": ADVICE}


def _described(catalogue: Catalogue, names: list[str]) -> Record:
    """Return the columns of the tables with their comments.

    Raises ``ToolError`` for another name.
    """
    described = {}
    for name in names:
        table = catalogue.tables.get(name.strip().lower())
        if table is None:
            near = get_close_matches(name.lower(), sorted(catalogue.tables), n=3)
            meant = f"Did you mean {', '.join(near)}?" if near else ""
            raise ToolError(
                f"{name!r} is not a table. {meant} Without arguments sql lists the tables"
            )
        columns = {column.name: f"{column.type}: {column.comment}" for column in table.columns}
        described[table.name] = {"is": table.comment, "columns": columns}
    joins = [join.text for join in catalogue.joins_between(described)]
    return {"tables": described, "joins": joins}

"""The tool ``sql``: the tables with their comments, and a read-only SELECT over them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from difflib import get_close_matches
from typing import Annotated, Any, Final

import duckdb
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field, WithJsonSchema

from query.mcp.compact import plain
from query.mcp.paging import Cursor, Rows, page_of
from query.mcp.served import Opened, Record, Served, as_text, withheld
from query.request.names import OneOrMore
from query.sql_search.catalogue import Catalogue, read_catalogue
from query.sql_search.checking import check_select
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


def make_sql(served: Served) -> Callable[..., str]:
    """Return the tool over ``served``."""

    def sql(
        sql: SqlGiven = None,
        tables: TablesGiven = None,
        rows: Rows = None,
        cursor: Cursor = None,
    ) -> str:
        """Run your own SELECT, read-only, for what query cannot say: joins, statistics, raw
        columns. Without arguments: the tables and how to join them; with tables: their columns.
        """
        with served.opened() as opened:
            catalogue = read_catalogue(opened.con)
            if sql is None:
                return as_text(_described(catalogue, tables) if tables else _listed(catalogue))
            return as_text(_selected(opened, served, catalogue, sql, rows=rows, cursor=cursor))

    return sql


def _selected(
    opened: Opened,
    served: Served,
    catalogue: Catalogue,
    sql: str,
    *,
    rows: int | None,
    cursor: str | None,
) -> Record:
    """Return the rows of ``sql`` that may be seen."""
    checked = check_select(opened.con, sql, catalogue)
    group = None if served.gate.sees_all else _group_written(opened, served, checked.sql)
    if group is not None:
        return withheld(group, why=f": it selects by an agent of {group}")
    selected = run_apart(served.db, checked.sql)
    seen = opened.withholding.rows(selected.rows)
    of = json.dumps(["sql", checked.sql, opened.stamp])
    page = page_of(seen, rows=rows, cursor=cursor, of=of)
    shown = opened.withholding.result({})
    cut = (
        "" if selected.complete else f"more than {len(selected.rows):,} rows: the rest is not read"
    )
    return shown | {
        "columns": selected.columns,
        "rows": [[plain(cell) for cell in row] for row in page.rows],
        "total": page.total,
        "next": page.next,
        "note": "; ".join(part for part in (shown.get("note", ""), cut) if part),
    }


def _group_written(opened: Opened, served: Served, sql: str) -> str | None:
    """Return the risk group of what the constants of ``sql`` name, completely or by a pattern."""
    hidden = served.gate.policy.named_never(local=served.gate.local)
    for text in _constants(opened.con, sql):
        if text in hidden:
            return text
        group = opened.unseen.group_of(text) or opened.unseen.group_of_part(text)
        if group is not None:
            return group
    return opened.unseen.group_of(sql)


def _constants(con: duckdb.DuckDBPyConnection, sql: str) -> Iterator[str]:
    """Yield the texts that ``sql`` has as constants."""
    ((tree,),) = con.execute("SELECT json_serialize_sql($1::VARCHAR)", [sql]).fetchall()
    waiting: list[Any] = [json.loads(tree)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting += node
        elif isinstance(node, dict) and node.get("class") == "CONSTANT":
            held = node.get("literal") or node.get("value") or {}
            yield from (text for text in held.values() if isinstance(text, str))
        elif isinstance(node, dict):
            waiting += node.values()


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

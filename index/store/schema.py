"""Tables and views of an empty index, with a comment on each of their columns.

Tables come from the contracts (``index.tables``), views from ``index/schema.sql``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import dataframely as dy
import duckdb
import polars as pl

from index.tables import TABLES

_VIEWS_SQL: Final = Path(__file__).parents[1] / "schema.sql"
_SQL_TYPES: Final[dict[pl.DataType | type[pl.DataType], str]] = {
    pl.String: "VARCHAR",
    pl.Int64: "BIGINT",
    pl.Int32: "INTEGER",
    pl.Float64: "DOUBLE",
    pl.Boolean: "BOOLEAN",
    pl.Date: "DATE",
    pl.Array(pl.Float32, 384): "FLOAT[384]",
    pl.Array(pl.Float32, 64): "FLOAT[64]",
}
SOURCES_OF_VIEW: Final = {
    "stated_attribute": ("run_attribute",),
    "carried": ("community",),
    "distinct_community": ("community",),
    "reported_community": ("community",),
    "summaries": ("report", "community"),
    "community_overview": ("community",),
    "top_facts": ("fact", "community"),
    "significant_associations": ("association",),
    "run_species": ("detection",),
    "run_country": ("annotation",),
    "distinct_association": ("association",),
    "combined_associations": ("meta_association",),
    "report_citations": ("citation", "report"),
    "coverage": ("community",),
}
"""Tables whose column comments a view takes over; the first that has the column counts."""

_UNCOMMENTED_VIEW_COLUMNS: Final = """
SELECT table_name, column_name
FROM duckdb_columns()
WHERE comment IS NULL AND table_name IN (SELECT view_name FROM duckdb_views() WHERE NOT internal)
"""


def create_schema(connection: duckdb.DuckDBPyConnection) -> None:
    """Create every table of the contracts, empty, and the views for analysts, all commented."""
    for name, schema in TABLES.items():
        connection.execute(_table_ddl(name, schema))
    create_views(connection)
    for view, column in connection.execute(_UNCOMMENTED_VIEW_COLUMNS).fetchall():
        connection.execute(_column_comment(view, column, _description(view, column)))


def create_views(connection: duckdb.DuckDBPyConnection) -> None:
    """Create the views for analysts over tables that exist."""
    connection.execute(_VIEWS_SQL.read_text(encoding="utf-8"))


def _table_ddl(name: str, schema: type[dy.Schema]) -> str:
    columns = schema.columns()
    body = ", ".join(_column_ddl(column, spec) for column, spec in columns.items())
    statements = [
        f"CREATE TABLE {name} ({body})",
        f"COMMENT ON TABLE {name} IS {_quote(_table_comment(schema))}",
    ]
    for column, spec in columns.items():
        statements.append(_column_comment(name, column, spec.description or ""))
    return ";\n".join(statements)


def _table_comment(schema: type[dy.Schema]) -> str:
    """Return the first paragraph of the contract's docstring, and its key."""
    first_paragraph = (schema.__doc__ or "").strip().split("\n\n")[0]
    summary = " ".join(first_paragraph.split())
    key = ", ".join(schema.primary_key())
    return f"{summary} Key: {key or 'all columns'}."


def _column_ddl(name: str, column: dy.Column) -> str:
    constraint = "" if column.nullable else " NOT NULL"
    return f'"{name}" {_SQL_TYPES[column.dtype]}{constraint}'


def _column_comment(relation: str, column: str, comment: str) -> str:
    return f'COMMENT ON COLUMN {relation}."{column}" IS {_quote(comment)}'


def _description(view: str, column: str) -> str:
    """Return what the contracts say of a column that ``view`` takes over from a table.

    Raises ``LookupError`` where no table of the view has the column: comment it in schema.sql.
    """
    for table in SOURCES_OF_VIEW[view]:
        columns = TABLES[table].columns()
        if column in columns:
            return columns[column].description or ""
    raise LookupError(f"{view}.{column} has no comment: add one to index/schema.sql")


def _quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"

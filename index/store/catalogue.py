"""List what a DuckDB file has apart from rows: tables, columns, views, macros, and comments."""

from __future__ import annotations

import re
from contextlib import closing
from dataclasses import dataclass
from typing import Final

import duckdb

_OBJECTS: Final = """
SELECT concat('schema ', schema_name), concat_ws(' ', comment, tags)
FROM duckdb_schemas() WHERE NOT internal AND database_name = current_database()
UNION ALL
SELECT concat('table ', schema_name, '.', table_name), concat_ws(' ', comment, tags)
FROM duckdb_tables() WHERE NOT internal
UNION ALL
SELECT concat('view ', schema_name, '.', view_name), concat_ws(chr(31), sql, comment, tags)
FROM duckdb_views() WHERE NOT internal
UNION ALL
SELECT concat('column ', schema_name, '.', table_name, '.', column_name),
    concat_ws(' ', column_index, data_type, CASE WHEN NOT is_nullable THEN 'NOT NULL' END,
        'DEFAULT ' || column_default, comment)
FROM duckdb_columns()
WHERE NOT internal
UNION ALL
SELECT concat('macro ', schema_name, '.', function_name), string_agg(
    concat_ws(chr(31), function_type, parameters, macro_definition, comment), chr(31)
    ORDER BY function_oid)
FROM duckdb_functions() WHERE NOT internal GROUP BY ALL
UNION ALL
SELECT concat('index ', schema_name, '.', index_name), concat_ws(' ', sql, comment)
FROM duckdb_indexes()
UNION ALL
SELECT concat('sequence ', schema_name, '.', sequence_name), concat_ws(' ', sql, comment)
FROM duckdb_sequences()
UNION ALL
SELECT concat('type ', schema_name, '.', type_name), concat_ws(' ', logical_type, labels, comment)
FROM duckdb_types() WHERE NOT internal
UNION ALL
SELECT concat('constraint of ', schema_name, '.', table_name), string_agg(constraint_text, '; '
    ORDER BY constraint_text)
FROM duckdb_constraints() GROUP BY ALL
ORDER BY 1
"""
_BETWEEN: Final = chr(31)
_CREATE_VIEW: Final = re.compile(r"^CREATE VIEW .*? AS ", re.DOTALL)
_NO_MEANING: Final = re.compile(r'"(?:query_location":\d+|materialized":"\w+"),?')
"""What of a syntax tree changes no row: places in the text, and whether a CTE is materialized."""


@dataclass(frozen=True)
class UnequalObject:
    """The first object of the catalogue that differs between two files; None where one lacks it."""

    what: str
    recorded: str | None
    rebuilt: str | None

    @property
    def place(self) -> str:
        """Where the files differ, in words."""
        return self.what


def objects_of(connection: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Return every object of the file, by kind and name, with its definition and its comment."""
    return dict(connection.execute(_OBJECTS).fetchall())


def unequal_object(
    recorded: duckdb.DuckDBPyConnection, rebuilt: duckdb.DuckDBPyConnection
) -> UnequalObject | None:
    """Return the first object in which two files differ, or None where there is none."""
    ours, theirs = objects_of(recorded), objects_of(rebuilt)
    with closing(duckdb.connect()) as parser:
        for what in sorted({*ours, *theirs}):
            one, other = ours.get(what), theirs.get(what)
            if one != other and _parsed(one, parser) != _parsed(other, parser):
                return UnequalObject(what, recorded=one, rebuilt=other)
    return None


def _parsed(definition: str | None, parser: duckdb.DuckDBPyConnection) -> list[str]:
    """Return the parts of a definition, SQL as its syntax tree.

    Once its file was opened again, DuckDB writes the same view with other parentheses and without
    ``MATERIALIZED``.
    """
    parts = [] if definition is None else definition.split(_BETWEEN)
    return [_tree(part, parser) for part in parts]


def _tree(part: str, parser: duckdb.DuckDBPyConnection) -> str:
    """Return the syntax tree of a query, or ``part`` as it is where it is none."""
    query = _CREATE_VIEW.sub("", part)
    row = parser.execute("SELECT json_serialize_sql($1::VARCHAR)", [query]).fetchone()
    tree = _NO_MEANING.sub("", str(row[0] if row else ""))
    return part if '"error":true' in tree else tree

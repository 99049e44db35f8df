"""Check by DuckDB's own parser that a text is one SELECT over the tables of the index.

The parser that runs a statement also checks it, so the two cannot disagree. What is not recognised
is refused. In addition the connection is locked (``query.sql_search.running``).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import duckdb

from query.sql_search.catalogue import Catalogue
from query.sql_search.errors import UnsafeSqlError

MAX_CHARACTERS: Final = 20_000
"""Characters of the longest SQL that is read."""
_TABLE_FUNCTIONS: Final = frozenset({"unnest", "range", "generate_series", "searched_for"})
_FORBIDDEN: Final = frozenset(
    {"current_setting", "getvariable", "getenv", "nextval", "currval", "write_log", "setseed"}
)
"""Functions that read or change what is not part of the index."""


_SELECTED: Final = re.compile(r"(?:select|with)\s+(?:distinct\s+)?(?:\w+$|.*[*(,_.])", re.DOTALL)
_TABLE: Final = re.compile(
    r"\w+\s*(?:[;),]|$|(?:where|group|order|limit|join|left|inner|as|union)\b)"
)


@dataclass(frozen=True, slots=True)
class Checked:
    """One SELECT that may run, and the tables and views of the index that it reads, sorted."""

    sql: str
    tables: tuple[str, ...]


def is_statement(text: str) -> bool:
    """Return whether ``text`` looks like SQL as it is typed.

    >>> is_statement("SELECT count(*) FROM run"), is_statement("Select the viruses from bats")
    (True, False)
    """
    selected, _, behind = text.lower().partition(" from ")
    return bool(_SELECTED.match(selected.strip()) and _TABLE.match(behind.strip()))


def check_select(con: duckdb.DuckDBPyConnection, sql: str, catalogue: Catalogue) -> Checked:
    """Return ``sql`` with the tables it reads.

    Raises:
        UnsafeSqlError: it is not exactly one SELECT, or it reads more than tables of the index.
    """
    text = sql.strip().rstrip(";").rstrip()
    if len(text) > MAX_CHARACTERS:
        raise UnsafeSqlError(f"it has {len(text):,} characters; at most {MAX_CHARACTERS:,} are run")
    statements = parsed(con, text)
    if len(statements) != 1:
        raise UnsafeSqlError(f"it holds {len(statements)} statements; exactly one SELECT is run")
    nodes = list(nodes_in(statements[0]))
    named: set[str] = set()
    for node in nodes:
        named.update(_named_queries(node))
    read = set()
    for node in nodes:
        kind = node.get("type")
        if kind == "SHOW_REF":
            raise UnsafeSqlError("SHOW, DESCRIBE and SUMMARIZE are not run, only SELECT")
        if kind == "TABLE_FUNCTION":
            _check_table_function(node)
        if kind == "BASE_TABLE":
            read.add(_table_read(node, named, catalogue))
        if str(node.get("function_name", "")).lower() in _FORBIDDEN:
            raise UnsafeSqlError(f"the function {node['function_name']} is not allowed")
    return Checked(text, tuple(sorted(read - named)))


def parsed(con: duckdb.DuckDBPyConnection, text: str) -> list[dict[str, Any]]:
    """Return the parse tree of each statement of ``text``; only a SELECT has one."""
    try:
        ((tree,),) = con.execute("SELECT json_serialize_sql($1::VARCHAR)", [text]).fetchall()
        record = json.loads(tree)
    except (duckdb.Error, RecursionError) as error:
        raise UnsafeSqlError("it is nested too deeply to be checked") from error
    if record["error"]:
        first = str(record["error_message"]).splitlines()[0]
        raise UnsafeSqlError(f"it is not a readable SELECT: {first}")
    statements: list[dict[str, Any]] = record["statements"]
    return statements


def nodes_in(tree: object) -> Iterator[dict[str, Any]]:
    """Yield every object of a parse tree."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            yield node
            waiting += node.values()
        elif isinstance(node, list):
            waiting += node


def _named_queries(node: Mapping[str, Any]) -> list[str]:
    """Return the names of the WITH queries of ``node``, in lower case."""
    queries = (node.get("cte_map") or {}).get("map", [])
    return [query["key"].lower() for query in queries]


def _check_table_function(node: Mapping[str, Any]) -> None:
    name = str(node["function"].get("function_name", ""))
    if name.lower() not in _TABLE_FUNCTIONS:
        raise UnsafeSqlError(f"the table function {name} is not allowed: name a table of the index")


def _table_read(node: Mapping[str, Any], named: set[str], catalogue: Catalogue) -> str:
    """Return the table that ``node`` reads: of the index, or a WITH query."""
    name = str(node["table_name"]).lower()
    elsewhere = node["catalog_name"] or node["schema_name"] not in ("", "main")
    if elsewhere or (name not in named and name not in catalogue.tables):
        near = ", ".join(sorted(catalogue.tables)[:8])
        raise UnsafeSqlError(f"{node['table_name']} is not a table of the index ({near}, …)")
    return name

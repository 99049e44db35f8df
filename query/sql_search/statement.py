"""The text of a statement: its WITH queries, the names of these, joins and limits."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from query.global_search.carrying import OF_SOURCES, of_source
from query.reading.question import WITHOUT


@dataclass(frozen=True, slots=True)
class SqlStatement:
    """The WITH part of a statement: (name, what it is, SELECT) of each, in order."""

    parts: tuple[tuple[str, str, str], ...] = ()

    def also(self, name: str, what: str, select: str) -> SqlStatement:
        """Return the statement with one query more."""
        part = (name, what, select)
        return SqlStatement((*self.parts, part))

    def ending(self, final: str) -> str:
        """Return the statement that ends with the SELECT ``final``."""
        if not self.parts:
            return final
        queries = {}
        for name, what, select in self.parts:
            comment = _one_line(what)
            queries[f"-- {comment}\n{name}"] = select
        written = with_queries(queries)
        return f"{written}\n{final}"


def with_queries(queries: Mapping[str, str]) -> str:
    """Return the WITH part of a statement: each name of ``queries`` with its SELECT."""
    written = []
    for name, select in queries.items():
        indented = _indented(select)
        written.append(f"{name} AS (\n{indented}\n)")
    listed = ",\n".join(written)
    return f"WITH\n{listed}"


def of_one_source(sql: str, source: str) -> str:
    """Return ``sql`` over what ``source`` searched and found: queries before its own take the names
    of the tables.
    """
    kept = {f"-- what {source} says\n{table}": of_source(table, source) for table in OF_SOURCES}
    written = with_queries(kept)
    own = sql.removeprefix("WITH\n")
    return f"{written},\n{own}" if own != sql else f"{written}\n{sql}"


def semi_joined(table: str, names: Sequence[str]) -> str:
    """Return the SELECT of the runs of ``table`` that are in each of the queries ``names``."""
    lines = [f"SELECT run FROM {table}"]
    lines += [f"SEMI JOIN {name} USING (run)" for name in names]
    return "\n".join(lines)


def query_name(key: str) -> str:
    """Return the name of the query of a group.

    >>> query_name("virus"), query_name("without tissue"), query_name("virus: Coronaviridae")
    ('virus_runs', 'without_tissue_runs', 'virus_coronaviridae_runs')
    """
    text = key.replace(WITHOUT, "without ")
    return f"{_snake_case(text)}_runs"


def identifier(text: str, otherwise: str) -> str:
    """Return ``text`` as the beginning of the name of a column, ``otherwise`` where it cannot be.

    >>> identifier("Homo sapiens", "left"), identifier("5'", "left")
    ('homo_sapiens', 'left')
    """
    name = _snake_case(text)
    first = name[:1]
    return name if first.isalpha() else otherwise


def limited_to(limit: int | None) -> str:
    """Return the LIMIT of a statement, empty where there is none."""
    if not limit:
        return ""
    return f"\nLIMIT {limit}"


def _snake_case(text: str) -> str:
    words = re.findall(r"[a-z0-9]+", text.lower())
    return "_".join(words)


def _one_line(text: str) -> str:
    printable = [one if one.isprintable() else " " for one in text]
    words = "".join(printable).split()
    return " ".join(words)


def _indented(select: str) -> str:
    lines = select.strip().splitlines()
    indented = [f"    {line}" for line in lines]
    return "\n".join(indented)

"""Associations of a virus family with metadata, as the index stores them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from difflib import get_close_matches
from typing import Any, Final

import duckdb
import polars as pl

from query.answer import Association, Combined
from query.compiler import run
from query.compiler.recording import tests_with_effects
from query.compiler.result import Cell
from query.errors import UnknownFamilyError
from query.request import Records, Request, Where
from query.request.measures import MOST_ROWS
from query.request.records import TABLES


@dataclass(frozen=True, slots=True)
class CombinedEffect:
    """The effect of one ontology term over projects."""

    attribute: str
    value: str
    curie: str
    combined: Combined


@dataclass(frozen=True, slots=True)
class ListedAssociation(Association):
    """An association with the value that it was tested ``against``.

    That is None if the attribute has more than two values. With two, the test is the same from
    either side, with the opposite sign; it is listed and counted once.
    """

    against: str | None = None


@dataclass(frozen=True, slots=True)
class Associations:
    """Associations found, strongest first, and their combined effects over projects.

    The totals count all there are and those that are significant.
    """

    shown: tuple[ListedAssociation, ...]
    total: int
    significant: int
    combined: tuple[CombinedEffect, ...]
    combined_total: int
    combined_significant: int


_COLUMNS: Final = tuple(
    name.name for name in fields(ListedAssociation) if name.name not in ("communities", "combined")
)
_EFFECT: Final = ("family", "attribute", "curie")
"""What an effect over projects is of."""
_NEAREST: Final = 5


def find_associations(
    con: duckdb.DuckDBPyConnection,
    family: str,
    *,
    term: str | None = None,
    bioproject: str | None = None,
    limit: int = 50,
) -> Associations:
    """Return the associations of ``family``: significant first, unflagged first, then by q-value.

    ``term`` keeps those whose attribute or value is the term or contains it as a word, whose
    attribute describes the facet of that name (``tissue``), or whose value is grounded to the term
    or below it (``gastrointestinal tract`` finds colon). ``limit`` applies to the rows of projects
    and to the combined effects separately.

    Raises ``UnknownFamilyError`` if no association is of the family.
    """
    _check_family(con, family)
    tests = _records(con, "tests", (*_COLUMNS, "curie"), _where(family, term, bioproject))
    effects = _records(con, "effects", (), _where(family, term))
    if bioproject is not None:
        tested = set(map(_key, tests))
        effects = [row for row in effects if _key(row) in tested]
    over_projects = {_key(row): _combined(row) for row in _records(
        con, "effects", (), _where(family, None))}  # fmt: skip
    listed = [
        ListedAssociation(
            **{name: row[name] for name in _COLUMNS}, combined=over_projects.get(_key(row))
        )
        for row in tests
    ]
    combined = [
        CombinedEffect(row["attribute"], row["value"], row["curie"], _combined(row))
        for row in effects
    ]
    return Associations(
        shown=tuple(listed[:limit]),
        total=len(listed),
        significant=sum(test.significant for test in listed),
        combined=tuple(combined[:limit]),
        combined_total=len(combined),
        combined_significant=sum(effect.combined.significant for effect in combined),
    )


def associations_table(
    con: duckdb.DuckDBPyConnection,
    family: str,
    *,
    term: str | None = None,
    bioproject: str | None = None,
) -> pl.DataFrame:
    """Return all associations of ``family`` with every column of the index.

    A test of one value against another has a row for each of the two. The columns ``m_*`` are those
    of their combined effect.

    Raises ``UnknownFamilyError`` where no association names the family.
    """
    _check_family(con, family)
    return tests_with_effects(con, _where(family, term, bioproject))


def _where(family: str, term: str | None, bioproject: str | None = None) -> tuple[Where, ...]:
    """Return the conditions on stored tests or effects."""
    filters = {"family": family, "term": term, "bioproject": bioproject}
    return tuple(Where(column, (value,)) for column, value in filters.items() if value is not None)


def _records(
    con: duckdb.DuckDBPyConnection, table: str, columns: tuple[str, ...], where: tuple[Where, ...]
) -> list[dict[str, Any]]:
    """Return the stored rows of ``table``, with every column if none is named."""
    wanted = columns or TABLES[table].columns
    measure = Records(table, where, columns=wanted, limit=MOST_ROWS)
    return run(con, Request(measure)).records()


def _key(row: Mapping[str, Cell]) -> tuple[Cell, ...]:
    return tuple(row[name] for name in _EFFECT)


def _combined(row: Mapping[str, Any]) -> Combined:
    return Combined(**{name.name: row[name.name] for name in fields(Combined)})


def _check_family(con: duckdb.DuckDBPyConnection, family: str) -> None:
    tested = run(con, Request(Records("tests", by=("family",), limit=MOST_ROWS))).rows
    families = {str(name).lower(): str(name) for name, _ in tested}
    if family.lower() not in families:
        near = get_close_matches(family.lower(), families, n=_NEAREST, cutoff=0)
        raise UnknownFamilyError(family, nearest=[families[name] for name in near])

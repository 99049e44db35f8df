"""Read once what is the same for every question to an index: its communities, its values.

A published index does not change, so the next question need not read it again. The file of an index
and the hash of its content identify it. An index without such a hash, or one that is open for
writing, is read anew each time.
"""

from __future__ import annotations

import functools
import threading
import weakref
from collections.abc import Callable
from typing import Concatenate, Final, ParamSpec, TypeVar

import duckdb

_MOST_INDEXES: Final = 4
"""Most indexes that a process remembers; further ones are read anew."""

_MOST_KEPT: Final = 5_000
"""Most results of a function that are remembered of an index; then it starts anew."""

Asked = ParamSpec("Asked")
Made = TypeVar("Made")
Identity = tuple[str, str]
"""File of an index and the hash of its content."""

_identities: weakref.WeakKeyDictionary[duckdb.DuckDBPyConnection, Identity | None]
_identities = weakref.WeakKeyDictionary()


def same_for_all(
    make: Callable[[duckdb.DuckDBPyConnection], Made],
) -> Callable[[duckdb.DuckDBPyConnection], Made]:
    """Return ``make`` as a function that reads each published index once and stores the result.

    Callers must not change the result.
    """
    kept: dict[Identity, Made] = {}
    lock = threading.Lock()

    @functools.wraps(make)
    def made_once(con: duckdb.DuckDBPyConnection) -> Made:
        identity = identity_of(con)
        if identity is None:
            return make(con)
        with lock:
            if identity not in kept:
                while len(kept) >= _MOST_INDEXES:
                    del kept[next(iter(kept))]
                kept[identity] = make(con)
            return kept[identity]

    return made_once


def same_for_each(
    make: Callable[Concatenate[duckdb.DuckDBPyConnection, Asked], Made],
) -> Callable[Concatenate[duckdb.DuckDBPyConnection, Asked], Made]:
    """Return ``make`` as a function that reads each published index once for the same arguments.

    Arguments are hashable; callers must not change the result.
    """

    @same_for_all
    def kept_of(con: duckdb.DuckDBPyConnection) -> dict[object, Made]:  # noqa: ARG001
        return {}

    @functools.wraps(make)
    def made_once(
        con: duckdb.DuckDBPyConnection, /, *args: Asked.args, **named: Asked.kwargs
    ) -> Made:
        kept = kept_of(con)
        key = (args, *named.items())
        if key not in kept:
            if len(kept) >= _MOST_KEPT:
                kept.clear()
            kept[key] = make(con, *args, **named)
        return kept[key]

    return made_once


def identity_of(con: duckdb.DuckDBPyConnection) -> Identity | None:
    """Return the identity of the index that ``con`` reads, None where it may still change."""
    if con not in _identities:
        _identities[con] = _read_identity(con)
    return _identities[con]


def _read_identity(con: duckdb.DuckDBPyConnection) -> Identity | None:
    try:
        found = con.execute(_IDENTITY).fetchall()
    except duckdb.CatalogException:
        return None
    for path, content in found:
        return str(path), str(content)
    return None


_IDENTITY: Final = """
SELECT d.path, b.value FROM duckdb_databases() d, build b
WHERE d.database_name = current_database() AND d.readonly AND b.key = 'content_hash'
"""

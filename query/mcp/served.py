"""The index that the tools read: opened for each call, behind the gate, with errors that name the
next call.

A newly published index is used from the next call on.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

import duckdb
from mcp.server.mcpserver.exceptions import ToolError

from index.store.published import read_published
from index.store.same_for_all import Identity, identity_of
from ontology_etl.errors import ViromeError
from query.compiler import UnknownNameError
from query.errors import (
    NoEvidenceError,
    UnknownCommunityError,
    UnknownFamilyError,
    UnreportedCommunityError,
)
from query.gate import Gate
from query.request import RequestError
from query.sql_search.errors import SqlFailedError, SqlLimitError, UnsafeSqlError
from query.withholding import NOTE, Unseen, Withholding, read_unseen
from query.words import accession_kind

Record = dict[str, Any]


@dataclass(frozen=True)
class Opened:
    """An index during one call: a connection, and what is withheld of the result."""

    con: duckdb.DuckDBPyConnection
    db: Path
    gate: Gate
    withholding: Withholding
    stamp: str
    """Changes when another index is published."""

    @property
    def unseen(self) -> Unseen:
        """What the client may not see."""
        return self.withholding.unseen


@dataclass
class Served:
    """One index file behind one gate; names that may not be seen are read once for each build."""

    db: Path
    gate: Gate
    _unseen: tuple[Identity | None, Unseen] | None = None
    """The build that names were read from, and these."""
    _lock: Lock = field(default_factory=Lock)

    @contextmanager
    def opened(self) -> Iterator[Opened]:
        """Yield the index. An error of the product becomes one of the protocol."""
        try:
            with read_published(self.db) as con:
                opened = self._opened(con)
                try:
                    yield opened
                except ViromeError as error:
                    raise ToolError(opened.withholding.text(_said(error))) from error
        except ViromeError as error:
            raise ToolError(_said(error)) from error

    def _opened(self, con: duckdb.DuckDBPyConnection) -> Opened:
        build = identity_of(con)
        with self._lock:  # calls that come at once read the names of a new build once
            if self._unseen is None or self._unseen[0] != build or build is None:
                self._unseen = build, read_unseen(con, self.gate)
            _, unseen = self._unseen
        stamp = "" if build is None else build[1]
        return Opened(con, self.db, self.gate, Withholding(unseen), stamp)


def as_text(record: Record) -> str:
    """Return ``record`` as JSON on one line, without what is empty; a table without rows stays."""
    shown = {
        key: value
        for key, value in record.items()
        if value not in (None, "", [], {}, ()) or (key == "rows" and record.get("columns"))
    }
    return json.dumps(shown, ensure_ascii=False, default=str, separators=(", ", ": "))


def withheld(group: str, *, why: str = "") -> Record:
    """Return what is said instead of a result about an agent of ``group``."""
    return {"withheld": {group: 1}, "note": f"{NOTE}{why} (docs/biosafety.md)"}


def _said(error: ViromeError) -> str:
    return f"{error.message.rstrip('.')}. {_next_call(error)}"


def _next_call(error: ViromeError) -> str:
    """Return the call to make instead: a client cannot run the commands that remedies name."""
    match error:
        case UnknownNameError() if error.nearest:
            return f"Did you mean {', '.join(error.nearest)}? Else call resolve"
        case UnknownNameError() if accession_kind(error.name):
            return "The index does not hold it; search finds studies by what their texts say"
        case UnknownNameError():
            return f"Call resolve with names [{json.dumps(error.name, ensure_ascii=False)}]"
        case RequestError():
            return 'Call explain with topic "request" for the whole schema and examples'
        case UnsafeSqlError() | SqlFailedError():
            return "Call sql without arguments for the tables, with tables for their columns"
        case UnknownCommunityError() | UnreportedCommunityError():
            return "Call communities for those there are, or resolve for names"
        case NoEvidenceError():
            return "Try other words, or call query: its names need no text"
        case UnknownFamilyError():
            return f"{error.remedy}. Call associations without family for all"
        case SqlLimitError():
            return "Count or limit in SQL, or use query"
    return error.remedy

"""A checked SELECT, run in a separate process within limits of rows, seconds and memory.

DuckDB stops a query between steps, not inside one: a function that fills memory would go on for a
minute. So the query runs in a process that is killed when its time is over, and that gets no more
memory from the kernel than the limit. The process opens the index read-only and locked: no other
file, no extension, no setting.
"""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

import duckdb

from query.sql_search.errors import SqlFailedError, SqlLimitError

_GRACE_S: Final = 2.0
"""What the process may take beyond the time of its query: to start, and to be stopped by itself."""


@dataclass(frozen=True, slots=True)
class SqlLimits:
    """What one query may use."""

    max_rows: int = 10_000
    timeout_s: float = 20.0
    memory_mb: int = 2_048


DEFAULT_LIMITS: Final = SqlLimits()


@dataclass(frozen=True, slots=True)
class Selected:
    """Rows of a SELECT in order; ``complete`` is False where there are more than the limit."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    complete: bool
    seconds: float


def run_apart(db: Path, sql: str, *, limits: SqlLimits = DEFAULT_LIMITS) -> Selected:
    """Return the rows of ``sql``, which was checked, over the index at ``db``.

    Raises:
        SqlFailedError: DuckDB cannot plan it or fails while it runs.
        SqlLimitError: it takes more time or memory than ``limits``.
    """
    request = json.dumps({"db": str(db), "sql": sql, "limits": asdict(limits)})
    command = [sys.executable, "-m", "query.sql_search.worker"]
    try:
        done = subprocess.run(
            command,
            input=request.encode(),
            capture_output=True,
            timeout=limits.timeout_s + _GRACE_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise _over_time(limits) from error
    if done.returncode != 0:
        raise _died(done, limits)
    outcome: Selected | SqlFailedError | SqlLimitError = pickle.loads(done.stdout)
    if isinstance(outcome, Selected):
        return outcome
    raise outcome


def run_select(
    con: duckdb.DuckDBPyConnection, sql: str, *, limits: SqlLimits = DEFAULT_LIMITS
) -> Selected:
    """Return the rows of ``sql`` on ``con``: planned first, then run, interrupted at its time.

    Raises as ``run_apart``; memory is limited where the process is.
    """
    started = time.perf_counter()
    try:
        with _interrupted_after(con, limits.timeout_s):
            con.execute(f"EXPLAIN {sql}").fetchall()
            con.execute(sql)
            described = con.description or []
            rows = con.fetchmany(limits.max_rows + 1)
    except duckdb.InterruptException as error:
        raise _over_time(limits) from error
    except (duckdb.OutOfMemoryException, MemoryError) as error:
        raise _over_memory(limits) from error
    except duckdb.Error as error:
        raise SqlFailedError(_reason(error)) from error
    kinds = "".join(str(column[1]) for column in described).upper()
    has_bytes = "BLOB" in kinds or "BINARY" in kinds
    shown = rows[: limits.max_rows]
    return Selected(
        columns=tuple(str(column[0]) for column in described),
        rows=tuple(map(_as_text, shown) if has_bytes else shown),
        complete=len(rows) <= limits.max_rows,
        seconds=round(time.perf_counter() - started, 3),
    )


def _as_text(value: Any) -> Any:
    """Return ``value`` with bytes in it as DuckDB writes them.

    >>> _as_text((b"a\\xff", [b"b"], {"c": 1}))
    ('a\\\\xFF', ['b'], {'c': 1})
    """
    if isinstance(value, bytes):
        return "".join(
            chr(element) if 31 < element < 127 else f"\\x{element:02X}" for element in value
        )
    if isinstance(value, tuple | list):
        return type(value)(_as_text(element) for element in value)
    if isinstance(value, dict):
        return {_as_text(key): _as_text(element) for key, element in value.items()}
    return value


@contextmanager
def _interrupted_after(con: duckdb.DuckDBPyConnection, seconds: float) -> Iterator[None]:
    timer = threading.Timer(seconds, con.interrupt)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


_NO_MEMORY: Final = ("MemoryError", "bad_alloc", "Cannot allocate")
"""What a process that is out of memory says."""


def _died(
    done: subprocess.CompletedProcess[bytes], limits: SqlLimits
) -> SqlFailedError | SqlLimitError:
    """Return why the process ended without an outcome: killed or out of memory, else its error."""
    said = done.stderr.decode(errors="replace").strip()
    if done.returncode < 0 or any(word in said for word in _NO_MEMORY):
        return _over_memory(limits)
    return SqlFailedError(said.splitlines()[-1] if said else f"exit code {done.returncode}")


def _over_time(limits: SqlLimits) -> SqlLimitError:
    return SqlLimitError(f"{limits.timeout_s:g} seconds")


def _over_memory(limits: SqlLimits) -> SqlLimitError:
    return SqlLimitError(f"{limits.memory_mb:,} MB of memory")


def _reason(error: duckdb.Error) -> str:
    """Return DuckDB's error message without the excerpt of the statement."""
    return " ".join(str(error).partition("\n\nLINE ")[0].split())

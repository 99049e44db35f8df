"""The process that runs one SELECT: a request as JSON in, the rows or the error out, pickled.

``python -m query.sql_search.worker`` is started by ``query.sql_search.running`` and by nobody else.
"""

from __future__ import annotations

import json
import pickle
import resource
import sys
from typing import Final

import duckdb

from index.store.read import LOCKED, first_line
from query.sql_search.errors import SqlFailedError, SqlLimitError
from query.sql_search.running import Selected, SqlLimits, run_select

_MB: Final = 1024 * 1024
_PROGRAM_MB: Final = 512
"""Memory of the program itself, in addition to that of its query."""


def main() -> None:
    """Read a request from standard input, and write its outcome to standard output."""
    request = json.load(sys.stdin)
    outcome = _outcome(request["db"], request["sql"], SqlLimits(**request["limits"]))
    sys.stdout.buffer.write(pickle.dumps(outcome))


def _outcome(db: str, sql: str, limits: SqlLimits) -> Selected | SqlFailedError | SqlLimitError:
    _limit_memory(limits.memory_mb + _PROGRAM_MB)
    settings = {**LOCKED, "memory_limit": f"{limits.memory_mb}MB", "max_temp_directory_size": "0KB"}
    try:
        with duckdb.connect(db, read_only=True, config=settings) as con:
            return run_select(con, sql, limits=limits)
    except (SqlLimitError, SqlFailedError) as error:
        return error
    except duckdb.Error as error:
        return SqlFailedError(first_line(error))


def _limit_memory(megabytes: int) -> None:
    """Let the kernel refuse this process more memory than ``megabytes``."""
    most = megabytes * _MB
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))


if __name__ == "__main__":
    main()

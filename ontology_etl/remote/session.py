"""Read-only sessions of a PostgreSQL server, and what its errors mean."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from ontology_etl.addresses import shown
from ontology_etl.errors import DownloadError
from ontology_etl.releases.transfer import BrokenOffError
from ontology_etl.remote.objects import INSTALL

if TYPE_CHECKING:
    import pyarrow as pa

_CONNECT_S: Final = 10
_READ_ONLY: Final = (
    "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"
)
_STATE: Final = """
SELECT current_setting('transaction_read_only'), pg_current_snapshot()::text,
       current_setting('server_version')
"""
_PASSING: Final = ("08", "40", "53", "57")
"""Classes of SQLSTATE of temporary errors: connection, conflict, resources, operator."""
_BUSY: Final = (
    "starting up",
    "shutting down",
    "too many",
    "connection slots",
    "recovery mode",
    "terminating connection",
)
"""Messages of a server that refuses only for the moment; other fatal errors are permanent."""
REACHABLE: Final = "start the server, or correct host and port: in the path, or PGHOST and PGPORT"
READABLE: Final = "correct table or query; the role must be allowed to SELECT it"


@contextmanager
def read_only(url: str) -> Iterator[Any]:
    """Yield a cursor of a read-only session; its errors are those of ``copy_tables``."""
    try:
        import adbc_driver_manager
        import adbc_driver_postgresql.dbapi as postgresql
    except ImportError as error:
        reason = "postgresql:// needs adbc-driver-postgresql"
        raise DownloadError(shown(url), reason, remedy=INSTALL) from error
    try:
        with postgresql.connect(_with_timeout(url)) as session, session.cursor() as cursor:
            cursor.execute(_READ_ONLY)
            session.commit()
            yield cursor
    except adbc_driver_manager.Error as error:
        raise _judged(error, url) from error


def state_of(cursor: Any, url: str) -> str:
    """Return the name of the state that the transaction sees. Raises if it could write."""
    cursor.execute(_STATE)
    ((read_only, snapshot, version),) = cursor.fetchall()
    if read_only != "on":
        remedy = "connect to the server itself, not through a pool that changes sessions"
        raise DownloadError(shown(url), "the session is not read-only", remedy=remedy)
    return f"PostgreSQL {version}, snapshot {snapshot}"


def batches_of(reader: Any, url: str) -> Iterator[pa.RecordBatch]:
    """Yield the batches of ``reader``; an interrupted connection is an error that may pass."""
    import pyarrow as pa

    try:
        yield from reader
    except OSError as error:
        raise BrokenOffError(_one_line(error)) from error
    except pa.ArrowException as error:
        raise DownloadError(shown(url), _one_line(error), remedy=READABLE) from error


def _judged(error: Any, url: str) -> Exception:
    """Return our error for a driver's error: a temporary or a permanent one."""
    reason = _one_line(error)
    state = error.sqlstate or ""
    is_busy = any(words in reason for words in _BUSY)
    if state[:2] in _PASSING or (not state and ("FATAL" not in reason or is_busy)):
        return BrokenOffError(reason)
    remedy = "name a role that may log in: postgresql://USER@HOST/DB, PGPASSWORD or ~/.pgpass"
    return DownloadError(shown(url), reason, remedy=READABLE if state else remedy)


def _one_line(error: Exception) -> str:
    return " ".join(str(error).removeprefix("IO: ").split())


def _with_timeout(url: str) -> str:
    """Return ``url`` with a limit on the seconds of connecting, unless it has one.

    >>> _with_timeout("postgresql://db/logan?sslmode=require")
    'postgresql://db/logan?sslmode=require&connect_timeout=10'
    """
    if "connect_timeout=" in url:
        return url
    joined = "&" if "?" in url else "?"
    return f"{url}{joined}connect_timeout={_CONNECT_S}"

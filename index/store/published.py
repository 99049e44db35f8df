"""The published index of a server: open between calls, and read anew once a build is published.

DuckDB opens a path once in a process: while a connection to it is open, further ones read the same
file, even if a build was moved over it since. In a server whose calls overlap, no call would ever
see the new build, so each build is opened under a name of its own.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from threading import Lock
from typing import Final

import duckdb

from index.errors import IndexDamagedError, IndexMissingError, IndexVersionError
from index.store.read import open_index

Stamp = tuple[int, int, int, int]
"""Device, inode, time of the last change and size: differ for each published build."""

_MEMORY: Final = "50%"
"""Of this machine's memory at most, as an open index holds what was read from it."""
_MOST_OPEN: Final = 4


@dataclass(frozen=True)
class _OpenBuild:
    stamp: Stamp | None
    connection: duckdb.DuckDBPyConnection


_builds: dict[Path, _OpenBuild] = {}
_number = count()
_lock = Lock()


@contextmanager
def read_published(path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a connection to the build that is published at ``path`` when the call begins.

    Raises as ``open_index`` does.
    """
    with _lock:
        connection = _connected(path.absolute())
    try:
        yield connection
    finally:
        connection.close()


def _connected(path: Path) -> duckdb.DuckDBPyConnection:
    """Return a connection of its own to the newest build; an older one is closed by its readers."""
    build = _builds.get(path)
    if build is None or build.stamp != _stamp(path):
        _builds.pop(path, None)
        opened = _open_apart(path)
        if opened is None:
            return open_index(path)
        while len(_builds) >= _MOST_OPEN:
            del _builds[next(iter(_builds))]
        build = _builds[path] = opened
    return build.connection.cursor()


def _open_apart(path: Path) -> _OpenBuild | None:
    """Return the build at ``path``, opened under a second name that is gone afterwards.

    None if the folder takes no second name, or if there is no index.
    """
    real = path.resolve()
    own = real.with_name(f".{real.name}.{os.getpid()}.{next(_number)}")
    try:
        os.link(real, own)
        return _OpenBuild(_stamp(own), open_index(own, memory_limit=_MEMORY))
    except (OSError, IndexMissingError, IndexVersionError, IndexDamagedError):
        return None
    finally:
        with suppress(OSError):
            own.unlink(missing_ok=True)


def _stamp(path: Path) -> Stamp | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino, status.st_mtime_ns, status.st_size

"""Where an index may be published: at its own path, and never over another kind of file.

Links are followed, so that a link stays a link and two names of one file share an index and a lock.
An existing file must be an index of this program; a damaged one is recognised by the lock file that
its build left next to it.
"""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Final

import duckdb

from index.errors import DiskFullError, IndexBusyError, IndexDamagedError, IndexTargetError
from index.store.private import private_file
from index.store.read import beside, open_locked

_NOTED_SQL: Final = "SELECT count(*) FROM build WHERE key = 'version.contract'"
_WRITABLE: Final = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


def check_target(path: Path) -> Path:
    """Return the file that ``path`` means, where an index can be published there.

    Its folder is made. Raises ``IndexTargetError`` where something else is there, or where it
    cannot be written.
    """
    try:
        real = path.resolve()
        _check_kind(real, shown=path)
        real.parent.mkdir(parents=True, exist_ok=True)
    except (OSError, RuntimeError, ValueError) as error:
        raise IndexTargetError(path, reason=f"cannot be written ({error})") from error
    if not os.access(real.parent, os.W_OK):
        raise IndexTargetError(path, reason="its folder cannot be written to")
    if real.exists() and not _is_ours(real):
        raise IndexTargetError(path, reason="a file that is not an index of this program")
    return real


def lock_path(path: Path) -> Path:
    """Return the file that a build of the index at ``path`` holds locked."""
    return beside(path, "lock")


@contextmanager
def sole_builder(path: Path) -> Iterator[None]:
    """Hold the build lock of ``path``; the kernel releases it however the process ends.

    The published file is locked, too, so that hard links to it count as one index. Raises
    ``IndexBusyError`` while another process builds it, ``IndexTargetError`` where there can be no
    lock.
    """
    with ExitStack() as stack:
        lock = _opened(path, stack)
        _lock(lock, path=path, holder=lock)
        if path.exists():
            published = stack.enter_context(path.open("rb"))
            _lock(published, path=path, holder=lock)
        _name_builder(lock, path=path)
        yield


def _name_builder(lock: IO[str], *, path: Path) -> None:
    """Write the number of this process into ``lock``, for those who find it locked."""
    try:
        os.ftruncate(lock.fileno(), 0)
        os.write(lock.fileno(), str(os.getpid()).encode())
    except OSError as error:
        raise DiskFullError(path, reason=str(error.strerror)) from error


def _opened(path: Path, held: ExitStack) -> IO[str]:
    """Return the lock file of ``path``, open until ``held`` closes."""
    try:
        lock = private_file(lock_path(path))
        return held.enter_context(lock.open("a+", encoding="utf-8"))
    except OSError as error:
        reason = f"cannot be locked ({error.strerror})"
        raise IndexTargetError(path, reason=reason) from error


def _lock(file: IO[str] | IO[bytes], *, path: Path, holder: IO[str]) -> None:
    """Lock ``file``; ``holder`` says which process has it where it is locked already."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        holder.seek(0)
        digits = holder.read().strip()
        pid = int(digits) if digits.isdecimal() else 0
        raise IndexBusyError(path, pid=pid) from error


def _check_kind(real: Path, *, shown: Path) -> None:
    """Raise ``IndexTargetError`` where ``real`` is not a plain file, or read-only."""
    if not real.exists():
        return
    mode = real.stat().st_mode
    if stat.S_ISDIR(mode):
        raise IndexTargetError(shown, reason="a folder")
    if not stat.S_ISREG(mode):
        raise IndexTargetError(shown, reason="not a plain file")
    if not mode & _WRITABLE or not os.access(real, os.W_OK):
        raise IndexTargetError(shown, reason="a file that is kept read-only")


def _is_ours(real: Path) -> bool:
    """Return whether what is at ``real`` may be replaced: an index, a damaged one, or nothing."""
    if real.stat().st_size == 0:
        return True
    try:
        connection = open_locked(real)
    except IndexDamagedError:
        return lock_path(real).is_file()
    with connection:
        try:
            ((notes,),) = connection.execute(_NOTED_SQL).fetchall()
        except duckdb.CatalogException:
            return False
        except duckdb.Error:
            return lock_path(real).is_file()
    return bool(notes)

"""Private files next to an index: questions, paid answers, results of stages.

The index itself is published with the owner's umask, as others may be allowed to read it.
"""

from __future__ import annotations

import fcntl
import os
import stat
from pathlib import Path
from typing import BinaryIO, Final

PRIVATE_FILE: Final = 0o600
PRIVATE_FOLDER: Final = 0o700
_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


def private_file(path: Path) -> Path:
    """Return ``path``, a file that only its owner may read; create it if there is none.

    Raises ``OSError`` where it cannot be made.
    """
    os.close(os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, PRIVATE_FILE))
    _close_to_others(path, PRIVATE_FILE)
    return path


def private_folder(path: Path) -> Path:
    """Return ``path``, a folder that only its owner may enter; create it and its parents if needed.

    Raises ``OSError`` where it cannot be made.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    path.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)
    _close_to_others(path, PRIVATE_FOLDER)
    return path


def append_line(path: Path, line: str) -> None:
    """Add ``line`` to a private file, under a lock; finish a line that was cut short before.

    Raises ``OSError`` where it cannot be written.
    """
    with private_file(path).open("a+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        is_cut = file.seek(0, os.SEEK_END) > 0 and _last_byte(file) != b"\n"
        before = "\n" if is_cut else ""
        file.write(f"{before}{line}\n".encode())


def _last_byte(file: BinaryIO) -> bytes:
    file.seek(-1, os.SEEK_END)
    return file.read(1)


def _close_to_others(path: Path, mode: int) -> None:
    """Remove the access that an earlier version left to others, except on files of other owners."""
    found = path.stat()
    if found.st_mode & _OTHERS and found.st_uid == os.geteuid():
        path.chmod(mode)

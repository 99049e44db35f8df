"""Files that appear whole or not at all: written under another name, then moved into place."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

_LONGEST_NAME: Final = 200
"""Characters of a name that leave room for an ending."""


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """Yield a file next to ``path`` to write to; it replaces ``path`` when the block ends.

    If the block fails, as on a full disk, ``path`` keeps its content. Links are followed; a pipe
    or a device is written to as it is. Raises ``OSError`` where the file cannot be moved.
    """
    target = path.resolve()
    if target.exists() and not target.is_file():
        yield target
        return
    writer = f"{os.getpid()}-{threading.get_ident()}"
    working = target.with_name(f".{target.name[:_LONGEST_NAME]}.{writer}.unfinished")
    try:
        yield working
        if target.exists():
            working.chmod(target.stat().st_mode)
        os.replace(working, target)
    finally:
        working.unlink(missing_ok=True)


def write_whole(path: Path, text: str) -> None:
    """Write ``text`` to ``path``, whole or not at all. Raises ``OSError``."""
    with whole_file(path) as working:
        working.write_text(text, encoding="utf-8")

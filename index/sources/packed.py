"""Files as bytes, plain or gzip: opened, copied in part, and their defects as clear errors."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import BinaryIO, cast

from ontology_etl.errors import (
    EncodingError,
    MalformedRowError,
    MissingFileError,
    TruncatedFileError,
)


def first_lines(path: Path, target: Path, lines: int) -> tuple[int, bool]:
    """Write the first ``lines`` lines of ``path`` to ``target``, packed alike.

    Return how many lines were written and whether more follow.
    """
    with unpacking(path), open_bytes(path) as stream:
        kept = list(islice(stream, lines))
        following = stream.readline()
    write_bytes(target, b"".join(kept))
    return len(kept), bool(following)


def write_bytes(path: Path, content: bytes) -> None:
    """Write ``content``, packed if the name of ``path`` ends in ``.gz``."""
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)


def raise_encoding_error(path: Path) -> None:
    """Raise ``EncodingError`` at the first line that is not UTF-8; return if there is none."""
    with unpacking(path), open_bytes(path) as stream:
        for number, line in enumerate(
            stream,
            start=1,
        ):
            try:
                line.decode()
            except UnicodeDecodeError as error:
                raise EncodingError(
                    path,
                    row=number,
                    byte=line[error.start],
                ) from error


@contextmanager
def unpacking(path: Path) -> Iterator[None]:
    """Turn what goes wrong while a gzip file is unpacked into the error that names it."""
    try:
        yield
    except (EOFError, zlib.error) as error:
        raise TruncatedFileError(path, str(error)) from error
    except gzip.BadGzipFile as error:
        remedy = "take .gz off its name if it is not packed, or fetch it again"
        raise MalformedRowError(path, f"not a gzip file: {error}", remedy=remedy) from error


def open_bytes(path: Path) -> BinaryIO:
    """Return a byte stream of a file, unpacked if its name ends in ``.gz``. Raises
    ``MissingFileError``.
    """
    if not path.is_file():
        raise MissingFileError(path)
    if path.suffix == ".gz":
        return cast(BinaryIO, gzip.open(path))
    return path.open("rb")

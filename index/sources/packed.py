"""Files as bytes, plain or gzip: opened, copied in part, and their defects as clear errors."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import BinaryIO, Final, cast

from ontology_etl.errors import (
    EncodingError,
    MalformedRowError,
    MissingFileError,
    TooLargeError,
    TruncatedFileError,
)

MOST_UNPACKED: Final = 1_000_000_000
"""Bytes that a packed file may have when unpacked, however small it is packed."""
MOST_RATIO: Final = 200
"""Most times its packed size that a larger file may have; real tables have 5 to 30 times."""
_DEFLATED_MOST: Final = 1_032
"""The best packing ratio of gzip: files that cannot be too large are not checked."""
_CHUNK: Final = 1 << 20


def first_lines(path: Path, target: Path, lines: int) -> tuple[int, bool]:
    """Write the first ``lines`` lines of ``path`` to ``target``, packed alike.

    Return how many lines were written and whether more follow.
    """
    with unpacking(path), open_bytes(path) as stream:
        copied = list(islice(stream, lines))
        following = stream.readline()
    write_bytes(target, b"".join(copied))
    return len(copied), bool(following)


def write_bytes(path: Path, content: bytes) -> None:
    """Write ``content``, packed if the name of ``path`` ends in ``.gz``."""
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)


def raise_encoding_error(path: Path) -> None:
    """Raise ``EncodingError`` at the first line that is not UTF-8; return if there is none."""
    with unpacking(path), open_bytes(path) as stream:
        for number, line in enumerate(stream, start=1):
            try:
                line.decode()
            except UnicodeDecodeError as error:
                raise EncodingError(path, row=number, byte=line[error.start]) from error


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
    """Return a byte stream of a file, unpacked if its name ends in ``.gz``.

    Raises ``MissingFileError``, and ``TooLargeError`` where it unpacks to more than
    ``MOST_UNPACKED`` bytes and ``MOST_RATIO`` times its size. Members of archives are bounded where
    they are read.
    """
    if not path.is_file():
        raise MissingFileError(path)
    if path.suffix == ".gz":
        stated = path.stat()
        if not path.name.endswith(".tar.gz"):
            _check_unpacked(path, stated.st_size, stated.st_mtime_ns)
        return cast(BinaryIO, gzip.open(path))
    return path.open("rb")


@lru_cache(maxsize=256)
def _check_unpacked(path: Path, packed: int, _changed: int) -> None:
    """Raise ``TooLargeError`` where the file unpacks to more than it may; look once at each."""
    if packed * _DEFLATED_MOST <= MOST_UNPACKED:
        return
    most = max(MOST_UNPACKED, packed * MOST_RATIO)
    unpacked = 0
    with unpacking(path), gzip.open(path) as stream:
        while chunk := stream.read(_CHUNK):
            unpacked += len(chunk)
            if unpacked > most:
                raise TooLargeError(path, f"unpacks to more than {most:,} bytes")

"""Results of stages, kept beside the index and found by what they were made of.

The folder ``NAME.results`` holds ``tables/<sha256>.parquet``, every table once under the digest of
its bytes, and ``results/<key>.json``, which lists the tables of one stage in the order in which it
wrote them. Both appear whole or not at all. A table is checked against its digest before it is
used. What was not used for longest is removed first where the folder grows beyond its bound.

A store that cannot be written saves no time and costs no index: it is named once, and the work
goes on without it.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final

import polars as pl
from pydantic import BaseModel, ConfigDict, ValidationError

from index.errors import DamagedResultError

GIGABYTE: Final = 10**9
COMPRESSION_LEVEL: Final = 1
"""Of zstd: 6.7 million rows take 39 MB and two seconds."""


class KeptTable(BaseModel):
    """One table that a stage wrote: its name and the sha256 of its file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    sha256: str
    rows: int


class StageResult(BaseModel):
    """What a stage wrote, in its order."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    stage: str
    tables: tuple[KeptTable, ...]


class ResultStore:
    """The results in ``folder``, at most ``max_bytes`` of them after ``trim``; 0 keeps none."""

    def __init__(self, folder: Path, *, max_bytes: int, say: Callable[[str], None]) -> None:
        self.folder = folder
        self.max_bytes = max_bytes
        self._say = say
        self._usable = max_bytes > 0
        self._broken = False
        self._used: set[str] = set()

    @property
    def is_usable(self) -> bool:
        """Whether results can be kept."""
        return self._usable

    def find(self, key: str) -> StageResult | None:
        """Return the result under ``key``; None where there is none or it cannot be read."""
        if not self._usable:
            return None
        path = self._result_path(key)
        try:
            found = StageResult.model_validate_json(path.read_bytes())
            os.utime(path)
        except FileNotFoundError:
            return None
        except (OSError, ValidationError):
            self._say(f"the kept result {path.name} is damaged: it is made again")
            return None
        self._used.add(key)
        return found

    def add(self, name: str, frame: pl.DataFrame) -> KeptTable | None:
        """Keep ``frame`` under the digest of its bytes; None where nothing can be kept."""
        if not self._usable:
            return None
        writer = f"{os.getpid()}-{threading.get_ident()}"
        working = self.folder / "tables" / f"{writer}.unfinished"
        try:
            working.parent.mkdir(parents=True, exist_ok=True)
            frame.write_parquet(working, compression_level=COMPRESSION_LEVEL)
            digest = _sha256(working)
            os.replace(working, self._table_path(digest))
        except OSError as error:
            self._give_up(error)
            return None
        return KeptTable(name=name, sha256=digest, rows=len(frame))

    def keep(self, key: str, result: StageResult) -> None:
        """Keep ``result`` under ``key``; its tables are there already."""
        if not self._usable:
            return
        path = self._result_path(key)
        working = path.with_suffix(".unfinished")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            working.write_text(result.model_dump_json(), encoding="utf-8")
            os.replace(working, path)
        except OSError as error:
            self._give_up(error)
            return
        self._used.add(key)

    def check(self, result: StageResult) -> None:
        """Return where every table of ``result`` is there and as it was written.

        Raises ``DamagedResultError`` naming the first that is not, and removes it.
        """
        for table in result.tables:
            path = self._table_path(table.sha256)
            if not path.is_file():
                raise DamagedResultError(result.stage, table=table.name, reason="is gone")
            if _sha256(path) != table.sha256:
                path.unlink()
                raise DamagedResultError(result.stage, table=table.name, reason="is damaged")

    def read(self, table: KeptTable) -> pl.DataFrame:
        """Return a table that ``check`` has found whole."""
        return pl.read_parquet(self._table_path(table.sha256))

    def size(self) -> int:
        """Return the bytes of all that is kept."""
        return sum(path.stat().st_size for path in self._files("tables", "*"))

    def trim(self) -> int:
        """Remove what was not used for longest until the rest fits; return the bytes removed.

        What this build used goes last. Tables that no result lists are removed in any case.
        """
        if self._broken:
            return 0
        before = self.size()
        kept: set[str] = set()
        room = self.max_bytes
        for path in self._by_use():
            listed = _tables_of(path)
            room -= sum(self._bytes_of(listed - kept))
            if room < 0:
                path.unlink()
            else:
                kept |= listed
        for path in self._files("tables", "*"):
            if path.stem not in kept:
                path.unlink()
        return before - self.size()

    def _by_use(self) -> list[Path]:
        """Return the files of all results: those of this build first, then the latest used."""
        files = self._files("results", "*.json")
        return sorted(files, key=lambda path: (path.stem in self._used, _used_at(path)))[::-1]

    def _bytes_of(self, digests: Iterable[str]) -> list[int]:
        paths = [self._table_path(digest) for digest in digests]
        return [path.stat().st_size for path in paths if path.is_file()]

    def _files(self, part: str, pattern: str) -> list[Path]:
        return sorted((self.folder / part).glob(pattern))

    def _result_path(self, key: str) -> Path:
        return self.folder / "results" / f"{key}.json"

    def _table_path(self, digest: str) -> Path:
        return self.folder / "tables" / f"{digest}.parquet"

    def _give_up(self, error: OSError) -> None:
        self._usable = False
        self._broken = True
        reason = error.strerror or error
        self._say(f"results of stages cannot be kept in {self.folder} ({reason}): none are")


def _used_at(path: Path) -> int:
    return path.stat().st_mtime_ns


def _tables_of(path: Path) -> set[str]:
    """Return the digests that the result at ``path`` lists; none where it cannot be read."""
    try:
        result = StageResult.model_validate_json(path.read_bytes())
    except ValidationError:
        return set()
    return {table.sha256 for table in result.tables}


def _sha256(path: Path) -> str:
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()

"""Stored results of stages, next to the index, found by a digest of what they depend on.

The folder ``NAME.results`` holds ``tables/<sha256>.parquet``, every table once under the digest of
its bytes, and ``results/<key>.json``, which lists the tables of one stage in the order in which it
wrote them. Both appear whole or not at all. The list ``NAME.results.json`` next to it has the
digest of each result that builds of this index wrote, and the index itself notes the digests of
those that it was made of. A result is used only where it has the digest that both say, and each of
its tables the digest it lists; a result that was altered, renamed or copied from elsewhere is not
used (decisions/0250-kept-results-are-listed.md). If the folder grows beyond its limit, the least
recently used results are removed first.

If the store cannot be written, a message says so once and the build goes on without it.
"""

from __future__ import annotations

import hashlib
import io
import os
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

import polars as pl
from pydantic import Field, ValidationError

from index.errors import DamagedResultError
from index.store.private import private_file, private_folder
from index.store.whole_file import whole_file
from ontology_etl.frozen import Frozen
from ontology_etl.releases.download import sha256_of

GIGABYTE: Final = 10**9
COMPRESSION_LEVEL: Final = 1
"""Level of zstd: 6.7 million rows take 39 MB and two seconds."""


class KeptTable(Frozen):
    """One table that a stage wrote: its name and the sha256 of its file."""

    name: str
    sha256: str
    rows: int


class StageResult(Frozen):
    """What a stage wrote, in its order."""

    stage: str
    tables: tuple[KeptTable, ...]


class ResultList(Frozen):
    """The digest of each result that builds of one index wrote, by its key."""

    results: dict[str, str] = Field(default_factory=dict)


class ResultStore:
    """The results in ``folder``, at most ``max_bytes`` of them after ``trim``; 0 keeps none.

    ``noted`` are the digests of results that the published index notes, by key.
    """

    def __init__(
        self,
        folder: Path,
        *,
        max_bytes: int,
        say: Callable[[str], None],
        noted: Mapping[str, str] | None = None,
    ) -> None:
        self.folder = folder
        self._noted = dict(noted or {})
        self.max_bytes = max_bytes
        self._say = say
        self._usable = max_bytes > 0
        self._given_up = False
        self._used: set[str] = set()
        self._listed: dict[str, str] | None = None
        self._listing = threading.Lock()

    @property
    def is_usable(self) -> bool:
        """Whether results can be stored."""
        return self._usable

    def find(self, key: str) -> StageResult | None:
        """Return the result under ``key``, as a build of this index wrote it.

        None if there is none. If it or one of its tables differs from what was written, a message
        says so and the result is also None.
        """
        if not self._usable:
            return None
        path = self._result_path(key)
        try:
            written = path.read_bytes()
            os.utime(path)
        except FileNotFoundError:
            return None
        except OSError as error:
            self._say(
                f"the stored result {path.name} cannot be read ({error}): it is computed again"
            )
            return None
        digest = _digest(written)
        if self._list().get(key) != digest or self._noted.get(key, digest) != digest:
            self._say(
                f"the stored result {path.name} is not what a build wrote: it is computed again"
            )
            return None
        found = StageResult.model_validate_json(written)
        try:
            self._check(found)
        except DamagedResultError as error:
            self._say(f"{error.message}: it is computed again")
            return None
        self._used.add(key)
        return found

    def add(self, name: str, frame: pl.DataFrame) -> KeptTable | None:
        """Store ``frame`` under the digest of its bytes; None where nothing can be stored."""
        if not self._usable:
            return None
        writer = f"{os.getpid()}-{threading.get_ident()}"
        working = self.folder / "tables" / f"{writer}.unfinished"
        try:
            private_folder(self.folder)
            private_folder(working.parent)
            frame.write_parquet(private_file(working), compression_level=COMPRESSION_LEVEL)
            digest = sha256_of(working)
            os.replace(working, self._table_path(digest))
        except (OSError, pl.exceptions.ComputeError) as error:
            with suppress(OSError):
                working.unlink(missing_ok=True)
            self._give_up(error)
            return None
        return KeptTable(name=name, sha256=digest, rows=len(frame))

    def keep(self, key: str, result: StageResult) -> None:
        """Keep ``result`` under ``key``; its tables are there already."""
        if not self._usable:
            return
        written = result.model_dump_json().encode()
        try:
            private_folder(self.folder)
            self._write(self._result_path(key), written)
            with self._listing:
                self._write_list({**self._list(), key: _digest(written)})
        except OSError as error:
            self._give_up(error)
            return
        self._used.add(key)

    def read(self, table: KeptTable) -> pl.DataFrame:
        """Return a table of a result. Raises ``DamagedResultError`` if it has changed since."""
        try:
            content = self._table_path(table.sha256).read_bytes()
        except OSError as error:
            raise DamagedResultError("a stage", table=table.name, reason="is gone") from error
        if _digest(content) != table.sha256:
            raise DamagedResultError("a stage", table=table.name, reason="was changed meanwhile")
        return pl.read_parquet(io.BytesIO(content))

    def digests(self) -> dict[str, str]:
        """Return by key the digests that the new index has to note: those of the results that this
        build used, and those that the published index notes and that are still listed.
        """
        listed = self._list()
        noted = {key: digest for key, digest in self._noted.items() if key in listed}
        used = {key: listed[key] for key in self._used if key in listed}
        return dict(sorted({**noted, **used}.items()))

    def size(self) -> int:
        """Return the bytes of all stored results."""
        return sum(path.stat().st_size for path in self._files("tables", "*"))

    def trim(self) -> int:
        """Remove the least recently used results until the rest fits; return the bytes removed.

        Results of this build are removed last. Tables that no result lists are removed in any case.
        If removing fails, a message says so.
        """
        try:
            return self._trim()
        except OSError as error:
            self._give_up(error)
            return 0

    def _trim(self) -> int:
        before = self.size()
        used: set[str] = set()
        keys: dict[str, str] = {}
        room = self.max_bytes
        for path in self._by_use():
            listed = self._tables_of(path)
            if listed is None:
                path.unlink()
                continue
            room -= sum(self._bytes_of(listed - used))
            if room < 0:
                path.unlink()
            else:
                used |= listed
                keys[path.stem] = self._list()[path.stem]
        for path in self._files("tables", "*"):
            if path.stem not in used:
                path.unlink()
        if keys != self._list():
            self._write_list(keys)
        return before - self.size()

    def _check(self, result: StageResult) -> None:
        """Raise ``DamagedResultError`` naming the first table that is not as it was written."""
        for table in result.tables:
            path = self._table_path(table.sha256)
            if not path.is_file():
                raise DamagedResultError(result.stage, table=table.name, reason="is gone")
            if sha256_of(path) != table.sha256:
                path.unlink()
                raise DamagedResultError(result.stage, table=table.name, reason="is damaged")

    def _list(self) -> dict[str, str]:
        """Return the digests of the results that were written, by key; read once."""
        if self._listed is None:
            try:
                written = ResultList.model_validate_json(self._list_path().read_bytes())
                self._listed = written.results
            except FileNotFoundError:
                self._listed = {}
            except (OSError, ValidationError):
                name = self._list_path().name
                self._say(f"the list of stored results {name} is damaged: all are computed again")
                self._listed = {}
        return self._listed

    def _write_list(self, digests: dict[str, str]) -> None:
        written = ResultList(results=digests).model_dump_json().encode()
        self._write(self._list_path(), written)
        self._listed = digests

    def _write(self, path: Path, content: bytes) -> None:
        """Put ``content`` at ``path``, whole or not at all."""
        if path.parent != self._list_path().parent:
            private_folder(path.parent)
        with whole_file(path) as working:
            private_file(working).write_bytes(content)

    def _tables_of(self, path: Path) -> set[str] | None:
        """Return the digests that the result at ``path`` lists; None where no build wrote it."""
        written = path.read_bytes()
        if self._list().get(path.stem) != _digest(written):
            return None
        result = StageResult.model_validate_json(written)
        return {table.sha256 for table in result.tables}

    def _by_use(self) -> list[Path]:
        """Return the files of all results: those of this build first, then the latest used."""
        files = self._files("results", "*.json")
        used = {path: (path.stem in self._used, path.stat().st_mtime_ns) for path in files}
        return sorted(files, key=used.__getitem__)[::-1]

    def _bytes_of(self, digests: Iterable[str]) -> list[int]:
        paths = [self._table_path(digest) for digest in digests]
        return [path.stat().st_size for path in paths if path.is_file()]

    def _files(self, part: str, pattern: str) -> list[Path]:
        return sorted((self.folder / part).glob(pattern))

    def _list_path(self) -> Path:
        return self.folder.with_name(f"{self.folder.name}.json")

    def _result_path(self, key: str) -> Path:
        return self.folder / "results" / f"{key}.json"

    def _table_path(self, digest: str) -> Path:
        return self.folder / "tables" / f"{digest}.parquet"

    def _give_up(self, error: OSError | pl.exceptions.ComputeError) -> None:
        """Store nothing from here on, and say why, once."""
        if self._given_up:
            return
        self._usable = False
        self._given_up = True
        reason = str(getattr(error, "strerror", None) or error)
        self._say(f"results of stages cannot be kept in {self.folder} ({reason}): none are")


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()

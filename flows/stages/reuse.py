"""Skip a stage if an earlier build stored its result.

The key of a result is a digest of all that the stage depends on: the code
(``flows.fingerprint``), what it is ``made_of`` (digests of input files, parameters) and the
tables it may read. A stage may read every table that stages before it stored, unless ``reads``
names fewer, and the tables set aside that it names. Tables count by the digest of their rows, not
by what made them: if a stage runs again and writes the same, later stages need not run
(decisions/0130-unchanged-stages.md).

A kept result is checked when it is found, so that later stages depend on its true content. It is
loaded into the file only when a running stage needs the file, or at the end.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import Final, ParamSpec

import polars as pl
from pydantic import BaseModel

from flows.fingerprint import code_digest
from flows.options import ALL
from flows.progress import Progress
from flows.stages.values import KeptValues
from index.store.build import Build
from index.store.results import KeptTable, ResultStore, StageResult
from index.tables import TABLES

P = ParamSpec("P")

LOGS: Final = frozenset({"rejected", "build", "source_rows"})
"""Tables that no stage reads."""


class Reuse:
    """Runs the stages of a build, or reuses their stored results.

    From the stage ``again`` on (``ALL``: from the first) every stage is run.
    """

    def __init__(
        self, build: Build, progress: Progress, store: ResultStore, *, again: str | None = None
    ) -> None:
        self.build = build
        self.progress = progress
        self.store = store
        self.keys: dict[str, str] = {}
        """Key of the result of each stage so far."""
        self._again = again
        self._forced = again == ALL
        self._stored: dict[str, list[str]] = {}
        self._aside: dict[str, list[str]] = {}
        self._waiting: list[StageResult] = []
        """Kept results that are not in the file yet."""

    def stage(
        self,
        name: str,
        *,
        made_of: object = None,
        reads: tuple[str, ...] | None = None,
        asides: tuple[str, ...] = (),
    ) -> Callable[[Callable[P, object]], Callable[P, None]]:
        """Return a decorator for a stage that writes into the build and returns nothing.

        ``made_of`` is what JSON can say of inputs and parameters.
        """

        def staged(function: Callable[P, object]) -> Callable[P, None]:
            def run(*args: P.args, **kwargs: P.kwargs) -> None:
                work = partial(function, *args, **kwargs)
                key = self.key(name, made_of=made_of, reads=reads, asides=asides)
                self._forced = self._forced or name == self._again
                found = None if self._forced else self.store.find(key)
                if found is None:
                    self.restore()
                    self._make(name, key, work)
                else:
                    self.progress.unchanged(name)
                    self._waiting.append(found)
                    self._count(name, key, found)

            return run

        return staged

    def key(
        self,
        name: str,
        *,
        made_of: object = None,
        reads: tuple[str, ...] | None = None,
        asides: tuple[str, ...] = (),
    ) -> str:
        """Return the digest of all that a stage depends on; arguments as for ``stage``."""
        named = self._stored if reads is None else reads
        tables = {one: self._stored.get(one, []) for one in named}
        set_aside = {one: self._aside.get(one, []) for one in asides}
        return digest_of([name, code_digest(), made_of, tables, set_aside])

    def recall(
        self, what: str, made_of: object, make: Callable[[], Mapping[str, pl.DataFrame]]
    ) -> dict[str, pl.DataFrame]:
        """Return the stored tables, or those of ``make``, without empty ones."""
        key = digest_of([what, code_digest(), made_of])
        found = None if self._forced else self.store.find(key)
        if found is not None:
            return {table.name: self.store.read(table) for table in found.tables}
        made = {name: frame for name, frame in make().items() if len(frame)}
        kept = [self.store.add(name, frame) for name, frame in made.items()]
        self._keep(key, what, kept)
        return made

    def values(self, name: str) -> KeptValues:
        """Return the stored single values under ``name``."""
        key = self.key(name, reads=())
        say = self.progress.detail
        return KeptValues(self.store, name, key, say, is_forced=lambda: self._forced)

    def restore(self) -> None:
        """Load every stored result that has not been loaded yet.

        Raises ``DamagedResultError`` where one was changed since it was found.
        """
        waiting, self._waiting = self._waiting, []
        for result in waiting:
            self._put(result)

    def is_idle(self) -> bool:
        """Return whether no stage has run and nothing was loaded into the file."""
        return len(self._waiting) == len(self.keys)

    def _make(self, name: str, key: str, work: Callable[[], object]) -> None:
        """Run a stage and store what it writes."""
        with self._recorded() as kept:
            self.progress.stage(name)(work)()
        result = self._keep(key, name, kept)
        self._count(name, key, result)

    def _keep(self, key: str, stage: str, kept: list[KeptTable | None]) -> StageResult:
        """Store the result of a stage if all its tables are stored; return it."""
        whole = [table for table in kept if table is not None]
        result = StageResult(stage=stage, tables=tuple(whole))
        if len(whole) == len(kept):
            self.store.keep(key, result)
        return result

    @contextmanager
    def _recorded(self) -> Iterator[list[KeptTable | None]]:
        """Yield a list that collects the tables written in the block.

        A table is kept while the stage goes on to make the next one.
        """
        kept: list[KeptTable | None] = []
        adding: list[Future[KeptTable | None]] = []

        def record(name: str, frame: pl.DataFrame) -> None:
            self.progress.wrote(len(frame), int(frame.estimated_size()))
            if adding:
                adding[-1].result()
            adding.append(pool.submit(self._add, name, frame))

        self.build.is_whole = True
        with ThreadPoolExecutor(1) as pool:
            self.build.recorder = record
            try:
                yield kept
            finally:
                self.build.recorder = None
        kept.extend(added.result() for added in adding)
        if not self.build.is_whole:
            kept.append(None)

    def _add(self, name: str, frame: pl.DataFrame) -> KeptTable | None:
        """Store a table; one that was set aside is then read from the store."""
        table = self.store.add(name, frame)
        if table is not None and name not in TABLES:
            self.build.promise(name, partial(self.store.read, table))
        return table

    def _put(self, result: StageResult) -> None:
        for table in result.tables:
            if table.name in TABLES:
                self.build.append(table.name, self.store.read(table))
            else:
                self.build.promise(table.name, partial(self.store.read, table))

    def _count(self, name: str, key: str, result: StageResult) -> None:
        """Make later stages depend on the tables of ``result``."""
        self.keys[name] = key
        for table in result.tables:
            if table.name not in LOGS:
                self._of(table).setdefault(table.name, []).append(table.sha256)

    def _of(self, table: KeptTable) -> dict[str, list[str]]:
        return self._stored if table.name in TABLES else self._aside


def digest_of(value: object) -> str:
    """Return the sha256 of a value as JSON, whatever the order of keys.

    >>> digest_of({"a": 1, "b": 2}) == digest_of({"b": 2, "a": 1})
    True
    """
    text = json.dumps(value, sort_keys=True, default=_plain)
    return hashlib.sha256(text.encode()).hexdigest()


def _plain(value: object) -> object:
    """Return a model, path or date as JSON can hold it."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    return str(value)

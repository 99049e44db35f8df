"""What was computed of single values, kept from build to build: of new ones only is it made again.

Unlike the result of a stage it outlives new inputs: it is kept under the code and the libraries
that it depends on besides the value.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from index.store.results import ResultStore, StageResult


@dataclass(frozen=True)
class KeptValues:
    """The table ``name`` that ``store`` keeps under ``key``.

    Where ``is_forced()``, everything is made again and what is kept is not read.
    """

    store: ResultStore
    name: str
    key: str
    say: Callable[[str], None]
    is_forced: Callable[[], bool]

    def read(self) -> pl.DataFrame | None:
        """Return what is kept; None where nothing is, or it is not what was kept."""
        found = None if self.is_forced() else self.store.find(self.key)
        if found is None or not found.tables:
            return None
        return self.store.read(found.tables[0])

    def keep(self, frame: pl.DataFrame) -> None:
        """Keep ``frame`` in place of what was kept."""
        table = self.store.add(self.name, frame)
        if table is not None:
            self.store.keep(self.key, StageResult(stage=self.name, tables=(table,)))

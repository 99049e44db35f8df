"""Values stored by earlier builds, so that only new ones are computed.

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
    """The stored table ``name`` under the key ``key`` of ``store``.

    Where ``is_forced()``, everything is made again and what is kept is not read.
    """

    store: ResultStore
    name: str
    key: str
    say: Callable[[str], None]
    is_forced: Callable[[], bool]

    def read(self) -> pl.DataFrame | None:
        """Return the stored values; None if there are none or they have been altered."""
        found = None if self.is_forced() else self.store.find(self.key)
        if found is None or not found.tables:
            return None
        return self.store.read(found.tables[0])

    def keep(self, frame: pl.DataFrame) -> None:
        """Store ``frame`` in place of the earlier values."""
        table = self.store.add(self.name, frame)
        if table is not None:
            self.store.keep(self.key, StageResult(stage=self.name, tables=(table,)))

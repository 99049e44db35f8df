"""Sort a table too large for memory on disk: frames go in, and come out as one table, part by part.

What is in memory is one frame going in, or one part coming out.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import polars as pl

from index.errors import DiskFullError
from index.store.read import beside

PART_ROWS: Final = 4_000_000
"""Rows of a part, about; all rows of equal first key are in one part."""
SAMPLED_EVERY: Final = 1_000
"""Parts are cut at every thousandth row of each frame."""


class SortedParts:
    """Frames of the same columns in ``folder``, whose rows are ordered by ``key`` over all of them.

    A frame that is in this order already is read in parts, another as a whole for each part.
    """

    def __init__(self, folder: Path, key: Sequence[str]) -> None:
        self._folder = folder
        self._key = list(key)
        self._files: list[Path] = []

    def add(self, frame: pl.DataFrame) -> None:
        """Keep the rows of ``frame``. Raises ``DiskFullError``."""
        path = self._folder / f"{len(self._files)}.parquet"
        try:
            frame.write_parquet(path)
        except (OSError, pl.exceptions.ComputeError) as error:
            raise DiskFullError(path, reason=str(error)) from error
        self._files.append(path)

    def frames(self) -> Iterator[pl.DataFrame]:
        """Yield what was added."""
        for path in self._files:
            yield pl.read_parquet(path)

    def parts(self, part_rows: int = PART_ROWS) -> Iterator[pl.DataFrame]:
        """Yield the rows of all frames in the order of the key, about ``part_rows`` at a time."""
        if not self._files:
            return
        rows = pl.scan_parquet(self._files)
        first_key = pl.col(self._key[0])
        cuts = self._cuts(part_rows)
        for low, high in zip([None, *cuts], [*cuts, None], strict=True):
            from_low = pl.lit(True) if low is None else first_key >= low
            to_high = pl.lit(True) if high is None else first_key < high
            yield rows.filter(from_low, to_high).sort(self._key).collect()

    def _cuts(self, part_rows: int) -> list[str]:
        """Return the first keys at which a new part begins."""
        name = self._key[0]
        sampled = [
            pl.scan_parquet(path).select(pl.col(name).gather_every(SAMPLED_EVERY)).collect()
            for path in self._files
        ]
        keys = pl.concat(sampled)[name].sort()
        every = max(1, part_rows // SAMPLED_EVERY)
        cuts = keys.gather_every(every, offset=every)
        return cuts.unique(maintain_order=True).to_list()


@contextmanager
def sorted_parts(db: Path, key: Sequence[str]) -> Iterator[SortedParts]:
    """Yield an empty ``SortedParts`` by ``key`` next to the index ``db``, removed at the end."""
    folder = beside(db, "sorting")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        yield SortedParts(folder, key)
    finally:
        shutil.rmtree(folder, ignore_errors=True)

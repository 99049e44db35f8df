"""Where the parts of a stage are computed, and how tables travel there and back.

A part is a folder of Parquet files. What computes it is a function of one path that writes its
result into the same folder: what goes through a scheduler is the path. The result of a part does
not depend on where it is computed, so an index is the same to its digest.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

import polars as pl

from index.annotation.annotate import PART_RUNS

PROJECT_PARTS: Final = 8
"""Parts that the projects of all associations are split into."""
BLOCK_TEXTS: Final = 1_000
"""Texts that are embedded in one part: 5 s of CPU."""
_ENDING: Final = ".parquet"


class Computing(Protocol):
    """Computes parts in parallel, somewhere."""

    def __call__(
        self, name: str, work: Callable[[str], None], parts: Sequence[str]
    ) -> Iterator[str]:
        """Yield each of ``parts``, in order, when ``work`` is done on it.

        Raises what ``work`` raises.
        """
        ...


@dataclass(frozen=True)
class Cluster:
    """Where parts are computed; all machines see ``folder`` under the same path."""

    compute: Computing
    folder: Path
    part_runs: int = PART_RUNS
    """Runs whose metadata is grounded in one part."""
    project_parts: int = PROJECT_PARTS
    block_texts: int = BLOCK_TEXTS

    @contextmanager
    def room(self, name: str) -> Iterator[Path]:
        """Yield an empty folder for the parts of a stage, removed at the end of the block.

        Whoever still computes a part that was computed twice cannot write it any more.
        """
        room = self.folder / name
        shutil.rmtree(room, ignore_errors=True)
        room.mkdir(parents=True)
        try:
            yield room
        finally:
            for _ in range(2):  # a part computed twice may have ended while the first removed
                shutil.rmtree(room, ignore_errors=True)


def write_tables(tables: Mapping[str, pl.DataFrame], folder: Path) -> None:
    """Write ``tables`` as Parquet, each under its name.

    :raises FileNotFoundError: if the folder that ``folder`` lies in is gone.
    """
    folder.mkdir(exist_ok=True)
    for name, frame in tables.items():
        frame.write_parquet(folder / f"{name}{_ENDING}")


def read_tables(folder: Path) -> dict[str, pl.DataFrame]:
    """Return the tables in ``folder`` by name."""
    return {path.stem: pl.read_parquet(path) for path in sorted(folder.glob(f"*{_ENDING}"))}

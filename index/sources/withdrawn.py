"""Leave out runs that the archive has withdrawn, as the manifest lists them.

A submitter may withdraw data, or a donor consent. Older tables still name the runs; a build leaves
them out and counts them in ``rejected``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import polars as pl

from index.records import CONTRACTS, Records
from index.sources.packed import open_bytes, unpacking
from index.sources.rejection import without_rows
from ontology_etl.errors import EmptyTableError
from ontology_etl.tables import conform

REASON: Final = "withdrawn from the archive"
_RUN: Final = re.compile(r"(?<![A-Z0-9])(?:[SED]RR\d{5,}|SYNR\d+)(?!\d)")


def read_withdrawn(path: Path | None) -> tuple[str, ...]:
    """Return the runs that a file names, in any text, sorted; none without a file.

    Raises ``InputError`` where it cannot be read, ``EmptyTableError`` where it names none.
    """
    if path is None:
        return ()
    with unpacking(path), open_bytes(path) as stream:
        runs = set(_RUN.findall(stream.read().decode("utf-8", errors="replace")))
    if not runs:
        raise EmptyTableError(path, what="run accession")
    return tuple(sorted(runs))


def drop_withdrawn(
    parts: Sequence[Records], runs: tuple[str, ...], sources: Sequence[str]
) -> list[Records]:
    """Return the records of files without ``runs`` and without samples that have no other run left.

    What a file loses is counted by run and sample; ``sources`` are the names of the files.
    """
    if not runs:
        return list(parts)
    described = pl.concat([part.run.select("run", "biosample") for part in parts]).drop_nulls()
    is_withdrawn = pl.col("run").is_in(runs)
    left = described.filter(~is_withdrawn)["biosample"]
    gone = described.filter(is_withdrawn, ~pl.col("biosample").is_in(left.implode()))
    keys = {"run": runs, "biosample": tuple(gone["biosample"].unique())}
    return [_without(part, keys, source) for part, source in zip(parts, sources, strict=True)]


def _without(part: Records, keys: Mapping[str, tuple[str, ...]], source: str) -> Records:
    tables = {}
    lost: set[str] = set()
    for name, contract in CONTRACTS.items():
        table: pl.DataFrame = getattr(part, name)
        key = next((name for name in keys if name in table.columns), None)
        if key is not None and len(table):
            is_gone = pl.col(key).is_in(keys[key]).fill_null(value=False)
            lost.update(table.filter(is_gone)[key])
            tables[name] = conform(table.filter(~is_gone), contract)
    if not lost:
        return part
    rows = min(len(lost), int(part.rows["rows_kept"][0]))
    return without_rows(part, tables, source=source, reason=REASON, rows=rows)

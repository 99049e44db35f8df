"""The run that a cell, a heading, a contig or a file is named after.

A run has an accession (``index.sources.accessions``). A laboratory's own name is looked up in a
sheet that links names to runs. A name that no sheet has gets the accession SYNR and twelve digits
made from it, so that files that use the same name mean the same run.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import polars as pl

from index.sources.accessions import RUN
from index.sources.meanings import attribute_name

_ACCESSION: Final = r"([SED]RR\d{5,}|SYNR\d+)"
_OF_CONTIG: Final = rf"^{_ACCESSION}(?:[_.|:-]|$)"
_OWN_DIGITS: Final = 12


def own_run(name: str) -> str:
    """Return an accession for a run that only its laboratory has named.

    >>> own_run("EX-01") == own_run(" ex-01"), own_run("EX-01")[:4]
    (True, 'SYNR')
    """
    digest = hashlib.blake2b(attribute_name(name).encode(), digest_size=8).digest()
    return f"SYNR{int.from_bytes(digest, 'big') % 10**_OWN_DIGITS:0{_OWN_DIGITS}d}"


def runs_of_names(said: pl.Series, linked: Mapping[str, str], *, own: bool) -> pl.DataFrame:
    """Return [said, run, own_name], one row per distinct name; an accession has no ``own_name``.

    For a name that ``linked`` lacks, an accession is made from it if ``own``; else it has none.
    """
    text = pl.col("said")
    distinct = pl.DataFrame({"said": said.drop_nulls().unique().sort()})
    found = distinct.with_columns(
        run=pl.when(text.str.contains(RUN)).then(text).otherwise(text.str.extract(_ACCESSION))
        if own
        else pl.when(text.str.contains(RUN)).then(text)
    )
    rows = []
    for name, run in found.iter_rows():
        if run is not None:
            rows.append((name, run, None))
            continue
        known = linked.get(attribute_name(name))
        rows.append((name, known or (own_run(name) if own else None), name))
    return pl.DataFrame(rows, schema=dict.fromkeys(("said", "run", "own_name"), pl.String),
                        orient="row")  # fmt: skip


def run_of_contig(contig: pl.Expr, linked: Mapping[str, str]) -> pl.Expr:
    """Return the run that begins the name of a contig, by accession or by a name of ``linked``."""
    prefix = contig.str.to_lowercase().str.split("_").list.first()
    by_name = prefix.replace_strict(dict(linked) or {"": ""}, default=None, return_dtype=pl.String)
    return pl.coalesce(contig.str.extract(_OF_CONTIG), by_name)


def run_in_file_name(path: Path) -> str | None:
    """Return the accession in the name of a file, or None."""
    found: str | None = pl.select(pl.lit(path.name).str.extract(_ACCESSION)).item()
    return found


def name_of_file(path: Path) -> str:
    """Return the run that a file is named after: its accession, else what is before the first dot.

    >>> [name_of_file(Path(name)) for name in ("SRR9990001.bracken.S.tsv", "bat_1.report.txt")]
    ['SRR9990001', 'bat_1']
    """
    return run_in_file_name(path) or path.name.split(".")[0]

"""Serratus protein search: runs with RNA polymerases of a virus phylum, one row per run and phylum.

Source: Edgar et al. 2022, doi:10.1038/s41586-021-04332-2. Licence: Serratus data, public domain.
Such a row says that something of the phylum is in the run, not which virus, and the identity is
that of its reads to all polymerases of the phylum. The file says what was found in runs that other
files describe.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import polars as pl

from index.config import MIN_SERRATUS_SCORE
from index.records import Records
from index.sources.accessions import RUN, must_be
from index.sources.formats.serratus_nt import score_rules
from index.sources.layout import Layout, optional, required
from index.sources.rejection import Rule, split_rejected
from index.sources.source import SERRATUS, Source
from index.sources.tabular import read_table, to_table
from index.tables import Detection

NAME: Final = "serratus_rdrp"
PHYLUM: Final = r"^[A-Z][a-z]+viricota$"
LAYOUT: Final = Layout(
    "serratus_rdrp",
    (
        required("run_id", "run accession", "DRR036949"),
        required("phylum_name", "virus phylum", "Pisuviricota"),
        required("score", "Serratus score", "100", unit="0-100"),
        optional("percent_identity", "mean identity of the reads", "80", unit="percent"),
        optional("n_reads", "reads aligned", "1096", unit="reads"),
    ),
)
NOT_A_PHYLUM: Final = Rule(
    "not a virus phylum",
    ~pl.col("phylum_name").fill_null("").str.contains(PHYLUM),
    shows="phylum_name",
)


def read(path: Path, *, min_serratus_score: float = MIN_SERRATUS_SCORE) -> Records:
    """Return a detection of the phylum for each row of at least ``min_serratus_score``."""
    rules = (
        *LAYOUT.rules(),
        must_be(RUN, "run_id", "run"),
        NOT_A_PHYLUM,
        *score_rules(min_serratus_score),
    )
    rows = read_table(path, LAYOUT)
    kept, rejected, counts = split_rejected(rows, path.name, rules, layout=LAYOUT.name)
    found = kept.select(run="run_id", phylum="phylum_name", score="score", reads="n_reads")
    return Records(
        detection=to_table(phylum_detections(found), Detection),
        rejected=rejected,
        rows=counts,
    )


def phylum_detections(rows: pl.DataFrame) -> pl.DataFrame:
    """Return detections of ``rows`` [run, phylum, score, reads], the highest score first.

    They have no identity: that to a whole phylum supports no species.
    """
    reads = pl.col("reads").cast(pl.Float64, strict=False)
    measured = rows.select(
        "run",
        "phylum",
        pl.col("score").cast(pl.Float64, strict=False),
        pl.when(reads >= 0).then(reads).cast(pl.Int64, strict=False),
        sotu="phylum",
        source=pl.lit(NAME),
    )
    return measured.sort("score", descending=True, maintain_order=True)


SOURCE: Final = Source(
    read, "runs with polymerases of a virus phylum, Serratus", SERRATUS, (LAYOUT,)
)

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
from index.sources.accessions import RUN, must_match
from index.sources.formats.serratus_nt import NOT_A_SCORE
from index.sources.layout import Layout, optional, required
from index.sources.numbers import number, whole_number
from index.sources.rejection import Rule
from index.sources.source import SERRATUS, Source
from index.sources.tabular import read_sound, to_table
from index.tables import Detection

NAME: Final = "serratus_rdrp"
PHYLUM: Final = r"^[A-Z][a-z]+viricota$"
LAYOUT: Final = Layout(
    "serratus_rdrp",
    (
        required("run_id", "run accession", "DRR036949").must_be(RUN),
        required("phylum_name", "virus phylum", "Pisuviricota"),
        required("score", "Serratus score", "100", unit="0-100"),
        optional("percent_identity", "mean identity of the reads", "80", unit="percent"),
        optional("n_reads", "reads aligned", "1096", unit="reads"),
    ),
)


def read(path: Path, *, min_serratus_score: float = MIN_SERRATUS_SCORE) -> Records:
    """Return a detection of the phylum for each row of at least ``min_serratus_score``.

    It has no identity: that to a whole phylum supports no species.
    """
    rules = (
        must_match(PHYLUM, "phylum_name", "not a virus phylum"),
        NOT_A_SCORE,
        Rule(f"score below {min_serratus_score:g}", number("score") < min_serratus_score),
    )
    kept, rejected, counts = read_sound(path, LAYOUT, *rules)
    found = kept.select(
        number("score"),
        run="run_id",
        phylum="phylum_name",
        sotu="phylum_name",
        reads=whole_number("n_reads"),
        source=pl.lit(NAME),
    )
    best_first = found.sort("score", descending=True, maintain_order=True)
    return Records(detection=to_table(best_first, Detection), rejected=rejected, rows=counts)


SOURCE: Final = Source(
    read, "runs with polymerases of a virus phylum, Serratus", SERRATUS, (LAYOUT,)
)

"""Similarity of virus sOTUs: pairs of palmprints with their identity, tab-separated.

Licence: Serratus data, public domain. Columns sotu_a, sotu_b and identity (0-1) or pident
(percent).
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import polars as pl

from index.records import Records
from index.sources.accessions import must_match
from index.sources.formats.palm_virome import NOT_AN_SOTU, SOTU
from index.sources.layout import Layout, optional, required
from index.sources.numbers import number
from index.sources.rejection import Rule
from index.sources.source import SERRATUS, Source
from index.sources.tabular import read_table, sound_rows, to_table
from index.tables import SotuAlignment
from ontology_etl.errors import ColumnError

LAYOUT: Final = Layout(
    "sotu_alignment",
    (
        required("sotu_a", "virus sOTU", "u1810"),
        required("sotu_b", "another virus sOTU", "u17561"),
        optional(
            "identity", "identity of the two; this or pident must be there", "0.87", unit="0-1"
        ),
        optional("pident", "identity of the two", "87.0", unit="percent"),
    ),
)
RULES: Final = (
    must_match(SOTU, "sotu_a", NOT_AN_SOTU),
    must_match(SOTU, "sotu_b", NOT_AN_SOTU),
    Rule("an sOTU aligned to itself", pl.col("sotu_a") == pl.col("sotu_b")),
    Rule("identity is not between 0 and 1", ~pl.col("share").is_between(0, 1).fill_null(False)),
)


def read(path: Path) -> Records:
    """Return each aligned pair once, with the higher identity where a pair is listed twice."""
    rows = read_table(path, LAYOUT)
    if rows["identity"].is_null().all() and rows["pident"].is_null().all():
        found = rows.columns
        raise ColumnError(path, missing=["identity"], found=found, format_name=LAYOUT.name)
    measured = rows.with_columns(share=pl.coalesce(number("identity"), number("pident") / 100))
    kept, rejected, counts = sound_rows(measured, path, LAYOUT, *RULES)
    most_alike = kept.sort("share", descending=True, maintain_order=True)
    pairs = most_alike.select(
        sotu_a=pl.min_horizontal("sotu_a", "sotu_b"),
        sotu_b=pl.max_horizontal("sotu_a", "sotu_b"),
        identity="share",
    )
    return Records(sotu_alignment=to_table(pairs, SotuAlignment), rejected=rejected, rows=counts)


SOURCE: Final = Source(read, "identity of pairs of virus sOTUs", SERRATUS, (LAYOUT,))

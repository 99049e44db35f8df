"""Recorded virus-host pairs: VIRION's edges, one row per host and virus by NCBI taxids.

Source: Carlson et al. 2022, The Global Virome in One Network (VIRION), doi:10.1128/mbio.02985-21.
Licence: CC0 1.0. A pair is recorded however often it was reported.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import polars as pl

from index.records import Records
from index.sources.accessions import must_match
from index.sources.layout import Layout, required
from index.sources.source import Source
from index.sources.tabular import read_sound, to_table
from index.tables import KnownHost
from ontology_etl.curies import taxon_curie

VIRION: Final = "virion"
LAYOUT: Final = Layout(
    "known_hosts",
    (
        required("host_taxid", "taxid of the host", "9606"),
        required("virus_taxid", "taxid of the virus", "11234"),
    ),
)
RULES: Final = (
    must_match(r"^\d+$", "host_taxid", "not a taxid"),
    must_match(r"^\d+$", "virus_taxid", "not a taxid"),
)


def read(path: Path) -> Records:
    """Return each pair once; rows whose taxids are not numbers are rejected."""
    kept, rejected, counts = read_sound(path, LAYOUT, *RULES)
    pairs = kept.select(
        virus=taxon_curie(pl.col("virus_taxid")),
        host=taxon_curie(pl.col("host_taxid")),
        source=pl.lit(VIRION),
    )
    return Records(known_host=to_table(pairs, KnownHost), rejected=rejected, rows=counts)


SOURCE: Final = Source(read, "recorded virus-host pairs, VIRION", "CC0 1.0 (VIRION)", (LAYOUT,))

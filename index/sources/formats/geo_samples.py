"""NCBI GEO samples: title and source of each GSM with its BioSample, and its characteristics in a
second table.

Licence: NCBI GEO, public. A GEO series is not a BioProject and is left out.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import polars as pl

from index.records import Records
from index.sources.accessions import BIOSAMPLE, must_match
from index.sources.layout import Layout, optional, required
from index.sources.rejection import Rule
from index.sources.source import Companion, Source
from index.sources.tabular import read_table, sound_rows, to_table
from index.tables import Biosample, BiosampleAttribute
from ontology_etl.tables import gather_rejected

LAYOUT: Final = Layout(
    "geo_samples",
    (
        required("gsm", "GEO sample accession", "GSM1001393"),
        required("biosample", "BioSample accession", "SAMN01164174").must_be(BIOSAMPLE),
        optional("title", "title of the sample", "P493-6 cells, 0 h"),
        optional("source_name", "what the sample was taken from", "P493-6 cells"),
    ),
)
CHARACTERISTICS: Final = Layout(
    "geo_samples characteristics",
    (
        required("gsm", "GEO sample accession", "GSM1001393"),
        required("attribute", "name of the characteristic", "cell line"),
        required("value", "its value", "P493-6"),
    ),
)
NOT_A_SAMPLE: Final = must_match(r"^GSM\d+$", "gsm", "not a GEO sample")
CHARACTERISTIC_RULES: Final = (
    Rule(
        "characteristic of a sample without a BioSample", pl.col("biosample").is_null(), shows="gsm"
    ),
    Rule(
        "attribute without a name or a value",
        pl.col("attribute").is_null() | pl.col("value").is_null(),
    ),
)


def read(path: Path, *, characteristics: Path | None = None) -> Records:
    """Return the samples with their source names and further attributes (``characteristics``)."""
    rows = read_table(path, LAYOUT)
    kept, rejected, counts = sound_rows(rows, path, LAYOUT, NOT_A_SAMPLE)
    source = kept.select(
        "biosample", pl.lit("source_name").alias("attribute"), pl.col("source_name").alias("value")
    )
    attributes, refused = source.drop_nulls("value"), [rejected]
    if characteristics is not None:
        stated = read_table(characteristics, CHARACTERISTICS)
        linked = stated.join(
            kept.select("gsm", "biosample"), on="gsm", how="left", maintain_order="left"
        )
        usable, lost, more = sound_rows(
            linked, characteristics, CHARACTERISTICS, *CHARACTERISTIC_RULES
        )
        attributes = pl.concat([attributes, usable.select("biosample", "attribute", "value")])
        refused.append(lost)
        counts = pl.concat([counts, more])
    return Records(
        biosample=to_table(kept.select("biosample", "title"), Biosample),
        biosample_attribute=to_table(attributes, BiosampleAttribute),
        rejected=gather_rejected(refused),
        rows=counts,
    )


SOURCE: Final = Source(
    read,
    "NCBI GEO samples with their BioSamples",
    "public (NCBI GEO)",
    (LAYOUT,),
    {"characteristics": Companion("further attributes of the samples", (CHARACTERISTICS,))},
)

"""Tissue, disease or sex of samples as Serratus and Logan keep them: ``biosample_tissue``,
``biosample_disease`` and ``biosample_sex``, one row per sample and value.

Licence: US public domain (NCBI BioSample), terms of BTO and DO: CC BY 4.0 and CC0. Values become
attributes of their sample and are grounded like any other: names of terms name those terms.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import polars as pl

from index.records import Records
from index.sources.accessions import BIOSAMPLE
from index.sources.layout import Layout, optional, required
from index.sources.rejection import Rule
from index.sources.source import NCBI, Source
from index.sources.tabular import choose_layout, read_table, sound_rows, to_table
from index.tables import Biosample, BiosampleAttribute

_SAMPLE: Final = required("biosample", "BioSample accession", "SAMN07211061").must_be(BIOSAMPLE)
_SAMPLE_ID: Final = required(
    "biosample_id", "BioSample accession", "SAMN14511305", alias="biosample"
).must_be(BIOSAMPLE)
TISSUE: Final = Layout(
    "biosample_tissue",
    (
        _SAMPLE_ID,
        required("tissue", "tissue, as BTO names it", "midgut", alias="value"),
        optional("text", "the words it was read from", "mid gut"),
    ),
)
TISSUE_TEXT: Final = Layout(
    "biosample_tissue without names of terms",
    (
        _SAMPLE_ID,
        required("bto_id", "term of BTO; read from text", "BTO:0000838"),
        required("text", "the words it was read from", "mid gut"),
    ),
)
DISEASE: Final = Layout(
    "biosample_disease",
    (
        _SAMPLE,
        required("do_label", "disease, as DO names it", "colorectal cancer", alias="value"),
        optional("text", "the words it was read from", "CRC"),
    ),
)
SEX: Final = Layout(
    "biosample_sex",
    (
        _SAMPLE,
        required("sex", "sex as submitted", "female", alias="value"),
    ),
)
ATTRIBUTES: Final = {
    TISSUE.name: "tissue",
    TISSUE_TEXT.name: "tissue",
    DISEASE.name: "disease",
    SEX.name: "sex",
}
"""The attribute that the values of a layout are read as."""
NO_VALUE: Final = Rule("no value is stated", pl.col("stated").is_null(), shows="biosample")


def read(path: Path) -> Records:
    """Return samples and an attribute of each: the term, else the words that it was read from."""
    layout = choose_layout(path, SOURCE.layouts)
    rows = read_table(path, layout)
    named = [name for name in ("value", "text") if name in rows.columns]
    stated = rows.with_columns(stated=pl.coalesce(named))
    kept, rejected, counts = sound_rows(stated, path, layout, NO_VALUE)
    attribute = pl.lit(ATTRIBUTES[layout.name])
    attributes = kept.select("biosample", attribute.alias("attribute"), value="stated")
    return Records(
        biosample=to_table(kept.select("biosample"), Biosample),
        biosample_attribute=to_table(attributes, BiosampleAttribute),
        rejected=rejected,
        rows=counts,
    )


SOURCE: Final = Source(
    read,
    "tissue, disease or sex of samples, Serratus and Logan",
    f"{NCBI}; BTO: CC BY 4.0",
    (TISSUE, TISSUE_TEXT, DISEASE, SEX),
)

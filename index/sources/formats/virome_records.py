"""Joined virome records: host, tissue, disease and place of runs, as a table that joins several
Serratus exports.

Licence: that of the joined files (Serratus data: public domain; NCBI: US public domain). Only what
the samples are like is read from it: the detections are in the files it was joined from. Rows of
isolates (GenBank sequences) are not runs.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import polars as pl

from index.config import MIN_SERRATUS_SCORE
from index.records import Records
from index.sources.accessions import BIOPROJECT, BIOSAMPLE, RUN, must_be
from index.sources.formats.geography import country_of, position
from index.sources.layout import Layout, optional, required
from index.sources.rejection import Rule, split_rejected
from index.sources.source import NCBI, SERRATUS, Source
from index.sources.tabular import read_table, to_table
from index.tables import Biosample, BiosampleAttribute, Place, Run
from ontology_etl.tables import Rejected, conform

LAYOUT: Final = Layout(
    "virome_records",
    (
        required("level", "run, or isolate for a sequence that is not of a run", "run"),
        required("run", "run accession", "ERR1173511"),
        required("biosample", "BioSample accession", "SAMEA3699122"),
        required("bioproject", "BioProject accession", "PRJEB12075"),
        optional("host_name", "organism as submitted", "Globodera rostochiensis"),
        optional("habitat", "habitat", "soil"),
        optional("tissue_raw", "tissue as submitted", "root"),
        optional("disease_raw", "disease as submitted", "yellows"),
        optional("country", "country or sea", "Peru"),
        optional("lat", "latitude", "-12.07", unit="degrees north"),
        optional("lon", "longitude", "-75.21", unit="degrees east"),
        optional("score", "Serratus score", "98", unit="0-100"),
    ),
)
ATTRIBUTES: Final = {"tissue_raw": "tissue", "disease_raw": "disease"}
NO_SAMPLE: Final = Rule(
    "tissue or disease of a run without a BioSample",
    pl.col("sample").is_null()
    & pl.any_horizontal(pl.col("tissue_raw", "disease_raw").is_not_null()),
    shows="run",
)


def read(path: Path, *, min_serratus_score: float = MIN_SERRATUS_SCORE) -> Records:
    """Return runs, sample attributes and places.

    Rows with a Serratus score below ``min_serratus_score`` (0-100) are rejected.
    """
    score = pl.col("score").cast(pl.Float64, strict=False)
    rules = (
        *LAYOUT.rules(),
        Rule("an isolate, not a run", pl.col("level") == "isolate"),
        must_be(RUN, "run", "run"),
        Rule(f"score below {min_serratus_score:g}", score < min_serratus_score),
    )
    rows = read_table(path, LAYOUT)
    kept, rejected = split_rejected(rows, path.name, rules)
    linked = kept.with_columns(
        pl.when(pl.col("biosample").str.contains(BIOSAMPLE))
        .then(pl.col("biosample"))
        .alias("sample"),
        pl.when(pl.col("bioproject").str.contains(BIOPROJECT))
        .then(pl.col("bioproject"))
        .alias("project"),
    )
    _, unlinked = split_rejected(linked, path.name, (NO_SAMPLE,))
    runs = linked.select(
        "run",
        pl.col("sample").alias("biosample"),
        pl.col("project").alias("bioproject"),
        pl.col("host_name").alias("organism"),
    )
    sampled = linked.drop_nulls("sample").drop("biosample").rename({"sample": "biosample"})
    stated = sampled.rename(ATTRIBUTES).unpivot(
        on=[*ATTRIBUTES.values()], index="biosample", variable_name="attribute"
    )
    return Records(
        run=to_table(runs, Run),
        biosample=to_table(sampled.select("biosample"), Biosample),
        biosample_attribute=to_table(stated.drop_nulls("value"), BiosampleAttribute),
        place=to_table(_places(sampled), Place),
        rejected=conform(pl.concat([rejected, unlinked]), Rejected),
    )


def _places(rows: pl.DataFrame) -> pl.DataFrame:
    north, east = (pl.col(name).cast(pl.Float64, strict=False) for name in ("lat", "lon"))
    places = rows.select(
        "biosample",
        country_of(pl.col("country")).alias("country"),
        pl.col("habitat").alias("biome"),
        *position(north, east),
    )
    return places.filter(~pl.all_horizontal(pl.exclude("biosample").is_null()))


SOURCE: Final = Source(
    read, "host, tissue, disease and place of runs", f"{SERRATUS}; {NCBI}", (LAYOUT,)
)

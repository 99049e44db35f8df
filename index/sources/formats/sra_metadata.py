"""SRA metadata as the cloud database gives it: one row per run, sample attributes as JSON in
``jattr``; and the table ``sra`` that Logan keeps of it, without attributes.

Licence: US public domain (NCBI). Attribute names in ``jattr`` have a suffix (``tissue_sam``,
``isolation_source_sam_ss_dpl262``) that is taken off; fields of the run and the experiment are left
out.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import duckdb
import polars as pl

from index.records import Records
from index.sources.accessions import BIOPROJECT, BIOSAMPLE, RUN
from index.sources.dates import day, unread_day
from index.sources.formats.geography import country_of
from index.sources.formats.sra_run_table import spots_of
from index.sources.layout import Layout, optional, required
from index.sources.numbers import number, whole_number
from index.sources.source import NCBI, Source
from index.sources.tabular import choose_layout, read_sound, to_table
from index.store.read import LOCKED
from index.tables import Biosample, BiosampleAttribute, Place, Run

ACCESSIONS: Final = (
    required("acc", "run accession", "SRR11829101").must_be(RUN),
    required("biosample", "BioSample accession", "SAMN14511305").must_be(BIOSAMPLE),
    required("bioproject", "BioProject accession", "PRJNA620308").may_be(BIOPROJECT),
)
DESCRIBED: Final = (
    optional("assay_type", "library strategy", "RNA-Seq"),
    optional("librarysource", "what was sequenced", "METATRANSCRIPTOMIC"),
    optional("organism", "organism as submitted", "salt marsh metagenome"),
    optional("releasedate", "day the run became public", "2020-05-21T00:00:00Z"),
    optional("avgspotlen", "mean length of a spot", "302", unit="bases"),
    optional("geo_loc_name_country_calc", "country, as NCBI reads it", "USA"),
)
LAYOUT: Final = Layout(
    "sra_metadata",
    (
        *ACCESSIONS,
        required(
            "jattr",
            "attributes of sample and run, as JSON",
            '{"bases": 900, "tissue_sam": ["leaf"]}',
        ),
        *DESCRIBED,
    ),
)
LOGAN: Final = Layout(
    "sra_metadata of Logan",
    (
        *ACCESSIONS,
        required("mbases", "millions of bases in all", "900", unit="10⁶ bases"),
        optional("sra_study", "SRA study accession", "SRP255885"),
        *DESCRIBED,
    ),
)
LAYOUTS: Final = (LAYOUT, LOGAN)
ATTRIBUTE_COLUMNS: Final = {"biosample": pl.String, "attribute": pl.String, "value": pl.String}
ATTRIBUTES: Final = r"""
WITH keyed AS (
    SELECT biosample, jattr, unnest(json_keys(jattr)) AS key FROM rows WHERE json_valid(jattr)
), sampled AS (
    SELECT biosample, key,
           json_extract(
               jattr, '$."' || replace(replace(key, '\', '\\'), '"', '\"') || '"'
           ) AS listed
    FROM keyed
    WHERE regexp_matches(key, '_sam(_s+_dpl\d+)?$')
)
SELECT DISTINCT
    biosample,
    regexp_replace(key, '_sam(_s+_dpl\d+)?$', '') AS attribute,
    trim(value) AS value
FROM sampled, unnest(CAST(listed AS VARCHAR[])) AS item(value)
WHERE json_type(listed) = 'ARRAY' AND trim(value) <> ''
"""


def read(path: Path) -> Records:
    """Return runs, samples, their attributes, and the country NCBI computed from geo_loc_name.

    Without attributes the bases of a run are its millions of bases, rounded as they are.
    """
    layout = choose_layout(path, LAYOUTS)
    kept, rejected, counts = read_sound(path, layout, unread_day("releasedate"))
    is_logan = layout is LOGAN
    attributes = pl.DataFrame(schema=ATTRIBUTE_COLUMNS)
    if not is_logan:
        attributes = _attributes(kept.select("biosample", "jattr"))
    places = kept.select(
        "biosample", country_of(pl.col("geo_loc_name_country_calc")).alias("country")
    )
    return Records(
        run=to_table(_runs(kept, is_logan=is_logan), Run),
        biosample=to_table(kept.select("biosample"), Biosample),
        biosample_attribute=to_table(attributes, BiosampleAttribute),
        place=to_table(places.drop_nulls("country"), Place),
        rejected=rejected,
        rows=counts,
    )


def _runs(rows: pl.DataFrame, *, is_logan: bool) -> pl.DataFrame:
    if is_logan:
        bases: pl.Expr = pl.when(number("mbases") >= 0).then(number("mbases") * 1e6)
        study = pl.col("sra_study")
    else:
        in_json = pl.col("jattr").str.extract(r'"bases": ?(\d+)')
        bases = in_json.cast(pl.Int64, strict=False)
        study = pl.lit(None, pl.String)
    return rows.with_columns(bases.alias("bases"), study.alias("study")).select(
        pl.col("acc").alias("run"),
        "biosample",
        "bioproject",
        "study",
        "organism",
        pl.col("assay_type").alias("library_strategy"),
        pl.col("librarysource").alias("library_source"),
        whole_number("bases"),
        spots_of(pl.col("bases"), "avgspotlen").alias("spots"),
        day("releasedate").alias("release_date"),
    )


def _attributes(rows: pl.DataFrame) -> pl.DataFrame:
    with duckdb.connect(config=LOCKED) as connection:
        connection.register("rows", rows.to_arrow())
        attributes: pl.DataFrame = connection.sql(ATTRIBUTES).pl()
        return attributes


SOURCE: Final = Source(
    read, "SRA metadata of the cloud database, with or without attributes", NCBI, LAYOUTS
)

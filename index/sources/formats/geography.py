"""Where and in what habitat runs were sampled: one row per run with place, habitat and position.

Licence: the table published with LucaProt (Hou et al. 2024) is Apache-2.0; places are those of NCBI
BioSample. Rows name the sample by BioSample or by SRA sample (SRS…): ``run_info`` files translate
the latter through the run.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import polars as pl

from index.records import Records
from index.sources.accessions import BIOSAMPLE, RUN, must_be
from index.sources.formats.run_links import RUN_INFO, read_run_links
from index.sources.layout import Layout, optional, required
from index.sources.rejection import Rule, split_rejected
from index.sources.source import Source
from index.sources.tabular import read_table, to_table
from index.tables import Place, Run

LOCALITY: Final = "geographic_location(region_and_locality)"
LAYOUT: Final = Layout(
    "geography",
    (
        required("SRA_Run", "run accession", "SRR11362474"),
        required(
            "biosample",
            "BioSample accession, or an SRA sample (SRS…) with run_info",
            "SAMN14419043",
        ),
        optional(LOCALITY, "country or sea, then the place after a colon", "South Korea: Seoul"),
        optional(
            "latlon_name", "the same, where it was found from the position", "South Korea: Seoul"
        ),
        optional("Habitat", "habitat", "Food"),
        optional("Metagenome", "finer habitat", "Food_fermentation"),
        optional("lat", "latitude", "37.50558", unit="degrees north"),
        optional("lon", "longitude", "126.955897", unit="degrees east"),
    ),
)
NULLS: Final = r"(?i)^(?:missing|not |n/?a$|unknown|none$|uncalculated|-+$)"
RULES: Final = (
    *LAYOUT.rules(),
    must_be(RUN, "SRA_Run", "run"),
    Rule("no BioSample known for the run", pl.col("sample").is_null(), shows="biosample"),
)


def read(path: Path, *, run_info: tuple[Path, ...] = ()) -> Records:
    """Return the place of each sample: country or sea, biome (the finer habitat where there is
    one), position.

    A position outside -90..90, -180..180 or at exactly 0, 0 is left null.
    """
    rows = read_table(path, LAYOUT)
    links = read_run_links(run_info).select(
        pl.col("run").alias("SRA_Run"), pl.col("biosample").alias("linked")
    )
    own = pl.when(pl.col("biosample").str.contains(BIOSAMPLE)).then(pl.col("biosample"))
    joined = rows.join(links, on="SRA_Run", how="left", maintain_order="left")
    kept, rejected = split_rejected(
        joined.with_columns(pl.coalesce(own, "linked").alias("sample")), path.name, RULES
    )
    places = kept.select(
        pl.col("sample").alias("biosample"),
        country_of(pl.coalesce(LOCALITY, "latlon_name")).alias("country"),
        pl.coalesce("Metagenome", "Habitat").str.replace_all("_", " ").alias("biome"),
        *position(
            pl.col("lat").cast(pl.Float64, strict=False),
            pl.col("lon").cast(pl.Float64, strict=False),
        ),
    )
    runs = kept.select(pl.col("SRA_Run").alias("run"), pl.col("sample").alias("biosample"))
    return Records(run=to_table(runs, Run), place=to_table(places, Place), rejected=rejected)


def country_of(text: pl.Expr) -> pl.Expr:
    """Return the country or sea of a geo_loc_name (the part before the colon); null for the ways to
    say nothing.

    >>> pl.select(country_of(pl.Series(["USA: Iowa", "Pacific Ocean", "not collected"]))).to_series().to_list()
    ['USA', 'Pacific Ocean', None]
    """
    first = text.str.split(":").list.first().str.strip_chars()
    return pl.when(first.str.contains(NULLS) | (first == "")).then(None).otherwise(first)


def position(north: pl.Expr, east: pl.Expr) -> tuple[pl.Expr, pl.Expr]:
    """Return latitude and longitude in degrees, both null where they cannot be a position."""
    valid = north.is_between(-90, 90) & east.is_between(-180, 180) & ((north != 0) | (east != 0))
    return pl.when(valid).then(north).alias("latitude"), pl.when(valid).then(east).alias(
        "longitude"
    )


SOURCE: Final = Source(
    read,
    "place and habitat, one row per run",
    "Apache-2.0 (LucaProt); places: NCBI",
    (LAYOUT,),
    {"run_info": RUN_INFO},
)

"""Where and in what habitat runs were sampled: one row per run with place, habitat and position; or
one per sample and attribute that says so, as Logan keeps it.

Licence: the table published with LucaProt (Hou et al. 2024) is Apache-2.0; places are those of NCBI
BioSample. Rows name the sample by BioSample or by SRA sample (SRS…): ``run_info`` files translate
the latter through the run.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import polars as pl

from index.records import Records
from index.sources.accessions import BIOSAMPLE, RUN
from index.sources.formats.run_links import RUN_INFO, read_run_links
from index.sources.layout import Layout, optional, required
from index.sources.numbers import position
from index.sources.source import Source
from index.sources.tabular import choose_layout, read_sound, read_table, sound_rows, to_table
from index.tables import Place, Run, RunAttribute

LOCALITY: Final = "geographic_location(region_and_locality)"
LAYOUT: Final = Layout(
    "geography",
    (
        required("SRA_Run", "run accession", "SRR11362474").must_be(RUN),
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
LOGAN: Final = Layout(
    "geography of Logan",
    (
        required("accession", "BioSample accession", "SAMN14419043", alias="biosample").must_be(
            BIOSAMPLE
        ),
        required("attribute_value", "place or position as submitted", "South Korea: Seoul"),
        optional("attribute_name", "attribute that says so", "geo_loc_name"),
        optional("lat", "latitude", "37.50558", unit="degrees north"),
        optional("lon", "longitude", "126.955897", unit="degrees east"),
        optional("gp4326_wwf_tew_id", "terrestrial biome of the position, WWF", "WWF_TEW_BIOME_04"),
    ),
)
LAYOUTS: Final = (LAYOUT, LOGAN)
WWF_BIOMES: Final = {
    "01": "tropical and subtropical moist broadleaf forest",
    "02": "tropical and subtropical dry broadleaf forest",
    "03": "tropical and subtropical coniferous forest",
    "04": "temperate broadleaf and mixed forest",
    "05": "temperate conifer forest",
    "06": "boreal forest",
    "07": "tropical and subtropical grassland, savanna and shrubland",
    "08": "temperate grassland, savanna and shrubland",
    "09": "flooded grassland and savanna",
    "10": "montane grassland and shrubland",
    "11": "tundra",
    "12": "mediterranean forest, woodland and scrub",
    "13": "desert and xeric shrubland",
    "14": "mangrove",
}
"""Terrestrial biomes by number (Olson et al. 2001, doi:10.1641/0006-3568(2001)051)."""
NULLS: Final = r"(?i)^(?:missing|not |n/?a$|unknown|none$|uncalculated|-+$)"


def read(path: Path, *, run_info: tuple[Path, ...] = ()) -> Records:
    """Return the place of each sample: country or sea, biome and position. Where no sample of a run
    is known, they are attributes of the run.

    The biome is the finer habitat where there is one. A position outside -90..90, -180..180 or at
    exactly 0, 0 is left null.
    """
    if choose_layout(path, LAYOUTS) is LOGAN:
        return _of_logan(path)
    rows = _with_sample(read_table(path, LAYOUT), run_info)
    kept, rejected, counts = sound_rows(rows, path, LAYOUT)

    locality = pl.coalesce(LOCALITY, "latlon_name")
    habitat = pl.coalesce("Metagenome", "Habitat")
    places = kept.select(
        *position("lat", "lon"),
        biosample="sample",
        run="SRA_Run",
        country=country_of(locality),
        biome=habitat.str.replace_all("_", " "),
    )
    sampled = places.drop_nulls("biosample")
    return Records(
        run=to_table(sampled.select("run", "biosample"), Run),
        place=to_table(sampled, Place),
        run_attribute=to_table(stated_of_runs(places), RunAttribute),
        rejected=rejected,
        rows=counts,
    )


def stated_of_runs(places: pl.DataFrame) -> pl.DataFrame:
    """Return [run, attribute, value] of the ``places`` of runs without a BioSample.

    A place is that of a sample; where none is known it is an attribute of the run.
    """
    unsampled = places.filter(pl.col("biosample").is_null())
    attributes = unsampled.select(
        "run",
        pl.col("country"),
        pl.col("biome").alias("habitat"),
        _written(pl.col("latitude"), pl.col("longitude")).alias("lat_lon"),
    )
    stated = attributes.unpivot(index="run", variable_name="attribute", value_name="value")
    return stated.drop_nulls("value")


def _written(latitude: pl.Expr, longitude: pl.Expr) -> pl.Expr:
    """Return a position as samples state it in ``lat_lon``: 42.0 N 93.6 W."""
    north = pl.when(latitude < 0).then(pl.lit("S")).otherwise(pl.lit("N"))
    east = pl.when(longitude < 0).then(pl.lit("W")).otherwise(pl.lit("E"))
    return pl.format("{} {} {} {}", latitude.abs(), north, longitude.abs(), east)


def _of_logan(path: Path) -> Records:
    """Return the places of samples; a value that begins with a number is a position, no country."""
    kept, rejected, counts = read_sound(path, LOGAN)
    stated = pl.col("attribute_value")
    is_position = stated.str.contains(r"^[-+]?\d")
    number = pl.col("gp4326_wwf_tew_id").str.extract(r"(\d+)$").str.zfill(2)
    places = kept.select(
        "biosample",
        *position("lat", "lon"),
        country=pl.when(~is_position).then(country_of(stated)),
        biome=number.replace_strict(WWF_BIOMES, default=None),
    )
    return Records(place=to_table(places, Place), rejected=rejected, rows=counts)


def _with_sample(rows: pl.DataFrame, run_info: tuple[Path, ...]) -> pl.DataFrame:
    """Return ``rows`` with the BioSample of each: its own, or that which ``run_info`` links."""
    linked = read_run_links(run_info).select(SRA_Run="run", linked="biosample")
    joined = rows.join(linked, on="SRA_Run", how="left", maintain_order="left")
    own = pl.when(pl.col("biosample").str.contains(BIOSAMPLE)).then("biosample")
    return joined.with_columns(sample=pl.coalesce(own, "linked"))


def country_of(text: pl.Expr) -> pl.Expr:
    """Return the country or sea of a geo_loc_name, null for the ways to say nothing.

    It is the text before the colon.

    >>> names = pl.Series(["USA: Iowa", "Pacific Ocean", "not collected"])
    >>> pl.select(country_of(names)).to_series().to_list()
    ['USA', 'Pacific Ocean', None]
    """
    country = text.str.split(":").list.first().str.strip_chars()
    says_nothing = country.str.contains(NULLS) | (country == "")
    return pl.when(says_nothing).then(None).otherwise(country)


SOURCE: Final = Source(
    read,
    "place and habitat, one row per run",
    "Apache-2.0 (LucaProt); places: NCBI",
    LAYOUTS,
    {"run_info": RUN_INFO},
)

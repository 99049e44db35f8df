"""Clean places, habitats and sexes: the metadata values that no ontology of the index covers and
that stay verbatim.

Countries follow the INSDC list of geographic names (``ontology_etl/reviewed/countries.tsv``):
``USA: Michigan`` gives the country ``USA`` and the region ``USA: Michigan``.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from ontology_etl.attributes import snake_case
from ontology_etl.denials import is_null
from ontology_etl.folding import fold, separate
from ontology_etl.vocabulary import read_reviewed

_GEOGRAPHY: Final = (
    r"geo_loc_name(?:_country)?|geographic_location(?:_country_and_or_sea(?:_region)?)?|country|geographic_location_country"
    r"|geo_loc|country_of_(?:origin|isolation)|geographical_location|geographic_origin|sampling_country"
)
_BIOME: Final = r"(?:env_|environment_|environmental_)?biome|env_broad_scale|broad_scale_environmental_context|habitat"
_SEX: Final = r"(?:host_|subject_|donor_|animal_|patient_)?(?:sex|gender)"
_ROUTES: Final = {"geography": _GEOGRAPHY, "biome": _BIOME, "sex": _SEX}

_SEXES: Final = {
    "male": ("m", "male", "man", "boy", "males"),
    "female": ("f", "female", "woman", "girl", "females", "fem"),
    "hermaphrodite": ("hermaphrodite", "hermaphroditic", "bisexual", "monoecious"),
    "mixed": (
        "mixed",
        "both",
        "male and female",
        "female and male",
        "pooled male and female",
        "mixed sex",
        "m f",
        "f m",
    ),
}
_NO_SEX: Final = ("u", "0", "1", "2")


def route_verbatim(attributes: pl.Series) -> pl.DataFrame:
    """Return [attribute, facet] for the attribute names that tell geography, biome or sex."""
    names = pl.DataFrame({"attribute": attributes.unique().sort()}).with_columns(
        snake=snake_case(pl.col("attribute"))
    )
    routed = [
        names.filter(pl.col("snake").str.contains(f"^(?:{pattern})$")).select(
            "attribute", pl.lit(facet).alias("facet")
        )
        for facet, pattern in _ROUTES.items()
    ]
    return pl.concat(routed)


def clean_values(values: pl.DataFrame) -> pl.DataFrame:
    """Return [facet, text, value], zero or more per distinct row of ``values`` [facet, text]: the
    cleaned spellings.

    A null spelling has no row. A place has up to two: its country and its region.
    """
    distinct = values.select("facet", "text").unique().with_columns(_folded("text").alias("folded"))
    told = distinct.filter(~is_null(pl.col("folded")) | (pl.col("facet") == "sex"))
    cleaned = {
        "geography": clean_places,
        "biome": clean_biomes,
        "sex": clean_sexes,
    }
    parts = [
        clean(told.filter(pl.col("facet") == facet)["text"]).with_columns(
            pl.lit(facet).alias("facet")
        )
        for facet, clean in cleaned.items()
    ]
    return pl.concat(parts).select("facet", "text", "value").sort("facet", "text", "value")


def clean_places(texts: pl.Series) -> pl.DataFrame:
    """Return [text, value]: the country of each place and, where it says one, ``country: region``."""
    placed = pl.DataFrame({"text": texts.unique().sort()}).with_columns(
        pl.col("text").str.extract(r"^([^:;,]+)", 1).str.strip_chars().alias("head"),
        pl.col("text").str.extract(r":\s*([^,;:]+)", 1).str.strip_chars(" .").alias("region"),
    )
    keyed = placed.drop_nulls("head").with_columns(
        _folded("head").alias("key"), _folded("region").alias("region_key")
    )
    named = keyed.join(_countries(), on="key", how="left")
    country = named.filter(~is_null(pl.col("key"))).with_columns(
        pl.coalesce("country", "head").alias("country")
    )
    told = country.filter(pl.col("region").is_not_null() & ~is_null(pl.col("region_key")))
    regions = told.select(
        "text", pl.format("{}: {}", "country", pl.col("region").str.to_titlecase()).alias("value")
    )
    return pl.concat([country.select("text", pl.col("country").alias("value")), regions])


def clean_biomes(texts: pl.Series) -> pl.DataFrame:
    """Return [text, value]: habitat in lower case, without ENVO identifiers and the word biome;
    none for a bare one.
    """
    bare = pl.col("text").str.replace_all(r"(?i)[\[(]?\bENVO[:_]\d+[\])]?", " ").str.to_lowercase()
    words = (
        bare.str.replace_all(r"[_|()\[\]\s]+", " ")
        .str.replace(r"\s*\bbiome?\s*$", "")
        .str.strip_chars(" .,;:")
    )
    cleaned = pl.DataFrame({"text": texts.unique().sort()}).with_columns(words.alias("value"))
    return cleaned.filter(pl.col("value").str.contains(r"\p{L}{2}"))


def clean_sexes(texts: pl.Series) -> pl.DataFrame:
    """Return [text, value]: male, female, hermaphrodite, mixed, or the value in lower case
    (``worker``).
    """
    known = {spelling: sex for sex, spellings in _SEXES.items() for spelling in spellings}
    plain = (
        pl.col("text").str.to_lowercase().str.replace_all(r"[^\p{L}\p{N}]+", " ").str.strip_chars()
    )
    asked = pl.DataFrame({"text": texts.unique().sort()}).with_columns(plain.alias("plain"))
    told = asked.filter(pl.col("plain").is_in(list(known)) | ~is_null(_folded("text")))
    kept = told.filter(
        ~pl.col("plain").is_in(list(_NO_SEX)) & pl.col("plain").str.contains(r"^\p{L}")
    )
    return kept.select("text", pl.col("plain").replace(known).alias("value"))


def _countries() -> pl.DataFrame:
    """Return [key, country]: every listed name and alias, folded, with the INSDC name."""
    listed = read_reviewed("countries.tsv").with_columns(
        pl.col("aliases").fill_null("").str.split("|")
    )
    aliases = (
        listed.select("country", pl.col("aliases").alias("name"))
        .explode("name")
        .filter(pl.col("name") != "")
    )
    names = pl.concat([listed.select("country", pl.col("country").alias("name")), aliases])
    return names.select(_folded("name").alias("key"), "country").unique(
        "key", keep="first", maintain_order=True
    )


def _folded(column: str) -> pl.Expr:
    return fold(separate(pl.col(column)))

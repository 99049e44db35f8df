"""Clean habitats and sexes, and route the facets that no ontology of the index covers.

Geography is read by ``ontology_etl.places``; habitats and sexes stay verbatim, cleaned.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from ontology_etl.attributes import snake_case
from ontology_etl.denials import is_null
from ontology_etl.folding import folded_column
from ontology_etl.places import clean_places
from ontology_etl.reviewed_lists import read_reviewed

GEOGRAPHY: Final = (
    r"geo_?loc_?name(?:_country)?|geographic_locations?(?:_country_and_or_sea(?:_region)?)?|country"
    r"|geographic(?:al)?_location_country(?:_region(?:_area|_location)?)?"
    r"|geographic_location_locality|geo_loc|country_of_(?:origin|isolation)|geographical_location"
    r"|geographic_origin|sampling_country"
)
_BIOME: Final = (
    r"(?:env_|environment_|environmental_)?biome|env_broad_scale"
    r"|broad_scale_environmental_context|habitat"
)
_SEX: Final = r"(?:host_|subject_|donor_|animal_|patient_|sample_)?(?:sex|gender)"
_ROUTES: Final = {"geography": GEOGRAPHY, "biome": _BIOME, "sex": _SEX}

_SEXES: Final = {
    "male": ("m", "male", "man", "boy", "males"),
    "female": ("f", "female", "woman", "girl", "females", "fem"),
    "hermaphrodite": ("hermaphrodite", "hermaphroditic", "bisexual", "monoecious"),
    "mixed": (
        "mixed", "both", "male and female", "female and male", "pooled male and female",
        "mixed sex", "m f", "f m",
    ),
}  # fmt: skip
_NO_SEX: Final = ("u", "0", "1", "2")


def route_verbatim(attributes: pl.Series) -> pl.DataFrame:
    """Return [attribute, facet] for the attribute names that say geography, biome or sex."""
    distinct = pl.DataFrame({"attribute": attributes.unique().sort()})
    name = snake_case(pl.col("attribute"))
    routed = [
        distinct.filter(name.str.contains(f"^(?:{pattern})$")).with_columns(facet=pl.lit(facet))
        for facet, pattern in _ROUTES.items()
    ]
    return pl.concat(routed)


def clean_values(values: pl.DataFrame) -> pl.DataFrame:
    """Return [facet, text, value] with the cleaned spellings of ``values`` [facet, text].

    A value without content has no row. A place has up to two: its country and its region.
    """
    distinct = values.select("facet", "text").unique()
    stated = distinct.filter(~is_null(folded_column("text")) | (pl.col("facet") == "sex"))
    cleaners = {"geography": clean_places, "biome": clean_biomes, "sex": clean_sexes}

    parts = []
    for facet, clean in cleaners.items():
        cleaned = clean(stated.filter(pl.col("facet") == facet)["text"])
        parts.append(cleaned.with_columns(pl.lit(facet).alias("facet")))
    return pl.concat(parts).select("facet", "text", "value").sort("facet", "text", "value")


def clean_biomes(texts: pl.Series) -> pl.DataFrame:
    """Return [text, value]: habitat in lower case, without ENVO identifiers and the word biome.

    A bare identifier has no row, and neither has a place: the Baltic Sea is not a kind of habitat.
    """
    lower = pl.col("text").str.to_lowercase()
    bare = lower.str.replace_all(r"[\[(]?\benvo[:_]\d+[\])]?", " ")
    spaced = bare.str.replace_all(r"[_|()\[\]\s]+", " ")
    words = spaced.str.replace(r"\s*\bbiome?\s*$", "").str.strip_chars(" .,;:")
    cleaned = pl.DataFrame({"text": texts.unique().sort()}).with_columns(words.alias("value"))
    places = read_reviewed("countries.tsv")["country"].str.to_lowercase()
    is_place = pl.col("value").is_in(places.implode())
    return cleaned.filter(pl.col("value").str.contains(r"\p{L}{2}"), ~is_place)


def clean_sexes(texts: pl.Series) -> pl.DataFrame:
    """Return [text, value]: male, female, hermaphrodite, mixed, or the value (``worker``)."""
    known: dict[str, str] = {}
    for sex, spellings in _SEXES.items():
        known |= dict.fromkeys(spellings, sex)
    words = pl.col("text").str.to_lowercase().str.replace_all(r"[^\p{L}\p{N}]+", " ")
    distinct = pl.DataFrame({"text": texts.unique().sort()})
    with_plain = distinct.with_columns(words.str.strip_chars().alias("plain"))
    stated = with_plain.filter(pl.col("plain").is_in(list(known)) | ~is_null(folded_column("text")))
    no_sex = pl.col("plain").is_in(list(_NO_SEX))
    sexes = stated.filter(~no_sex & pl.col("plain").str.contains(r"^\p{L}"))

    return sexes.select("text", pl.col("plain").replace(known).alias("value"))

"""Read places: countries, oceans and seas of the INSDC list of geographic names.

``USA: Michigan`` gives the country ``USA`` and the region ``USA: Michigan``; ``Red Sea`` gives
``Indian Ocean`` and ``Indian Ocean: Red Sea``. ``ontology_etl/reviewed/countries.tsv`` has the list
with former and finer names. ``regions.tsv`` has states and provinces; one of them is the region
wherever it is in the text: ``USA: Hopland, CA`` is ``USA: California``. A place that is not on the
list, or is two countries (``China; Japan``), gives no value and is counted.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from ontology_etl.denials import is_null
from ontology_etl.folding import folded_column
from ontology_etl.matching import find_spans, keep_longest
from ontology_etl.reviewed_lists import read_reviewed

UNLISTED: Final = "unlisted place"
SEVERAL: Final = "several countries"
LONGEST_PLACE: Final = 500
"""Characters of the longest place that is read; a longer one is an unlisted place."""
_UNCLEAR: Final = "unclear"
_IN_GEORGIA: Final = r"(?i)\b(?:tbilisi|batumi|kutaisi|rustavi|gori|zugdidi|telavi|mtskheta)\b"
"""Cities of the country Georgia: any other place in "Georgia" may be in the state."""
_IN_STATE_OF_GEORGIA: Final = (
    r"(?i)^georgia\s*[:,]\s*(?:atlanta|athens|savannah|augusta|macon|marietta|decatur|valdosta)\b"
)
"""Cities of the state of Georgia, written as if they were in the country."""
_SYNONYM_OF_OCEAN: Final = r"Ocean$|^(?:North|South)? ?(?:Arctic|Atlantic|Pacific|Mediterranean)$"
"""Names that are an ocean itself, not a sea within it."""


def read_places(texts: pl.Series) -> pl.DataFrame:
    """Return [text, country, region, outcome], one row per distinct non-empty place.

    ``country`` is a name of the INSDC list, ``region`` is ``country: region`` where the text says
    one. ``outcome`` is "grounded", or why there is no country: ``UNLISTED`` or ``SEVERAL``.

    The part before a colon names the country; if it names none, the whole text is read. If the text
    names a country and a sea, the country counts; if it names a territory and its country, the
    territory.
    """
    distinct = pl.DataFrame({"text": texts.unique().sort()})
    stated = distinct.with_columns(
        pl.col("text").str.slice(0, LONGEST_PLACE + 1).alias("read"),
        pl.col("text").str.len_chars().gt(LONGEST_PLACE).alias("long"),
    )
    split = stated.with_columns(
        pl.col("read").str.extract(r"^([^:]*)", 1).alias("head"),
        pl.col("read").str.extract(r":\s*([^,;:]+)", 1).str.strip_chars(" .").alias("region"),
        pl.col("read").str.extract(r"^[^:]*,\s*([^,:]+)$", 1).str.strip_chars(" .").alias("tail"),
    )
    placed = split.filter(~is_null(folded_column("read")) & ~is_null(folded_column("head")))
    readable = placed.filter(~pl.col("long"))
    headed = _countries_in(readable.select("text", place="head"))
    rest = readable.join(headed, on="text", how="anti")
    of_regions = pl.concat([_of_regions(readable), _of_state_of_georgia(readable)])
    found = pl.concat([headed, _countries_in(rest.select("text", place="read"))])
    found = pl.concat([found.join(of_regions, on="text", how="anti"), of_regions])
    judged = placed.join(_one_country(found), on="text", how="left", maintain_order="left")
    spelled = judged.join(_listed_regions(judged), on="text", how="left", maintain_order="left")
    return spelled.select(
        "text",
        "country",
        _region().alias("region"),
        pl.col("outcome").fill_null(UNLISTED),
    )


def clean_places(texts: pl.Series) -> pl.DataFrame:
    """Return [text, value]: the country of each place and, where it says them, its region and sea.

    ``Sweden: Baltic Sea`` is in Sweden and in the Baltic Sea.
    """
    read = read_places(texts).select("text", "country", "region").drop_nulls("country")
    values = read.unpivot(index="text", value_name="value").drop_nulls("value")
    stated = pl.concat([values.select("text", "value"), _seas_beside_countries(read)])
    return stated.unique(maintain_order=True)


def _seas_beside_countries(read: pl.DataFrame) -> pl.DataFrame:
    """Return [text, value]: the seas that places of a country name, too.

    An ocean counts if it is written in full: Atlantic City is not at sea.
    """
    is_sea = pl.col("country").is_in(_names().filter(kind="sea")["country"].implode())
    on_land = read.filter(~is_sea)
    named = _countries_in(on_land.select("text", place="text")).filter(pl.col("kind") == "sea")
    in_full = (
        pl.col("text")
        .str.to_lowercase()
        .str.contains(pl.col("country").str.to_lowercase(), literal=True)
    )
    seas = named.filter(in_full | pl.col("sea").is_not_null())
    value = pl.concat_str("country", "sea", separator=": ", ignore_nulls=True)
    return seas.select("text", value=value).sort("text", "value")


def _listed_regions(judged: pl.DataFrame) -> pl.DataFrame:
    """Return [text, full]: the first part of each text that is a region of its country."""
    parts = judged.select("text", "country", part=pl.col("read").str.split(by=",")).explode("part")
    whole = parts.with_columns(pl.col("part").str.replace(r"^[^:]*:", ""))
    ends = parts.with_columns(pl.col("part").str.extract(r"\b([A-Z]{2})(?:\s+\d{5})?\s*$"))
    before = parts.with_columns(pl.col("part").str.extract(r"^([^:]*):"))
    spelled = pl.concat([whole, before, ends]).drop_nulls().with_columns(key=folded_column("part"))
    listed = spelled.join(_regions(), on=["key", "country"], maintain_order="left")
    return listed.select("text", "full").unique("text", keep="first", maintain_order=True)


def _of_state_of_georgia(places: pl.DataFrame) -> pl.DataFrame:
    """Return what ``_of_regions`` does, for cities of the state of Georgia after "Georgia"."""
    in_state = places.filter(pl.col("read").str.contains(_IN_STATE_OF_GEORGIA))
    return in_state.select(
        "text",
        country=pl.lit("USA"),
        kind=pl.lit("country"),
        within=pl.lit(None, pl.String),
        sea=pl.lit("Georgia"),
    )


def _of_regions(places: pl.DataFrame) -> pl.DataFrame:
    """Return [text, country, kind, within] of places that end in a region: Lebanon, Pennsylvania.

    If the region has the name of a country, too, both are returned.
    """
    regions = _regions().filter(pl.col("key") == folded_column("full")).select("key", "country")
    ending = places.drop_nulls("tail").with_columns(key=folded_column("tail"))
    countries = _names().filter(kind="country").select("key", other="country")
    named = ending.join(regions, on="key").join(countries, on="key", how="left")
    is_both = (pl.col("other") != pl.col("country")).fill_null(value=False)
    of_georgia = pl.col("head").str.contains(_IN_GEORGIA)
    return named.filter(~(is_both & of_georgia)).select(
        "text",
        "country",
        kind=pl.when(is_both).then(pl.lit(_UNCLEAR)).otherwise(pl.lit("country")),
        within=pl.lit(None, pl.String),
        sea=pl.lit(None, pl.String),
    )


def _regions() -> pl.DataFrame:
    """Return [key, country, full]: every region by its names and abbreviations, folded."""
    keyed = _spelled("regions.tsv", "region")
    return keyed.select("key", "country", full="region").unique().sort("key", "country")


def _spelled(file: str, label: str) -> pl.DataFrame:
    """Return a reviewed list with a row for each ``name``, ``label`` or alias, and its ``key``."""
    listed = read_reviewed(file).with_columns(pl.col("aliases").fill_null("").str.split("|"))
    named = listed.with_columns(name=pl.concat_list(label, "aliases")).explode("name")
    return named.with_columns(key=folded_column("name")).filter(pl.col("key") != "")


def _region() -> pl.Expr:
    """Return ``country: region`` where the text states a region."""
    is_stated = ~is_null(folded_column("region"))
    has_country = pl.col("country").is_not_null()
    stated = pl.when(is_stated).then(pl.col("region").str.to_titlecase())
    region = pl.coalesce("full", "sea", stated)
    # of "Asia: Viet Nam" the region is the country itself
    is_part = region != pl.col("country").str.to_titlecase()
    return pl.when(has_country & is_part).then(pl.format("{}: {}", "country", region))


def _countries_in(places: pl.DataFrame) -> pl.DataFrame:
    """Return [text, country, kind, within, sea] of the entries that ``places`` [text, place] name;
    ``sea`` is the sea within an ocean.
    """
    listed = _names()
    spelled = listed["key"].unique().sort()
    folded = places.select(folded_column("place").alias("place"))["place"]
    spans = keep_longest(find_spans(folded, spelled))
    keys = spans.select(places["text"].gather(spans["text"]), spelled.gather(spans["pattern"]))
    return keys.rename({spelled.name: "key"}).join(listed, on="key").drop("key").unique()


def _one_country(found: pl.DataFrame) -> pl.DataFrame:
    """Return [text, country, sea, outcome], one row per text; several countries give none."""
    wider = found.select("text", country="within").drop_nulls()
    finest = found.join(wider, on=["text", "country"], how="anti")
    at_sea = pl.col("kind") == "sea"
    on_land = ~at_sea | at_sea.all().over("text")
    meant = finest.filter(on_land)
    several = pl.col("country").n_unique() > 1
    unclear = several | (pl.col("kind") == _UNCLEAR).any()
    outcome = pl.when(unclear).then(pl.lit(SEVERAL)).otherwise(pl.lit("grounded"))
    country = pl.when(~unclear).then(pl.col("country").first())

    sea = pl.col("sea").drop_nulls().sort().first()
    return meant.group_by("text").agg(country.alias("country"), sea, outcome.alias("outcome"))


def _names() -> pl.DataFrame:
    """Return [key, country, kind, within, sea]: every listed name and alias, folded."""
    keyed = _spelled("countries.tsv", "country")
    is_sea = (pl.col("kind") == "sea") & (pl.col("name") != pl.col("country"))
    is_finer = is_sea & ~pl.col("name").str.contains(_SYNONYM_OF_OCEAN)
    finer = keyed.with_columns(sea=pl.when(is_finer).then("name"))
    columns = ["key", "country", "kind", "within", "sea"]
    return finer.select(columns).unique(["key", "country"]).sort("key")

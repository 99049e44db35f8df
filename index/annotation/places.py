"""Read places: countries, oceans and seas of the INSDC list of geographic names.

``USA: Michigan`` gives the country ``USA`` and the region ``USA: Michigan``; ``Gulf of Aqaba`` and
``[AO] Arctic Ocean (MRGID`` give their oceans. ``ontology_etl/reviewed/countries.tsv`` holds the
list with former and finer names. A place outside it, and a place that is two countries (``China;
Japan``), gives no value and is counted.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from ontology_etl.denials import is_null
from ontology_etl.folding import fold, separate
from ontology_etl.matching import find_spans, keep_longest
from ontology_etl.vocabulary import read_reviewed

UNLISTED: Final = "unlisted place"
SEVERAL: Final = "several countries"
LONGEST_PLACE: Final = 500
"""Characters of the longest place that is read; a longer one is an unlisted place."""
_UNCLEAR: Final = "unclear"


def read_places(texts: pl.Series) -> pl.DataFrame:
    """Return [text, country, region, outcome], one row per distinct place that says something.

    ``country`` is a name of the INSDC list, ``region`` is ``country: region`` where the text says
    one. ``outcome`` is "grounded", or why there is no country: ``UNLISTED`` or ``SEVERAL``.

    What is before a colon names the country; where it names none, the whole text does. Between a
    country and a sea the country is meant, between a territory and its country the territory.
    """
    distinct = pl.DataFrame({"text": texts.unique().sort()})
    stated = distinct.with_columns(
        pl.col("text").str.slice(0, LONGEST_PLACE + 1).alias("read"),
        pl.col("text").str.len_chars().gt(LONGEST_PLACE).alias("long"),
    )
    split = stated.with_columns(
        pl.col("read").str.extract(r"^([^:]*)", 1).alias("head"),
        pl.col("read").str.extract(r":\s*([^,;:]+)", 1).str.strip_chars(" .").alias("region"),
    )
    placed = split.filter(~is_null(_folded("read")) & ~is_null(_folded("head")))
    readable = placed.filter(~pl.col("long"))
    headed = _countries_in(readable.select("text", place="head"))
    rest = readable.join(
        headed,
        on="text",
        how="anti",
    )
    found = pl.concat([headed, _countries_in(rest.select("text", place="read"))])
    judged = placed.join(
        _one_country(found),
        on="text",
        how="left",
        maintain_order="left",
    )
    return judged.select(
        "text",
        "country",
        _region().alias("region"),
        pl.col("outcome").fill_null(UNLISTED),
    )


def clean_places(texts: pl.Series) -> pl.DataFrame:
    """Return [text, value]: the country of each place and, where it says one, its region."""
    read = read_places(texts).select("text", "country", "region")
    values = read.unpivot(index="text", value_name="value")
    return values.drop_nulls("value").select("text", "value")


def _region() -> pl.Expr:
    """Return ``country: region`` where the text states a region."""
    is_stated = ~is_null(_folded("region"))
    has_country = pl.col("country").is_not_null()
    region = pl.col("region").str.to_titlecase()
    named = pl.format("{}: {}", "country", region)
    return pl.when(is_stated & has_country).then(named)


def _countries_in(places: pl.DataFrame) -> pl.DataFrame:
    """Return [text, country, kind, within] of the entries that ``places`` [text, place] name."""
    listed = _names()
    spelled = listed["key"].unique().sort()
    folded = places.select(_folded("place").alias("place"))["place"]
    spans = keep_longest(find_spans(folded, spelled))
    keys = spans.select(places["text"].gather(spans["text"]), spelled.gather(spans["pattern"]))
    return keys.rename({spelled.name: "key"}).join(listed, on="key").drop("key").unique()


def _one_country(found: pl.DataFrame) -> pl.DataFrame:
    """Return [text, country, outcome], one row per text of ``found``; several have no country."""
    wider = found.select("text", country="within").drop_nulls()
    finest = found.join(
        wider,
        on=["text", "country"],
        how="anti",
    )
    at_sea = pl.col("kind") == "sea"
    on_land = ~at_sea | at_sea.all().over("text")
    meant = finest.filter(on_land)
    unclear = (pl.len() > 1) | (pl.col("kind") == _UNCLEAR).any()
    outcome = pl.when(unclear).then(pl.lit(SEVERAL)).otherwise(pl.lit("grounded"))
    country = pl.when(~unclear).then(pl.col("country").first())

    return meant.group_by("text").agg(country.alias("country"), outcome.alias("outcome"))


def _names() -> pl.DataFrame:
    """Return [key, country, kind, within]: every listed name and alias, folded."""
    listed = read_reviewed("countries.tsv").with_columns(
        pl.col("aliases").fill_null("").str.split("|")
    )
    spelled = listed.with_columns(name=pl.concat_list("country", "aliases")).explode("name")
    keyed = spelled.with_columns(_folded("name").alias("key")).filter(pl.col("key") != "")
    return keyed.select("key", "country", "kind", "within").unique(["key", "country"]).sort("key")


def _folded(column: str) -> pl.Expr:
    tokens = separate(pl.col(column))
    return fold(tokens)

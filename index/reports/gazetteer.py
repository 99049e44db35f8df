"""The gazetteer: the regions and seas that a report may name after a country or an ocean.

Submitters write "country: anything": not only towns, but a robot, a company and "multiple". A
report names what ``ontology_etl/reviewed/regions.tsv`` and ``countries.tsv`` list, and for anything
else only the country.
"""

from __future__ import annotations

import polars as pl

from ontology_etl.reviewed_lists import read_reviewed


def read_gazetteer() -> pl.DataFrame:
    """Return ``value``: "country: region" of every region, "ocean: sea" of every sea."""
    regions = read_reviewed("regions.tsv").select("country", name="region")
    seas = read_reviewed("countries.tsv").filter(kind="sea")
    finer = seas.select("country", name=pl.col("aliases").str.split("|")).explode("name")
    listed = pl.concat([regions, finer]).drop_nulls()
    return listed.select(value=pl.format("{}: {}", "country", "name")).unique().sort("value")


def is_place() -> pl.Expr:
    """Return whether a fact is about a country or a listed place, or is of another facet."""
    is_finer = (pl.col("facet") == "geography") & pl.col("value").str.contains(": ", literal=True)
    return ~is_finer | pl.col("value").is_in(read_gazetteer()["value"].implode())

"""The gazetteer: the regions and seas that a report may name behind a country or an ocean.

Submitters write "country: anything": a robot, a company and "multiple" stand there beside towns. A
report names what ``ontology_etl/reviewed/regions.tsv`` and ``countries.tsv`` list, and of anything
else the country alone.
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
    """Return whether a fact is of a country or a listed place, or of another facet."""
    is_finer = (pl.col("facet") == "geography") & pl.col("value").str.contains(": ", literal=True)
    return ~is_finer | pl.col("value").is_in(read_gazetteer()["value"].implode())

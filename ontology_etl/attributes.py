"""Attribute names in one form, and the facets that their values may describe."""

from __future__ import annotations

from typing import Final

import polars as pl

from ontology_etl.facets import GROUNDED

_SRA_SUFFIX: Final = r"_(sam|run|exp|calc)(_s)?(_dpl\d+|_ss_dpl\d+)?$"


def snake_case(attribute: pl.Expr) -> pl.Expr:
    """Return attribute names in lower snake case, without suffixes of SRA tables (``_sam``)."""
    lower = attribute.str.to_lowercase()
    joined = lower.str.replace_all(r"[^a-z0-9]+", "_")
    snake = joined.str.strip_chars("_")
    return snake.str.replace(_SRA_SUFFIX, "")


def route_attributes(attributes: pl.Series) -> pl.DataFrame:
    """Return [attribute, facet, role], one row for each facet that an attribute's values may name.

    ``role`` is how the value is read (``ontology_etl.facets.GroundedFacet``). An attribute that
    describes no grounded facet has no row.
    """
    distinct = pl.DataFrame({"attribute": attributes.unique()})
    names = distinct.with_columns(snake=snake_case(pl.col("attribute")))
    routes = [
        _routed(names, facet.name, role, pattern)
        for facet in GROUNDED
        for role, pattern in facet.attributes
    ]
    first = pl.concat(routes).unique(["attribute", "facet"], keep="first", maintain_order=True)

    return first.sort("attribute", "facet")


def _routed(names: pl.DataFrame, facet: str, role: str, pattern: str) -> pl.DataFrame:
    """Return the attributes of ``names`` that match ``pattern`` as a whole."""
    is_fitting = pl.col("snake").str.contains(f"^(?:{pattern})$")
    fitting = names.filter(is_fitting)
    return fitting.select(
        "attribute",
        facet=pl.lit(facet),
        role=pl.lit(role),
    )

"""Reviewed lists of this package (``ontology_etl/reviewed``): names, countries, viruses, hosts."""

from __future__ import annotations

from functools import cache
from importlib import resources

import polars as pl


@cache
def read_reviewed(name: str) -> pl.DataFrame:
    """Return a reviewed list of this package, read once; lines that begin with ``#`` are
    comments.
    """
    path = resources.files("ontology_etl") / "reviewed" / name
    return pl.read_csv(
        path.read_bytes(),
        separator="\t",
        infer_schema=False,
        comment_prefix="#",
        quote_char=None,
    )


def generic_terms() -> frozenset[str]:
    """Return the CURIEs that name no particular thing."""
    return frozenset(read_reviewed("generic.tsv")["curie"])

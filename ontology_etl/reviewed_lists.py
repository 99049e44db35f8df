"""The reviewed lists in ``ontology_etl/reviewed``: names, countries, viruses, hosts."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import Final

import polars as pl


@cache
def read_reviewed(name: str) -> pl.DataFrame:
    """Return a reviewed list of this package; lines that begin with ``#`` are comments."""
    path = resources.files("ontology_etl") / "reviewed" / name
    return pl.read_csv(
        path.read_bytes(),
        separator="\t",
        infer_schema=False,
        comment_prefix="#",
        quote_char=None,
    )


FACET_OF_KIND: Final = {"host": "label", "tissue": "tissue", "disease": "disease"}
"""The facet of ``names.tsv`` for each kind of ``names_in_languages.tsv``."""


def names_in_languages(kind: str) -> pl.DataFrame:
    """Return name, curie, label, reason of a ``kind``: virus, host, tissue, disease."""
    listed = read_reviewed("names_in_languages.tsv").filter(pl.col("kind") == kind)
    return listed.select("name", "curie", "label", reason=pl.lit("name in another language"))


def unambiguous_names(kind: str) -> pl.DataFrame:
    """Return those of ``names_in_languages`` that mean one term."""
    listed = names_in_languages(kind)
    meanings = pl.col("curie").n_unique().over(pl.col("name").str.to_lowercase())
    return listed.filter(meanings == 1)


def generic_terms() -> frozenset[str]:
    """Return the CURIEs of terms too general to be useful."""
    return frozenset(read_reviewed("generic.tsv")["curie"])

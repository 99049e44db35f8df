"""Drop redundant names: a text counts once, by its most precise names.

Within one text the terms are compared pairwise: ``finding.LONGEST_TEXT`` bounds the pairs of
one text, ``PAIRS_AT_A_TIME`` those of many.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from ontology_etl.vocabulary import Vocabulary

PAIRS_AT_A_TIME: Final = 1_000_000
"""Pairs of terms of one text that are compared at a time: some 200 MB."""
_PLACE: Final = ["text", "start", "end"]


def most_precise(found: pl.DataFrame, vocabulary: Vocabulary) -> pl.DataFrame:
    """Return ``found`` with each term once per text and without redundant names.

    Redundant are: a term above another one, a name inside a longer name (``adenoma`` beside
    ``colorectal adenoma``), and what something else was derived from (``stem cell derived
    neurons``).
    """
    is_grounded = pl.col("outcome") == "grounded"
    grounded = found.filter(is_grounded).sort("text", "start")
    once = grounded.unique(["text", "curie"], keep="first", maintain_order=True)
    pairs_before = (pl.len().over("text")).cum_sum()
    sliced = once.with_columns(slice=pairs_before // PAIRS_AT_A_TIME)
    slices = sliced.with_columns(pl.col("slice").first().over("text")).partition_by(
        "slice", include_key=False, maintain_order=True
    )
    key = once.select("text", "curie").clear()
    redundant = pl.concat([key, *(_redundant(part, vocabulary) for part in slices)])
    kept = once.join(
        redundant,
        on=["text", "curie"],
        how="anti",
    )
    rest = found.filter(~is_grounded)
    return pl.concat([kept, rest]).sort(*_PLACE, "matched")


def _redundant(once: pl.DataFrame, vocabulary: Vocabulary) -> pl.DataFrame:
    """Return [text, curie] of the terms that another term of their text implies."""
    named = once.select("text", "curie", "matched", "origin")
    others = named.select("text", pl.col("curie", "matched", "origin").name.suffix("_2"))
    met = named.join(others, on="text")
    pairs = met.filter(pl.col("curie") != pl.col("curie_2"))
    one, other = pairs["curie"], pairs["curie_2"]
    implied = vocabulary.is_ancestor(one, other)
    wider = vocabulary.is_ancestor(other, one)
    related = pairs.with_columns(implied.alias("implied"), wider.alias("wider"))
    longer = pl.format(" {} ", "matched_2")
    inside = longer.str.contains(pl.format(" {} ", "matched"), literal=True)
    origin = pl.col("origin") & ~pl.col("origin_2") & ~pl.col("wider")
    found = related.filter(pl.col("implied") | inside | origin)

    return found.select("text", "curie").unique()

"""Diseases that their name places below another: lung adenocarcinoma is an adenocarcinoma.

The Human Disease Ontology places most tumors below their organ only. Relations that are missing
from a terminology can be read from its names (Bodenreider 2016, "Identifying missing hierarchical
relations in SNOMED CT from logical definitions based on the lexical features of concept names",
ICBO, https://ceur-ws.org/Vol-1747/IT601_ICBO2016.pdf). Decision 0397.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from ontology_etl.closure import KIND_BY_NAME, UPWARD_IN_GRAPHS, graph_closure
from ontology_etl.folding import folded_column
from ontology_etl.tables import TermEdge

_NO_MODIFIER: Final = r"\b(?:with|without|of|and|or|due|to|in|from|by|for|not?|non|pre|pseudo)\b"
"""Words after which a name does not say what kind of disease it is."""
_NO_KIND: Final = r"\d|\b\p{L}\b|^syndrome$"
"""Ends of names that do not state a kind: numbers, letters, the end of a sixth of all names."""


def kinds_by_name(term: pl.DataFrame, stated: pl.DataFrame) -> pl.DataFrame:
    """Return TermEdge rows of live terms whose label ends with the label of another.

    The longest such label counts. Nothing is added to what ``stated`` edges say of a pair, in
    either direction.
    """
    live = term.filter(~pl.col("obsolete"), ~pl.col("label").str.contains(",", literal=True))
    named = live.select("curie", name=folded_column("label")).unique("name", keep="none")
    kinds = named.filter(~pl.col("name").str.contains(_NO_KIND))
    words = named.with_columns(word=pl.col("name").str.split(" "))
    counted = words.with_columns(at=pl.int_ranges(1, pl.col("word").list.len())).explode("at")
    split = counted.drop_nulls("at").with_columns(
        kind=pl.col("word").list.slice("at").list.join(" "),
        modifier=pl.col("word").list.head("at").list.join(" "),
    )
    met = split.join(kinds.select(kind="name", object="curie"), on="kind").sort("curie", "at")
    longest = met.unique("curie", keep="first", maintain_order=True)
    telling = longest.filter(~pl.col("modifier").str.contains(_NO_MODIFIER))
    found = telling.select(subject="curie", predicate=pl.lit(KIND_BY_NAME), object="object")
    upward = stated.filter(pl.col("predicate").is_in(UPWARD_IN_GRAPHS))
    above = graph_closure(upward, alone=[]).select(subject="descendant", object="ancestor")
    below = above.select(subject="object", object="subject")
    known = pl.concat([above, below])
    return found.join(known, on=["subject", "object"], how="anti").select(TermEdge.column_names())

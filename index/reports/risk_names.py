"""The viruses inside names that are not themselves names of viruses: strains, serotypes, isolates.

The name of a strain begins with the name of its species: *SARS-CoV-2 B.1.1.7*, *HIV-1 subtype B*,
*hCoV-19/England/01/2020*. The longest name of a virus at its beginning says what it is (``sure``).
A name further inside can raise a risk group but clears nothing. A virus that is only *like*
another, related to it or found with it is not a strain of it: nothing in such a name is sure.
"""

from __future__ import annotations

import re
from typing import Final

import duckdb
import polars as pl

from index.store.frames import rows_over
from ontology_etl.viruses.keys import name_key

_WORD: Final = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]|[^\W_]+")
"""A word; in Chinese and Japanese each character."""
_NO_STRAIN: Final = re.compile(r"(?i)\b(?:like|related|associated)\b")
_OF_A_TYPE: Final = re.compile(r"(?i)\b(?:type|serotype|genotype) (?=\d)")
"""Words that some write before a number: *human immunodeficiency virus type 1*."""
_MOST_WORDS: Final = 10
_SHORTEST_INSIDE: Final = 5
"""Minimum characters of a name inside another: shorter ones mean too many other things."""
_SPAN: Final = {"name": pl.String, "span": pl.String, "first": pl.Boolean, "words": pl.Int64}


def taxa_in_names(con: duckdb.DuckDBPyConnection, names: pl.Series) -> pl.DataFrame:
    """Return name, curie, sure: the viruses that each of ``names`` begins with, or contains.

    Reads ``virus_name``.
    """
    spans = [row for name in names.drop_nulls().unique().sort() for row in _spans(name)]
    listed = pl.DataFrame(spans, schema=_SPAN, orient="row")
    keyed = listed.with_columns(key=name_key(pl.col("span"))).filter(pl.col("key") != "")
    found = rows_over(con, _MEANT, {"risk_span": keyed})
    longest = pl.col("words").max().over("name", "first")
    best = found.filter(~pl.col("first") | (pl.col("words") == longest))
    sure = pl.col("first") & ~pl.col("name").str.contains(_NO_STRAIN.pattern)
    judged = best.group_by("name", "curie").agg(sure=sure.any())
    return judged.sort("name", "curie")


def _spans(name: str) -> list[tuple[str, str, bool, int]]:
    """Return the runs of words in ``name``: name, words, whether at its beginning, their number."""
    plain = _OF_A_TYPE.sub("", name)
    words = [(word.start(), word.end()) for word in _WORD.finditer(plain)]
    rows = []
    for first, (start, _) in enumerate(words):
        for last in range(first, min(first + _MOST_WORDS, len(words))):
            span = plain[start : words[last][1]]
            if first == 0 or len(span) >= _SHORTEST_INSIDE:
                rows.append((name, span, first == 0, last - first + 1))
    return rows


_MEANT: Final = """
SELECT DISTINCT s.name, s.first, s.words, n.virus AS curie
FROM risk_span AS s JOIN virus_name AS n USING (key)
ORDER BY ALL
"""

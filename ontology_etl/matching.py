"""Find names in texts: one Aho-Corasick pass over a whole column, word by word, longest match wins.

Each token is wrapped in its own pair of blanks (``" a  b "``), so a pattern wrapped the same way can only match whole
tokens, and matches that touch do not compete for the blank between them. Positions are counted in
tokens of the column.
"""

from __future__ import annotations

from dataclasses import dataclass

import ahocorasick_rs
import numpy as np
import polars as pl

_BLANK = 0x20


@dataclass(frozen=True)
class Tokens:
    """The tokens of a column of texts, numbered through: all but ``start`` are by token."""

    folded: pl.Series
    cased: pl.Series
    numbered: pl.Series  # true where a number follows in the same text
    start: (
        pl.Series
    )  # first token of each text; one more entry than texts, the last is the number of tokens


def tokenise(folded: pl.Series, cased: pl.Series) -> Tokens:
    """Return the tokens of ``folded`` and ``cased``, which must align as ``ontology_etl.folding``
    makes them.
    """
    lists = folded.str.split(" ")
    counts = lists.list.len().fill_null(0).to_numpy()
    start = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
    tokens = lists.explode()
    inside = np.ones(len(tokens), dtype=bool)
    inside[start[1:] - 1] = False
    numbered = tokens.str.contains(r"^\p{N}").shift(-1, fill_value=False) & pl.Series(inside)
    return Tokens(tokens, cased.str.split(" ").explode(), numbered, pl.Series("start", start))


def find_spans(folded: pl.Series, patterns: pl.Series) -> pl.DataFrame:
    """Return [text, pattern, start, end], one row per occurrence of a pattern in a text,
    overlapping ones included.

    ``text`` and ``pattern`` are positions in the two columns, ``start`` and ``end`` token numbers,
    end exclusive.
    """
    empty = pl.DataFrame(
        schema={"text": pl.Int64, "pattern": pl.Int64, "start": pl.Int64, "end": pl.Int64}
    )
    if not len(folded) or not len(patterns):
        return empty
    wrapped = _wrap(folded)
    haystack = "\n".join(wrapped.to_list()).encode()
    automaton = ahocorasick_rs.BytesAhoCorasick(
        [name.encode() for name in _wrap(patterns).to_list()]
    )
    found = automaton.find_matches_as_indexes(haystack, overlapping=True)
    if not found:
        return empty
    hits = np.array(found, dtype=np.int64)
    offsets = np.concatenate(
        [[0], np.cumsum(wrapped.str.len_bytes().to_numpy().astype(np.int64) + 1)[:-1]]
    )
    blanks = np.concatenate([[0], np.cumsum(np.frombuffer(haystack, dtype=np.uint8) == _BLANK)])
    return pl.DataFrame(
        {
            "text": np.searchsorted(offsets, hits[:, 1], side="right") - 1,
            "pattern": hits[:, 0],
            "start": blanks[hits[:, 1]] // 2,
            "end": blanks[hits[:, 2]] // 2,
        }
    )


def keep_longest(spans: pl.DataFrame) -> pl.DataFrame:
    """Return ``spans`` without those inside a longer one of their text, then without those that
    overlap a left one.

    Rows with equal text, start and end stay together: one name may stand for several terms.
    """
    ordered = spans.sort("text", "start", "end", descending=[False, False, True])
    distinct = ordered.unique(["text", "start", "end"], keep="first", maintain_order=True)
    outermost = distinct.filter(pl.col("end") > _furthest_before())
    disjoint = outermost.filter(pl.col("start") >= _furthest_before())
    return ordered.join(
        disjoint.select("text", "start", "end"), on=["text", "start", "end"], how="semi"
    )


def words_around(spans: pl.DataFrame, tokens: Tokens, edge: str, offsets: range) -> pl.Series:
    """Return for each span the folded tokens at ``offsets`` from its ``edge`` inside its text,
    joined by blanks.

    ``edge`` is "start" or "end"; offset 0 from the end is the first token after the span.
    """
    limits = pl.DataFrame({"from": tokens.start[:-1], "to": tokens.start[1:]})
    placed = pl.concat(
        [spans.select(pl.col(edge).alias("edge")), limits[spans["text"]]], how="horizontal"
    )
    near = (
        placed.with_row_index("span")
        .with_columns(pl.lit(list(offsets)).alias("offset"))
        .explode("offset")
    )
    at = near.with_columns((pl.col("edge") + pl.col("offset")).alias("at"))
    inside = at.filter((pl.col("at") >= pl.col("from")) & (pl.col("at") < pl.col("to")))
    words = inside.select("span", tokens.folded.gather(inside["at"]).alias("word"))
    joined = words.group_by("span", maintain_order=True).agg(pl.col("word").str.join(" "))
    return (
        placed.with_row_index("span")
        .join(joined, on="span", how="left", maintain_order="left")["word"]
        .fill_null("")
    )


def _furthest_before() -> pl.Expr:
    """Return the furthest end of the spans before this one in its text, -1 for the first."""
    return pl.col("end").cum_max().shift(1).over("text").fill_null(-1)


def _wrap(folded: pl.Series) -> pl.Series:
    return (" " + folded.str.replace_all(" ", "  ", literal=True) + " ").alias("wrapped")

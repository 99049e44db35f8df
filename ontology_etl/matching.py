"""Find names in texts: one Aho-Corasick pass over a column, word by word, longest match wins.

Each token is wrapped in its own pair of blanks (``" a  b "``), so a pattern wrapped the same way
can only match whole tokens, and matches that touch do not compete for the blank between them.
Positions are counted in tokens of the column.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import ahocorasick_rs
import numpy as np
import polars as pl

from ontology_etl.folding import JOINED

_BLANK: Final = 0x20
_SPANS: Final = {"text": pl.Int64, "pattern": pl.Int64, "start": pl.Int64, "end": pl.Int64}


@dataclass(frozen=True)
class Tokens:
    """The tokens of a column of texts, numbered through: all but ``start`` are by token.

    ``numbered``  true where a number follows in the same text
    ``joined``    true where the token is written on to the one before it (``B`` in ``HOK16B``)
    ``start``     first token of each text, and at the end the number of tokens
    """

    folded: pl.Series
    cased: pl.Series
    numbered: pl.Series
    joined: pl.Series
    start: pl.Series


def tokenise(texts: pl.DataFrame) -> Tokens:
    """Return the tokens of ``texts`` [folded, cased, marked], as ``folding`` aligns them.

    ``marked`` is ``cased`` with the mark of joined tokens.
    """
    lists = texts["folded"].str.split(" ")
    counts = lists.list.len().fill_null(0).to_numpy()
    start = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])
    tokens = lists.explode()
    inside = np.ones(len(tokens), dtype=bool)
    inside[start[1:] - 1] = False
    numbered = tokens.str.contains(r"^\p{N}").shift(-1, fill_value=False) & pl.Series(inside)

    return Tokens(
        folded=tokens,
        cased=texts["cased"].str.split(" ").explode(),
        numbered=numbered,
        joined=texts["marked"].str.split(" ").explode().str.starts_with(JOINED),
        start=pl.Series("start", start),
    )


def find_spans(folded: pl.Series, patterns: pl.Series) -> pl.DataFrame:
    """Return [text, pattern, start, end], one row per occurrence, overlapping ones included.

    ``text`` and ``pattern`` are positions in the two columns, ``start`` and ``end`` token numbers,
    end exclusive.
    """
    if not len(folded) or not len(patterns):
        return pl.DataFrame(schema=_SPANS)
    wrapped = _wrap(folded)
    haystack = "\n".join(wrapped.to_list()).encode()
    wanted = [name.encode() for name in _wrap(patterns).to_list()]
    automaton = ahocorasick_rs.BytesAhoCorasick(wanted)
    found = automaton.find_matches_as_indexes(haystack, overlapping=True)
    if not found:
        return pl.DataFrame(schema=_SPANS)

    pattern, first_byte, end_byte = np.array(found, dtype=np.int64).T
    lengths = wrapped.str.len_bytes().to_numpy().astype(np.int64) + 1
    text_ends = np.cumsum(lengths)
    is_blank = np.frombuffer(haystack, dtype=np.uint8) == _BLANK
    blanks = np.concatenate([[0], np.cumsum(is_blank)])
    columns = {
        "text": np.searchsorted(text_ends, first_byte, side="right"),
        "pattern": pattern,
        "start": blanks[first_byte] // 2,
        "end": blanks[end_byte] // 2,
    }
    return pl.DataFrame(columns, schema=_SPANS)


def keep_longest(spans: pl.DataFrame) -> pl.DataFrame:
    """Return ``spans`` without those inside a longer one or over the end of the one before.

    Rows with equal text, start and end stay together: one name may mean several terms.
    """
    place = ["text", "start", "end"]
    ordered = spans.sort(place, descending=[False, False, True])
    distinct = ordered.unique(place, keep="first", maintain_order=True)
    outermost = distinct.filter(pl.col("end") > _furthest_before())
    disjoint = outermost.filter(pl.col("start") >= _furthest_before())
    return ordered.join(
        disjoint.select(place),
        on=place,
        how="semi",
    )


def words_of(spans: pl.DataFrame, tokens: pl.Series) -> pl.Series:
    """Return for each of ``spans`` its own ``tokens``, joined by blanks.

    Memory grows with the words of the spans, not with the length of their texts.
    """
    limits = spans.select("start", "end")
    numbered = limits.with_row_index("span")
    listed = numbered.with_columns(at=pl.int_ranges("start", "end"))
    places = listed.explode("at")
    words = tokens.gather(places["at"])
    worded = places.with_columns(words.alias("word"))
    by_span = worded.group_by("span", maintain_order=True)
    joined = by_span.agg(pl.col("word").str.join(" "))

    return joined["word"]


def words_around(spans: pl.DataFrame, tokens: Tokens, edge: str, offsets: range) -> pl.Series:
    """Return for each span the folded words at ``offsets`` from its ``edge``, inside its text.

    ``edge`` is "start" or "end"; offset 0 from the end is the first token after the span.
    """
    limits = pl.DataFrame({"from": tokens.start[:-1], "to": tokens.start[1:]})
    edges = spans.select(pl.col(edge).alias("edge"))
    placed = pl.concat([edges, limits[spans["text"]]], how="horizontal").with_row_index("span")
    near = placed.with_columns(pl.lit(list(offsets)).alias("offset")).explode("offset")
    at = near.with_columns((pl.col("edge") + pl.col("offset")).alias("at"))
    inside = at.filter(pl.col("at").is_between("from", "to", closed="left"))
    words = inside.select("span", tokens.folded.gather(inside["at"]).alias("word"))
    joined = words.group_by("span", maintain_order=True).agg(pl.col("word").str.join(" "))
    of_each_span = placed.join(
        joined,
        on="span",
        how="left",
        maintain_order="left",
    )

    return of_each_span["word"].fill_null("")


def _furthest_before() -> pl.Expr:
    """Return the furthest end of the spans before this one in its text, -1 for the first."""
    furthest = pl.col("end").cum_max()
    before = furthest.shift(1).over("text")
    return before.fill_null(-1)


def _wrap(folded: pl.Series) -> pl.Series:
    doubled = folded.str.replace_all(" ", "  ", literal=True)
    wrapped = " " + doubled + " "
    return wrapped.alias("wrapped")

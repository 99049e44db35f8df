"""Find names in texts: one Aho-Corasick pass over a column, at word boundaries.

Each token is wrapped in its own pair of blanks (``" a  b "``), so a pattern wrapped the same way
can only match whole tokens, and matches that touch do not compete for the blank between them.
Positions are counted in tokens of the column.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import ahocorasick_rs
import numpy as np
import polars as pl

from ontology_etl.folding import JOINED
from ontology_etl.name_rules import REVIEWED

Span = tuple[int, int]
"""First token and the token after the last one."""

IsAbove = Callable[[pl.Series, pl.Series], pl.Series]
"""(ancestors, descendants) -> row by row whether the one term is above the other."""

_BLANK: Final = 0x20
_PLACE: Final = ["text", "start", "end"]
_PART: Final = r"^\p{L}{3,}$"
"""A part of a word that may be written as two."""
_SPANS: Final = {"text": pl.Int64, "pattern": pl.Int64, "start": pl.Int64, "end": pl.Int64}


@dataclass(frozen=True)
class Tokens:
    """The tokens of a column of texts, numbered consecutively.

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
    """Return the tokens of ``texts`` [folded, cased, marked], joined tokens marked."""
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
    """Return [text, pattern, start, end], one row per occurrence, overlaps included.

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


def find_joined(tokens: Tokens, names: pl.Series) -> pl.DataFrame:
    """Return [text, pattern, start, end] of ``names`` written as two words: ``mid-gut``."""
    pairs = joined_pairs(tokens)
    listed = pl.DataFrame({"word": names}).with_row_index("pattern")
    met = pairs.join(listed.cast({"pattern": pl.Int64}), on="word")
    return met.select(list(_SPANS)).cast(pl.Schema(_SPANS))


def joined_pairs(tokens: Tokens) -> pl.DataFrame:
    """Return [word, text, start, end]: every two neighbouring words of a text, joined."""
    listed = pl.DataFrame({"first": tokens.folded, "second": tokens.folded.shift(-1)})
    numbered = listed.with_row_index("start").cast({"start": pl.Int64})
    text = np.searchsorted(tokens.start.to_numpy(), np.arange(len(listed)), side="right") - 1
    placed = numbered.with_columns(text=pl.Series(text, dtype=pl.Int64))
    same_text = pl.col("text") == pl.col("text").shift(-1)
    are_words = pl.col("first").str.contains(_PART) & pl.col("second").str.contains(_PART)
    pairs = placed.filter(same_text, are_words)
    return pairs.select(
        "text",
        "start",
        word=pl.concat_str("first", "second"),
        end=pl.col("start") + 2,
    )


def keep_longest(spans: pl.DataFrame, is_above: IsAbove | None = None) -> pl.DataFrame:
    """Drop ``spans`` inside a longer one, and all but the best of those that overlap.

    Reviewed names win, then the most words, then the narrower term by ``is_above`` (hepatitis B in
    ``acute hepatitis B``, where "acute hepatitis" is hepatitis). Rows with equal text, start and
    end stay together: one name may mean several terms.
    """
    ordered = spans.sort(_PLACE, descending=[False, False, True])
    distinct = ordered.select(_PLACE).unique(maintain_order=True)
    outermost = distinct.filter(pl.col("end") > _furthest_before())
    crossing = outermost.filter(pl.col("start") < _furthest_before())["text"].unique()
    is_crossing = pl.col("text").is_in(crossing.implode())
    overlapping = ordered.filter(is_crossing)
    if "priority" in overlapping.columns:
        overlapping = _without_crossed(overlapping, outermost)
    if is_above is None:
        narrow = overlapping.select(*_PLACE, narrower=pl.lit(0)).unique(maintain_order=True)
    else:
        narrow = _narrower(overlapping, is_above)
    chosen = [outermost.filter(~is_crossing)]
    for (text,), of_text in narrow.group_by("text", maintain_order=True):
        spans_of_text = of_text.select("start", "end", "narrower")
        read = most_words(spans_of_text.rows())
        rows = [(text, start, end) for start, end in read]
        chosen.append(pl.DataFrame(rows, schema=distinct.schema, orient="row"))
    return ordered.join(
        pl.concat(chosen),
        on=_PLACE,
        how="semi",
    )


def most_words(spans: Sequence[tuple[int, int, int]]) -> list[Span]:
    """Return the ``spans`` (start, end, preference) that cover the most words without overlap.

    Among equals the fewest spans, then the preferred, then the earliest.

    >>> most_words([(0, 2, 0), (1, 3, 0)])
    [(0, 2)]
    >>> most_words([(0, 2, 0), (1, 3, 1)])
    [(1, 3)]
    >>> most_words([(0, 2, 0), (1, 4, 0), (3, 5, 0)])
    [(0, 2), (3, 5)]
    """
    first = min((start for start, _, _ in spans), default=0)
    beyond = max((end for _, end, _ in spans), default=0)
    best: list[tuple[tuple[int, int, int, int], list[Span]]] = [((0, 0, 0, 0), [])]
    for last in range(first + 1, beyond + 1):
        readings = [best[-1]]
        for start, end, preference in spans:
            if end == last:
                (words, few, preferred, early), before = best[start - first]
                early += first - start
                score = (words + end - start, few - 1, preferred + preference, early)
                readings.append((score, [*before, (start, end)]))
        best.append(max(readings, key=lambda reading: reading[0]))
    _, chosen = best[-1]
    return chosen


def _without_crossed(spans: pl.DataFrame, outermost: pl.DataFrame) -> pl.DataFrame:
    """Drop the ``spans`` that begin or end inside a reviewed name, which outranks them."""
    is_reviewed = pl.col("priority") == REVIEWED
    reviewed = spans.filter(is_reviewed).select(_PLACE).unique(maintain_order=True)
    settled = reviewed.join(outermost, on=_PLACE, how="semi")
    met = spans.filter(~is_reviewed).join(settled, on="text", suffix="_reviewed")
    before = pl.col("start") < pl.col("start_reviewed")
    into = before & pl.col("end").is_between("start_reviewed", "end_reviewed", closed="none")
    starts_within = pl.col("start").is_between("start_reviewed", "end_reviewed", closed="none")
    out_of = starts_within & (pl.col("end") > pl.col("end_reviewed"))
    crossed = met.filter(into | out_of).select(_PLACE)
    return spans.join(crossed, on=_PLACE, how="anti", maintain_order="left")


def _narrower(spans: pl.DataFrame, is_above: IsAbove) -> pl.DataFrame:
    """Return [text, start, end, narrower]: how many overlapping names have a broader term."""
    named = spans.select(*_PLACE, "curie").unique(maintain_order=True)
    met = named.join(named, on="text", suffix="_other")
    overlaps = (pl.col("start") < pl.col("end_other")) & (pl.col("start_other") < pl.col("end"))
    pairs = met.filter(overlaps, pl.col("curie") != pl.col("curie_other"))
    above = is_above(pairs["curie_other"], pairs["curie"])
    below = pairs.filter(above).group_by(_PLACE).agg(narrower=pl.len().cast(pl.Int64))
    places = named.select(_PLACE).unique(maintain_order=True)
    counted = places.join(
        below,
        on=_PLACE,
        how="left",
        maintain_order="left",
    )
    return counted.with_columns(pl.col("narrower").fill_null(0))


def words_of(spans: pl.DataFrame, tokens: pl.Series) -> pl.Series:
    """Return the ``tokens`` of each of ``spans``, joined by blanks."""
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
    """Return the folded words at ``offsets`` from the ``edge`` of each span, within its text.

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
    """Return the furthest end of the earlier spans of a text, -1 for the first."""
    furthest = pl.col("end").cum_max()
    before = furthest.shift(1).over("text")
    return before.fill_null(-1)


def _wrap(folded: pl.Series) -> pl.Series:
    doubled = folded.str.replace_all(" ", "  ", literal=True)
    wrapped = " " + doubled + " "
    return wrapped.alias("wrapped")

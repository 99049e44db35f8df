"""Names that can occur in given texts: most of the 2.7 million are dropped before folding."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import polars as pl

from ontology_etl.abbreviations import cut_words
from ontology_etl.folding import folded_column

LINE_WORDS: Final = "cell line"
"""Words that grounding adds to names of cell lines, so that they are always known."""


def prune(names: pl.DataFrame, tokens: pl.Series) -> pl.DataFrame:
    """Return the rows of ``names`` that can occur in ``tokens``; no match is lost.

    A name occurs only where all its tokens do, so the outer two are looked up first and the few
    survivors in full.
    """
    known = tokens.unique().implode()
    outer = names.filter(
        pl.col("first_token").is_in(known),
        pl.col("last_token").is_in(known),
    )
    words = pl.col("folded").str.split(" ")
    are_known = words.list.eval(pl.element().is_in(known))

    return outer.filter(are_known.list.all()).sort("folded", "curie")


def may_occur(names: pl.DataFrame, texts: pl.Series) -> pl.DataFrame:
    """Return the rows of ``names`` whose first word, last word and numbers are in ``texts``.

    No match is lost. Names share their first words (a genus, ``virus``); their numbers
    distinguish the strains of a species. If folding may join or create letters and digits, only the
    first word decides. ``LINE_WORDS`` are always known: grounding adds them to names of cell lines.
    """
    words = _known_words(texts.unique())
    first_word = pl.col("name").str.splitn(" ", 2).struct.field("field_0")
    first = names.select(first_word).to_series()
    begun = names.filter(words.begin(first))
    numbers = pl.col("name").str.extract_all(r"[0-9]+")
    are_known = numbers.list.eval(pl.element().is_in(words.whole))
    is_refolded = pl.col("name").str.contains(r"[^ -~]|['`]")
    numbered = begun.filter(are_known.list.all() | is_refolded)
    last = numbered["name"].str.extract(r"([A-Za-z]+)[^A-Za-z0-9]*$", 1)

    return numbered.filter(words.begin(last) | is_refolded)


@dataclass(frozen=True)
class KnownWords:
    """The folded words of some texts: ``whole`` words (one row with a list) and ``cut`` ones."""

    whole: pl.Series
    cut: pl.Series

    def begin(self, words: pl.Series) -> pl.Series:
        """Return for each of ``words`` whether its first token is known, or absent."""
        distinct = words.drop_nulls().unique()
        token = _tokens(distinct).list.first()
        known = token.is_in(self.whole) | (token == "")

        lengths = self.cut.str.len_chars()
        for length in lengths.unique().sort():
            of_length = self.cut.filter(lengths == length)
            beginning = token.str.slice(0, length)
            known |= beginning.is_in(of_length.implode())
        unknown = distinct.filter(~known)
        return ~words.is_in(unknown.implode()).fill_null(False)


def _known_words(texts: pl.Series) -> KnownWords:
    tokens = _tokens(texts)
    pairs = _joined(tokens)
    line_words = pl.Series(LINE_WORDS.split())
    known = pl.concat([tokens.explode(), pairs, line_words]).unique()
    return KnownWords(known.implode(), cut_words(texts))


def _joined(tokens: pl.Series) -> pl.Series:
    """Return every two neighbouring words of the lists ``tokens``, joined: midgut from mid gut."""
    words = pl.DataFrame({"words": tokens}).with_row_index("text").explode("words")
    following = pl.col("words").shift(-1).over("text")
    return words.select(joined=pl.concat_str("words", following)).to_series().drop_nulls()


def _tokens(texts: pl.Series) -> pl.Series:
    """Return the folded tokens of each of ``texts``, as lists."""
    frame = pl.DataFrame({"text": texts})
    folded = folded_column("text")
    tokens = folded.str.split(" ")
    return frame.select(text=tokens)["text"]

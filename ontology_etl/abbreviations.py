"""Complete words that are cut short by a period: ``small intest.`` is ``small intestine``.

A cut word counts only if the vocabulary leaves no choice: apart from the cut words, its clause must
be a whole name of the facet, and each cut word must be the beginning of exactly one word in its
place.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from ontology_etl.folding import folded_column

_CUT: Final = r"\p{L}{3,}\.(?:$|[\s,;)])"
_CLAUSE: Final = r"[,;|()/]"
_HEAD: Final = 3
"""Minimum letters of a cut word; words are looked up by them."""


def cut_words(texts: pl.Series) -> pl.Series:
    """Return the distinct folded words of ``texts`` that are followed by a period."""
    listed = texts.str.extract_all(_CUT)
    found = listed.explode().drop_nulls()
    words = _fold_column(found)
    return words.unique().sort()


def complete_cut_words(texts: pl.DataFrame, names: pl.Series) -> pl.DataFrame:
    """Return ``texts`` [text, cased, folded, …] with cut words completed from ``names``."""
    shortened = texts.filter(pl.col("text").str.contains(_CUT))
    if not len(shortened):
        return texts
    words = _clause_words(shortened["text"])
    completed = _completions(words, _name_words(names, words))
    if not len(completed):
        return texts
    return _write(texts, completed)


def _clause_words(texts: pl.Series) -> pl.DataFrame:
    """Return [text, clause, words, at, word, head, cut], one row per word of each clause."""
    spaced = texts.str.replace_all(_CLAUSE, "\n")
    clauses = pl.DataFrame({"text": texts, "clause": spaced.str.split("\n")}).explode("clause")
    cut = pl.col("clause").str.extract_all(_CUT).list.len() > 0
    folded = folded_column("clause")
    listed = clauses.filter(cut).with_columns(word=folded.str.split(" "))
    counted = listed.with_columns(words=pl.col("word").list.len())
    placed = counted.with_columns(at=pl.int_ranges(0, pl.col("words"))).explode("at", "word")
    known_cut = cut_words(texts).implode()

    return placed.with_columns(
        head=pl.col("word").str.slice(0, _HEAD), cut=pl.col("word").is_in(known_cut)
    )


def _name_words(names: pl.Series, words: pl.DataFrame) -> pl.DataFrame:
    """Return [name, words, at, named, head] of the names with as many words as a clause."""
    listed = pl.DataFrame({"name": names.unique()}).with_columns(
        named=pl.col("name").str.split(" ")
    )
    counted = listed.with_columns(words=pl.col("named").list.len())
    fitting = counted.filter(pl.col("words").is_in(words["words"].unique().implode()))
    placed = fitting.with_columns(at=pl.int_ranges(0, pl.col("words"))).explode("at", "named")

    return placed.with_columns(head=pl.col("named").str.slice(0, _HEAD))


def _completions(words: pl.DataFrame, names: pl.DataFrame) -> pl.DataFrame:
    """Return [text, word, named]: each cut word with the only word that it can mean."""
    met = words.join(names, on=["words", "at", "head"])
    begins = pl.col("cut") & pl.col("named").str.starts_with(pl.col("word"))
    agreed = met.filter((pl.col("word") == pl.col("named")) | begins)
    clause = ["text", "clause", "name"]
    whole = agreed.filter(pl.len().over(clause) == pl.col("words"))
    choices = pl.col("named").n_unique().over("text", "clause", "at")
    clear = whole.filter((choices == 1) & (pl.col("word") != pl.col("named")))

    return clear.select("text", "word", "named").unique().sort("text", "word")


def _write(texts: pl.DataFrame, completed: pl.DataFrame) -> pl.DataFrame:
    """Return ``texts`` with each ``word`` of ``completed`` replaced by its full form."""
    places = texts.with_row_index("row").with_columns(pl.col("cased", "folded").str.split(" "))
    tokens = places.explode("cased", "folded")
    joined = tokens.join(
        completed, left_on=["text", "folded"], right_on=["text", "word"],
        how="left", maintain_order="left",
    )  # fmt: skip
    written = joined.with_columns(
        pl.coalesce("named", "cased").alias("cased"),
        pl.coalesce("named", "folded").alias("folded"),
    )
    read = written.group_by("row", maintain_order=True).agg(pl.col("cased", "folded").str.join(" "))

    return texts.with_columns(read["cased"], read["folded"])


def _fold_column(texts: pl.Series) -> pl.Series:
    frame = pl.DataFrame({"text": texts})
    folded = frame.select(folded_column("text"))
    return folded["text"]

"""Ground free text: attribute values in, ontology terms out, at dictionary speed.

Every distinct value is folded once and searched in one pass for all names of its facet's ontology.
The longest match wins. A value that says nothing (``missing``), denies (``not infected``) or names
no particular thing (``cancer``) is not annotated, and the outcome says which.
"""

from __future__ import annotations

import polars as pl

from ontology_etl.attributes import route_attributes
from ontology_etl.facets import ONTOLOGIES_OF_FACET
from ontology_etl.meaning.agents import read_agents
from ontology_etl.meaning.finding import LONGEST_TEXT, find_in_texts, fold_texts
from ontology_etl.meaning.interpretation import VALUE
from ontology_etl.meaning.ruled_out import BARE_TAXID, respect_roles
from ontology_etl.meaning.same_words import read_same_words
from ontology_etl.possible_names import LINE_WORDS
from ontology_etl.vocabulary import Vocabulary


def ground(texts: pl.DataFrame, vocabulary: Vocabulary) -> pl.DataFrame:
    """Return a ``Grounding`` table for the distinct [attribute, text] rows of ``texts``.

    Every pair has at least one row for each facet that its attribute is routed to (none if the
    facet is not expected in the attribute, such as a disease in ``tissue``). Only rows with outcome
    "grounded" are annotations.
    """
    stated = texts.select("attribute", "text").drop_nulls()
    pairs = stated.unique().sort("attribute", "text")
    routes = route_attributes(pairs["attribute"])
    routed = pairs.join(routes, on="attribute")
    return _ground_routed(routed, vocabulary)


def ground_text(text: str, vocabulary: Vocabulary, *, facet: str | None = None) -> pl.DataFrame:
    """Return the ``Grounding`` table of one ``text``: a term or a whole question.

    It is read for one facet or all, as by ``ground``; the attribute of a row is its facet.
    """
    facets = [facet] if facet else list(ONTOLOGIES_OF_FACET)
    routed = pl.DataFrame({"attribute": facets, "facet": facets})
    question = routed.with_columns(text=pl.lit(text), role=pl.lit("question"))
    return _ground_routed(question, vocabulary)


def _ground_routed(routed: pl.DataFrame, vocabulary: Vocabulary) -> pl.DataFrame:
    """Return the ``Grounding`` of ``routed`` [attribute, text, facet, role]."""
    texts = fold_texts(routed["text"])
    said = _read(routed, texts, vocabulary)
    lines = _read_cell_lines(routed, said, vocabulary)
    agents = read_agents(routed, said, vocabulary)
    meant = _replaced(said, pl.concat([lines, agents]))
    meant = _replaced(meant, read_same_words(routed, meant, vocabulary))
    expected = routed.filter(pl.col("role") != "source")
    silent = expected.join(meant, on=VALUE, how="anti").join(texts, on="text")
    left = silent.with_columns(
        outcome=_why_silent(),
        method=pl.lit(None, pl.String),
        score=pl.lit(None, pl.Float64),
    )
    stacked = pl.concat([meant, left], how="diagonal_relaxed")
    return _conform(stacked, vocabulary)


def _replaced(said: pl.DataFrame, again: pl.DataFrame) -> pl.DataFrame:
    """Return ``said`` with the findings of ``again`` in place of those of the same values."""
    others = said.join(again, on=VALUE, how="anti")
    return pl.concat([others, again], how="diagonal_relaxed")


def _conform(stacked: pl.DataFrame, vocabulary: Vocabulary) -> pl.DataFrame:
    """Return ``stacked`` findings as a ``Grounding`` table, labels joined and gaps filled."""
    labels = vocabulary.labels_of(stacked["curie"])
    hit = pl.col("curie").is_not_null()
    filled = stacked.join(labels, on="curie", how="left").with_columns(
        pl.col("matched").fill_null(""),
        pl.col("whole").fill_null(False),
        pl.col("candidates").fill_null([]),
        pl.when(hit).then(pl.coalesce("method", pl.lit("dictionary"))).alias("method"),
        pl.when(hit).then(pl.coalesce("score", pl.lit(1.0))).alias("score"),
    )
    from ontology_etl.tables import Grounding, conform

    once = filled.unique(Grounding.primary_key(), keep="first", maintain_order=True)
    return conform(once, Grounding)


def _why_silent() -> pl.Expr:
    """Return the outcome of a value in which no name was found."""
    unknown = (pl.col("role") == "taxid") & pl.col("text").str.contains(BARE_TAXID)
    return (
        pl.when("long")
        .then(pl.lit("too long"))
        .when(pl.col("null") & ~unknown)
        .then(pl.lit("null"))
        .otherwise(pl.lit("ungrounded"))
    )


def _read(routed: pl.DataFrame, texts: pl.DataFrame, vocabulary: Vocabulary) -> pl.DataFrame:
    """Return [*routed, *FOUND]: the names in each value of ``routed``, as its role allows."""
    said = find_in_texts(routed, texts, vocabulary)
    return respect_roles(said, vocabulary)


def _read_cell_lines(
    routed: pl.DataFrame, said: pl.DataFrame, vocabulary: Vocabulary
) -> pl.DataFrame:
    """Return the findings of cell line values that leave out the words "cell line".

    This is only for values that say nothing as written: ``primary effusion lymphoma`` in
    ``cell_line``.
    """
    lines = routed.filter(pl.col("role") == "line")
    silent = lines.join(said, on=VALUE, how="anti")
    if not len(silent):
        return said.clear()

    worded = silent.with_columns(
        pl.col("text").alias("given"), pl.format("{} {}", "text", pl.lit(LINE_WORDS)).alias("text")
    )
    readable = worded.filter(pl.col("given").str.len_chars() <= LONGEST_TEXT - len(LINE_WORDS) - 1)
    found = _read(readable, fold_texts(readable["text"]), vocabulary)
    ends = pl.col("matched").str.ends_with(f" {LINE_WORDS}")
    named = found.filter(ends & (pl.col("outcome") == "grounded"))
    return named.with_columns(pl.col("given").alias("text")).select(said.columns)

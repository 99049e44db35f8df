"""From names found in texts to what the texts say: case rules, ambiguity, denial, generic terms, redundancy."""

from __future__ import annotations

from typing import Final

import polars as pl

from ontology_etl.denials import deny, healthy_spellings
from ontology_etl.matching import Tokens, find_spans, keep_longest, tokenise
from ontology_etl.vocabulary import Vocabulary, prune

FOUND: Final[dict[str, pl.DataType | type[pl.DataType]]] = {
    "text": pl.String, "matched": pl.String, "curie": pl.String, "outcome": pl.String, "whole": pl.Boolean,
    "candidates": pl.List(pl.String), "start": pl.Int64, "end": pl.Int64,
}  # fmt: skip


def interpret(texts: pl.DataFrame, facet: str, vocabulary: Vocabulary) -> pl.DataFrame:
    """Return what each of ``texts`` [text, cased, folded] says about ``facet``: one row per name found.

    Columns as ``FOUND``; ``start`` and ``end`` count the tokens of the text. A text without a name has no row.
    """
    if not len(texts):
        return pl.DataFrame(schema=FOUND)
    tokens = tokenise(texts["folded"], texts["cased"])
    names = prune(vocabulary.names.filter(pl.col("facet") == facet), tokens.folded)
    spans = _allowed_spans(texts, names, tokens)
    read = _read_spans(keep_longest(spans), tokens, vocabulary)
    first = pl.DataFrame({"at": range(len(texts)), "text_name": texts["text"], "first": tokens.start[:-1]})
    placed = read.join(first, left_on="text", right_on="at").with_columns(
        pl.col("text_name").alias("text"), pl.col("start") - pl.col("first"), pl.col("end") - pl.col("first")
    )
    return _drop_redundant(placed.select(list(FOUND)), vocabulary)


def deny_health(texts: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of ``texts`` whose whole value denies any disease, as negated findings."""
    healthy = texts.filter(pl.col("folded").is_in(healthy_spellings().implode()))
    return healthy.select(
        "text",
        pl.col("folded").alias("matched"),
        pl.lit(None, dtype=pl.String).alias("curie"),
        pl.lit("negated").alias("outcome"),
        pl.lit(True).alias("whole"),
        pl.lit([], dtype=pl.List(pl.String)).alias("candidates"),
        pl.lit(0, dtype=pl.Int64).alias("start"),
        (pl.col("folded").str.count_matches(" ") + 1).cast(pl.Int64).alias("end"),
    )


def _allowed_spans(texts: pl.DataFrame, names: pl.DataFrame, tokens: Tokens) -> pl.DataFrame:
    """Return [text, start, end, matched, curie, priority, whole] for every occurrence that the case rule allows."""
    patterns = names.select("folded").unique(maintain_order=True).with_row_index("pattern")
    spans = find_spans(texts["folded"], patterns["folded"])
    bounds = pl.DataFrame({"text": range(len(texts)), "first": tokens.start[:-1], "last": tokens.start[1:]})
    named = (
        spans.join(patterns.with_columns(pl.col("pattern").cast(pl.Int64)), on="pattern")
        .join(names, on="folded")
        .join(bounds, on="text")
        .with_columns(((pl.col("start") == pl.col("first")) & (pl.col("end") == pl.col("last"))).alias("whole"))
    )
    written = tokens.cased.gather(named["start"]).alias("written")
    allowed = named.with_columns(written).filter(_case_agrees())
    return allowed.select("text", "start", "end", pl.col("folded").alias("matched"), "curie", "priority", "whole")


def _case_agrees() -> pl.Expr:
    """Return whether a name may stand here: acronyms in their own case, genus names with a capital, tiny names alone.

    A value that is the whole acronym in other letters (``copd``) is accepted from three letters on.
    """
    singular = pl.col("written").str.replace(r"^(\p{Lu}{2,})s$", "$1")
    acronym = (singular == pl.col("cased")) | (pl.col("whole") & (pl.col("cased").str.len_chars() >= 3))
    capital = pl.col("whole") | pl.col("written").str.contains(r"^\p{Lu}")
    return (
        pl.when(pl.col("case_rule") == "acronym").then(acronym)
        .when(pl.col("case_rule") == "uninomial").then(capital)
        .when(pl.col("case_rule") == "whole").then(pl.col("whole"))
        .otherwise(pl.lit(True))
    )  # fmt: skip


def _read_spans(spans: pl.DataFrame, tokens: Tokens, vocabulary: Vocabulary) -> pl.DataFrame:
    """Return one row per span with its best terms as ``candidates``, its ``curie`` where there is one, its outcome."""
    place = ["text", "start", "end", "matched", "whole"]
    best = spans.filter(pl.col("priority") == pl.col("priority").min().over("text", "start", "end"))
    read = best.group_by(place).agg(pl.col("curie").unique().sort().alias("candidates")).sort(place)
    denied = deny(read, tokens.folded, tokens.start)
    clear = pl.col("candidates").list.len() == 1
    curie = pl.when(clear).then(pl.col("candidates").list.first())
    generic = pl.col("curie").is_in(sorted(vocabulary.generic))
    outcome = (
        pl.when("denied").then(pl.lit("negated"))
        .when(~clear).then(pl.lit("ambiguous"))
        .when(generic).then(pl.lit("generic"))
        .otherwise(pl.lit("grounded"))
    )  # fmt: skip
    return read.with_columns(denied, curie.alias("curie")).with_columns(outcome.alias("outcome"))


def _drop_redundant(found: pl.DataFrame, vocabulary: Vocabulary) -> pl.DataFrame:
    """Return ``found`` with each term once per text, and without terms that a narrower term of the text implies."""
    grounded = found.filter(pl.col("outcome") == "grounded").sort("text", "start")
    once = grounded.unique(["text", "curie"], keep="first", maintain_order=True)
    pairs = once.select("text", "curie").join(once.select("text", pl.col("curie").alias("narrower")), on="text")
    several = pairs.filter(pl.col("curie") != pl.col("narrower"))
    implied = several.filter(vocabulary.is_ancestor(several["curie"], several["narrower"]))
    kept = once.join(implied, on=["text", "curie"], how="anti")
    return pl.concat([kept, found.filter(pl.col("outcome") != "grounded")]).sort("text", "start", "end", "matched")

"""From names found in texts to what the texts say: case rules, ambiguity, denial, generic terms,
redundancy.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from ontology_etl.denials import (
    denies,
    excludes,
    healthy_spellings,
    names_a_virus,
    precedes_viruses,
)
from ontology_etl.matching import Tokens, find_spans, keep_longest, tokenise, words_around
from ontology_etl.vocabulary import NOTHING, REVIEWED, Vocabulary, prune

FOUND: Final[dict[str, pl.DataType | type[pl.DataType]]] = {
    "text": pl.String, "matched": pl.String, "curie": pl.String, "outcome": pl.String, "whole": pl.Boolean,
    "candidates": pl.List(pl.String), "start": pl.Int64, "end": pl.Int64, "coded": pl.Boolean,
}  # fmt: skip


IMPLIED: Final = "implied"
"""Outcome of a name that another name of its text says more precisely, or says again."""
_SHORT_CODE: Final = r"^\p{L}{1,2} \d{1,2}( \p{L})?$"


def interpret(texts: pl.DataFrame, facet: str, vocabulary: Vocabulary) -> pl.DataFrame:
    """Return what each of ``texts`` [text, cased, folded] says about ``facet``: one row per name
    found.

    Columns as ``FOUND``; ``start`` and ``end`` count the tokens of the text, ``coded`` marks
    acronyms and short codes (``NPC``, ``S2``), which only the right attribute makes clear. A text
    without a name has no row.
    """
    if not len(texts):
        return pl.DataFrame(schema=FOUND)
    tokens = tokenise(texts["folded"], texts["cased"])
    names = prune(vocabulary.names, tokens.folded, facet=facet)
    spans = _allowed_spans(texts, names, tokens)
    read = _judge(_choose_terms(keep_longest(spans), texts, vocabulary), tokens, facet, vocabulary)
    first = pl.DataFrame(
        {"at": range(len(texts)), "text_name": texts["text"], "first": tokens.start[:-1]}
    )
    placed = read.join(first, left_on="text", right_on="at").with_columns(
        pl.col("text_name").alias("text"),
        pl.col("start") - pl.col("first"),
        pl.col("end") - pl.col("first"),
    )
    return _mark_implied(placed, vocabulary).select(list(FOUND))


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
        pl.lit(False).alias("coded"),
    )


def _allowed_spans(texts: pl.DataFrame, names: pl.DataFrame, tokens: Tokens) -> pl.DataFrame:
    """Return [text, start, end, first, whole, curie, priority, matched, surface, coded] where the
    case rule allows.
    """
    patterns = names.select("folded").unique(maintain_order=True).with_row_index("pattern")
    spans = find_spans(texts["folded"], patterns["folded"])
    bounds = pl.DataFrame(
        {"text": range(len(texts)), "first": tokens.start[:-1], "last": tokens.start[1:]}
    )
    named = (
        spans.join(patterns.with_columns(pl.col("pattern").cast(pl.Int64)), on="pattern")
        .join(names, on="folded")
        .join(bounds, on="text")
        .with_columns(
            ((pl.col("start") == pl.col("first")) & (pl.col("end") == pl.col("last"))).alias(
                "whole"
            )
        )
    )
    written = tokens.cased.gather(named["start"]).alias("written")
    numbered = tokens.numbered.gather(named["end"] - 1).alias("numbered")
    allowed = named.with_columns(written, numbered).filter(_case_agrees())
    surface = pl.coalesce(pl.col("cased"), pl.col("folded")).str.to_lowercase()
    coded = pl.col("case_rule").is_in(["acronym", "whole"]) | pl.col("folded").str.contains(
        _SHORT_CODE
    )
    return allowed.select(
        "text", "start", "end", "first", "whole", "curie", "priority",
        pl.col("folded").alias("matched"), surface.alias("surface"), coded.alias("coded"),
    )  # fmt: skip


def _case_agrees() -> pl.Expr:
    """Return whether a name may stand here: acronyms in their own case, genus names with a capital,
    tiny names alone.

    A value that is the whole acronym in other letters (``copd``) is accepted from three letters on.
    An acronym before a number is the name of something else (``NS1``, ``HPV16``).
    """
    singular = pl.col("written").str.replace(r"^(\p{Lu}{2,})s$", "$1")
    acronym = (singular == pl.col("cased")) & ~pl.col("numbered")
    capital = pl.col("whole") | pl.col("written").str.contains(r"^\p{Lu}")
    return (
        pl.when(pl.col("case_rule") == "acronym")
        .then(acronym | (pl.col("whole") & (pl.col("cased").str.len_chars() >= 3)))
        .when(pl.col("case_rule") == "uninomial").then(capital)
        .when(pl.col("case_rule") == "whole").then(pl.col("whole"))
        .otherwise(pl.lit(True))
    )  # fmt: skip


def _choose_terms(spans: pl.DataFrame, texts: pl.DataFrame, vocabulary: Vocabulary) -> pl.DataFrame:
    """Return one row per span with the terms it may stand for as ``candidates``, and ``curie``
    where it is one.

    Reviewed names come first, then names spelled as the text is (``human``, not ``humans``), then
    labels before synonyms. Of several terms left, one that is above all others is meant.
    """
    place = ["text", "start", "end", "matched", "whole"]
    cased = texts["cased"].gather(spans["text"]).str.to_lowercase().str.split(" ").alias("words")
    tokens = pl.col("words").list.slice(
        pl.col("start") - pl.col("first"), pl.col("end") - pl.col("start")
    )
    respelled = (tokens.list.join(" ") != pl.col("surface")) & (pl.col("priority") != REVIEWED)
    ranked = spans.with_columns(cased).with_columns(
        (respelled.cast(pl.Int32) * 10 + pl.col("priority")).alias("rank")
    )
    best = ranked.filter(pl.col("rank") == pl.col("rank").min().over("text", "start", "end"))
    unclear = best.filter(pl.col("curie").n_unique().over("text", "start", "end") > 1).select(
        *place, "curie"
    )
    pairs = unclear.join(unclear.select(*place, pl.col("curie").alias("other")), on=place)
    several = pairs.filter(pl.col("curie") != pl.col("other"))
    above = several.with_columns(
        vocabulary.is_ancestor(several["curie"], several["other"]).alias("above")
    )
    widest = (
        above.group_by(*place, "curie")
        .agg(pl.col("above").all())
        .filter("above")
        .select(*place, "curie")
    )
    chosen = pl.concat([best.select(*place, "curie").join(widest, on=place, how="anti"), widest])
    read = (
        chosen.group_by(place).agg(pl.col("curie").unique().sort().alias("candidates")).sort(place)
    )
    coded = spans.group_by("text", "start", "end").agg(pl.col("coded").all())
    clear = pl.col("candidates").list.len() == 1
    named = read.with_columns(pl.when(clear).then(pl.col("candidates").list.first()).alias("curie"))
    return named.join(coded, on=["text", "start", "end"], maintain_order="left")


def _judge(read: pl.DataFrame, tokens: Tokens, facet: str, vocabulary: Vocabulary) -> pl.DataFrame:
    """Return ``read`` with the ``outcome`` of each span, from its term and the words around it, and
    ``origin``.
    """
    before = words_around(read, tokens, "start", range(-3, 0)).alias("before")
    after = words_around(read, tokens, "end", range(5)).alias("after")
    next_word = _next_written(read, tokens).alias("next_written")
    disease = facet == "disease"
    denied = denies(pl.col("before"), pl.col("after")) if disease else excludes(pl.col("before"))
    nothing = pl.col("curie") == NOTHING
    virus = _part_of_a_virus_name(facet)
    outcome = (
        pl.when(denied).then(pl.lit("negated"))
        .when(nothing | virus).then(pl.lit("other"))
        .when(pl.col("curie").is_null()).then(pl.lit("ambiguous"))
        .when(pl.col("curie").is_in(sorted(vocabulary.generic))).then(pl.lit("generic"))
        .otherwise(pl.lit("grounded"))
    )  # fmt: skip
    judged = read.with_columns(before, after, next_word).with_columns(outcome.alias("outcome"))
    return judged.with_columns(
        pl.when(~nothing).then("curie").alias("curie"),
        pl.when(nothing)
        .then(pl.lit([], dtype=pl.List(pl.String)))
        .otherwise("candidates")
        .alias("candidates"),
        pl.col("after").str.contains(r"^derived\b").alias("origin"),
    )


def _part_of_a_virus_name(facet: str) -> pl.Expr:
    """Return whether a name of ``facet`` is part of the name of a virus, from the words after it."""
    if facet == "disease":
        return names_a_virus(pl.col("after"))
    if facet == "label":
        return names_a_virus(pl.col("after")) & ~precedes_viruses(pl.col("next_written"))
    return pl.lit(False)


def _next_written(read: pl.DataFrame, tokens: Tokens) -> pl.Series:
    """Return the token after each span as written; empty after the last token of a text."""
    last = tokens.start.gather(read["text"] + 1)
    follows = (read["end"] < last).to_list()
    position = read["end"].clip(upper_bound=len(tokens.cased) - 1)
    return pl.select(
        pl.when(pl.Series(follows, dtype=pl.Boolean))
        .then(tokens.cased.gather(position))
        .otherwise(pl.lit(""))
    ).to_series()


def _mark_implied(found: pl.DataFrame, vocabulary: Vocabulary) -> pl.DataFrame:
    """Return ``found`` with each term grounded once per text; names that another term of the text
    makes redundant are ``IMPLIED``.

    Redundant are: a term above another one, a name inside a longer name (``adenoma`` beside
    ``colorectal adenoma``), and what something else was derived from (``stem cell derived
    neurons``).
    """
    grounded = found.filter(pl.col("outcome") == "grounded").sort("text", "start")
    once = grounded.unique(["text", "curie"], keep="first", maintain_order=True)
    pairs = once.join(
        once.select("text", pl.col("curie", "matched", "origin").name.suffix("_2")), on="text"
    )
    several = pairs.filter(pl.col("curie") != pl.col("curie_2"))
    implied = vocabulary.is_ancestor(several["curie"], several["curie_2"]).alias("implied")
    padded = (pl.format(" {} ", pl.col(name)) for name in ("matched_2", "matched"))
    inside = next(padded).str.contains(next(padded), literal=True)
    wider = vocabulary.is_ancestor(several["curie_2"], several["curie"]).alias("wider")
    origin = pl.col("origin") & ~pl.col("origin_2") & ~pl.col("wider")
    redundant = several.with_columns(implied, wider).filter(pl.col("implied") | inside | origin)
    kept = once.join(redundant, on=["text", "curie"], how="anti")
    implied_names = grounded.join(kept, on=["text", "start", "end"], how="anti").with_columns(
        pl.lit(IMPLIED).alias("outcome")
    )
    rest = found.filter(pl.col("outcome") != "grounded")
    return pl.concat([kept, implied_names, rest]).sort("text", "start", "end", "matched")

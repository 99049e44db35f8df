"""Decide what names in a text mean: case, ambiguity, denial, generic terms."""

from __future__ import annotations

from typing import Final

import polars as pl

from ontology_etl.denials import healthy_spellings
from ontology_etl.matching import (
    Tokens,
    find_joined,
    find_spans,
    joined_pairs,
    keep_longest,
    tokenise,
    words_of,
)
from ontology_etl.meaning.ruled_out import most_precise
from ontology_etl.meaning.surroundings import judge
from ontology_etl.name_rules import REVIEWED
from ontology_etl.possible_names import prune
from ontology_etl.vocabulary import Vocabulary

FOUND: Final[dict[str, pl.DataType | type[pl.DataType]]] = {
    "text": pl.String,
    "matched": pl.String,
    "curie": pl.String,
    "outcome": pl.String,
    "whole": pl.Boolean,
    "candidates": pl.List(pl.String),
    "start": pl.Int64,
    "end": pl.Int64,
    "coded": pl.Boolean,
}

VALUE: Final = ["attribute", "text", "facet"]
"""Key of a value that was read for a facet."""
_PLACE: Final = ["text", "start", "end"]
_YES: Final = pl.lit(True)
_SHORT_CODE: Final = r"^\p{L}{1,2} \d{1,2}( \p{L})?$"


def interpret(texts: pl.DataFrame, facet: str, vocabulary: Vocabulary) -> pl.DataFrame:
    """Return the names of ``facet`` in ``texts`` [text, cased, folded, marked], one row each.

    Columns as ``FOUND``; ``start`` and ``end`` count the tokens of the text, ``coded`` marks
    acronyms and short codes (``NPC``, ``S2``), which only the right attribute makes clear. A text
    without a name has no row.
    """
    of_facet = vocabulary.names.filter(pl.col("facet") == facet)
    if not len(texts) or not len(of_facet):
        return pl.DataFrame(schema=FOUND)
    tokens = tokenise(texts)
    joined = joined_pairs(tokens)["word"]
    names = prune(of_facet, pl.concat([tokens.folded, joined.rename(tokens.folded.name)]))
    if not len(names):
        return pl.DataFrame(schema=FOUND)

    spans = keep_longest(_allowed_spans(texts, names, tokens), vocabulary.is_ancestor)
    chosen = _choose_terms(spans, tokens, vocabulary)
    judged = judge(chosen, tokens, facet, vocabulary)
    first = pl.DataFrame({"first": tokens.start[:-1], "named": texts["text"]})
    placed = judged.join(first.with_row_index("text").cast({"text": pl.Int64}), on="text")
    within_text = placed.with_columns(
        pl.col("named").alias("text"),
        pl.col("start") - pl.col("first"),
        pl.col("end") - pl.col("first"),
    )
    return most_precise(within_text, vocabulary).select(list(FOUND))


def whole_findings(named: pl.DataFrame, *, matched: str, whole: pl.Expr = _YES) -> pl.DataFrame:
    """Return ``named`` [text, curie, …] with the columns of ``FOUND``: each text names one term."""
    return named.with_columns(
        matched=pl.col(matched),
        outcome=pl.lit("grounded"),
        whole=whole,
        candidates=pl.concat_list("curie"),
        start=pl.lit(0, dtype=pl.Int64),
        end=pl.lit(0, dtype=pl.Int64),
        coded=pl.lit(False),
    )


def deny_health(texts: pl.DataFrame) -> pl.DataFrame:
    """Return the ``texts`` that deny any disease as a whole, as negated findings."""
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
    """Return the names found whose case rule is met, with whole, curie, priority and coded."""
    patterns = names.select("folded").unique(maintain_order=True).with_row_index("pattern")
    written = find_spans(texts["folded"], patterns["folded"])
    spans = pl.concat([written, find_joined(tokens, patterns["folded"])])
    limits = pl.DataFrame({"first": tokens.start[:-1], "last": tokens.start[1:]})
    numbered = patterns.cast({"pattern": pl.Int64})
    placed = pl.concat([spans, limits[spans["text"]]], how="horizontal")
    named = placed.join(numbered, on="pattern").join(names, on="folded")
    from_first_to_last = (pl.col("start") == pl.col("first")) & (pl.col("end") == pl.col("last"))
    placed_in_text = named.with_columns(
        from_first_to_last.alias("whole"),
        tokens.cased.gather(named["start"]).alias("written"),
        tokens.numbered.gather(named["end"] - 1).alias("numbered"),
        tokens.joined.gather(named["start"]).alias("joined"),
        tokens.joined.shift(-1, fill_value=False).gather(named["end"] - 1).alias("continued"),
        tokens.joined.gather(named["end"] - 1).alias("last_joined"),
        tokens.cased.gather(named["end"] - 1).alias("last_written"),
        tokens.folded.shift(2).gather(named["start"]).eq("cd").fill_null(False).alias("marker"),
    )
    inside = _begins_inside_a_code() | _ends_inside_a_code()
    allowed = _with_adjoining(placed_in_text.filter(~inside))
    surface = pl.coalesce("cased", "folded").str.to_lowercase()
    short = pl.col("folded").str.contains(_SHORT_CODE)
    coded = pl.col("case_rule").is_in(["acronym", "whole"]) | short

    return allowed.select(
        *_PLACE,
        "whole",
        "curie",
        "priority",
        pl.col("folded").alias("matched"),
        surface.alias("surface"),
        coded.alias("coded"),
    )


def _begins_inside_a_code() -> pl.Expr:
    """Return whether a name begins with letters of a code: B of ``HOK16B``, not T of ``CD8T``."""
    is_short = pl.col("written").str.contains(r"^\p{L}{1,2}$")
    is_inside = pl.col("joined") & ~pl.col("whole")
    is_marker = pl.col("marker")
    return is_inside & is_short & ~is_marker


def _ends_inside_a_code() -> pl.Expr:
    """Return whether a name ends with letters of a code: H of ``HEK293 H3K27me3``."""
    is_short = pl.col("last_written").str.contains(r"^\p{L}{1,2}$")
    begins = (pl.col("end") - pl.col("start") > 1) & ~pl.col("last_joined")
    return is_short & begins & pl.col("continued")


def _with_adjoining(named: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of ``named`` that count as names, by their case rule or by an adjoining name.

    A reviewed abbreviation that is too short to count inside a text counts before another name:
    ``TB`` in ``TB meningitis``.
    """
    allowed = named.filter(_case_agrees())
    abbreviation = (
        (pl.col("case_rule") == "whole")
        & (pl.col("priority") == REVIEWED)
        & pl.col("written").str.contains(r"^\p{Lu}{2,}$")
        & (pl.col("written").str.to_lowercase() == pl.col("folded"))
    )
    followed = allowed.select("text", end="start").unique()
    adjoining = named.filter(abbreviation & ~pl.col("whole")).join(followed, on=["text", "end"])

    return pl.concat([allowed, adjoining.select(allowed.columns)])


def _case_agrees() -> pl.Expr:
    """Return whether the spelling meets the case rule of a name.

    A value that is the whole acronym in other letters (``copd``) is accepted from three letters on.
    An acronym is not the plural of a genus (``SARS``). An acronym before a number is the name of
    something else (``NS1``, ``HPV16``).
    """
    singular = pl.col("written").str.replace(r"^(\p{Lu}{2,})s$", "$1")
    acronym = (singular == pl.col("cased")) & ~pl.col("numbered")
    spelled_alone = pl.col("whole") & (pl.col("cased").str.len_chars() >= 3)
    plain = pl.coalesce("cased", "folded").str.to_lowercase()
    shouted = pl.col("written").str.contains(r"^\p{Lu}{2,}$")
    respelled = pl.col("written").str.to_lowercase() != plain
    capital = pl.col("whole") | pl.col("written").str.contains(r"^\p{Lu}")
    rule = pl.col("case_rule")

    return (
        pl.when(rule == "acronym")
        .then(acronym | spelled_alone)
        .when(rule == "uninomial")
        .then(capital & ~(shouted & respelled))
        .when(rule == "whole")
        .then(pl.col("whole"))
        .otherwise(pl.lit(True))
    )


def _choose_terms(spans: pl.DataFrame, tokens: Tokens, vocabulary: Vocabulary) -> pl.DataFrame:
    """Return one row per span with ``candidates``, and ``curie`` if there is a single candidate.

    Reviewed names come first, then names spelled as the text is (``human``, not ``humans``), then
    labels before synonyms. If several terms are left, the one above all others is meant.
    """
    place = [*_PLACE, "matched", "whole"]
    as_written = spans.with_columns(words_of(spans, tokens.cased).str.to_lowercase())
    respelled = (pl.col("word") != pl.col("surface")) & (pl.col("priority") != REVIEWED)
    rank = respelled.cast(pl.Int32) * 10 + pl.col("priority")
    ranked = as_written.with_columns(rank.alias("rank"))
    best = ranked.filter(pl.col("rank") == pl.col("rank").min().over(_PLACE))
    terms = best.select(*place, "curie").unique(maintain_order=True)
    widest = _widest(terms, place, vocabulary)
    chosen = pl.concat(
        [
            terms.join(
                widest,
                on=place,
                how="anti",
            ),
            widest,
        ]
    )
    listed = pl.col("curie").unique().sort().alias("candidates")
    read = chosen.group_by(place).agg(listed).sort(place)
    clear = pl.col("candidates").list.len() == 1
    named = read.with_columns(pl.when(clear).then(pl.col("candidates").list.first()).alias("curie"))
    coded = spans.group_by(_PLACE).agg(pl.col("coded").all())

    return named.join(
        coded,
        on=_PLACE,
        maintain_order="left",
    )


def _widest(terms: pl.DataFrame, place: list[str], vocabulary: Vocabulary) -> pl.DataFrame:
    """Return the rows of ``terms`` [*place, curie] that include all other terms of their place."""
    several = pl.col("curie").n_unique().over(_PLACE) > 1
    unclear = terms.filter(several)
    others = unclear.select(*place, other="curie")
    met = unclear.join(others, on=place)
    pairs = met.filter(pl.col("curie") != pl.col("other"))
    above = vocabulary.is_ancestor(pairs["curie"], pairs["other"])
    compared = pairs.with_columns(above=above)
    judged = compared.group_by(*place, "curie").agg(pl.col("above").all())
    widest = judged.filter("above")

    return widest.select(*place, "curie")

"""The words around a name, and whether they change what it means."""

from __future__ import annotations

from typing import Final

import polars as pl

from ontology_etl.denials import denies, names_a_virus
from ontology_etl.matching import Tokens, words_around
from ontology_etl.name_rules import NOTHING
from ontology_etl.reviewed_lists import read_reviewed
from ontology_etl.vocabulary import LABEL_FACET, METAGENOMES, Vocabulary

_NUMBER_OF_BANK: Final = r"^(?:gm|hg|na) \d{5}$"
"""A cell line by number: the origin of a sample that has another name too (``NA18508 iPSC``)."""
_EXCLUDED: Final = r"(?:^| )(?:no|not|non|without)$"
"""Words before a name that exclude it (``no leaves``)."""


def judge(read: pl.DataFrame, tokens: Tokens, facet: str, vocabulary: Vocabulary) -> pl.DataFrame:
    """Return ``read`` with ``outcome`` and ``origin``, by the term and the words around it."""
    around = read.with_columns(
        words_around(read, tokens, "start", range(-3, 0)).alias("before"),
        words_around(read, tokens, "end", range(5)).alias("after"),
        _next_written(read, tokens).alias("next_written"),
    )
    before, after = pl.col("before"), pl.col("after")
    disease = facet == "disease"
    denied = denies(before, after) if disease else before.str.contains(_EXCLUDED)
    nothing = pl.col("curie") == NOTHING
    elsewhere = _named_elsewhere(around, facet, vocabulary)
    judged = around.with_columns(elsewhere).with_columns(
        pl.when(denied)
        .then(pl.lit("negated"))
        .when(nothing | pl.col("elsewhere"))
        .then(pl.lit("other"))
        .when(pl.col("curie").is_null())
        .then(pl.lit("ambiguous"))
        .when(pl.col("curie").is_in(sorted(vocabulary.generic)))
        .then(pl.lit("generic"))
        .otherwise(pl.lit("grounded"))
        .alias("outcome")
    )
    none = pl.lit([], dtype=pl.List(pl.String))
    of_bank = read_reviewed("cell_bank.tsv")["curie"].unique()
    is_numbered = pl.col("matched").str.contains(_NUMBER_OF_BANK)
    is_line = is_numbered & pl.col("curie").is_in(of_bank.implode())

    return judged.with_columns(
        pl.when(~nothing).then("curie").alias("curie"),
        pl.when(nothing).then(none).otherwise("candidates").alias("candidates"),
        (after.str.contains(r"^derived\b") | is_line).alias("origin"),
    )


def _named_elsewhere(around: pl.DataFrame, facet: str, vocabulary: Vocabulary) -> pl.Series:
    """Return as ``elsewhere`` whether a name is part of the name of something else.

    Examples: ``rice stripe virus``, ``four-leaf stage`` (a stage of life), ``Orchis purpurea`` (an
    orchid; an orchis is a testis), ``soil crust metagenome``, ``leech infestation`` (of a host).
    """
    is_part = _part_of_a_virus_name(facet)
    if facet == "tissue":
        is_part = is_part | pl.col("after").str.contains(r"^stage\b")
    found = around.select(elsewhere=is_part)["elsewhere"]
    if facet == LABEL_FACET:
        infests = around["after"].str.contains(r"^infestation\b")
        return found | infests | _begins_a_metagenome(around, vocabulary)

    named = found | _begins_an_organism(around, vocabulary)
    return named.alias("elsewhere")


def _begins_a_metagenome(around: pl.DataFrame, vocabulary: Vocabulary) -> pl.Series:
    """Return whether a word for an environment begins the name of another environment."""
    below = vocabulary.is_below(around["curie"], METAGENOMES)
    is_environment = below.fill_null(False)
    continued = pl.col("after").str.contains(r"\bmetagenome\b")
    goes_on = around.select(elsewhere=continued)["elsewhere"]
    return is_environment & goes_on


def _begins_an_organism(around: pl.DataFrame, vocabulary: Vocabulary) -> pl.Series:
    """Return whether a word and the next one together name an organism."""
    second = pl.col("after").str.extract(r"^(\S+)", 1)
    single = ~pl.col("matched").str.contains(" ", literal=True)
    sampled = second.is_in(["metagenome", "metagenomes"])
    two_words = pl.format("{} {}", "matched", second)
    pair = pl.when(single & ~sampled).then(two_words)
    pairs = around.select(pair=pair)["pair"]
    in_text = pairs.drop_nulls().unique()
    is_label = pl.col("facet") == LABEL_FACET
    is_in_text = pl.col("folded").is_in(in_text.implode())
    organisms = vocabulary.names.filter(is_label, is_in_text)
    known = organisms["folded"].unique()
    named = pairs.is_in(known.implode())

    return named.fill_null(False)


def _part_of_a_virus_name(facet: str) -> pl.Expr:
    """Return whether the words after a name of ``facet`` make it part of a virus name."""
    if facet == "disease":
        return names_a_virus(pl.col("after"), of_organism=False)
    if facet == LABEL_FACET:
        viral = names_a_virus(pl.col("after"), of_organism=True)
        # bat coronaviruses are viruses of bats
        return viral & ~pl.col("next_written").str.contains(r"(?i)viruses$")
    return pl.lit(False)


def _next_written(read: pl.DataFrame, tokens: Tokens) -> pl.Series:
    """Return the token after each span as written, empty at the end of a text."""
    last = tokens.start.gather(read["text"] + 1)
    follows = (read["end"] < last).to_list()
    position = read["end"].clip(upper_bound=len(tokens.cased) - 1)

    return pl.select(
        pl.when(pl.Series(follows, dtype=pl.Boolean))
        .then(tokens.cased.gather(position))
        .otherwise(pl.lit(""))
    ).to_series()

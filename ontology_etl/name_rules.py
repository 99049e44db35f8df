"""Rules for folded names: where a name counts, and which row of a shared name wins.

An acronym counts in its capitals, a taxon of one word with a capital, an everyday word only where
it is the whole value. Of two ontologies of a facet that share a name, the more trusted one keeps
it.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from ontology_etl.curies import DOID, NCBI_TAXON, has_prefix
from ontology_etl.facets import FACET_OF_ONTOLOGY, ONTOLOGIES_OF_FACET
from ontology_etl.folding import fold, separate

NOTHING: Final = "-"
"""CURIE of a reviewed name that means nothing in its facet and hides names inside it."""
WHOLE: Final = "whole"
"""CURIE of a reviewed everyday word that is a name only as the whole value."""

REVIEWED, LABEL, EXACT, OTHER, DERIVED, BARE, RETIRED, NUMBER = range(8)
"""Priorities, the best first; ``BARE`` names count only as the whole value, ``RETIRED`` ones no
longer mean anything, a ``NUMBER`` is that of a cell bank."""
_MAX_ACRONYM: Final = 5


def with_case_rules(names: pl.DataFrame) -> pl.DataFrame:
    """Return facet, folded, curie, priority, case_rule, cased of ``names`` with a word."""
    facet = pl.col("ontology").replace_strict(FACET_OF_ONTOLOGY, return_dtype=pl.String)
    spaced = names.lazy().with_columns(
        cased=separate(pl.col("name")),
        facet=facet,
    )
    folded = spaced.with_columns(folded=fold(pl.col("cased")))
    worded = folded.filter(pl.col("folded") != "")
    ruled = worded.with_columns(case_rule=_case_rule())
    is_acronym = pl.col("case_rule") == "acronym"
    is_respelled = pl.col("cased").str.to_lowercase() != pl.col("folded")
    named = ruled.select(
        "facet",
        "folded",
        "curie",
        "priority",
        "case_rule",
        cased=pl.when(is_acronym | is_respelled).then("cased"),
    )
    return named.collect(engine="streaming")


def _case_rule() -> pl.Expr:
    """Return where a name counts: any, acronym (capitals), uninomial (a capital), whole (alone)."""
    cased = pl.col("cased")
    folded = pl.col("folded")
    name = pl.col("name")
    letters = folded.str.replace_all(" ", "", literal=True).str.len_chars()
    is_single = ~cased.str.contains(" ", literal=True)
    in_capitals = cased.str.contains(rf"^\p{{Lu}}{{2,{_MAX_ACRONYM}}}$")
    is_mixed = cased.str.contains(r"^\p{Lu}\p{L}{0,2}\p{Lu}$") & (letters <= _MAX_ACRONYM)
    is_code = name.str.contains(r"^\p{Lu}{1,5}\d{1,2}\p{Lu}?\d?$")
    coded = (pl.col("ontology") == DOID) & is_code
    is_genus = name.str.contains(r"^\p{Lu}")
    uninomial = is_single & is_genus & (pl.col("ontology") == NCBI_TAXON)
    is_reviewed = pl.col("priority") == REVIEWED
    is_bare = pl.col("priority") == BARE
    is_tiny = ~folded.str.contains(r"\p{L}{2}") & (letters <= 3)

    return (
        pl.when(is_reviewed & ~in_capitals)
        .then(pl.lit("any"))
        .when((letters <= 2) | coded | is_bare)
        .then(pl.lit("whole"))
        .when(is_single & (in_capitals | is_mixed))
        .then(pl.lit("acronym"))
        .when(is_tiny)
        .then(pl.lit("whole"))
        .when(uninomial & ~is_reviewed)
        .then(pl.lit("uninomial"))
        .otherwise(pl.lit("any"))
    )


def settle(folded: pl.DataFrame) -> pl.DataFrame:
    """Return one row per facet, folded name and curie, with everyday words restricted.

    Names of digits alone are left out. A cell line written in capitals and in mixed case (``HELA``,
    ``HeLa``) is not an acronym.
    """
    is_everyday = pl.col("curie") == WHOLE
    everyday = folded.filter(is_everyday).select("facet", "folded", ruled=pl.lit("whole"))
    has_letters = pl.col("folded").str.contains(r"\p{L}")
    settled = _most_trusted(_once(folded.filter(~is_everyday, has_letters)))
    ruled = settled.join(
        everyday.unique(),
        on=["facet", "folded"],
        how="left",
        maintain_order="left",
    )
    with_tokens = ruled.with_columns(
        case_rule=pl.coalesce("ruled", "case_rule"),
        first_token=pl.col("folded").str.extract(r"^(\S+)", 1),
        last_token=pl.col("folded").str.extract(r"(\S+)$", 1),
    )
    return with_tokens.drop("ruled")


def _once(worded: pl.DataFrame) -> pl.DataFrame:
    """Return the best row of ``worded`` for each facet, folded name and curie."""
    key = ["facet", "folded", "curie"]
    is_derived_acronym = (pl.col("priority") == DERIVED) & (pl.col("case_rule") == "acronym")
    repeated = worded.select(pl.struct(key).is_duplicated()).to_series()
    several = worded.filter(repeated)
    ranked = several.sort(*key, "priority", is_derived_acronym, "case_rule", "cased")
    best = ranked.unique(key, keep="first", maintain_order=True)

    return pl.concat([worded.filter(~repeated), best])


def _most_trusted(names: pl.DataFrame) -> pl.DataFrame:
    """Return ``names`` without those that a more trusted ontology of the facet also has."""
    for ontologies in ONTOLOGIES_OF_FACET.values():
        for less_trusted in ontologies[1:]:
            is_own = has_prefix(pl.col("curie"), less_trusted)
            others = names.filter(~is_own)
            unshared = names.filter(is_own).join(
                others,
                on=["facet", "folded"],
                how="anti",
            )
            names = pl.concat([others, unshared])
    return names

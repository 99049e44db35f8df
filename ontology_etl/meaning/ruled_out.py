"""Drop names that the attribute, a longer name or a more precise term rules out.

Within one text the terms are compared pairwise: ``finding.LONGEST_TEXT`` bounds the pairs of one
text, ``PAIRS_AT_A_TIME`` those of many.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from ontology_etl.attributes import snake_case
from ontology_etl.facets import LINE
from ontology_etl.reviewed_lists import names_in_languages, read_reviewed
from ontology_etl.vocabulary import METAGENOMES, VIRUSES, Vocabulary

BARE_TAXID: Final = r"^\s*(\d{3,8})\s*$"

_LONG_TAXID: Final = r"^\s*\d{4,8}\s*$"
"""A shorter number where a name is expected is more likely that of an animal."""

PAIRS_AT_A_TIME: Final = 1_000_000
"""Pairs of terms of one text that are compared at a time: some 200 MB."""

_NO_HOSTS: Final = (VIRUSES, METAGENOMES, 12908, 28384)
"""Roots of taxa that host nothing; the numbers are unclassified and other sequences of
NCBITaxon, such as prions, plasmids and synthetic constructs."""

FEW: Final = 50
"""A genus with fewer members is not named by a word without a capital."""


def respect_roles(said: pl.DataFrame, vocabulary: Vocabulary) -> pl.DataFrame:
    """Return ``said`` without names that the attribute rules out; some get the outcome "other".

    A number is a taxon only in an attribute for taxids, in one for hosts or organisms if it has
    four digits, and as a whole question. A host is not a virus, a metagenome or a plasmid. In a
    title, an acronym or a short code (``TSS``, ``S2``) is a sample's name, and next to a cell line
    (``HS-5``) it is a line, not a disease. A ``laser`` is not a plant.
    """
    number = pl.col("text").str.contains(BARE_TAXID)
    of_taxon = number & pl.col("text").str.contains(_LONG_TAXID)
    named = of_taxon & pl.col("role").is_in(["host", "organism"])
    worded = said.filter(~number | named | pl.col("role").is_in(["taxid", "question"]))
    curies = worded["curie"]
    no_organism = pl.any_horizontal(*(vocabulary.is_below(curies, root) for root in _NO_HOSTS))
    no_host = pl.col("role").is_in(["host", "taxid"]) & no_organism
    everyday = _everyday_words(worded, vocabulary)
    is_code = pl.col("coded") & _has_codes()
    unlikely = (no_host | is_code | everyday) & (pl.col("outcome") == "grounded")
    outcome = pl.when(unlikely).then(pl.lit("other")).otherwise("outcome")
    judged = worded.with_columns(outcome.alias("outcome"))
    covered = _covered_by_another_facet(judged)

    return judged.join(
        covered,
        on=["attribute", "text", "facet", "matched", "start", "end"],
        how="anti",
    )


def _has_codes() -> pl.Expr:
    """Return whether a short code found here is the name of a sample or of a cell line."""
    in_title = pl.col("attribute") == "title"
    in_passing = pl.col("role") == "source"
    of_line = snake_case(pl.col("attribute")).str.contains(rf"^(?:{LINE})$")
    is_numbered = pl.col("matched").str.contains(r"\d")
    return in_title | (in_passing & (of_line | is_numbered))


def _everyday_words(said: pl.DataFrame, vocabulary: Vocabulary) -> pl.Series:
    """Return which hosts are everyday words that are also labels of small, little-known taxa."""
    labels = vocabulary.labels_of(said["curie"])
    named = said.select("role", "text", "curie").join(
        labels, on="curie", how="left", maintain_order="left"
    )
    written = pl.col("text").str.strip_chars()
    uncased = written.str.contains(r"^(?:\p{Ll}+|\p{Lu}+)$") & (written != pl.col("label"))
    scientific = written.str.to_lowercase() == pl.col("label").str.to_lowercase()
    is_plain_word = (pl.col("role") == "host") & uncased & scientific
    doubtful = named.filter(is_plain_word.fill_null(False))["curie"].unique()
    everyday = [
        curie
        for curie in doubtful
        if vocabulary.members(curie) < FEW and not _has_everyday_member(curie, vocabulary)
    ]
    return named.select(
        is_plain_word.fill_null(False) & pl.col("curie").is_in(everyday)
    ).to_series()


def _has_everyday_member(curie: str, vocabulary: Vocabulary) -> bool:
    """Return whether a host with an everyday name is below the taxon ``curie``."""
    hosts = pl.concat([read_reviewed("names.tsv"), names_in_languages("host")], how="diagonal")
    curies = hosts["curie"].drop_nulls().unique()
    above = pl.Series([curie] * len(curies))
    return bool(vocabulary.is_ancestor(above, curies).any())


def _covered_by_another_facet(said: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of ``said`` inside a longer name of another facet.

    In a question the longer name wins (``lymphoma`` inside ``lymphoma cell line``). In a value it
    does so only if it is the name of a line (``MonoMAC`` inside ``Mono-Mac-6``): who writes that
    cells are of a lymphoma states a lymphoma. The same name elsewhere in the text stays: human runs
    with human cytomegalovirus.
    """
    longer = said.select("text", "facet", "matched", pl.col("start", "end").name.suffix("_other"))
    passing = said.filter(pl.col("role").is_in(["source", "question"]))
    pairs = passing.join(longer, on="text", suffix="_other")
    around = (pl.col("start_other") <= pl.col("start")) & (pl.col("end_other") >= pl.col("end"))
    length = pl.col("end") - pl.col("start")
    is_longer = pl.col("end_other") - pl.col("start_other") > length
    is_line = (pl.col("facet_other") == "tissue") & pl.col("matched_other").str.contains(r"\d")
    wins = (pl.col("role") == "question") | is_line
    return pairs.filter(around, is_longer, wins, pl.col("facet_other") != pl.col("facet"))


def most_precise(found: pl.DataFrame, vocabulary: Vocabulary) -> pl.DataFrame:
    """Return ``found`` with each term once per text and without redundant names.

    Redundant are a term above another, a name inside a longer name, and the source of something
    derived (``stem cell derived neurons``).
    """
    is_grounded = pl.col("outcome") == "grounded"
    grounded = found.filter(is_grounded).sort("text", "start")
    once = grounded.unique(["text", "curie"], keep="first", maintain_order=True)
    pairs_before = (pl.len().over("text")).cum_sum()
    sliced = once.with_columns(slice=pairs_before // PAIRS_AT_A_TIME)
    slices = sliced.with_columns(pl.col("slice").first().over("text")).partition_by(
        "slice", include_key=False, maintain_order=True
    )
    key = once.select("text", "curie").clear()
    redundant = pl.concat([key, *(_redundant(part, vocabulary) for part in slices)])
    precise = once.join(
        redundant,
        on=["text", "curie"],
        how="anti",
    )
    rest = found.filter(~is_grounded)
    return pl.concat([precise, rest]).sort("text", "start", "end", "matched")


def _redundant(once: pl.DataFrame, vocabulary: Vocabulary) -> pl.DataFrame:
    """Return [text, curie] of the terms that another term of their text implies."""
    named = once.select("text", "curie", "matched", "origin")
    others = named.select("text", pl.col("curie", "matched", "origin").name.suffix("_2"))
    met = named.join(others, on="text")
    pairs = met.filter(pl.col("curie") != pl.col("curie_2"))
    one, other = pairs["curie"], pairs["curie_2"]
    implied = vocabulary.is_ancestor(one, other)
    wider = vocabulary.is_ancestor(other, one)
    related = pairs.with_columns(implied.alias("implied"), wider.alias("wider"))
    longer = pl.format(" {} ", "matched_2")
    inside = longer.str.contains(pl.format(" {} ", "matched"), literal=True)
    origin = pl.col("origin") & ~pl.col("origin_2") & ~pl.col("wider")
    found = related.filter(pl.col("implied") | inside | origin)

    return found.select("text", "curie").unique()

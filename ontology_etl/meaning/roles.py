"""Restrict names by attribute: a host is not a virus, a number in a title is not a taxon."""

from __future__ import annotations

from typing import Final

import polars as pl

from ontology_etl.vocabulary import METAGENOMES, VIRUSES, Vocabulary

BARE_TAXID: Final = r"^\s*(\d{3,8})\s*$"

_LONG_TAXID: Final = r"^\s*\d{4,8}\s*$"
"""A shorter number where a name is asked for is more likely that of an animal."""


def respect_roles(said: pl.DataFrame, vocabulary: Vocabulary) -> pl.DataFrame:
    """Return ``said`` without names that the attribute rules out, or with the outcome "other" for
    them.

    A number is a taxon only in an attribute for taxids, in one for hosts or organisms where it has
    four digits, and where a question is nothing else. A host is no virus and no metagenome. In a
    title an acronym or a short code (``TSS``, ``S2``) is a sample's name.
    """
    number = pl.col("text").str.contains(BARE_TAXID)
    of_taxon = number & pl.col("text").str.contains(_LONG_TAXID)
    named = of_taxon & pl.col("role").is_in(["host", "organism"])
    worded = said.filter(~number | named | pl.col("role").is_in(["taxid", "question"]))
    curies = worded["curie"]
    no_organism = vocabulary.is_below(curies, VIRUSES) | vocabulary.is_below(curies, METAGENOMES)
    no_host = pl.col("role").is_in(["host", "taxid"]) & pl.col("no_organism")
    sample_name = (pl.col("attribute") == "title") & pl.col("coded")
    unlikely = (no_host | sample_name) & (pl.col("outcome") == "grounded")
    outcome = pl.when(unlikely).then(pl.lit("other")).otherwise("outcome")
    judged = worded.with_columns(no_organism.alias("no_organism")).with_columns(
        outcome.alias("outcome")
    )
    covered = _covered_by_another_facet(judged)

    return judged.join(
        covered,
        on=["attribute", "text", "facet", "matched", "start", "end"],
        how="anti",
    )


def _covered_by_another_facet(said: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of ``said`` that lie inside a longer name of another facet.

    A disease in a tissue value counts only where no longer tissue name covers it (``lymphoma``
    inside ``lymphoma cell line``); in a question the longer name of any facet wins. The same name
    elsewhere in the text stays: human runs with human cytomegalovirus.
    """
    names = said.select("role", "text", "facet", pl.col("start", "end").name.suffix("_other"))
    passing = said.filter(pl.col("role").is_in(["source", "question"]))
    pairs = passing.join(
        names,
        on="text",
        suffix="_other",
    )
    around = (pl.col("start_other") <= pl.col("start")) & (pl.col("end_other") >= pl.col("end"))
    length, length_other = (
        pl.col("end") - pl.col("start"),
        pl.col("end_other") - pl.col("start_other"),
    )
    in_tissue = (pl.col("role") == "source") & (pl.col("facet_other") == "tissue")
    in_question = (pl.col("role") == "question") & (pl.col("facet_other") != pl.col("facet"))

    return pairs.filter(
        around,
        length_other > length,
        in_tissue | in_question,
    )

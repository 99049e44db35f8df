"""Hosts, tissues and diseases ground by their names in seven languages, where these mean one."""

from __future__ import annotations

import polars as pl
import pytest

from ontology_etl.grounding import ground
from ontology_etl.reviewed_lists import unambiguous_names
from ontology_etl.vocabulary import Vocabulary, build_vocabulary

TERMS = """
NCBITaxon:1 | root
NCBITaxon:9606 | Homo sapiens
NCBITaxon:9823 | Sus scrofa
NCBITaxon:9913 | Bos taurus
NCBITaxon:9397 | Chiroptera
NCBITaxon:7157 | Culicidae
NCBITaxon:9615 | Canis lupus familiaris
NCBITaxon:1659403 | Perro
BTO:0000763 | lung
BTO:0000089 | blood
"""


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    """Return a vocabulary of a few terms, the genus Perro of beetles among them."""
    rows = [line.split(" | ") for line in TERMS.strip().splitlines()]
    term = pl.DataFrame(rows, schema=["curie", "label"], orient="row").with_columns(
        pl.col("curie").str.split(":").list.first().alias("ontology"),
        pl.lit(None, pl.String).alias("rank"),
        pl.lit(False).alias("obsolete"),
        pl.lit(None, pl.String).alias("replaced_by"),
    )
    none = {"curie": pl.String, "synonym": pl.String, "scope": pl.String}
    edges = {"subject": pl.String, "predicate": pl.String, "object": pl.String}
    return build_vocabulary(term, pl.DataFrame(schema=none), pl.DataFrame(schema=edges))


def grounded(attribute: str, text: str, vocabulary: Vocabulary) -> list[str]:
    """Return the terms that ``text`` grounds to as the value of ``attribute``."""
    said = ground(pl.DataFrame({"attribute": [attribute], "text": [text]}), vocabulary)
    return said.filter(pl.col("outcome") == "grounded")["curie"].to_list()


@pytest.mark.parametrize(
    ("attribute", "text", "curie"),
    [
        ("host", "cerdo", "NCBITaxon:9823"),
        ("host", "porc", "NCBITaxon:9823"),
        ("host", "Schwein", "NCBITaxon:9823"),
        ("host", "猪", "NCBITaxon:9823"),
        ("host", "vaca", "NCBITaxon:9913"),
        ("host", "murciélago", "NCBITaxon:9397"),
        ("host", "murcielago", "NCBITaxon:9397"),
        ("host", "chauve-souris", "NCBITaxon:9397"),
        ("host", "Fledermaus", "NCBITaxon:9397"),
        ("host", "蝙蝠", "NCBITaxon:9397"),
        ("host", "コウモリ", "NCBITaxon:9397"),
        ("host", "moustique", "NCBITaxon:7157"),
        ("host", "perro", "NCBITaxon:9615"),
        ("tissue", "Lunge", "BTO:0000763"),
        ("tissue", "sangre", "BTO:0000089"),
    ],
)
def test_a_word_of_another_language_grounds_to_its_term(
    attribute: str, text: str, curie: str, vocabulary: Vocabulary
) -> None:
    assert grounded(attribute, text, vocabulary) == [curie]


@pytest.mark.parametrize("text", ["growth rate", "rein", "ave", "chat", "rage"])
def test_everyday_english_words_name_nothing_in_another_language(
    text: str, vocabulary: Vocabulary
) -> None:
    assert grounded("host", text, vocabulary) == []
    assert grounded("tissue", text, vocabulary) == []


@pytest.mark.parametrize("kind", ["virus", "host", "tissue", "disease"])
def test_a_name_of_several_terms_is_no_name_of_one(kind: str) -> None:
    names = unambiguous_names(kind)
    folded = names.with_columns(pl.col("name").str.to_lowercase())
    assert folded.group_by("name").agg(pl.col("curie").n_unique())["curie"].max() == 1

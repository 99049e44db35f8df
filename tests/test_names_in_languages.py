"""Hosts, tissues and diseases ground by their names in seven languages, where these mean one."""

from __future__ import annotations

import polars as pl
import pytest

from ontology_etl.grounding import ground
from ontology_etl.reviewed_lists import unambiguous_names
from ontology_etl.vocabulary import Vocabulary
from tests.taxa import vocabulary_of

TERMS = """
1 | root
9606 | Homo sapiens
9823 | Sus scrofa
9913 | Bos taurus
9397 | Chiroptera
7157 | Culicidae
9615 | Canis lupus familiaris
1659403 | Perro
BTO:0000763 | lung
BTO:0000089 | blood
"""


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    """Return a vocabulary of a few terms, the genus Perro of beetles among them."""
    return vocabulary_of(TERMS)


def grounded(attribute: str, text: str, vocabulary: Vocabulary) -> list[str]:
    """Return the terms that ``text`` grounds to as the value of ``attribute``."""
    said = ground(pl.DataFrame({"attribute": [attribute], "text": [text]}), vocabulary)
    return said.filter(pl.col("outcome") == "grounded")["curie"].to_list()


WORDS = """
NCBITaxon:9823 | cerdo, porc, Schwein, 猪
NCBITaxon:9913 | vaca
NCBITaxon:9397 | murciélago, murcielago, chauve-souris, Fledermaus, 蝙蝠, コウモリ
NCBITaxon:7157 | moustique
NCBITaxon:9615 | perro
BTO:0000763    | Lunge
BTO:0000089    | sangre
"""


@pytest.mark.parametrize("row", WORDS.strip().splitlines())
def test_a_word_of_another_language_grounds_to_its_term(row: str, vocabulary: Vocabulary) -> None:
    curie, words = (cell.strip() for cell in row.split("|"))
    attribute = "tissue" if curie.startswith("BTO") else "host"
    found = [grounded(attribute, word, vocabulary) for word in words.split(", ")]
    assert found == [[curie]] * len(found)


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

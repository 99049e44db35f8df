"""Accuracy on hand-checked values of public BioSample and GEO records (``tests/gold``), over the
full ontologies.

Rules of the gold set: every term that a value names, the most specific one; a narrower term of the
same value makes a wider one redundant; a cell line is its own term where BTO has it; an adjective
of an organ names it; a pathogen is not a disease, but "infected with" it is, and a virus alone in a
field of diseases is the diagnosis; a risk of a disease, and tissue beside one, is none; a virus or
a metagenome is not a host; null spellings, health and generic words name nothing.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from benchmarks.grounding_accuracy import (
    agreement,
    read_gold,
    read_silver,
    read_unseen,
    score,
)
from ontology_etl.grounding import ground
from ontology_etl.load import OntologyTables
from ontology_etl.reviewed_lists import read_reviewed
from ontology_etl.vocabulary import Vocabulary, build_vocabulary

AIMS = {"label": 0.95, "tissue": 0.95, "disease": 0.90}  # F1
LEAST_UNSEEN = 0.85  # F1 of values that no rule was made from, over all facets
LEAST_PRECISION = 0.97  # of what is stored, whatever the method
LEAST_AGREEMENT = {
    "label": 0.99,
    "tissue": 0.97,
    "disease": 0.90,
}  # with silver ids where both name a term

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def vocabulary(shared_data: Path, real_ontologies: OntologyTables) -> Vocabulary:
    tables = real_ontologies
    reviewed = read_reviewed("names.tsv").filter(pl.col("label").is_not_null())
    stated = reviewed.join(tables.term, on="curie", how="left")
    assert stated.filter(pl.col("label") != pl.col("label_right")).is_empty(), (
        "a reviewed name points to another term"
    )
    listed = (read_gold(), read_unseen(), read_silver(shared_data))
    texts = pl.concat([values["text"] for values in listed])
    return build_vocabulary(tables.term, tables.synonym, tables.term_edge, texts=texts)


@pytest.fixture(scope="module")
def scores(vocabulary: Vocabulary) -> pl.DataFrame:
    gold = read_gold()
    return score(gold, ground(gold.select("attribute", "text"), vocabulary))


@pytest.mark.parametrize("facet", list(AIMS))
def test_gold_values_ground_as_a_curator_would(facet: str, scores: pl.DataFrame) -> None:
    row = scores.row(
        by_predicate=(pl.col("facet") == facet) & (pl.col("method") == "all"), named=True
    )
    assert row["f1"] >= AIMS[facet], row
    assert row["precision"] >= LEAST_PRECISION, row


def test_every_method_is_precise(scores: pl.DataFrame) -> None:
    assert scores.filter(pl.col("precision") < LEAST_PRECISION).rows() == []


def test_unseen_values_ground_as_a_curator_would(vocabulary: Vocabulary) -> None:
    unseen = read_unseen()
    scored = score(unseen, ground(unseen.select("attribute", "text"), vocabulary))
    total = scored.filter(pl.col("method") == "all").select("given", "right", "wanted").sum()
    given, right, wanted = total.row(0)
    assert len(unseen) >= 40
    assert 2 * right / (given + wanted) >= LEAST_UNSEEN


def test_gold_set_is_large_enough_and_names_live_terms(vocabulary: Vocabulary) -> None:
    gold = read_gold()
    named = (
        gold.select(pl.col("curies").str.split("|").explode())
        .filter(pl.col("curies") != "")
        .unique()
    )
    unknown = named.join(vocabulary.labels, left_on="curies", right_on="curie", how="anti")
    assert len(gold) >= 400
    assert gold["facet"].value_counts()["count"].min() >= 100
    assert unknown["curies"].to_list() == []
    assert gold.select("attribute", "text", "facet").is_duplicated().sum() == 0


@pytest.mark.parametrize("facet", list(AIMS))
def test_silver_ids_agree_where_both_name_a_term(
    facet: str, vocabulary: Vocabulary, shared_data: Path
) -> None:
    silver = read_silver(shared_data).filter(pl.col("facet") == facet)
    verdicts = dict(agreement(silver, vocabulary).select("verdict", "values").iter_rows())
    both = sum(values for verdict, values in verdicts.items() if not verdict.startswith("none"))
    assert both > 100
    assert verdicts["same"] / both >= LEAST_AGREEMENT[facet], verdicts

"""Proposals by sentence vector: the nearest term, its cosine, its cache."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from index.annotation.proposals import cached_vectors, facet_names, make_proposer
from ontology_etl.vocabulary import Vocabulary, build_vocabulary

TERMS = [
    ("BTO:0000763", "lung"), ("BTO:0000003", "aleurone layer"), ("BTO:0001461", "whole plant"),
    ("BTO:0000007", "HEK-293 cell"), ("DOID:2841", "asthma"), ("DOID:8577", "ulcerative colitis"),
    ("NCBITaxon:9606", "Homo sapiens"),
]  # fmt: skip


@pytest.fixture(scope="module")
def vocabulary() -> Vocabulary:
    term = pl.DataFrame(TERMS, schema=["curie", "label"], orient="row").with_columns(
        pl.col("curie").str.extract(r"^(\w+):", 1).alias("ontology"),
        pl.lit(False).alias("obsolete"),
        pl.lit(None, dtype=pl.String).alias("rank"),
        pl.lit(None, dtype=pl.String).alias("replaced_by"),
    )
    synonym = pl.DataFrame(schema={"curie": pl.String, "synonym": pl.String, "scope": pl.String})
    edges = pl.DataFrame(
        {"subject": ["DOID:2841"], "object": ["DOID:8577"], "predicate": ["other"]}
    )
    return build_vocabulary(term, synonym, edges)


def test_nearest_term_is_proposed_with_its_cosine_above_the_threshold(
    vocabulary: Vocabulary,
) -> None:
    texts = ["alurone layer", "run 17"]
    (near, far) = make_proposer(vocabulary, min_cosine=0.8)(texts, "tissue")
    assert near is not None
    assert near[0] == "BTO:0000003"
    assert 0.8 <= near[1] < 1
    assert far is None


def test_taxa_are_never_proposed_and_generic_terms_are_no_candidates(
    vocabulary: Vocabulary,
) -> None:
    assert make_proposer(vocabulary, min_cosine=0.0)(["Homo sapien"], "label") == [None]
    assert "BTO:0001461" not in facet_names(vocabulary, "tissue")["curie"].to_list()


def test_cached_vectors_are_those_of_the_model(tmp_path: Path) -> None:
    texts = ["lung", "asthma", "lung"]
    once = cached_vectors(texts, tmp_path)
    stored = [path.stat().st_mtime_ns for path in tmp_path.iterdir()]
    again = cached_vectors(texts, tmp_path)
    assert (again == once).all()
    assert (again == cached_vectors(texts, None)).all()
    assert [path.stat().st_mtime_ns for path in tmp_path.iterdir()] == stored

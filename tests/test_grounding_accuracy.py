"""Accuracy on hand-checked values of public BioSample and GEO records (``tests/gold``), over the full ontologies.

Rules of the gold set: every term that a value names, the most specific one; a narrower term of the same value makes a
wider one redundant; a cell line is its own term where BTO has it; an adjective of an organ names it; a pathogen is not
a disease; a virus or a metagenome is not a host; null spellings, health and generic words name nothing.
"""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from ontology_etl.grounding import ground
from ontology_etl.load import load_ontologies
from ontology_etl.vocabulary import Vocabulary, build_vocabulary, read_reviewed

GOLD = Path(__file__).parent / "gold"
AIMS = {"label": (0.97, 0.95), "tissue": (0.97, 0.95), "disease": (0.97, 0.90)}  # precision, F1

pytestmark = pytest.mark.real


def gold(facet: str) -> pl.DataFrame:
    return pl.read_csv(
        GOLD / f"{facet}.tsv", separator="\t", comment_prefix="#", quote_char=None, infer_schema=False
    ).with_columns(pl.col("curies").fill_null(""))


@pytest.fixture(scope="module")
def vocabulary(shared_data: Path) -> Vocabulary:
    folder = shared_data / "ontologies"
    files = {"NCBITaxon": "taxdump.tar.gz", "BTO": "bto.obo", "DOID": "doid.obo"}
    tables = load_ontologies({name: folder / file for name, file in files.items()})
    reviewed = read_reviewed("names.tsv").filter(pl.col("label").is_not_null())
    stated = reviewed.join(tables.term, on="curie", how="left")
    assert stated.filter(pl.col("label") != pl.col("label_right")).is_empty(), "a reviewed name points to another term"
    texts = pl.concat([gold(facet)["text"] for facet in AIMS])
    return build_vocabulary(tables.term, tables.synonym, tables.term_edge, texts=texts)


@pytest.mark.parametrize("facet", list(AIMS))
def test_gold_values_ground_as_a_curator_would(
    facet: str, vocabulary: Vocabulary, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = gold(facet)
    found = ground(listed.select("attribute", "text"), vocabulary).filter(pl.col("facet") == facet)
    answers = found.filter(pl.col("outcome") == "grounded").select("attribute", "text", "curie", "method")
    expected = listed.select("attribute", "text", pl.col("curies").str.split("|").alias("curie")).explode("curie")
    wanted = expected.filter(pl.col("curie") != "").unique()
    right = answers.join(wanted, on=["attribute", "text", "curie"], how="semi")
    by_method = right.group_by("method").len("right").join(answers.group_by("method").len("given"), on="method")
    precision, recall = len(right) / len(answers), len(right) / len(wanted)
    f1 = 2 * precision * recall / (precision + recall)
    with capsys.disabled():
        print(f"\n{facet}: {len(listed)} values, precision {precision:.3f}, recall {recall:.3f}, F1 {f1:.3f}", end="; ")
        print(", ".join(f"{name} {hits}/{given}" for name, hits, given in by_method.sort("method").iter_rows()))
    least_precision, least_f1 = AIMS[facet]
    assert precision >= least_precision
    assert f1 >= least_f1


def test_gold_set_is_large_enough_and_names_live_terms(vocabulary: Vocabulary) -> None:
    everything = pl.concat([gold(facet) for facet in AIMS])
    named = everything.select(pl.col("curies").str.split("|").explode()).filter(pl.col("curies") != "").unique()
    unknown = named.join(vocabulary.labels, left_on="curies", right_on="curie", how="anti")
    assert len(everything) >= 400
    assert unknown["curies"].to_list() == []
    assert everything.select("attribute", "text", "facet").is_duplicated().sum() == 0


def test_silver_ids_agree_where_they_should(vocabulary: Vocabulary, shared_data: Path) -> None:
    """Exact-match ids of the joined records: tissue values must agree but for generic and narrower terms."""
    path = shared_data / "virome" / "virome_records.tsv.gz"
    records = pl.read_csv(path, separator="\t", quote_char=None, infer_schema=False)
    silver = records.select(text="tissue_raw", silver="bto_id").drop_nulls().unique()
    known = silver.filter(pl.col("text").is_in(gold("tissue")["text"].implode()))
    values = known.select(pl.lit("tissue").alias("attribute"), "text").unique()
    found = ground(values, vocabulary).filter(pl.col("outcome") == "grounded", pl.col("facet") == "tissue")
    agreed = known.join(found, left_on=["text", "silver"], right_on=["text", "curie"], how="semi")
    assert len(known) > 50
    assert len(agreed) / len(known) > 0.9

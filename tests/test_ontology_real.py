"""The real ontologies at full size: counts, repairs, well-known terms and their ancestors."""

from __future__ import annotations

from pathlib import Path

import duckdb
import polars as pl
import pytest

from ontology_etl.closure import closure
from ontology_etl.load import OntologyTables, load_ontologies
from ontology_etl.releases.drift import drift

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def ancestors(real_ontologies: OntologyTables) -> pl.DataFrame:
    taxa = pl.Series(["NCBITaxon:9606", "NCBITaxon:2697049", "NCBITaxon:11234"])
    return closure(real_ontologies.term_edge, real_ontologies.term, taxa=taxa)


def test_every_term_and_synonym_is_loaded(real_ontologies: OntologyTables) -> None:
    assert real_ontologies.release.select("ontology", "version", "terms", "synonyms").rows() == [
        ("BTO", "releases/2021-10-26", 6_511, 6_214),
        ("DOID", "doid/releases/2026-07-31/reassembled", 12_247, 22_663),
        ("ICTV", "MSL41", 22_262, 35_857),
        ("NCBITaxon", "2024-09-09", 2_609_295, 55_787),
    ]
    assert real_ontologies.term["curie"].is_sorted()
    assert real_ontologies.synonym["curie"].is_sorted()
    assert real_ontologies.term_edge["subject"].is_sorted()


def test_lines_that_pronto_refuses_are_repaired_and_counted(shared_data: Path) -> None:
    tables = load_ontologies({"BTO": shared_data / "ontologies" / "bto.obo"})
    assert tables.repairs == 8
    assert tables.term.filter(curie="BTO:0006296")["label"].to_list() == ["celiac ganglion"]
    assert tables.synonym.filter(curie="BTO:0006296")["synonym"].to_list() == [
        "ganglion celiacum",
        "ganglion coeliacum",
    ]


def test_edges_of_each_predicate(real_ontologies: OntologyTables) -> None:
    is_ictv = pl.col("subject").str.starts_with("ICTV")
    counts = dict(real_ontologies.term_edge.filter(~is_ictv)["predicate"].value_counts().rows())
    assert counts["parent"] == 2_609_294
    assert counts["is_a"] == 4_599 + 13_560
    assert (counts["part_of"], counts["develops_from"]) == (1_824, 1_165)
    assert counts["kind_by_name"] == 1_274


def test_retired_identifiers_resolve_to_live_terms(real_ontologies: OntologyTables) -> None:
    retired = real_ontologies.term.filter("obsolete")
    assert len(retired.filter(ontology="NCBITaxon")) == 74_310
    assert retired.filter(curie="NCBITaxon:12")["replaced_by"].to_list() == ["NCBITaxon:74109"]
    assert retired.filter(curie="DOID:8468")["replaced_by"].to_list() == ["DOID:8469"]
    live = real_ontologies.term.filter(~pl.col("obsolete"))["curie"].implode()
    assert retired.filter(
        pl.col("replaced_by").is_not_null() & ~pl.col("replaced_by").is_in(live)
    ).is_empty()


def test_rejected_rows_are_few_and_say_why(real_db: duckdb.DuckDBPyConnection) -> None:
    rejected = (
        "SELECT reason FROM rejected WHERE source IN ('bto.obo', 'doid.obo', 'taxdump.tar.gz')"
    )
    why = "alt_id is a live term, claimed by two terms, or of another ontology"
    assert real_db.execute(rejected).fetchall() == [(why,), (why,)]


@pytest.mark.parametrize(
    ("descendant", "ancestor"),
    [
        ("NCBITaxon:9606", "NCBITaxon:40674"),  # human, Mammalia
        ("NCBITaxon:2697049", "NCBITaxon:11118"),  # SARS-CoV-2, Coronaviridae
        ("NCBITaxon:11234", "NCBITaxon:10239"),  # measles virus, Viruses
        ("BTO:0000764", "BTO:0000763"),  # lung fibroblast, lung (part_of)
        ("BTO:0000763", "BTO:0000203"),  # lung, respiratory system
        ("DOID:8469", "DOID:934"),  # influenza, viral infectious disease
        ("DOID:0080600", "DOID:4"),  # COVID-19, disease
        ("DOID:3910", "DOID:299"),  # lung adenocarcinoma, adenocarcinoma (by its name)
    ],
)
def test_ancestors_are_those_a_biologist_expects(
    ancestors: pl.DataFrame, descendant: str, ancestor: str
) -> None:
    assert ancestor in ancestors.filter(descendant=descendant)["ancestor"].to_list()


def test_no_two_diseases_are_above_each_other(ancestors: pl.DataFrame) -> None:
    apart = ancestors.filter(pl.col("distance") > 0, pl.col("ancestor").str.starts_with("DOID:"))
    back = apart.select(descendant="ancestor", ancestor="descendant")
    assert apart.join(back, on=["descendant", "ancestor"], how="semi").is_empty()


def test_every_live_bto_and_do_term_is_in_the_closure_and_reaches_a_root(
    ancestors: pl.DataFrame,
) -> None:
    covered = (
        ancestors.filter(distance=0)["descendant"]
        .str.extract("^([^:]+)")
        .value_counts(name="terms")
    )
    assert dict(covered.rows())["BTO"] == 6_511
    diseases = ancestors.filter(pl.col("descendant").str.starts_with("DOID:"))
    assert diseases.filter(ancestor="DOID:4").height == 12_247


def test_release_does_not_drift_from_itself(real_ontologies: OntologyTables) -> None:
    assert drift(real_ontologies.term, real_ontologies.term).is_empty()

"""The real ontologies at full size: counts, repairs, well-known terms and their ancestors."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from ontology_etl.closure import closure
from ontology_etl.load import OntologyTables, load_ontologies
from ontology_etl.releases.drift import drift

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def tables(shared_data: Path) -> OntologyTables:
    folder = shared_data / "ontologies"
    files = {"NCBITaxon": "taxdump.tar.gz", "BTO": "bto.obo", "DOID": "doid.obo"}
    return load_ontologies({name: folder / file for name, file in files.items()})


@pytest.fixture(scope="module")
def ancestors(tables: OntologyTables) -> pl.DataFrame:
    taxa = pl.Series(["NCBITaxon:9606", "NCBITaxon:2697049", "NCBITaxon:11234"])
    return closure(tables.term_edge, tables.term, taxa=taxa)


def test_every_term_and_synonym_is_loaded(tables: OntologyTables) -> None:
    assert tables.release.select("ontology", "version", "terms", "synonyms").rows() == [
        ("BTO", "releases/2021-10-26", 6_511, 6_214),
        ("DOID", "doid/releases/2026-07-31/reassembled", 12_247, 22_663),
        ("NCBITaxon", "2024-09-09", 2_609_295, 55_787),
    ]
    assert tables.term["curie"].is_sorted()
    assert tables.synonym["curie"].is_sorted()
    assert tables.term_edge["subject"].is_sorted()


def test_lines_that_pronto_refuses_are_repaired_and_counted(tables: OntologyTables) -> None:
    assert tables.repairs == 8
    assert tables.term.filter(curie="BTO:0006296")["label"].to_list() == ["celiac ganglion"]
    assert tables.synonym.filter(curie="BTO:0006296")["synonym"].to_list() == [
        "ganglion celiacum",
        "ganglion coeliacum",
    ]


def test_edges_of_each_predicate(tables: OntologyTables) -> None:
    counts = dict(tables.term_edge["predicate"].value_counts().rows())
    assert counts["parent"] == 2_609_294
    assert counts["is_a"] == 4_599 + 13_560
    assert (counts["part_of"], counts["develops_from"]) == (1_824, 1_165)


def test_retired_identifiers_resolve_to_live_terms(tables: OntologyTables) -> None:
    retired = tables.term.filter("obsolete")
    assert len(retired.filter(ontology="NCBITaxon")) == 74_310
    assert retired.filter(curie="NCBITaxon:12")["replaced_by"].to_list() == ["NCBITaxon:74109"]
    assert retired.filter(curie="DOID:8468")["replaced_by"].to_list() == ["DOID:8469"]
    live = tables.term.filter(~pl.col("obsolete"))["curie"].implode()
    assert retired.filter(
        pl.col("replaced_by").is_not_null() & ~pl.col("replaced_by").is_in(live)
    ).is_empty()


def test_rejected_rows_are_few_and_say_why(tables: OntologyTables) -> None:
    assert tables.rejected["reason"].unique().to_list() == [
        "alt_id is a live term, claimed by two terms, or of another ontology"
    ]
    assert len(tables.rejected) == 2


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
    ],
)
def test_ancestors_are_those_a_biologist_expects(
    ancestors: pl.DataFrame, descendant: str, ancestor: str
) -> None:
    assert ancestor in ancestors.filter(descendant=descendant)["ancestor"].to_list()


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


def test_release_does_not_drift_from_itself(tables: OntologyTables) -> None:
    assert drift(tables.term, tables.term).is_empty()

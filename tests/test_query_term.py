"""How a text is grounded on request: the engine of the index, over the index's own ontologies."""

from __future__ import annotations

import shutil
from pathlib import Path

import duckdb
import polars as pl
import pytest

from index.store.build import open_index
from ontology_etl.grounding import ground_text
from ontology_etl.vocabulary import Vocabulary, build_vocabulary
from query.browsing.terms import TermReading, read_term
from query.browsing.vocabulary import vocabulary_for
from query.compiler.virus_names import taxa_called
from tests.conftest import BuiltIndex


def grounded(readings: list[TermReading]) -> set[str]:
    return {
        reading.curie for reading in readings if reading.outcome == "grounded" and reading.curie
    }


@pytest.mark.parametrize(
    ("text", "curies"),
    [
        ("lungs", {"BTO:0000763"}),
        ("human lung", {"NCBITaxon:9606", "BTO:0000763"}),
        ("BTO_0000763", {"BTO:0000763"}),
        ("txid9606", {"NCBITaxon:9606"}),
        ("not a name of anything", set()),
        ("missing", set()),
    ],
)
def test_text_and_identifier_name_their_terms(
    sample_db: duckdb.DuckDBPyConnection, text: str, curies: set[str]
) -> None:
    assert grounded(read_term(sample_db, text)) == curies


@pytest.mark.parametrize(
    ("text", "facet", "means", "because"),
    [
        ("GM18508", "tissue", "lymphoblastoid cell line", "number of a cell bank"),
        ("Schwein", "label", "Sus scrofa", "name on a reviewed list"),
        ("SARS-CoV-2 B.1.1.7", "virus", "SARS-CoV-2", "followed by 'B.1.1.7'"),
        ("Zika virus strain MR766", "virus", "Zika virus", "followed by 'strain MR766'"),
        ("Korea", "geography", "South Korea", "countries and seas"),
        ("Red Sea", "geography", "Indian Ocean: Red Sea", "countries and seas"),
        ("China; Japan", "geography", None, "more than one country"),
        ("Homo sapiens", "label", "Homo sapiens", "label"),
        ("no name", "tissue", None, "no name known"),
    ],
)
def test_a_reading_says_what_a_text_means_and_why(
    sample_db: duckdb.DuckDBPyConnection, text: str, facet: str, means: str | None, because: str
) -> None:
    reading, *_ = read_term(sample_db, text, facet=facet)
    assert means == (reading.matched if facet == "virus" else reading.label)
    assert because in reading.because


def test_a_place_of_a_country_and_a_sea_is_both(sample_db: duckdb.DuckDBPyConnection) -> None:
    readings = read_term(sample_db, "Sweden: Baltic Sea", facet="geography")
    assert {one.label for one in readings} == {"Sweden: Baltic Sea", "Baltic Sea"}


@pytest.mark.parametrize(
    "written", ["OMIM:219700", "mim_219700", "NCIT:C2975", "SNOMEDCT:190905008"]
)
def test_a_cross_reference_means_the_term_that_states_it(
    sample_index: BuiltIndex, tmp_path: Path, written: str
) -> None:
    path = tmp_path / "stated.duckdb"
    shutil.copy(sample_index.path, path)
    with duckdb.connect(path) as con:
        ((term,),) = con.sql(
            "SELECT min(curie) FROM term WHERE ontology = 'DOID' AND NOT obsolete"
        ).fetchall()
        con.execute("DELETE FROM xref")
        stated = ("MIM:219700", "NCI:C2975", "SNOMEDCT_US_2025_09_01:190905008")
        con.executemany("INSERT INTO xref VALUES ($1, $2)", [[term, one] for one in stated])
        reading, *_ = read_term(con, written, facet="disease")
    assert (reading.curie, reading.because) == (term, "its cross-reference in the ontology")


def test_retired_identifier_means_the_term_that_replaced_it(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    rows = sample_db.sql(
        "SELECT o.curie, o.replaced_by FROM term o JOIN term t ON t.curie = o.replaced_by "
        "WHERE NOT t.obsolete ORDER BY ALL"
    ).fetchall()
    assert rows
    retired, successor = rows[0]
    assert grounded(read_term(sample_db, retired)) == {successor}


def test_occurrences_are_counted_over_runs_with_the_terms_below(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    (reading,) = [
        one
        for one in read_term(sample_db, "Chiroptera", facet="label")
        if one.curie == "NCBITaxon:9397"
    ]
    ((runs,),) = sample_db.execute(
        "SELECT count(DISTINCT run) FROM annotation WHERE curie IN "
        "(SELECT descendant FROM closure WHERE ancestor = 'NCBITaxon:9397')"
    ).fetchall()
    assert reading.runs == runs > 0
    assert sum(one.runs for one in reading.occurrences) >= runs or len(reading.occurrences) == 8
    assert "Mammalia" in {above.label for above in reading.ancestors}


def test_facet_limits_what_is_read(sample_db: duckdb.DuckDBPyConnection) -> None:
    assert {one.facet for one in read_term(sample_db, "human lung", facet="tissue")} == {"tissue"}


def test_a_virus_is_shown_by_what_reports_call_it_and_by_its_scientific_name(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    renamed = sample_db.sql(
        "SELECT v.virus, v.name, t.label FROM virus v JOIN term t ON t.curie = v.virus "
        "JOIN detection d USING (virus) "
        "WHERE lower(v.name) <> lower(t.label) AND d.stated = v.name ORDER BY ALL LIMIT 1"
    ).fetchall()
    ((curie, name, label),) = renamed
    (reading,) = [one for one in read_term(sample_db, label, facet="virus") if one.curie == curie]
    assert (reading.called, reading.label) == (name, label)
    plain = read_term(sample_db, "Orsay virus", facet="virus")
    assert [one.called for one in plain] == [None]


def test_a_term_and_a_request_mean_the_same_virus(sample_db: duckdb.DuckDBPyConnection) -> None:
    named = sample_db.execute(
        "SELECT DISTINCT name FROM virus_name SEMI JOIN virus USING (virus) ORDER BY name"
    ).fetchall()
    names = [str(name) for (name,) in named][::27]
    assert len(names) > 10
    disagreed = [name for name in names if not _agree(sample_db, name)]
    assert disagreed == []


def _agree(con: duckdb.DuckDBPyConnection, name: str) -> bool:
    """Return whether ``query term`` shows the taxa that a request takes ``name`` for."""
    shown = [one for one in read_term(con, name, facet="virus") if one.outcome != "none"]
    curies = {one.curie for one in shown if one.curie}
    curies |= {term.curie for one in shown for term in one.candidates}
    return set(taxa_called(con, name)) <= curies


WHOLE = [
    "Pulmonary tissue", "intestine, small", "HUH-7", "A-549 cells", "bats", "pigs and cattle",
    "covid 19", "without diarrhoea", "Crohn's disease", "colorectal adenocarcinoma and adenoma",
    "missing", "rice stripe virus", "roots; leaves", "NCBITaxon:9606", "human/bat lung",
    "GM18508", "NA 12878 cells", "Schwein", "Schweine und Fledermäuse", "foie",
]  # fmt: skip
CUT_SHORT = ["small intest.", "Small intest., ileum", "lung."]


@pytest.fixture(scope="module")
def whole(sample_index: BuiltIndex) -> Vocabulary:
    """Return the whole vocabulary of the index, for all texts."""
    with open_index(sample_index.path) as con:
        tables = (con.table(name).pl() for name in ("term", "synonym", "term_edge"))
        return build_vocabulary(*tables, texts=pl.Series([*WHOLE, *CUT_SHORT]))


@pytest.mark.parametrize("text", WHOLE)
def test_a_part_of_the_vocabulary_reads_a_text_as_the_whole_does(
    sample_db: duckdb.DuckDBPyConnection, whole: Vocabulary, text: str
) -> None:
    part = vocabulary_for(sample_db, text)
    assert ground_text(text, part).rows() == ground_text(text, whole).rows()


@pytest.mark.parametrize("text", CUT_SHORT)
def test_a_word_cut_short_is_completed_as_in_metadata(
    sample_db: duckdb.DuckDBPyConnection, whole: Vocabulary, text: str
) -> None:
    part = ground_text(text, vocabulary_for(sample_db, text), facet="tissue")
    assert part.rows() == ground_text(text, whole, facet="tissue").rows()
    assert set(part["outcome"]) == {"grounded"}

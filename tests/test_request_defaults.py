"""Defaults that two people would choose differently, each by its name."""

from __future__ import annotations

import duckdb
import pytest

from query.compiler import AmbiguousNameError, Result, UnknownNameError, run
from query.request import (
    Between,
    Carries,
    Count,
    Describe,
    Evidence,
    Exists,
    Has,
    Hit,
    Mentions,
    Range,
    Records,
    Request,
    Rows,
    Share,
    SortBy,
    Top,
    Values,
    Where,
)
from tests.request_world import TERMS as WORLD_TERMS
from tests.request_world import World, fill, world_index
from tests.tiny_index import mark_runs, tiny_index

TERMS = """
curie            | label            | ontology  | rank
NCBITaxon:10239  | Viruses          | NCBITaxon | superkingdom
NCBITaxon:11050  | Flaviviridae     | NCBITaxon | family
NCBITaxon:64320  | Zika virus       | NCBITaxon | species
NCBITaxon:12637  | Dengue virus     | NCBITaxon | species
NCBITaxon:9397   | Chiroptera       | NCBITaxon | order
NCBITaxon:59463  | Myotis lucifugus | NCBITaxon | species
NCBITaxon:9606   | Homo sapiens     | NCBITaxon | species
NCBITaxon:10090  | Mus musculus     | NCBITaxon | species
BTO:0000202      | respiratory system | BTO     |
BTO:0000763      | lung             | BTO       |
BTO:0000759      | liver            | BTO       |
BTO:0000567      | HeLa cell        | BTO       |
"""
BELOW = {
    "NCBITaxon:11050": "NCBITaxon:10239",
    "NCBITaxon:64320": "NCBITaxon:11050",
    "NCBITaxon:12637": "NCBITaxon:11050",
    "NCBITaxon:59463": "NCBITaxon:9397",
    "BTO:0000763": "BTO:0000202",
}
RUNS = """
run | biosample | study | spots
R1  | B1        | S1    | 10
R2  | B1        | S1    | 30
R3  | B2        | S1    |
R4  |           | S2    |
R5  |           | S2    |
R6  |           | S3    |
"""
RELEASED = {"R1": "2018-12-31", "R2": "2019-01-01", "R4": "2018-01-01"}
DETECTIONS = """
run | sotu | source | virus           | stated          | species    | identity | reads | reported_name
R1  | u1   | nt     | NCBITaxon:64320 | Zika virus      | Zika virus | 97       | 5     | Zika virus
R1  | u2   | nt     | NCBITaxon:64320 | Flavivirus-like |            | 80       | 100   | Zika virus
R2  | u1   | nt     | NCBITaxon:64320 | Flavivirus-like |            | 85       | 50    | Zika virus
R3  | u3   | palm   | NCBITaxon:12637 | reported as Dengue virus | |          |       | dengue virus 2
"""  # noqa: E501
ANNOTATIONS = """
run | facet  | value            | curie
R1  | host   | Homo sapiens     | NCBITaxon:9606
R2  | host   | Myotis lucifugus | NCBITaxon:59463
R4  | host   | Mus musculus     | NCBITaxon:10090
R3  | label  | Homo sapiens     | NCBITaxon:9606
R1  | tissue | lung             | BTO:0000763
R2  | tissue | respiratory system | BTO:0000202
R4  | tissue | HeLa cell        | BTO:0000567
"""
SEARCHED = """
run | source
R1  | nt
R2  | nt
R3  | palm
R4  | nt
"""
COMMUNITIES = """
community | level | runs
C0-a      | 0     | 3
C1-a      | 1     | 2
"""
MEMBERS = """
community | entity
C0-a      | R1
C0-a      | R2
C1-a      | R1
"""
SCOPES = """
source | search | virus
nt     | one    | NCBITaxon:10239
palm   | one    | NCBITaxon:10239
"""
ZIKA = Hit("Zika virus")


@pytest.fixture(scope="module")
def index() -> duckdb.DuckDBPyConnection:
    con = tiny_index(
        term=TERMS, run=RUNS, detection=DETECTIONS, annotation=ANNOTATIONS, searched=SEARCHED,
        community=COMMUNITIES, community_member=MEMBERS, source_scope=SCOPES,
        study="study | title | abstract\nS1 | Bats | zika virus in bats\nS2 | Mice |",
        virus="virus | name | family\nNCBITaxon:64320 | Zika virus | Flaviviridae\n"
        "NCBITaxon:12637 | Dengue virus | Flaviviridae",
    )  # fmt: skip
    for accession, day in RELEASED.items():
        con.execute("UPDATE run SET release_date = ?::DATE WHERE run = ?", [day, accession])
    for row in con.execute("SELECT curie FROM term").fetchall():
        at: str | None = row[0]
        distance = 0
        while at is not None:
            con.execute("INSERT INTO closure VALUES (?, ?, ?)", [row[0], at, distance])
            at, distance = BELOW.get(at), distance + 1
    mark_runs(con)
    return con


def tallied(result: Result) -> dict[str, int]:
    assert result.tally is not None
    return {name: getattr(result.tally, name)
            for name in ("runs", "searched", "positive", "at_90", "samples", "stated")}  # fmt: skip


def left_out(result: Result) -> dict[str, int]:
    return {part.reason: part.number for part in result.left_out}


@pytest.mark.parametrize("field", ["country", "place"])
def test_a_part_of_the_world_is_its_countries(
    sample_db: duckdb.DuckDBPyConnection, field: str
) -> None:
    stated = Values("country")
    of_each = dict(row[:2] for row in run(sample_db, Request(stated)).rows)
    of_asia = dict(row[:2] for row in run(sample_db, Request(stated, Has(field, "asian"))).rows)

    assert of_asia.items() <= of_each.items()
    assert "China" in of_asia
    assert {"USA", "Brazil"}.isdisjoint(of_asia)


def test_a_list_shows_values_as_stated_unless_rolled_up(index: duckdb.DuckDBPyConnection) -> None:
    stated = run(index, Request(Values("host")))
    rolled = run(index, Request(Values("host", level="order")))

    assert [row[0] for row in stated.rows] == ["Homo sapiens", "Mus musculus", "Myotis lucifugus"]
    assert [row[0] for row in rolled.rows] == ["Chiroptera"]


def test_counts_are_of_runs_and_samples_add_biosamples(index: duckdb.DuckDBPyConnection) -> None:
    everything = run(index, Request(Count()))
    samples = run(index, Request(Count("biosample")))

    assert (everything.number, tallied(everything)["samples"]) == (6, 2)
    assert samples.number == 2
    assert left_out(samples)["no BioSample"] == 3


def test_every_count_comes_as_a_tally(index: duckdb.DuckDBPyConnection) -> None:
    counted = run(index, Request(Count(hits=ZIKA), Has("tissue", "respiratory system")))
    carried = run(index, Request(Count(), Carries(ZIKA) & Has("host", "Homo sapiens")))

    assert tallied(counted) == {"runs": 2, "searched": 2, "positive": 2, "at_90": 1,
                                "samples": 1, "stated": 3}  # fmt: skip
    assert tallied(carried) == {"runs": 1, "searched": 1, "positive": 1, "at_90": 1,
                                "samples": 1, "stated": 2}  # fmt: skip


@pytest.mark.parametrize(
    ("runs", "verdict", "number", "searched"),
    [
        (Carries(ZIKA), "yes", 2, 4),
        (Carries(ZIKA) & Has("host", "Mus musculus"), "no", 0, 1),
        (Carries(ZIKA) & Has("study", "S3"), "never searched", 0, 0),
        (Has("tissue", "liver"), "no", 0, 0),
    ],
)
def test_existence_is_yes_no_of_those_searched_or_never_searched(
    index: duckdb.DuckDBPyConnection, runs: Carries, verdict: str, number: int, searched: int
) -> None:
    result = run(index, Request(Exists(), runs))

    assert (result.verdict, result.number) == (verdict, number)
    assert tallied(result)["searched"] == searched


def test_without_a_virus_means_searched_and_not_found(index: duckdb.DuckDBPyConnection) -> None:
    result = run(index, Request(Rows(("run",)), ~Carries(ZIKA)))

    assert result.rows == (("R3",), ("R4",))
    assert left_out(result)["not searched"] == 2
    assert tallied(result)["searched"] == 4


def test_without_a_value_means_that_another_was_stated(index: duckdb.DuckDBPyConnection) -> None:
    result = run(index, Request(Rows(("run",)), ~Has("host", "Homo sapiens")))

    assert result.rows == (("R2",), ("R4",))
    assert left_out(result)["not stated"] == 3


def test_ties_at_a_cut_are_all_shown(index: duckdb.DuckDBPyConnection) -> None:
    listed = run(index, Request(Values("host", limit=1)))
    rows = run(index, Request(Rows(("run", "spots"), order=SortBy("spots"), limit=1)))

    assert len(listed.rows) == listed.total == 3
    assert rows.rows == (("R1", 10),)
    assert left_out(rows)["beyond the limit"] == 5
    top = run(index, Request(Count(), Top("host", Carries(Hit()), 1)))
    assert top.number == 2


def test_a_share_is_of_the_runs_of_which_it_is_known(index: duckdb.DuckDBPyConnection) -> None:
    result = run(index, Request(Share(Has("host", "Homo sapiens"))))

    assert result.number == pytest.approx(100 / 3)
    assert "3 runs of which it is known, of 6 in all" in result.unit
    unknown = run(index, Request(Share(Has("host", "Homo sapiens")), Has("study", "S3")))
    assert unknown.number is None


def test_after_2018_begins_in_2019(index: duckdb.DuckDBPyConnection) -> None:
    after = run(index, Request(Rows(("run",)), Between("released", Range(above=2018))))
    until = run(index, Request(Rows(("run",)), Between("released", Range(at_most=2018))))
    in_december = Between("released", Range(at_least="2018-12", below="2019-01"))

    assert after.rows == (("R2",),)
    assert until.rows == (("R1",), ("R4",))
    assert run(index, Request(Rows(("run",)), in_december)).rows == (("R1",),)


def test_a_text_is_mentioned_by_whole_words(index: duckdb.DuckDBPyConnection) -> None:
    def counted(word: str) -> object:
        return run(index, Request(Count(), Mentions(word))).number

    assert (counted("zika"), counted("ika"), counted("bat"), counted("Zika virus")) == (3, 0, 3, 3)


def test_a_cell_line_is_a_tissue_and_a_field_of_its_own(index: duckdb.DuckDBPyConnection) -> None:
    assert run(index, Request(Count(), Has("tissue", "HeLa cell"))).number == 1
    assert run(index, Request(Count(), Has("cell_line"))).number == 0


def test_an_unknown_name_says_what_may_be_meant(index: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(UnknownNameError, match="did you mean Zika virus"):
        run(index, Request(Count(), Carries(Hit("Zkia virus"))))
    with pytest.raises(UnknownNameError, match="did you mean lung"):
        run(index, Request(Count(), Has("tissue", "lumg")))
    with pytest.raises(UnknownNameError, match="did you mean S1"):
        run(index, Request(Count(), Has("study", "S12")))


def test_an_ambiguous_name_names_its_candidates(index: duckdb.DuckDBPyConnection) -> None:
    con = index.cursor()
    con.execute("INSERT INTO virus_name VALUES ('flavi', 'flavi', 'NCBITaxon:64320', 'former'), "
                "('flavi', 'flavi', 'NCBITaxon:12637', 'former')")  # fmt: skip
    try:
        with pytest.raises(AmbiguousNameError, match=r"Zika virus.*Dengue virus|Dengue.*Zika"):
            run(con, Request(Count(), Carries(Hit("flavi"))))
    finally:
        con.execute("DELETE FROM virus_name")


def test_names_are_any_that_the_index_knows(index: duckdb.DuckDBPyConnection) -> None:
    for name in ("NCBITaxon:64320", "txid64320", "zika VIRUS", "Zika-virus"):
        assert run(index, Request(Count(), Carries(Hit(name)))).number == 2, name
    assert run(index, Request(Count(), Carries(Hit("dengue virus 2")))).number == 1
    (meant,) = run(index, Request(Count(), Carries(Hit("zika VIRUS")))).names
    assert (meant.curie, meant.label) == ("NCBITaxon:64320", "Zika virus")


def test_evidence_has_a_row_for_each_class(index: duckdb.DuckDBPyConnection) -> None:
    rows = run(index, Request(Evidence(Hit("Flaviviridae")))).records()

    classes = {(row["stated"], row["evidence"], row["runs"]) for row in rows}
    assert classes == {
        ("Zika virus", "species", 1),
        ("Flavivirus-like", "below 90 %", 2),
        ("reported as Dengue virus", "reported only", 1),
    }


def test_one_thing_is_described_with_its_runs(index: duckdb.DuckDBPyConnection) -> None:
    virus = run(index, Request(Describe("virus", "zika virus")))
    study = run(index, Request(Describe("study", "s1")))

    assert dict(virus.rows)["risk_group"] == "unknown"
    assert tallied(virus)["runs"] == 2
    assert dict(study.rows)["abstract"] == "zika virus in bats"
    assert tallied(study)["runs"] == 3
    with pytest.raises(UnknownNameError):
        run(index, Request(Describe("study", "S9")))


@pytest.mark.parametrize(
    ("facet", "curie", "field"),
    [("disease", "DOID:9", "disease"), ("tissue", "BTO:9", "tissue"), ("", "", "tissue")],
)
def test_a_name_of_two_fields_is_the_term_that_runs_have(
    monkeypatch: pytest.MonkeyPatch, facet: str, curie: str, field: str
) -> None:
    for term in ("BTO:9", "DOID:9"):
        monkeypatch.setitem(WORLD_TERMS, term, ("test carcinoma", None, None))
    con = world_index()
    row = {"run": "R1", "facet": facet, "value": "x", "curie": curie, "text": "x",
           "attribute": facet, "method": "dictionary", "score": 1.0}  # fmt: skip
    stated = [row] if facet else []
    fill(con, World(run=[{"run": "R1"}], annotation=stated))

    described = run(con, Request(Describe("term", "test carcinoma")))

    assert dict(described.rows)["field"] == field
    assert tallied(described)["runs"] == len(stated)


def test_stored_rows_are_filtered_counted_and_cut(index: duckdb.DuckDBPyConnection) -> None:
    coarse = Records("communities", where=(Where("level", range=Range(at_most=0)),), count=True)
    studies = run(index, Request(Records("studies", limit=1)))

    assert run(index, Request(coarse)).number == 1
    assert [row[0] for row in studies.rows] == ["S1"]
    assert left_out(studies)["beyond the limit"] == 2
    by_level = run(index, Request(Records("communities", by=("level",))))
    assert by_level.rows == ((0, 1), (1, 1))

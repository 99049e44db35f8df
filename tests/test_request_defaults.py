"""Defaults that two people would choose differently, each by its name."""

from __future__ import annotations

import duckdb
import pytest

from query.compiler import AmbiguousNameError, Result, UnknownNameError, run
from query.reading.canonical import read_canonical
from query.request import Carries, Count, Describe, Evidence, Has, Hit, Request, Values
from tests.request_world import TERMS as WORLD_TERMS
from tests.request_world import World, fill, world_index
from tests.tiny_index import keep_what_is_read, mark_runs, tiny_index

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
    keep_what_is_read(con)
    return con


def tallied(result: Result) -> dict[str, int]:
    assert result.tally is not None
    return {name: getattr(result.tally, name)
            for name in ("runs", "searched", "positive", "at_90", "samples", "stated")}  # fmt: skip


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


DEFAULTS = """
request | answer | tally | left out
List hosts of all runs. | Homo sapiens, Mus musculus, Myotis lucifugus | 6 4 3 1 2 3 | not stated 3
List hosts of all runs; rolled up to order. | Chiroptera | 6 4 3 1 2 3 | not stated 3
Name the most frequent host of all runs. | Homo sapiens, Mus musculus, Myotis lucifugus | 6 4 3 1 2 3 | not stated 3
How many runs are there? | 6 | 6 4 3 1 2 6 |
How many BioSamples are there? | 2 | 6 4 3 1 2 6 | no BioSample 3
How many BioSamples are in runs of study S1? | 2 | 3 3 3 1 2 6 |
In how many of the runs from the tissue respiratory system is Zika virus found? | 2 | 2 2 2 1 1 3 | not stated 3
How many runs carry Zika virus and are from the host Homo sapiens? | 1 | 1 1 1 1 1 2 |
Are there any runs that carry Zika virus? | yes 2 | 2 4 2 1 1 2 | not searched 2
Are there any runs that carry Zika virus and are from the host Mus musculus? | no 0 | 0 1 0 0 0 2 |
Are there any runs that carry Zika virus and are of study S3? | never searched 0 | 0 0 0 0 0 2 | not searched 1
Are there any runs from the tissue liver? | no 0 | 0 0 0 0 0 3 | not stated 3
Show runs that do not carry Zika virus. | R3, R4 | 2 4 1 0 1 2 | not searched 2
Show runs that are not from the host Homo sapiens. | R2, R4 | 2 2 1 0 1 2 | not stated 3
Show run and number of spots for all runs; sorted by number of spots, ascending; only the first. | R1 | 6 4 3 1 2 6 | beyond the limit 5
How many runs have the most common host among (runs that carry any virus)? | 2 | 2 2 2 1 1 2 | not stated 3
What share of runs are from the host Homo sapiens? | 33.3 percent of 3 runs of which it is known, of 6 in all | 1 1 1 1 1 3 | not stated 3
Of runs of study S3, what share are from the host Homo sapiens? | None percent of 0 runs of which it is known, of 1 in all | 0 0 0 0 0 3 | not stated 1
Show runs that were released after 2018. | R2 | 1 1 1 0 1 3 | not stated 3
Show runs that were released until 2018. | R1, R4 | 2 2 1 1 1 3 | not stated 3
Show runs that were released from 2018-12 to before 2019-01. | R1 | 1 1 1 1 1 3 | not stated 3
How many runs mention zika? | 3 | 3 3 3 1 2 3 | not stated 1
How many runs mention ika? | 0 | 0 0 0 0 0 0 | not stated 1
How many runs mention bat? | 3 | 3 3 3 1 2 3 | not stated 1
How many runs are from the tissue HeLa cell? | 1 | 1 1 0 0 0 3 | not stated 3
How many runs have a recorded cell line? | 0 | 0 0 0 0 0 0 |
How many runs carry txid64320? | 2 | 2 4 2 1 1 2 | not searched 2
How many runs carry zika VIRUS? | 2 | 2 4 2 1 1 2 | not searched 2
How many runs carry Zika-virus? | 2 | 2 4 2 1 1 2 | not searched 2
How many runs carry dengue virus 2? | 1 | 1 1 1 0 1 1 | not searched 5
Count communities whose level is at most 0. | 1 | |
List studies; only the first. | S1 | | beyond the limit 2
Count communities by level. | 0, 1 | |
"""  # noqa: E501


@pytest.mark.parametrize("row", DEFAULTS.strip().splitlines()[1:])
def test_a_request_is_answered_by_its_defaults(index: duckdb.DuckDBPyConnection, row: str) -> None:
    """The tally: runs, searched, positive, at 90 % identity, samples, runs that state the field."""
    text, answer, tally, omitted = (cell.strip() for cell in row.split("|"))
    request = read_canonical(text)
    assert request is not None
    result = run(index, request)
    number = round(result.number, 1) if isinstance(result.number, float) else result.number
    said = {"exists": f"{result.verdict} {number}", "share": f"{number} {result.unit}"}.get(
        request.measure.type, f"{number}"
    )
    rows = ", ".join(str(row[0]) for row in result.rows)
    assert (rows or said) == answer
    assert " ".join(map(str, tallied(result).values()) if result.tally else ()) == tally
    assert ", ".join(f"{part.reason} {part.number}" for part in result.left_out) == omitted


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


def test_a_name_is_said_with_the_taxon_that_it_means(index: duckdb.DuckDBPyConnection) -> None:
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

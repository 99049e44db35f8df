"""Lists of viruses: one order, what is confirmed, and what explains the numbers."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest

from query.answers import WordedAnswer, answer_request
from query.answers.answering import with_projects
from query.request import (
    And,
    Carries,
    Compare,
    Count,
    Describe,
    Evidence,
    Exists,
    Has,
    Hit,
    Range,
    Records,
    Request,
    Rows,
    Searched,
    SortBy,
    Summary,
    Values,
    Where,
)
from query.request.measures import Measure
from query.request.run_sets import EVERYTHING, RunSet
from tests.answer_worlds import BAT, HUMAN, MOSQUITO, VALUES, carries, world_of
from tests.request_world import fill, world_index
from tests.tiny_index import keep_what_is_read, read_anew

RUNS = """
run  host   searched found    tissue
R1   human  nt       one      -
R2   human  nt       one      -
R3   human  nt       one      -
R4   human  nt       two@97   -
R5   bat    nt       beta@85  -
R6   bat    nt       beta@71  -
R7   bat    nt       u9       -
R8   bat    nt       u9       -
R9   bat    nt       u9       -
R10  human  nt       two@99   cells
R11  human  nt       two@99   cells
"""
"""The k-mers of R5 and R6 are those of the human host; R10 and R11 are from a cell line."""
OTHER = (
    "INSERT INTO other_by_kmers (run, host, organism, share) VALUES ('{0}', '{1}', '{2}', 0.9); "
    "INSERT INTO stat_hit (run, curie, share) VALUES ('{0}', '{2}', 0.9)"
)
HUMAN_TAXON, BAT_TAXON = VALUES["human"][0], VALUES["bat"][0]


@pytest.fixture(scope="module")
def index() -> Iterator[duckdb.DuckDBPyConnection]:
    with world_index() as con:
        con.execute("UPDATE virus SET rank = 'species' WHERE species IS NOT NULL")
        fill(con, world_of(RUNS, study=None))
        con.execute(
            "INSERT INTO novel_virus (sotu, identity, nearest, runs) VALUES ('u9', 61, 'Aus', 3)"
        )
        for run in ("R5", "R6"):
            con.execute(OTHER.format(run, BAT_TAXON, HUMAN_TAXON))
        yield con


VIRUS, FAMILY, TWO_FAMILIES = Values(("virus",)), Values(("family",)), Values(("family",), limit=2)
HAVE_TWO = carries("Alpha virus two")
OTHERS = Values(("virus",), other_than=("Alpha virus two",))
FIELDS = Rows(columns=("run", "host", "country", "sex"))
RELEASED = Rows(columns=("run", "released"), order=SortBy("released"), limit=1)
STATED = Records("metadata", (Where("field", ("host", "tissue", "sex")),))
TISSUE = Records("metadata", (Where("field", ("tissue",)),))
DNA = Count(hits=Hit(genome=("DNA",), infects=("bat",)))
UNNAMED_ONLY = Carries(Hit(sotu=("u9",)))
BETA_SEARCHED = Searched(virus=("Beta virus one",))


@pytest.mark.parametrize(
    ("measure", "of", "said"),
    [
        (VIRUS, EVERYTHING,
         "Three named viruses, one of them confirmed (at least 90% identity), are found in the "
         "index: Alpha one (3 runs; none confirmed), Alpha two (3; all confirmed) and a virus "
         "like Beta one (2; 71-85% identity)."),
        (VIRUS, EVERYTHING,
         "There is also an unnamed virus, u9 (3 runs), nearest to Aus (61% identity)."),
        (Exists(), Carries(Hit()), "Yes: a virus is found in 11 runs"),
        (Exists(), And((BAT, Carries(Hit()))), "frequent of all is the unnamed virus u9 (3 "),
        (VIRUS, BAT, "in runs from Myotis testus: a virus like Beta one (2 runs; 71-85% identity)"),
        (VIRUS, BAT, "is the unnamed virus u9 (3 runs), nearest to Aus (61% identity)."),
        (VIRUS, BAT, "whose k-mers were counted, most k-mers are from Homo testus, not"),
        (VIRUS, UNNAMED_ONLY, "Only unnamed viruses are found in"),
        (VIRUS, UNNAMED_ONLY, "most often u9 (3 runs), nearest to Aus (61% identity)."),
        (VIRUS, EVERYTHING, "Most runs with Alpha two (2 of 3) come from laboratory material"),
        (TWO_FAMILIES, EVERYTHING, "Alphaviridae (6 runs; 3 confirmed) and Beta"),
        (Compare(VIRUS, (HUMAN, BAT)), EVERYTHING,
         "Two are found only in runs from Homo testus: Alpha one (3 runs; none "
         "confirmed) and Alpha two (3; all confirmed). One is found only in runs "
         "from Myotis testus: Beta one (2 runs; none confirmed)."),
        (OTHERS, HAVE_TWO,
         "No other virus is found in runs with Alpha virus two. Alpha virus two (Alpha two) is "
         "found in 3 runs, all confirmed"),
        (Values(("host",)), BETA_SEARCHED,
         "Beta virus one (Beta one) is reported in 2 runs, neither of them confirmed"),
        (Compare(FAMILY, (HUMAN, BAT)), EVERYTHING,
         "share no virus family. One is found only in runs from Homo testus: Alphaviridae (6 "
         "runs; 3 confirmed)."),
        (FIELDS, BAT, "Country and sex are not stated for any of the 5 rows."),
        (RELEASED, BAT, "Release date is not stated for any of the 5 runs."),
        (STATED, EVERYTHING, "Host is stated for 11 runs (100%)."),
        (TISSUE, EVERYTHING, "Tissue is stated for 2 runs (18.2%)."),
        (DNA, HUMAN, "DNA viruses recorded in bat"),
    ],
)  # fmt: skip
def test_a_list_says(
    index: duckdb.DuckDBPyConnection, measure: Measure, of: RunSet, said: str
) -> None:
    assert said in answer_request(index, Request(measure, of=of)).text


def changed(index: duckdb.DuckDBPyConnection, change: str, request: Request) -> WordedAnswer:
    """Return the answer to ``request`` of the index with ``change``, which is taken back."""
    index.begin()
    index.execute(change)
    read_anew(index)
    answer = answer_request(index, request)
    index.rollback()
    keep_what_is_read(index)
    return answer


LIBRARY = "INSERT INTO run_plausibility VALUES ('R4', 'NCBITaxon:4', '{0}', '{0}', 'library')"
STRAIN = (
    "INSERT INTO term (curie, label, ontology, rank, obsolete) "
    "VALUES ('NCBITaxon:30', 'Alpha strain X', 'NCBITaxon', 'no rank', false); "
    "INSERT INTO used_term SELECT curie, label, ontology, rank FROM term "
    "WHERE curie = 'NCBITaxon:30'; "
    "INSERT INTO virus BY NAME SELECT * REPLACE ('NCBITaxon:30' AS virus, 'no rank' AS rank) "
    "FROM virus WHERE virus = 'NCBITaxon:3'; "
    "UPDATE detection SET virus = 'NCBITaxon:30' WHERE virus = 'NCBITaxon:3'"
)
LUNG = (
    "INSERT INTO annotation BY NAME SELECT * REPLACE ('tissue' AS facet, 'test lung' AS value, "
    "'BTO:2' AS curie) FROM annotation WHERE facet = 'host' AND run IN ('R1', 'R2')"
)
CONGENER = "UPDATE detection SET congener = 'NCBITaxon:3', congener_ratio = 9 WHERE run IN ('R5'{})"
OUTWEIGHED = (
    "UPDATE detection SET congener = 'NCBITaxon:4', congener_ratio = 4 WHERE virus = 'NCBITaxon:3'"
)
WRONG_HOST = OTHER.format("R4", HUMAN_TAXON, BAT_TAXON)
WITH_TWO = "UPDATE detection SET run = 'R4' WHERE run = 'R3'"
TWO = Evidence(Hit(("Alpha virus two",)))
LUNGS = Has("tissue", ("test respiratory system",))


@pytest.mark.parametrize(
    ("change", "measure", "of", "said"),
    [
        (CONGENER.format(""), VIRUS, BAT, "a virus like Beta one (2 runs;"),
        (CONGENER.format(", 'R6'"), VIRUS, BAT, "Beta one is doubtful: in both its runs Alpha"),
        (STRAIN, VIRUS, EVERYTHING, "Alpha one (Alpha strain X, 3 runs; none confirmed)"),
        (LIBRARY.format("NCBITaxon:6"), TWO, EVERYTHING, "from libraries of another virus"),
        (LIBRARY.format("NCBITaxon:4"), TWO, EVERYTHING, "from libraries of the virus itself"),
        (LUNG, VIRUS, LUNGS, "system includes one narrower tissue: test lung (2 runs)."),
        (WRONG_HOST, TWO, HUMAN, "is real, but the stated host is probably wrong: in the only run"),
        (WITH_TWO, VIRUS, HAVE_TWO,
         "One other virus is found in runs with Alpha virus two: Alpha one (1 run"),
    ],
)  # fmt: skip
def test_a_list_says_of_other_data(
    index: duckdb.DuckDBPyConnection, change: str, measure: Measure, of: RunSet, said: str
) -> None:
    assert said in changed(index, change, Request(measure, of=of)).text


def test_the_virus_that_all_runs_carry_is_none_of_the_confirmed_others(
    index: duckdb.DuckDBPyConnection,
) -> None:
    answer = changed(index, WITH_TWO, Request(VIRUS, of=HAVE_TWO))
    assert "of them confirmed" not in answer.text


@pytest.mark.parametrize("measure", [VIRUS, TWO_FAMILIES, Values(("species",))])
def test_the_words_have_the_order_of_the_table(
    index: duckdb.DuckDBPyConnection, measure: Values
) -> None:
    answer = answer_request(index, Request(measure))
    assert answer.table is not None
    listed = [str(row[0]) for row in answer.table.rows]
    places = [answer.lead.index(name) for name in listed if name in answer.lead]
    assert places == sorted(places)
    assert places


@pytest.mark.parametrize(
    ("name", "is_said"), [("human Alpha one", False), ("Alpha virus one", False), ("X", True)]
)
def test_a_relative_is_not_the_same_virus_under_another_name(
    index: duckdb.DuckDBPyConnection, name: str, is_said: bool
) -> None:
    change = f"UPDATE virus SET name = '{name}' WHERE virus = 'NCBITaxon:4'; {OUTWEIGHED}"
    listed = changed(index, change, Request(VIRUS)).text
    counted = changed(index, change, Request(Count(), of=carries("Alpha virus one"))).text
    assert ("has more reads" in listed) is is_said
    assert ("may be those of" in counted) is is_said


def test_a_table_names_the_relative_that_has_more_reads(index: duckdb.DuckDBPyConnection) -> None:
    table = changed(index, OUTWEIGHED, Request(VIRUS, of=HUMAN)).table
    assert table is not None
    assert table.columns[-1] == "relative_with_more_reads"
    assert {(row[0], row[-1]) for row in table.rows} >= {("Alpha one", "Alpha two")}


def test_a_family_has_the_codes_of_its_unnamed_viruses_also_in_a_list_without_a_virus() -> None:
    world = world_of(RUNS)
    for row in world.detection:
        if row["sotu"] == "u9":
            row |= {"virus": "NCBITaxon:5", "taxon": "NCBITaxon:5", "family": "Betaviridae"}
    with world_index() as con:
        fill(con, world)
        others = Values(("virus",), other_than=("Alpha virus two",))
        table = answer_request(con, Request(others)).table
        compared = answer_request(con, Request(Compare(others, (HUMAN, BAT))))
    assert table is not None
    codes = {row[0]: row[table.columns.index("codes")] for row in table.rows}
    assert codes["Betaviridae"] == "u9"
    assert "Alpha two" not in compared.lead


def test_studies_of_values_are_counted_as_projects_where_more_runs_state_these() -> None:
    world = world_of(RUNS, study=None)
    by_studies = Request(Values(("host",), each=Count("study")))
    for row in world.run:
        row.update({"study": "S1"} if row["run"] == "R1" else {"bioproject": f"P{row['run']}"})
    with world_index() as con:
        fill(con, world)
        (asked,) = with_projects(con, by_studies)
        assert asked.measure == Values(("host",), each=Count("project"))
        con.execute("UPDATE run SET study = bioproject")
        assert with_projects(con, by_studies) == (by_studies,)


def test_a_side_without_runs_is_no_side() -> None:
    of_nothing = Has("country", ("Chile",))
    with world_index() as con:
        fill(con, world_of(RUNS))
        answer = answer_request(con, Request(Compare(Values(("family",)), (HUMAN, of_nothing))))
    assert answer.lead.startswith("The index has no runs from Chile. One virus family is found in")


@pytest.mark.parametrize(
    ("title", "said"),
    [
        ("Mixture of Alpha one and others", "One community is named after Alphaviridae: C0-a"),
        ("Mostly Alpha oneness", "No community is named after them"),
        ("Mostly Beta one", "No community is named after them"),
    ],
)
def test_communities_of_a_kind_are_those_named_after_a_member(title: str, said: str) -> None:
    of_kind = Request(Values(("community",), hits=Hit("Alphaviridae")))
    with world_index() as con:
        world = world_of(RUNS)
        world.community_member.append({"community": "C0-a", "entity": "R1"})
        fill(con, world)
        con.execute("INSERT INTO report (community, title, label, summary, rating) "
                    "VALUES ('C0-a', ?, '', '', 5)", [title])  # fmt: skip
        assert said in answer_request(con, of_kind).lead


def test_a_comparison_has_no_codes_and_about_ninety_words(
    index: duckdb.DuckDBPyConnection,
) -> None:
    text = answer_request(index, Request(Compare(VIRUS, (HUMAN, BAT)))).text
    assert "u9" not in text
    assert len(text.split()) < 90


def test_what_is_said_once_is_not_denied_again(index: duckdb.DuckDBPyConnection) -> None:
    with world_index() as con:
        fill(con, world_of("run host searched found\nR1 mosquito nt u9\nR2 mosquito nt u8"))
        con.execute("INSERT INTO virus (virus, name, family) "
                    "VALUES ('NCBITaxon:1', 'Alphaviridae', 'Alphaviridae')")  # fmt: skip
        con.execute("UPDATE detection SET virus = 'NCBITaxon:1' WHERE run = 'R1'")
        answer = answer_request(con, Request(VIRUS, MOSQUITO))
    assert answer.lead.startswith("Only unnamed viruses are found in runs from Aedes testus")
    assert "no virus has a name" not in answer.text


def test_significant_tests_are_some_of_all_that_match(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    of_family = Where("family", ("Coronaviridae",))
    holding = Where("q_value", range=Range(at_most=0.05))
    lead = answer_request(sample_db, Request(Records("tests", (of_family, holding)))).lead
    every = answer_request(sample_db, Request(Records("tests", (of_family,)))).lead
    assert " of the " in lead
    assert lead == every


@pytest.mark.parametrize(
    ("limit", "shown"), [(3, "these three have the most"), (5, "the table lists all five")]
)
def test_a_long_top_list_is_numbered_in_the_table_alone(
    sample_db: duckdb.DuckDBPyConnection, limit: int, shown: str
) -> None:
    answer = answer_request(sample_db, Request(Values(("host",), limit=limit)))
    assert shown in answer.lead
    assert answer.table is not None
    numbers = [f"({row[2]:,}" for row in answer.table.rows]
    assert sum(number in answer.lead for number in numbers) == 3


def test_a_link_to_a_report_leads_to_one(sample_db: duckdb.DuckDBPyConnection) -> None:
    reports = {name for (name,) in sample_db.execute("SELECT community FROM report").fetchall()}
    kinds = "level, carried_from IS NULL, title IS NULL"
    of_each = f"SELECT DISTINCT ON ({kinds}) community FROM community_overview"
    communities = [name for (name,) in sample_db.execute(of_each).fetchall()]
    described = [
        answer_request(sample_db, Request(Describe("community", name))) for name in communities
    ]
    links = [link for answer in described for link in answer.links]
    assert 0 < len(links) < len(described)
    assert {link.removeprefix("query report ") for link in links} <= reports


@pytest.mark.parametrize(
    ("virus", "said"),
    [
        ("ZIKV", "ZIKV (ICTV species Orthoflavivirus zikaense; also Zika virus) is a virus of the "
         "genus Orthoflavivirus, family Flaviviridae"),
        ("Flaviviridae", "Flaviviridae are a family of viruses of the order Amarillovirales"),
    ],
)  # fmt: skip
def test_a_virus_is_described_by_its_names_and_the_taxa_above_it(
    sample_db: duckdb.DuckDBPyConnection, virus: str, said: str
) -> None:
    assert answer_request(sample_db, Request(Describe("virus", virus))).lead.startswith(said)


@pytest.mark.parametrize(("virus", "is_said"), [("influenza", True), ("Influenza A virus", False)])
def test_the_best_hit_of_several_viruses_is_one_for_each_run_and_virus(
    sample_db: duckdb.DuckDBPyConnection, virus: str, is_said: bool
) -> None:
    answer = answer_request(sample_db, Request(Summary("identity", Hit(virus))))
    assert ("the best of each run and virus" in answer.lead) == is_said


def test_a_cluster_of_sequences_is_described_by_its_code(
    index: duckdb.DuckDBPyConnection,
) -> None:
    answer = answer_request(index, Request(Describe("virus", "u9")))
    assert answer.lead == "u9 is a cluster of sequences (sOTU)."
    assert answer.certainty.lower().startswith("u9 is found in 3 runs")

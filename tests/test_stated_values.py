"""What is stated of a run counts alike, whether its sample or the run itself states it."""

from __future__ import annotations

import re

import duckdb
import pytest

from query.config import QueryConfig
from query.evaluation.conditions import carrying, parse_conditions
from query.global_search.ask import ask_from_facts
from query.reading.question import read_question
from query.reading.senses import HEALTHY_RUNS
from query.sql_search.catalogue import read_catalogue
from query.sql_search.checking import check_select
from query.sql_search.running import run_select
from query.sql_search.search import draft_from_reading
from tests.tiny_index import tiny_index

RUNS = """
run | biosample
R1  | S1
R2  | S2
R3  |
R4  |
R5  | S5
"""
OF_SAMPLES = """
biosample | attribute    | value
S1        | health_state | Healthy control
S2        | tissue       | normal
S5        | disease      | mock
"""
OF_RUNS = """
run | attribute         | value
R3  | Disease           | un-affected
R3  | status of disease | Unaffected
R4  | disease           | hepatitis B
"""

QUESTIONS = """
How many runs are from feces?            | tissue:BTO:0000440
How many runs are from liver?            | tissue:BTO:0000759
How many runs are from blood?            | tissue:BTO:0000089
How many runs are from leaf?             | tissue:BTO:0000713
How many runs are from lymphoblastoid cell lines? | tissue:BTO:0000773
How many runs are female?                | sex:female
How many runs are mixed?                 | sex:mixed
How many runs have diarrhea?             | disease:DOID:13250
How many runs have hepatitis C?          | disease:DOID:1883
How many runs have pneumonia?            | disease:DOID:552
How many runs are of pigs?               | host:NCBITaxon:9823
How many healthy runs are there?         | health:healthy
"""

MOST_SPECIFIC = """
WITH said AS (SELECT DISTINCT run, facet, value, curie FROM annotation),
implied AS (
    SELECT DISTINCT wide.run, wide.facet, wide.value FROM said wide
    JOIN said narrow ON narrow.run = wide.run AND narrow.facet = wide.facet
    JOIN closure c ON c.descendant = narrow.curie AND c.ancestor = wide.curie AND c.distance > 0
),
counted AS (
    SELECT m.community, s.facet, s.value, count(DISTINCT s.run) AS runs
    FROM community_member m JOIN said s ON s.run = m.entity
    ANTI JOIN implied i ON i.run = s.run AND i.facet = s.facet AND i.value = s.value
    GROUP BY ALL
)
SELECT count(*), count(*) FILTER (f.runs IS DISTINCT FROM c.runs)
FROM fact f LEFT JOIN counted c USING (community, facet, value)
WHERE f.facet IN ('tissue', 'disease', 'sex', 'host')
"""


def test_healthy_is_read_of_samples_and_of_runs_by_one_list() -> None:
    con = tiny_index(run=RUNS, biosample_attribute=OF_SAMPLES, run_attribute=OF_RUNS)
    assert sorted(con.execute(HEALTHY_RUNS).fetchall()) == [("R1",), ("R3",)]
    gold = carrying(parse_conditions("health:healthy"))
    assert sorted(con.execute(gold).fetchall()) == [("R1",), ("R3",)]


def test_attributes_of_runs_and_of_their_samples_are_one_view() -> None:
    con = tiny_index(run=RUNS, biosample_attribute=OF_SAMPLES, run_attribute=OF_RUNS)
    stated = con.execute(
        "SELECT stated_of, count(*) FROM stated_attribute GROUP BY ALL ORDER BY ALL"
    ).fetchall()
    assert stated == [("biosample", 3), ("run", 3)]


@pytest.mark.parametrize(
    ("question", "condition"),
    [[part.strip() for part in line.split("|")] for line in QUESTIONS.strip().splitlines()],
)
def test_sql_headline_and_gold_give_one_number(
    sample_db: duckdb.DuckDBPyConnection, question: str, condition: str
) -> None:
    gold = carrying(parse_conditions(condition))
    ((runs,),) = sample_db.execute(f"SELECT count(DISTINCT run) FROM ({gold})").fetchall()
    draft = draft_from_reading(sample_db, read_question(sample_db, question))
    checked = check_select(sample_db, draft.sql, read_catalogue(sample_db))
    by_sql = run_select(sample_db, checked.sql).rows[0][0]
    headline = ask_from_facts(sample_db, question, config=QueryConfig()).answer
    stated = re.match(r"[\d,]+", headline)
    assert stated is not None, headline
    assert runs > 0
    assert {by_sql, int(stated[0].replace(",", ""))} == {runs}


def test_facts_of_reports_count_the_annotations_that_questions_count(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    ((facts, other),) = sample_db.execute(MOST_SPECIFIC).fetchall()
    assert facts > 100
    assert other == 0

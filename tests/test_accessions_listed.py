"""Global answers to questions that ask for accessions: the runs by name, and how many more."""

from __future__ import annotations

import duckdb
import pytest

from query.config import QueryConfig
from query.global_search.ask import ask_from_facts
from query.global_search.headlines.listed.accessions_listed import MOST

CONFIG = QueryConfig()
OF_DENGUE = """
SELECT DISTINCT run FROM detection WHERE stated = 'Dengue virus' ORDER BY run
"""


def headline(con: duckdb.DuckDBPyConnection, question: str) -> str:
    return ask_from_facts(con.cursor(), question, config=CONFIG).answer.split("\n\n")[0]


@pytest.mark.parametrize(
    "question",
    [
        "List the accessions of dengue virus in humans",
        "Could I have the accessions of dengue in humans? There should be few.",
    ],
)
def test_few_runs_are_all_listed(sample_db: duckdb.DuckDBPyConnection, question: str) -> None:
    runs = sample_db.execute(
        "SELECT DISTINCT d.run FROM detection d JOIN annotation a USING (run) "
        "WHERE d.stated = 'Dengue virus' AND a.value = 'Homo sapiens' ORDER BY 1"
    ).fetchall()
    named = ", ".join(run for (run,) in runs)
    assert 0 < len(runs) <= MOST
    assert f"By accession: {named}." in headline(sample_db, question)


def test_of_many_runs_the_first_are_listed(sample_db: duckdb.DuckDBPyConnection) -> None:
    runs = [run for (run,) in sample_db.execute(OF_DENGUE).fetchall()]
    assert len(runs) > MOST
    named = ", ".join(runs[:MOST])
    said = headline(sample_db, "List the accessions of runs with Dengue virus")
    assert f"The first {MOST} of them by accession: {named};" in said


@pytest.mark.parametrize(
    "question", ["How many accessions have dengue?", "Which hosts carry dengue?"]
)
def test_no_accession_is_listed_where_none_is_asked_for(
    sample_db: duckdb.DuckDBPyConnection, question: str
) -> None:
    assert "accession" not in headline(sample_db, question)

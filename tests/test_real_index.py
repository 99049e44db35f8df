"""The whole path on the real inputs: full ontologies, every record format, questions a virologist
asks.
"""

from __future__ import annotations

import json

import duckdb
import pytest
from click.testing import Result
from typer.testing import CliRunner

from query.cli.app import app
from tests.conftest import BuiltIndex
from tests.test_index_flow import INVARIANTS

pytestmark = pytest.mark.real

QUESTIONS = {
    "Which viruses are found in mosquitoes?": "Dengue virus (",
    "Which tissues of rice carry Endornaviridae?": "leaf",
    "Which diseases are stated for runs with Epstein-Barr virus?": "Burkitt lymphoma",
    "What share of human runs contain HCMV?": "carry HCMV",
    "Compare viruses between pigs and cattle": "found only in runs from cattle",
}
NOT_FOUND = {
    "HSV-1 in brain": "is found in none of the 8 runs from brain that were searched for it",
    "Ebola in Guinea": "The index has no runs from Guinea",
    "Are coronaviruses found in pigs?": "found in none of the 258 runs from pigs",
}


def ask(index: BuiltIndex, question: str) -> Result:
    """Ask as ``query global`` does."""
    options = ["--no-llm", "--json", "--no-journal", "--db", str(index.path)]
    return CliRunner().invoke(app, ["global", *options, question])


def test_records_are_all_read_or_counted_as_rejected(real_index: BuiltIndex) -> None:
    assert real_index.summary.counts["run"] == 55_940
    assert real_index.summary.counts["detection"] > 69_000
    assert any("score below 50 (1,257,819 rows)" in why for why in real_index.summary.rejected)


def test_a_name_in_a_run_has_a_hit_of_score_50(real_db: duckdb.DuckDBPyConnection) -> None:
    least = """
        SELECT run, reported_name FROM detection GROUP BY ALL HAVING max(score) < 50
    """
    assert real_db.execute(least).fetchall() == []


@pytest.mark.parametrize("rule", INVARIANTS)
def test_invariant_holds(rule: str, real_db: duckdb.DuckDBPyConnection) -> None:
    assert real_db.sql(INVARIANTS[rule]).limit(5).fetchall() == []


def test_labels_are_distinct(real_db: duckdb.DuckDBPyConnection) -> None:
    ((reports, labels),) = real_db.execute(
        "SELECT count(*), count(DISTINCT label) FROM report"
    ).fetchall()
    assert labels >= 0.99 * reports


@pytest.mark.parametrize("question", QUESTIONS)
def test_answer_names_what_is_there_and_every_citation_resolves(
    question: str, real_index: BuiltIndex
) -> None:
    answer = json.loads(ask(real_index, question).stdout)
    citations = [citation for point in answer["points"] for citation in point["citations"]]
    assert QUESTIONS[question] in answer["answer"]
    assert len(citations) >= 1
    assert [citation for citation in citations if not citation["verified"]] == []
    assert answer["coverage"]["runs_covered"] > 0


@pytest.mark.parametrize("question", NOT_FOUND)
def test_what_is_not_found_is_not_what_was_not_searched(
    question: str, real_index: BuiltIndex
) -> None:
    answer = json.loads(ask(real_index, question).stdout)
    assert NOT_FOUND[question] in answer["answer"]


def test_what_is_not_understood_is_not_answered_around(real_index: BuiltIndex) -> None:
    refused = ask(real_index, "Are there runs of lymphoma with Epstein-Barr virus reactivation?")
    assert refused.exit_code == 8
    assert "“reactivation” not understood" in refused.output
    assert "did you mean" in refused.output

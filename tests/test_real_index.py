"""The whole path on the real inputs: full ontologies, every record format, questions a virologist
asks.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from index.store.build import open_index
from tests.conftest import ROOT, BuiltIndex, build_from
from tests.test_index_flow import INVARIANTS

pytestmark = pytest.mark.real

QUESTIONS = {
    "Which viruses turn up in bat gut samples, and what goes with them?": "Chiroptera",
    "Which plant viruses are found in rice, and in which tissues?": "Endornaviridae",
    "What is associated with Epstein-Barr virus in lymphoma?": "Burkitt lymphoma",
    "Which viruses are found in mosquitoes?": "Dengue virus",
    "HSV-1 in brain": "(HSV-1) is found in none of",
    "What share of human runs contain CMV?": "runs of Homo sapiens (human) searched for it",
    "Ebola in Guinea": "No place is stated for any of",
    "Which hosts does West Nile virus appear in?": "Hosts, stated for",
    "How do the viruses of pigs differ from those of cattle?": "differ in Flaviviridae",
    "Are coronaviruses found in pigs?": "found in none of",
}


@pytest.fixture(scope="module")
def built(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> BuiltIndex:
    monkey = pytest.MonkeyPatch()
    monkey.setenv("VIROME_SHARED_DATA", str(shared_data))
    try:
        return build_from(
            ROOT / "data" / "real" / "inputs.toml",
            tmp_path_factory.mktemp("real") / "virome.duckdb",
        )
    finally:
        monkey.undo()


@pytest.fixture
def real_db(built: BuiltIndex) -> Iterator[duckdb.DuckDBPyConnection]:
    with open_index(built.path) as connection:
        yield connection


def ask(built: BuiltIndex, question: str) -> dict[str, Any]:
    command = [
        sys.executable,
        "-m",
        "query",
        "global",
        "--no-llm",
        "--json",
        "--no-journal",
        "--db",
        str(built.path),
    ]
    done = subprocess.run([*command, question], capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


def test_ontologies_are_there_at_full_size(real_db: duckdb.DuckDBPyConnection) -> None:
    live = real_db.execute(
        "SELECT ontology, terms FROM ontology_release ORDER BY ontology"
    ).fetchall()
    assert live == [
        ("BTO", 6_511),
        ("DOID", 12_247),
        ("ICTV", 22_262),
        ("NCBITaxon", 2_609_295),
    ]


def test_records_are_all_read_or_counted_as_rejected(built: BuiltIndex) -> None:
    assert built.summary.counts["run"] == 50_100
    assert built.summary.counts["detection"] > 69_000
    assert any("score below 50 (1,257,819 rows)" in reason for reason in built.summary.rejected)


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
    question: str, built: BuiltIndex
) -> None:
    answer = ask(built, question)
    citations = [citation for point in answer["points"] for citation in point["citations"]]
    assert QUESTIONS[question] in answer["answer"]
    assert len(citations) >= 1
    assert [citation for citation in citations if not citation["verified"]] == []
    assert answer["coverage"]["runs_covered"] > 0


def test_what_is_not_understood_is_not_answered_around(built: BuiltIndex) -> None:
    with pytest.raises(subprocess.CalledProcessError) as refused:
        ask(built, "What is associated with Epstein-Barr virus reactivation in lymphoma?")
    assert refused.value.returncode == 8
    assert "not understood: reactivation" in refused.value.stderr + refused.value.stdout

"""Global search without a model: exact numbers, verified citations, honest gaps, the ledger."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import polars as pl
import pytest
from query.global_search.ask import ask_from_facts
from query.global_search.search import select_for

from index.reports.citations import find_references, resolve_citations
from index.store.names import hashed_names
from query.answer import Answer, answer_record
from query.answer_text import answer_text, number_references
from query.config import QueryConfig
from query.errors import EmptyQuestionError, NoEvidenceError, UnknownLevelError
from tests.query_index import make_index, opened

QUESTIONS = [
    "Which viruses turn up in bat gut samples, and what goes with them?",
    "Where are coronaviruses found?",
    "asthma",
    "viruses of penguins and bats",
    "viruses of bats in Germany",
    "Which viruses are there?",
]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_index(tmp_path_factory.mktemp("global") / "index.duckdb")


@pytest.fixture
def con(index: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with opened(index) as connection:
        yield connection


def ask(con: duckdb.DuckDBPyConnection, question: str, config: QueryConfig | None = None) -> Answer:
    return ask_from_facts(con, question, config=config or QueryConfig())


def test_answer_opens_with_exact_counts_and_names_the_viruses(
    con: duckdb.DuckDBPyConnection,
) -> None:
    lines = ask(con, QUESTIONS[0]).answer.splitlines()
    assert lines[0] == (
        "10 runs of Chiroptera (bat) and gut, all of them with a virus. "
        "Virus families: Coronaviridae (6 runs) and Astroviridae (4 runs). "
        "Virus species: Bat coronavirus HKU5 (6 runs) and Bat astrovirus 1 (4 runs)."
    )
    assert lines[2] == (
        "- Virus families (2): Coronaviridae (6 runs, 3.6x expected), Astroviridae (4 runs, 3.6x "
        "expected)"
    )


def test_point_counts_the_matching_runs_of_its_community(con: duckdb.DuckDBPyConnection) -> None:
    (point,) = ask(con, QUESTIONS[0]).points
    assert point.community == "C1-bat"
    assert (
        "10 of 12 runs match. Virus families: Coronaviridae (6 runs), Astroviridae (4 runs)."
        in point.description
    )


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_citation_is_verified_and_every_reference_parses(
    con: duckdb.DuckDBPyConnection, question: str
) -> None:
    answer = ask(con, question)
    assert answer.points
    for point in answer.points:
        assert all(citation.verified and citation.runs > 0 for citation in point.citations)
        references = find_references(point.description)
        assert [reference.problem for reference in references] == [None]
        cited = [(one.key, one.value) for one in references[0].citations]
        assert cited == [(citation.key, citation.value) for citation in point.citations]


@pytest.mark.parametrize("question", QUESTIONS)
def test_ledger_adds_up(con: duckdb.DuckDBPyConnection, question: str) -> None:
    coverage = ask(con, question).coverage
    assert coverage.read + coverage.skipped == coverage.relevant
    assert 0 <= coverage.runs_covered <= coverage.runs_matching <= coverage.runs_index == 36


def test_same_question_gives_the_same_answer(con: duckdb.DuckDBPyConnection) -> None:
    first, second = (ask(con, QUESTIONS[0]) for _ in range(2))
    assert (first.answer, first.points, first.evidence) == (
        second.answer,
        second.points,
        second.evidence,
    )


def test_walk_stops_at_a_community_that_is_all_about_the_question(
    con: duckdb.DuckDBPyConnection,
) -> None:
    reading = select_for(con, "viruses of bats and pigs", config=QueryConfig())
    assert [one.community for one in reading.read] == ["C0-gut"]
    reading = select_for(con, "viruses of bats", config=QueryConfig())
    assert [one.community for one in reading.read] == ["C1-bat"]


def test_level_is_read_as_asked(con: duckdb.DuckDBPyConnection) -> None:
    reading = select_for(con, "viruses of bats", config=QueryConfig(), level=0)
    assert [one.community for one in reading.read] == ["C0-gut"]
    with pytest.raises(UnknownLevelError, match="levels of this index: 0, 1"):
        select_for(con, "viruses of bats", config=QueryConfig(), level=7)


def test_communities_past_the_limit_are_counted_as_skipped(con: duckdb.DuckDBPyConnection) -> None:
    coverage = ask(con, "Which viruses are there?", QueryConfig(max_communities=1)).coverage
    assert (coverage.read, coverage.skipped) == (1, 1)
    assert coverage.runs_covered < coverage.runs_matching


def test_significant_associations_come_first_and_flags_are_shown(
    con: duckdb.DuckDBPyConnection,
) -> None:
    answer = ask(con, QUESTIONS[0])
    assert [(one.attribute, one.significant, one.flag) for one in answer.evidence] == [
        ("tissue", True, None),
        ("batch", True, "batch-like field"),
    ]
    assert answer.evidence[0].communities == ("C1-bat",)
    assert "tissue = intestine (10 vs 2 samples), log2 fold change +6.10, q = 0.004" in answer_text(
        answer
    )


def test_associations_that_do_not_hold_are_said_not_to(con: duckdb.DuckDBPyConnection) -> None:
    text = answer_text(ask(con, "asthma"))
    assert (
        "disease = asthma (8 vs 2 samples), log2 fold change +3.00, q = 0.3 [not significant; "
        "tiny group]" in text
    )


def test_family_with_associations_and_no_run_is_answered_from_them(tmp_path: Path) -> None:
    path = make_index(tmp_path / "index.duckdb")
    with duckdb.connect(path) as con:
        con.execute("UPDATE association SET family = 'Poxviridae' WHERE attribute = 'tissue'")
        con.execute("UPDATE term SET label = 'Poxviridae' WHERE label = 'Spheniscidae'")
        con.register("renamed", hashed_names(con))
        con.execute("DELETE FROM name; INSERT INTO name SELECT * FROM renamed")
    with opened(path) as con:
        text = ask(con, "Significant links of Poxviridae with metadata, strongest first").answer
    assert text.startswith("1 of 1 association tested of Poxviridae holds after correction")
    assert "Strongest associations that hold: Poxviridae with tissue = intestine in SYNP1" in text
    assert "Poxviridae itself is named in no run of the index." in text


def test_term_nobody_combines_is_said_and_what_there_is_instead(
    con: duckdb.DuckDBPyConnection,
) -> None:
    answer = ask(con, "viruses of bats in Germany").answer
    assert answer.startswith(
        "No run is from Chiroptera (bats) and Germany at once: 12 are from Chiroptera (bats) and "
        "18 are from Germany."
    )
    assert "They state: China (8 runs) and Canada (4 runs)." in answer


def test_absent_term_beside_a_held_one_is_said(con: duckdb.DuckDBPyConnection) -> None:
    assert (
        "No run of the index is annotated with Spheniscidae (penguins)."
        in ask(con, QUESTIONS[3]).answer
    )


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("viruses of penguins", "no run states Spheniscidae"),
        ("norovirus", "not understood: norovirus"),
        ("what is there?", "it names nothing to look for"),
    ],
)
def test_no_evidence_is_an_error_and_never_an_answer(
    con: duckdb.DuckDBPyConnection, question: str, reason: str
) -> None:
    with pytest.raises(NoEvidenceError, match=reason) as raised:
        ask(con, question)
    assert raised.value.exit_code == 8


def test_no_evidence_names_what_is_spelled_alike(con: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(NoEvidenceError) as raised:
        ask(con, "Coronavirdae")
    assert raised.value.nearest == ("Coronaviridae",)


@pytest.mark.parametrize("question", ["", "  ", "?!"])
def test_question_without_a_word_is_refused(con: duckdb.DuckDBPyConnection, question: str) -> None:
    with pytest.raises(EmptyQuestionError):
        ask(con, question)


def test_citation_of_another_community_does_not_resolve(con: duckdb.DuckDBPyConnection) -> None:
    wanted = [
        ("C1-bat", "family", "coronaviridae"),
        ("C1-pig", "family", "Coronaviridae"),
        ("C1-bat", "runId", "SYNR01"),
    ]
    citations = pl.DataFrame(wanted, schema=["community", "key", "value"], orient="row")
    assert resolve_citations(con, citations)["runs"].to_list() == [6, 0, 1]


def test_record_has_exactly_the_promised_keys(con: duckdb.DuckDBPyConnection) -> None:
    record = answer_record(ask(con, QUESTIONS[0]))
    given = ["question", "mode", "answer", "points", "evidence", "coverage", "usage"]
    assert list(record) == [*given, "sources", "steps", "table", "interpretation"]
    assert list(record["points"][0]) == ["community", "score", "description", "citations"]  # type: ignore[index]
    assert list(record["points"][0]["citations"][0]) == ["key", "value", "runs", "verified"]  # type: ignore[index]


def test_nothing_is_written_to_the_index(index: Path) -> None:
    before = index.read_bytes()
    with opened(index) as con:
        ask(con, QUESTIONS[0])
    assert index.read_bytes() == before


def test_references_become_numbers_in_a_terminal() -> None:
    text = "A [Filters: {{family: X}}]. B [Filters: {{tissue: y}}]. C [Filters: {{family: X}}]."
    assert number_references(text) == ("A [1]. B [2]. C [1].", ["family: X", "tissue: y"])

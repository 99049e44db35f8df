"""The journal of answers: kept beside the index, taken in by the next build, never in the way of an
answer.
"""

from __future__ import annotations

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from index.store.build import open_index
from query.answer import Answer, Citation, Coverage, Point, Usage, answer_record
from query.cli.app import app
from query.journal import journal_path, read_journal, record_answer
from tests.conftest import BuiltIndex, build_from, copy_index

pytestmark = pytest.mark.usefixtures("composed_only")
ASKED_AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
RICE = Answer(
    question="What is in rice?",
    mode="global",
    answer="Endornaviridae [Filters: {{family: Endornaviridae}}].",
    points=(
        Point(
            "C0-rice", 80.0, "Endornaviridae.", (Citation("family", "Endornaviridae", 30, True),)
        ),
    ),
    coverage=Coverage(
        runs_index=99,
        runs_matching=40,
        runs_covered=38,
        communities=3,
        relevant=2,
        read=1,
        skipped=1,
        unreported=0,
    ),
    usage=Usage("scripted-1b", calls=2, prompt_tokens=300, completion_tokens=40, seconds=1.5),
)


def test_answer_is_read_back_as_it_was_given(tmp_path: Path) -> None:
    db = tmp_path / "virome.duckdb"
    identifier = record_answer(RICE, db, asked_at=ASKED_AT)
    journal = read_journal(db)
    assert journal.answer.rows() == [
        (
            identifier, RICE.question, "global", RICE.answer, "2026-01-02T03:04:05.000+00:00", 1.5,
            "scripted-1b",
            300, 40, 40, 38, 1,
        )
    ]  # fmt: skip
    assert journal.point.rows() == [(identifier, 1, "C0-rice", "Endornaviridae.", 80.0)]
    assert journal.answer_citation.rows() == [(identifier, 1, "family", "Endornaviridae", 30, True)]
    assert journal.rejected.is_empty()


def test_no_journal_is_an_empty_one(tmp_path: Path) -> None:
    journal = read_journal(tmp_path / "virome.duckdb")
    assert (len(journal.answer), len(journal.point), len(journal.rejected)) == (0, 0, 0)


def test_line_cut_short_is_counted_and_the_others_stand(tmp_path: Path) -> None:
    db = tmp_path / "virome.duckdb"
    record_answer(RICE, db)
    whole = journal_path(db).read_text()
    journal_path(db).write_text(whole + whole[: len(whole) // 2] + "\n[]\n" + whole)
    journal = read_journal(db)
    assert len(journal.answer) == 1
    assert journal.rejected["row"].to_list() == [2, 3]
    assert journal.rejected["reason"].str.starts_with("not a whole answer").all()


def test_the_line_after_one_that_was_cut_short_is_whole(tmp_path: Path) -> None:
    db = tmp_path / "virome.duckdb"
    record_answer(RICE, db)
    with journal_path(db).open("r+b") as file:
        file.truncate(journal_path(db).stat().st_size // 2)
    record_answer(RICE, db)
    journal = read_journal(db)
    assert (len(journal.answer), journal.rejected["row"].to_list()) == (1, [1])


def test_a_journal_that_may_not_be_read_ends_no_build(tmp_path: Path) -> None:
    db = tmp_path / "virome.duckdb"
    journal_path(db).symlink_to("/proc/self/mem")
    journal = read_journal(db)
    assert journal.answer.is_empty()
    assert journal.rejected["reason"].str.starts_with("the journal cannot be read").all()
    assert len(journal.rejected) == 1


LINES = """
change                                        | reason
{"usage": None}                               | at usage
{"coverage": {"runs_matching": 1}}            | at coverage.runs_covered
{"points": "none"}                            | at points
{"points": [1]}                               | at points.0
{"answer_id": ["A"]}                          | at answer_id
{"answer_id": ""}                             | at answer_id
{"question": 7}                               | at question
{"usage": {**USAGE, "prompt_tokens": 2**70}}  | at usage.prompt_tokens
{"usage": {**USAGE, "prompt_tokens": -1}}     | at usage.prompt_tokens
{"usage": {**USAGE, "seconds": float("nan")}} | not a whole answer
{"points": [{**POINT, "score": 101}]}         | at points.0.score
{"points": [{**POINT, "citations": [{}]}]}    | at points.0.citations.0.key
"""


@pytest.mark.parametrize("row", LINES.strip().splitlines()[1:])
def test_older_or_hostile_line_is_rejected_and_says_why(tmp_path: Path, row: str) -> None:
    change, reason = (part.strip() for part in row.rsplit("|", maxsplit=1))
    record = answer_record(RICE)
    names = {"USAGE": record["usage"], "POINT": record["points"][0], "float": float}  # type: ignore[index]
    db = tmp_path / "virome.duckdb"
    record_answer(RICE, db, asked_at=ASKED_AT)
    whole = json.loads(journal_path(db).read_text())
    with journal_path(db).open("a") as file:
        file.write(json.dumps({**whole, "answer_id": "A-2", **eval(change, names)}) + "\n")
    journal = read_journal(db)
    assert (len(journal.answer), journal.rejected["row"].to_list()) == (1, [2])
    assert reason in journal.rejected["reason"][0]


def test_only_a_line_feed_ends_a_line(tmp_path: Path) -> None:
    db = tmp_path / "virome.duckdb"
    record_answer(replace(RICE, question="rice\u2028and\x85more\x0c?"), db)
    journal = read_journal(db)
    assert journal.answer["question"].to_list() == ["rice\u2028and\x85more\x0c?"]
    assert journal.rejected.is_empty()


@settings(max_examples=25)
@given(st.binary(max_size=80))
def test_no_bytes_end_a_build(tmp_path: Path, line: bytes) -> None:
    db = tmp_path / "virome.duckdb"
    journal_path(db).write_bytes(line)
    journal = read_journal(db)
    broken = [one for one in line.split(b"\n") if one.strip()]
    assert (len(journal.answer), len(journal.rejected)) == (0, len(broken))


def test_answers_given_at_the_same_time_are_all_kept(tmp_path: Path) -> None:
    db = tmp_path / "virome.duckdb"
    with ThreadPoolExecutor(8) as pool:
        moments = [ASKED_AT.replace(microsecond=1000 * number) for number in range(64)]
        names = list(pool.map(lambda moment: record_answer(RICE, db, asked_at=moment), moments))
    assert sorted(read_journal(db).answer["answer"]) == sorted(names)


BATS = "Which viruses are found in bats?"


def test_next_build_takes_answers_in_and_its_content_is_the_same(
    sample_inputs: Path, sample_index: BuiltIndex, tmp_path: Path
) -> None:
    db = copy_index(sample_index, tmp_path)
    said = CliRunner().invoke(app, ["global", "--no-llm", "--db", str(db), BATS]).stdout
    again = build_from(sample_inputs, db)
    with open_index(db) as connection:
        ((text, read),) = connection.execute("SELECT text, communities_read FROM answer").fetchall()
        ((joined,),) = connection.execute(
            "SELECT count(*) FROM answer JOIN point USING (answer) JOIN answer_citation "
            "USING (answer, ordinal)"
        ).fetchall()
        unverified = connection.execute(
            "SELECT * FROM answer_citation WHERE NOT verified"
        ).fetchall()
    assert said.startswith(text.strip())
    assert read >= 1
    assert joined > 0
    assert unverified == []
    assert again.summary.content_hash == sample_index.summary.content_hash


def test_folder_that_cannot_be_written_to_costs_no_answer(
    sample_index: BuiltIndex, tmp_path: Path
) -> None:
    db = tmp_path / "virome.duckdb"
    shutil.copyfile(sample_index.path, db)
    journal_path(db).mkdir()
    done = CliRunner().invoke(app, ["global", "--no-llm", "--db", str(db), BATS])
    assert done.exit_code == 0
    assert "Rousettus bat coronavirus HKU9" in done.stdout
    assert "note: not kept in" in done.stderr

"""An index is verified by building it again from what it notes of itself.

One that differs: tests/test_remote_inputs.py.
"""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path

import duckdb
import pytest

from flows.verify import main
from index.errors import ModelJunkError
from index.models.cache import copy_answers
from index.models.protocol import Prompt
from index.models.recorded import RecordedModel
from index.store.build import open_index
from index.store.compare import UnequalRow, first_difference
from index.store.read import answers_beside
from query.exports.crate import export_crate
from tests.conftest import BuiltIndex


@pytest.fixture(scope="module")
def worded(worded_index: BuiltIndex) -> Path:
    """Return an index, some reports of it in the words of a model that is gone now."""
    with open_index(worded_index.path) as connection:
        counted = connection.execute("SELECT count(*), count(interpretation) FROM report")
        ((reports, interpreted),) = counted.fetchall()
    assert reports > interpreted > 0
    return worded_index.path


@pytest.fixture
def copy(worded: Path, tmp_path: Path) -> Path:
    """Return a copy of the index with the answers beside it."""
    db = tmp_path / worded.name
    copy_answers(answers_beside(worded), answers_beside(db))
    return Path(shutil.copy(worded, db))


def alter(db: Path, statement: str) -> None:
    with duckdb.connect(db) as connection:
        connection.execute(statement)


def test_a_crate_of_an_index_in_the_words_of_a_model_is_rebuilt_without_it(
    worded: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with open_index(worded) as connection:
        described, _ = export_crate(connection, worded, tmp_path, donors=True)
    listed = json.loads(described.read_text(encoding="utf-8"))["@graph"]
    parts = [part["@id"] for entity in listed for part in entity.get("hasPart", [])]
    assert parts == ["virome.duckdb", "virome.duckdb.answers.sqlite"]

    crate = tmp_path / worded.name
    before = crate.read_bytes()
    assert main([str(crate), "--quiet"]) == 0
    assert capsys.readouterr().out.startswith("equal: ")
    assert crate.read_bytes() == before


def test_a_model_that_is_gone_gives_no_answer_that_was_not_kept() -> None:
    gone = RecordedModel("scripted-20b")
    with pytest.raises(ModelJunkError, match="not in the cache"):
        asyncio.run(gone.complete(Prompt("a", "b"), dict, max_tokens=9))


def test_other_inputs_are_refused_before_anything_is_built(
    worded: Path, small_index: BuiltIndex, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest = shutil.copytree(small_index.inputs.parent, tmp_path / "cohort") / "inputs.toml"
    manifest.write_text(f"{manifest.read_text()}\n")
    assert main([str(worded), "--inputs", str(manifest), "--quiet"]) == 3
    assert "inputs.toml is not the file that the index was made of" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("statement", "difference"),
    [
        ("UPDATE community SET runs = 0 WHERE rowid = 2", ("community", 3)),
        ("DELETE FROM run WHERE rowid = 0", ("run", 1)),
        ("INSERT INTO place SELECT 'SYN', NULL, NULL, NULL, NULL", ("place", None)),
        ("UPDATE build SET value = '0' WHERE key = 'seconds.total'", None),
        ("INSERT INTO build VALUES ('quality.9.modularity', '1')", ("build", None)),
    ],
)
def test_the_first_row_that_differs_is_found(
    worded: Path, copy: Path, statement: str, difference: tuple[str, int | None] | None
) -> None:
    if "INTO place" in statement:
        with open_index(copy) as connection:
            columns = len(connection.execute("DESCRIBE place").fetchall())
        nulls = ", NULL" * (columns - 1)
        statement = f"INSERT INTO place SELECT 'SYN'{nulls}"
    alter(copy, statement)
    with open_index(worded) as recorded, open_index(copy) as other:
        found = first_difference(recorded, other)
    if difference is None:
        assert found is None
        return
    assert isinstance(found, UnequalRow)
    assert found.table == difference[0]
    assert difference[1] in (None, found.row)
    assert (found.recorded is None) == ("INSERT" in statement)


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        (
            "CREATE OR REPLACE VIEW coverage AS SELECT 1 AS level",
            "column main.coverage.communities",
        ),
        ("CREATE TABLE extra AS SELECT 1 AS one", "column main.extra.one"),
        ("CREATE VIEW extra AS SELECT run FROM run", "column main.extra.run"),
        ("CREATE MACRO twice(x) AS 2 * x", "macro main.twice"),
        ("CREATE SEQUENCE counter", "sequence main.counter"),
        ("CREATE SCHEMA other", "schema other"),
        ("CREATE TYPE kind AS ENUM ('a')", "type main.kind"),
        ("CREATE INDEX by_run ON detection (run)", "index main.by_run"),
        ("COMMENT ON COLUMN run.run IS NULL", "column main.run.run"),
        ("COMMENT ON TABLE run IS 'other'", "table main.run"),
        ("ALTER TABLE run ALTER organism SET DEFAULT 'none'", "column main.run.organism"),
        ("UPDATE build SET value = 'f00' WHERE key = 'content_hash'", "content_hash in build"),
        ("UPDATE build SET value = '0' WHERE key = 'version.polars'", "content_hash in build"),
        ("UPDATE answer SET question = ''", None),
    ],
)
def test_whatever_else_is_altered_is_found(
    worded: Path, copy: Path, statement: str, what: str | None
) -> None:
    alter(copy, statement)
    with open_index(copy) as recorded, open_index(worded) as other:
        found = first_difference(recorded, other)
    assert (found and found.place) == what

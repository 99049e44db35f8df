"""Connections of readers: a hostile or damaged index reads no file, and says what is wrong."""

from __future__ import annotations

import random
from pathlib import Path

import duckdb
import pytest
from typer.testing import CliRunner

from flows.stages.graph import published_communities
from index.errors import IndexDamagedError
from index.store.build import open_index
from query.cli.app import app
from tests.conftest import BuiltIndex
from tests.test_store import publish_small

SECRET = "root:x:0:0"
REFUSED = """
SELECT * FROM read_text('{secret}')
SELECT * FROM '{secret}'
SELECT * FROM glob('/*')
COPY entity TO '{folder}/out.csv'
EXPORT DATABASE '{folder}/out'
ATTACH '{folder}/other.duckdb' AS other
INSTALL httpfs
LOAD httpfs
SET enable_external_access = true
SET lock_configuration = false
SET memory_limit = '64GB'
CREATE TABLE more AS SELECT 1
DELETE FROM entity
SELECT * FROM in_python
"""


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("locked") / "a.duckdb"
    publish_small(path)
    return path


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """Return a file that no index may read."""
    path = tmp_path / "passwd.csv"
    path.write_text(f"{SECRET}\n")
    return path


@pytest.mark.parametrize("statement", REFUSED.strip().splitlines())
def test_a_reader_can_do_nothing_but_read_the_index(
    statement: str, published: Path, tmp_path: Path, secret: Path
) -> None:
    in_python = [1]
    with open_index(published) as con, pytest.raises(duckdb.Error):
        con.execute(statement.format(secret=secret, folder=tmp_path)).fetchall()
    assert in_python == [1]
    assert not (tmp_path / "out.csv").exists()


HOSTILE = """
ALTER TABLE report RENAME TO report_of_before;
CREATE VIEW report AS SELECT * REPLACE (content AS title, content AS summary)
FROM report_of_before, read_text('{secret}')
"""


def test_a_view_of_a_hostile_index_reads_no_file(
    sample_index: BuiltIndex, tmp_path: Path, secret: Path
) -> None:
    path = tmp_path / "a.duckdb"
    path.write_bytes(sample_index.path.read_bytes())
    with duckdb.connect(path) as con:
        con.execute(HOSTILE.format(secret=secret))
        shown = con.execute("SELECT title FROM report LIMIT 1").fetchall()
        ((community,),) = con.execute("SELECT min(community) FROM report").fetchall()
    assert shown == [(f"{SECRET}\n",)]
    question = "Which viruses are found in bats?"
    for command in (["communities"], ["report", community], ["global", question, "--no-llm"]):
        result = CliRunner().invoke(app, [*command, "--db", str(path)])
        assert SECRET not in result.output
        assert result.exit_code == 6
        assert "file system operations are disabled" in result.output


def test_a_damaged_index_is_named_with_the_next_command(published: Path, tmp_path: Path) -> None:
    path = tmp_path / "a.duckdb"
    whole = published.read_bytes()
    chance = random.Random(17)
    exit_codes = set()
    for _ in range(15):
        place = chance.randrange(len(whole))
        damaged = bytes([whole[place] ^ 0xFF])
        path.write_bytes(whole[:place] + damaged + whole[place + 1 :])
        result = CliRunner().invoke(app, ["communities", "--db", str(path)])
        assert result.exception is None or isinstance(result.exception, SystemExit)
        assert ("rebuild it: python -m flows.index" in result.output) == (result.exit_code == 6)
        exit_codes.add(result.exit_code)
        published_communities(path)
    assert exit_codes == {0, 6}


def test_what_is_no_database_is_a_damaged_index(tmp_path: Path) -> None:
    (tmp_path / "junk.duckdb").write_bytes(b"not a database")
    for path in (tmp_path / "junk.duckdb", tmp_path):
        with pytest.raises(IndexDamagedError, match="cannot be read as an index"):
            open_index(path)

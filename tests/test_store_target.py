"""Where an index may be published: never over what is not an index, and under one lock."""

from __future__ import annotations

import os
from pathlib import Path

import duckdb
import pytest

from flows.index import main
from index.errors import IndexBusyError, IndexTargetError
from index.store.build import build_index, open_index
from index.store.read import answers_beside
from index.store.target import lock_path, sole_builder
from query.journal import journal_path
from tests.test_store import publish_small


def make_folder(path: Path) -> None:
    path.mkdir()


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


def make_text(path: Path) -> None:
    path.write_text("the thesis of somebody")


def make_database(path: Path) -> None:
    with duckdb.connect(path) as con:
        con.execute("CREATE TABLE build (key VARCHAR, value VARCHAR); CREATE TABLE mine (x INT)")


def make_read_only(path: Path) -> None:
    publish_small(path)
    path.chmod(0o444)


def make_loop(path: Path) -> None:
    path.symlink_to(path.name)


def test_the_lock_is_its_owners_alone(tmp_path: Path) -> None:
    left = lock_path(tmp_path / "virome.duckdb")
    left.write_text("1")
    left.chmod(0o644)
    with sole_builder(tmp_path / "virome.duckdb"):
        assert left.stat().st_mode & 0o777 == 0o600


FOREIGN = {
    "folder": (make_folder, "a folder"),
    "pipe": (make_pipe, "not a plain file"),
    "text": (make_text, "not an index of this program"),
    "database of another program": (make_database, "not an index of this program"),
    "index kept read-only": (make_read_only, "kept read-only"),
    "link to itself": (make_loop, "cannot be written"),
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_what_is_not_an_index_is_never_built_over(kind: str, tmp_path: Path) -> None:
    make, reason = FOREIGN[kind]
    path = tmp_path / "a.duckdb"
    make(path)
    before = path.lstat()
    with pytest.raises(IndexTargetError, match=reason), build_index(path):
        raise AssertionError("a stage began")
    after = path.lstat()
    assert (after.st_ino, after.st_size, after.st_mtime_ns) == (
        before.st_ino,
        before.st_size,
        before.st_mtime_ns,
    )


def test_a_link_stays_a_link_and_the_file_behind_it_is_new(tmp_path: Path) -> None:
    real = tmp_path / "disk" / "real.duckdb"
    link = tmp_path / "link.duckdb"
    publish_small(real, "old")
    link.symlink_to(real)
    publish_small(link, "new")
    assert link.is_symlink()
    with open_index(real) as con:
        assert ("new",) in con.sql("SELECT label FROM entity").fetchall()
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["link.duckdb"]


def test_two_names_of_one_index_have_one_lock_one_journal_and_one_cache(tmp_path: Path) -> None:
    real = tmp_path / "real.duckdb"
    publish_small(real)
    soft, hard = tmp_path / "soft.duckdb", tmp_path / "hard.duckdb"
    soft.symlink_to(real)
    hard.hardlink_to(real)
    for name in (soft, hard):
        with build_index(real), pytest.raises(IndexBusyError), build_index(name):
            pass
    assert journal_path(soft) == journal_path(real)
    assert answers_beside(soft) == answers_beside(real)


def test_a_target_that_cannot_be_is_refused_before_any_stage(
    sample_inputs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    thesis = tmp_path / "thesis.duckdb"
    thesis.write_text("years of work")
    assert main(["--no-llm", "--inputs", str(sample_inputs), "--db", str(thesis)]) == 6
    said = capsys.readouterr().err
    assert "a file that is not an index of this program" in said
    assert "digest inputs" not in said
    assert thesis.read_text() == "years of work"

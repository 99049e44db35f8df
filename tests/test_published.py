"""What a server reads while builds are published over the index that it has open."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import duckdb
import pytest

from index.errors import IndexDamagedError, IndexMissingError
from index.store.published import read_published
from tests.conftest import BuiltIndex


def _publish(index: Path, over: Path, name: str) -> None:
    """Move a copy of ``index`` with another name for its content over the index at ``over``."""
    copy = over.with_name("next.duckdb")
    shutil.copy(index, copy)
    with duckdb.connect(copy) as con:
        con.execute("UPDATE build SET value = ? WHERE key = 'content_hash'", [name])
    copy.replace(over)


def _content(con: duckdb.DuckDBPyConnection) -> str:
    ((value,),) = con.execute("SELECT value FROM build WHERE key = 'content_hash'").fetchall()
    return str(value)


@pytest.fixture
def served(tmp_path: Path, small_index: BuiltIndex) -> Path:
    return Path(shutil.copy(small_index.path, tmp_path / "served.duckdb"))


def test_calls_that_overlap_see_the_build_published_before_they_began(
    served: Path, small_index: BuiltIndex
) -> None:
    with read_published(served) as before:
        old = _content(before)
        _publish(small_index.path, served, "second")
        with read_published(served) as after:
            _publish(small_index.path, served, "third")
            with read_published(served) as last:
                assert [_content(con) for con in (before, after, last)] == [old, "second", "third"]


def test_nothing_is_left_beside_the_index(served: Path) -> None:
    with read_published(served) as con:
        con.execute("SELECT count(*) FROM run").fetchall()
        assert [path.name for path in served.parent.iterdir()] == ["served.duckdb"]


def test_a_folder_that_takes_no_second_name_is_read_all_the_same(
    served: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError("read-only file system")

    monkeypatch.setattr(os, "link", refuse)
    with read_published(served) as con:
        assert _content(con)


def test_an_index_that_is_gone_or_damaged_is_named(served: Path) -> None:
    with read_published(served):
        pass
    served.write_bytes(b"not an index" * 1000)
    with pytest.raises(IndexDamagedError, match=r"/served\.duckdb"), read_published(served):
        pass
    served.unlink()
    with pytest.raises(IndexMissingError, match=r"/served\.duckdb"), read_published(served):
        pass

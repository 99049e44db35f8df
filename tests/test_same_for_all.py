"""What is the same for every question of an index is read once, and never of another index."""

from __future__ import annotations

from pathlib import Path

import duckdb

from index.store.same_for_all import same_for_all, same_for_each


def index_file(folder: Path, name: str, *, content: str | None) -> Path:
    """Return the file of an index whose only run is its ``name``."""
    file = folder / f"{name}.duckdb"
    with duckdb.connect(str(file)) as con:
        con.execute("CREATE TABLE build (key VARCHAR, value VARCHAR)")
        if content:
            con.execute("INSERT INTO build VALUES ('content_hash', $1)", [content])
        con.execute("CREATE TABLE run AS SELECT $1 AS run", [name])
    return file


class Reader:
    """Reads the runs of an index, and counts how often it did."""

    def __init__(self) -> None:
        self.times = 0
        self.runs = same_for_all(self._runs)

    def _runs(self, con: duckdb.DuckDBPyConnection) -> list[str]:
        self.times += 1
        return [run for (run,) in con.execute("FROM run").fetchall()]


def read(reader: Reader, file: Path, *, times: int = 2, read_only: bool = True) -> list[str]:
    with duckdb.connect(str(file), read_only=read_only) as con:
        found = [reader.runs(con.cursor()) for _ in range(times)]
    assert all(one == found[0] for one in found)
    return found[0]


def test_published_index_is_read_once_for_all_its_connections(tmp_path: Path) -> None:
    reader = Reader()
    file = index_file(tmp_path, "a", content="1")
    assert read(reader, file) == read(reader, file) == ["a"]
    assert reader.times == 1


def test_index_of_other_content_in_the_same_file_is_read_anew(tmp_path: Path) -> None:
    reader = Reader()
    file = index_file(tmp_path, "a", content="1")
    assert read(reader, file) == ["a"]
    index_file(tmp_path, "b", content="2").replace(file)
    assert read(reader, file) == ["b"]


def test_equal_content_in_another_file_is_read_anew(tmp_path: Path) -> None:
    reader = Reader()
    first, second = (index_file(tmp_path, name, content="1") for name in "ab")
    assert [read(reader, first), read(reader, second)] == [["a"], ["b"]]


def test_index_that_may_change_is_read_each_time(tmp_path: Path) -> None:
    reader = Reader()
    read(reader, index_file(tmp_path, "open", content="1"), read_only=False)
    read(reader, index_file(tmp_path, "unhashed", content=None))
    assert reader.times == 4


def test_few_indexes_are_kept(tmp_path: Path) -> None:
    reader = Reader()
    files = [index_file(tmp_path, f"i{number}", content=str(number)) for number in range(6)]
    for file in files:
        read(reader, file)
    assert reader.times == len(files)
    read(reader, files[-1])
    assert reader.times == len(files)
    read(reader, files[0])
    assert reader.times == len(files) + 1


def test_each_argument_is_asked_once_of_each_published_index(tmp_path: Path) -> None:
    asked: list[tuple[str, int]] = []

    @same_for_each
    def ask(con: duckdb.DuckDBPyConnection, name: str, *, times: int) -> str:
        asked.append((name, times))
        return name * times + str(con.execute("FROM run").fetchone())

    for name in "ab":
        with duckdb.connect(index_file(tmp_path, name, content="1"), read_only=True) as con:
            found = [ask(con, "x", times=2), ask(con, "x", times=2), ask(con, "x", times=3)]
        assert found[0] == found[1] == f"xx('{name}',)"
        assert found[2].startswith("xxx")
    assert asked == [("x", 2), ("x", 3)] * 2

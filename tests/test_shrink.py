"""What a build has lost against the published index, and when it is stopped."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from flows.shrink import Loss, measure_losses
from index.store.build import Build
from tests.tiny_index import tiny_index

REPORT = "SELECT 'C0-' || n AS community FROM range({}) rows(n)"
RUN = "SELECT 'R' || n AS run FROM range({}, {}) rows(n)"


@pytest.fixture
def build(tmp_path: Path) -> Iterator[Build]:
    """Yield a build of 18 runs, R02 to R19, and 12 reports, with nothing published yet."""
    with closing(tiny_index()) as connection:
        connection.execute(f"CREATE OR REPLACE TABLE run AS {RUN.format(2, 20)}")
        connection.execute(f"CREATE OR REPLACE TABLE report AS {REPORT.format(12)}")
        yield Build(tmp_path / "virome.duckdb", connection)


def publish(path: Path, *, first_run: int = 0, last_run: int = 20, reports: int = 12) -> None:
    """Publish an index of the runs ``first_run`` to ``last_run`` (not included) and so many
    reports.
    """
    with closing(duckdb.connect(path)) as connection:
        connection.execute(f"CREATE TABLE run AS {RUN.format(first_run, last_run)}")
        connection.execute(f"CREATE TABLE report AS {REPORT.format(reports)}")


PUBLISHED = """
first last reports | losses
0     20   12      | 2 of 20 runs, 0 of 12 reports
1     23   14      | 4 of 22 runs!, 2 of 14 reports!
100   118  12      | 18 of 18 runs!, 0 of 12 reports
2     10   3       | 0 of 8 runs, 0 of 3 reports
"""
"""More than a tenth is too much (!); as many other runs are a loss, growth is none."""


@pytest.mark.parametrize("row", PUBLISHED.strip().splitlines()[1:])
def test_more_than_a_tenth_lost_is_too_much(build: Build, row: str) -> None:
    published, expected = (cell.strip() for cell in row.split("|"))
    first, last, reports = map(int, published.split())
    publish(build.path, first_run=first, last_run=last, reports=reports)
    found = [f"{loss}{'!' * loss.is_large()}" for loss in measure_losses(build)]
    assert ", ".join(found) == expected


def test_without_a_published_index_nothing_is_lost(build: Build) -> None:
    assert measure_losses(build) == ()


@pytest.mark.parametrize("content", ["no database", ""])
def test_a_file_that_is_no_index_is_not_compared(build: Build, content: str) -> None:
    build.path.write_text(content)
    assert measure_losses(build) == ()


def test_the_published_index_can_be_read_while_it_is_compared(build: Build) -> None:
    publish(build.path)
    with closing(duckdb.connect(build.path, read_only=True)) as reader:
        measure_losses(build)
        assert reader.execute("SELECT count(*) FROM run").fetchall() == [(20,)]


def test_an_empty_index_loses_nothing() -> None:
    assert not Loss("runs", lost=0, held=0).is_large()

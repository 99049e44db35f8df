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


def losses(build: Build) -> list[tuple[str, bool]]:
    return [(str(loss), loss.is_large()) for loss in measure_losses(build)]


def test_a_tenth_may_be_lost(build: Build) -> None:
    publish(build.path)
    assert losses(build) == [("2 of 20 runs", False), ("0 of 12 reports", False)]


def test_more_than_a_tenth_is_too_much(build: Build) -> None:
    publish(build.path, first_run=1, last_run=23, reports=14)
    assert losses(build) == [("4 of 22 runs", True), ("2 of 14 reports", True)]


def test_as_many_other_runs_are_a_loss(build: Build) -> None:
    publish(build.path, first_run=100, last_run=118)
    assert losses(build)[0] == ("18 of 18 runs", True)


def test_growth_is_no_loss(build: Build) -> None:
    publish(build.path, first_run=2, last_run=10, reports=3)
    assert losses(build) == [("0 of 8 runs", False), ("0 of 3 reports", False)]


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

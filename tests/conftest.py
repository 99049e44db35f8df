"""Fixtures shared by all tests."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pytest
from hypothesis import settings

from flows.order import run_stages
from flows.progress import Progress, silent
from flows.summary import BuildSummary
from index.config import IndexConfig
from index.models.choose import ModelChoice
from index.store.build import open_index

ROOT = Path(__file__).resolve().parents[1]

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


_ENDS = pytest.StashKey[float | None]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--within SECONDS``: tests that have not begun by then are skipped."""
    parser.addoption("--within", type=float, default=None, help="skip tests after so many seconds")


def pytest_configure(config: pytest.Config) -> None:
    """Note when the time of ``--within`` ends."""
    seconds = config.getoption("--within")
    config.stash[_ENDS] = None if seconds is None else time.monotonic() + seconds


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test that begins after the end of ``--within``, before its fixtures are made."""
    ends = item.config.stash[_ENDS]
    if ends is not None and time.monotonic() > ends:
        pytest.skip("not reached in time")


@dataclass(frozen=True)
class BuiltIndex:
    """A published index and what its build said."""

    path: Path
    summary: BuildSummary


def build_from(inputs: Path, db: Path) -> BuiltIndex:
    """Build the index of ``inputs`` at ``db`` with the built-in configuration and no model."""
    model = ModelChoice(None, None, "tests")
    summary = run_stages(
        inputs, db, config=IndexConfig(), model=model, progress=Progress(say_line=silent)
    )
    return BuiltIndex(db, summary)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of real inputs, or skip."""
    folder = Path(os.environ.get("VIROME_SHARED_DATA", ROOT.parent / "shared" / "data"))
    if not (folder / "ontologies" / "taxdump.tar.gz").exists():
        pytest.skip(f"real inputs are absent: no {folder} (set VIROME_SHARED_DATA)")
    return folder


@pytest.fixture(scope="session")
def sample_inputs() -> Path:
    """Return the inputs manifest of the bundled synthetic sample."""
    return ROOT / "data" / "sample" / "inputs.toml"


@pytest.fixture(scope="session")
def sample_index(sample_inputs: Path, tmp_path_factory: pytest.TempPathFactory) -> BuiltIndex:
    """Return the index of the bundled sample, built once."""
    return build_from(sample_inputs, tmp_path_factory.mktemp("sample") / "virome.duckdb")


@pytest.fixture
def sample_db(sample_index: BuiltIndex) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a read-only connection to the index of the bundled sample."""
    with open_index(sample_index.path) as connection:
        yield connection

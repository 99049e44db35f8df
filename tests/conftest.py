"""Fixtures shared by all tests."""

from __future__ import annotations

import fcntl
import json
import os
import pickle
import re
import shutil
import signal
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb
import pytest
import typer.testing
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadFileScheduling

from flows.options import RunOptions
from flows.order import run_stages
from flows.progress import Progress, silent
from flows.stages.records import stored_ontologies
from flows.summary import BuildSummary
from index.config import IndexConfig, read_config
from index.models.choose import ModelChoice, choose_model
from index.store.build import open_index, results_path
from index.store.results import StageResult
from ontology_etl.load import OntologyTables

if TYPE_CHECKING:
    from tests.chromium import Page
    from tests.prefect_servers import Server

ROOT = Path(__file__).resolve().parents[1]

settings.register_profile(
    "untimed",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("untimed")

typer.testing._get_command = cache(typer.main.get_command)  # takes 30 ms


_SERVERS = pytest.StashKey[ExitStack]()


def pytest_configure(config: pytest.Config) -> None:
    """Let commands that tests start be compiled once."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    config.stash[_SERVERS] = ExitStack()


_TOGETHER = {
    "real": ("every_name", "grounding_accuracy", "mwas_inputs", "ontology_real", "real_gate",
             "real_index", "row_counts", "virus_names"),
    "prefect": ("prefect_pool", "prefect_server", "dask_cluster"),
    "chromium": ("browser", "chart_axes"),
}  # fmt: skip
"""Files that one worker of xdist runs: they share the index of the real data, a server, or a
browser.
"""
_GROUP_OF_FILE = {f"test_{name}.py": group for group, names in _TOGETHER.items() for name in names}
_LONG = ("unchanged_stages", "mcp", "query_cli", "nothing_sent", "watching", "recorded_answers",
         "index_killed", "verify", "communities_of_model")  # fmt: skip
"""Other files that take long: begun last, they would leave the other workers without work."""


class TogetherScheduling(LoadFileScheduling):  # type: ignore[misc]
    """Gives a file to one worker, and files that share what is expensive to the same."""

    def _split_scope(self, nodeid: str) -> str:
        file: str = super()._split_scope(nodeid)
        return _GROUP_OF_FILE.get(Path(file).name, file)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> TogetherScheduling | None:
    """Return the scheduler of ``--dist loadfile``."""
    is_by_file = config.getoption("dist") == "loadfile"
    return TogetherScheduling(config, log) if is_by_file else None


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return the workers of ``-n auto``: one more than cores, as some wait for servers."""
    return (os.cpu_count() or 1) + 1


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin with what takes longest where workers share the files: those that share something
    expensive, then long ones.
    """
    if not hasattr(config, "workerinput"):
        return
    order = [*_TOGETHER, *(f"test_{name}.py" for name in _LONG)]
    places = {name: place for place, name in enumerate(order)}

    def place_of(item: pytest.Item) -> int:
        file = item.path.name
        return places.get(_GROUP_OF_FILE.get(file, file), len(order))

    items.sort(key=place_of)


@dataclass(frozen=True)
class BuiltIndex:
    """A published index and what its build said."""

    path: Path
    summary: BuildSummary
    inputs: Path


NO_MODEL = ModelChoice(None, None, "tests")
FEW_WORDED = """
[report]
max_worded = 6
concurrency = 1
risk_policy = "open"
"""
"""The configuration of ``worded_index``."""


def build_from(
    inputs: Path,
    db: Path,
    *,
    again: str | None = None,
    config: IndexConfig = IndexConfig(),  # noqa: B008 - frozen
    model: ModelChoice = NO_MODEL,
) -> BuiltIndex:
    """Build the index of ``inputs`` at ``db``, without a model unless one is given."""
    summary = run_stages(
        inputs,
        db,
        config=config,
        model=model,
        progress=Progress(say_line=silent),
        options=RunOptions(again=again),
    )
    return BuiltIndex(db, summary, inputs)


def small_cohort(folder: Path) -> Path:
    """Write a small cohort to ``folder`` and return its manifest, whose paths to other folders are
    absolute: it can be copied.
    """
    from benchmarks.cohort import write_cohort
    from benchmarks.cohort_shape import Shape

    write_cohort(folder, Shape(runs=300, seed=5), as_parquet=True)
    inputs = folder / "inputs.toml"

    def absolute(path: re.Match[str]) -> str:
        return f'"{os.path.normpath(folder / path[1])}"'

    inputs.write_text(re.sub(r'"((?:\.\./)+.*)"', absolute, inputs.read_text()))
    return inputs


def copy_index(built: BuiltIndex, folder: Path, *, name: str = "virome.duckdb") -> Path:
    """Copy an index and the results of its stages to ``folder``; return the path of the copy."""
    copy = Path(shutil.copy(built.path, folder / name))
    copy_results(built, copy)
    return copy


def copy_results(built: BuiltIndex, db: Path, *, but: Collection[str] = ()) -> None:
    """Copy the results of the stages of an index to where a build at ``db`` looks for its own.

    The results of the stages ``but`` are left out: the build has to compute them.
    """
    results, copied = results_path(built.path), results_path(db)
    shutil.copytree(results, copied)
    shutil.copy(f"{results}.json", f"{copied}.json")
    left_out = set()
    for path in (copied / "results").iterdir():
        stage = StageResult.model_validate_json(path.read_text()).stage
        if stage in but:
            path.unlink()
            left_out.add(stage)
    assert left_out == set(but)


class BuildOnce:
    """Builds each index once per test session, whichever worker of xdist needs it first."""

    def __init__(self, factory: pytest.TempPathFactory) -> None:
        base = factory.getbasetemp()
        self._folder = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def __call__(self, name: str, build: Callable[[Path], BuiltIndex]) -> BuiltIndex:
        """Return the index ``name``, built by ``build`` at the path that it is given."""
        folder = self._folder / f"shared-{name}"
        folder.mkdir(exist_ok=True)
        done = folder / "built.pickle"
        with (folder / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not done.exists():
                done.write_bytes(pickle.dumps(build(folder / "virome.duckdb")))
        built: BuiltIndex = pickle.loads(done.read_bytes())
        return built


@pytest.fixture(scope="session")
def build_once(tmp_path_factory: pytest.TempPathFactory) -> BuildOnce:
    """Return what builds an index once for all workers."""
    return BuildOnce(tmp_path_factory)


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
def sample_index(sample_inputs: Path, build_once: BuildOnce) -> BuiltIndex:
    """Return the index of the bundled sample, built once."""
    return build_once("sample", lambda db: build_from(sample_inputs, db))


@pytest.fixture(scope="session")
def small_index(build_once: BuildOnce) -> BuiltIndex:
    """Return the index of a small cohort, built once."""
    return build_once("small", lambda db: build_from(small_cohort(db.parent / "cohort"), db))


@pytest.fixture(scope="session")
def worded_index(small_index: BuiltIndex, build_once: BuildOnce) -> BuiltIndex:
    """Return the index of the small cohort, six reports of it in the words of a model that is gone
    now, built once. Beside it are ``config.toml`` and ``virome.prompts.json``.
    """
    from tests.scripted_openai import serve
    from tests.wording_cases import careful

    def build(db: Path) -> BuiltIndex:
        config = db.with_name("config.toml")
        config.write_text(FEW_WORDED)
        copy_results(small_index, db)
        with serve(careful) as server, pytest.MonkeyPatch.context() as environ:
            environ.setenv("OPENAI_BASE_URL", server.base_url)
            environ.setenv("VIROME_MODEL", "scripted-20b")
            model = choose_model(os.environ)
            built = build_from(small_index.inputs, db, config=read_config(config), model=model)
            db.with_suffix(".prompts.json").write_text(json.dumps(server.requests))
        return built

    return build_once("worded", build)


@pytest.fixture(scope="session")
def opened_sample(sample_index: BuiltIndex) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a read-only connection to the index of the bundled sample. While it is open, others
    to the index cost little.
    """
    with open_index(sample_index.path) as connection:
        yield connection


@pytest.fixture
def sample_db(
    opened_sample: duckdb.DuckDBPyConnection,
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a read-only connection to the index of the bundled sample for one test."""
    with opened_sample.cursor() as connection:
        yield connection


@pytest.fixture(scope="session")
def real_inputs(shared_data: Path) -> Iterator[Path]:
    """Yield the inputs manifest of the real data, whose paths lead to ``shared_data``."""
    with pytest.MonkeyPatch.context() as monkey:
        monkey.setenv("VIROME_SHARED_DATA", str(shared_data))
        yield ROOT / "data" / "real" / "inputs.toml"


@pytest.fixture(scope="session")
def real_index(real_inputs: Path, build_once: BuildOnce) -> BuiltIndex:
    """Return the index of the real data, built once, some reports of it interpreted by a model
    elsewhere. Its associations are tested with few permutations, its communities for no stability.
    """
    from tests.recorded_prompts import build_recorded

    quick = IndexConfig.model_validate(
        {
            "mwas": {"resamples": 200, "max_resamples": 200},
            "graph": {"stability_max_relationships": 0},
        }
    )
    return build_once("real", lambda db: build_recorded(real_inputs, db, most=4, config=quick))


@pytest.fixture(scope="session")
def real_ontologies(real_index: BuiltIndex) -> OntologyTables:
    """Return the tables of the real ontologies at full size, as the index keeps them."""
    with open_index(real_index.path) as connection:
        return stored_ontologies(connection)


@pytest.fixture
def real_db(real_index: BuiltIndex) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield a read-only connection to the index of the real data."""
    with open_index(real_index.path) as connection:
        yield connection


@pytest.fixture
def composed_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read questions without the tuned model, which takes a second of a core for each."""
    monkeypatch.setattr("query.reading.reader.read_tuned", lambda _question: None)


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Heed Ctrl-C: a shell that started the tests in the background has them ignore it, and a
    child inherits that.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="session")
def browser_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the files of Chromium, and of what it downloads."""
    return tmp_path_factory.mktemp("chromium")


@pytest.fixture(scope="session")
def page(browser_folder: Path) -> Iterator[Page]:
    """Yield a tab of Chromium that runs as long as the tests do, or skip."""
    from tests.chromium import CHROMIUM, opened_page

    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    with opened_page(browser_folder) as opened:
        yield opened


@pytest.fixture(scope="session")
def prefect_server(
    pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    """Yield a Prefect server for the files that share it: an idle one goes on working."""
    from tests.prefect_servers import started_server

    with pytestconfig.stash[_SERVERS] as servers:
        yield servers.enter_context(started_server(tmp_path_factory.mktemp("prefect")))


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item: pytest.Item) -> None:
    """Stop the servers after the last test of the files that share them."""
    sharing = [one for one in item.session.items if _GROUP_OF_FILE.get(one.path.name) == "prefect"]
    if sharing and item is sharing[-1]:
        item.config.stash[_SERVERS].close()

"""Stages whose inputs, parameters and code are those of an earlier build are not run again, and the
index is the one that a full build gives.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import stat
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import duckdb
import polars as pl
import pytest

from flows.index import main
from flows.options import STAGES, RunOptions
from flows.order import run_stages
from flows.progress import Progress, silent
from flows.stages.site import open_site
from flows.summary import BuildSummary
from index.config import IndexConfig
from index.models.choose import ModelChoice
from index.store.build import content_hash, open_index, results_path
from index.store.results import ResultList, ResultStore, StageResult
from query.answer import Answer
from query.journal import record_answer
from tests.conftest import ROOT, BuiltIndex, copy_results
from tests.faults_of_files import files_end_at

AFTER_ASSOCIATIONS = ("test associations", "compute facts", "write reports", "embed reports")
MWAS = '\n[[input]]\nformat = "mwas_csv"\npath = "mwas.csv"\n'


@dataclass
class Place:
    """Inputs, the index made of them, and what the last build said."""

    inputs: Path
    db: Path
    said: list[str]

    def build(self, again: str | None = None, **config: object) -> BuildSummary:
        """Build in place and return the summary."""
        self.said.clear()
        return run_stages(
            self.inputs,
            self.db,
            config=IndexConfig.model_validate(config),
            model=ModelChoice(None, None, "tests"),
            progress=Progress(say_line=self.said.append),
            options=RunOptions(accept_shrink=True, again=again),
        )

    def ran(self) -> tuple[str, ...]:
        """Return the stages that ran in the last build, in their order."""
        named = [line.partition("] ")[2] for line in self.said]
        return tuple(name for name in named if name in STAGES)

    @property
    def mwas(self) -> Path:
        """Return the file of published associations."""
        return self.inputs.with_name("mwas.csv")

    def drop_an_association(self) -> None:
        """Leave out the last of the published associations."""
        lines = self.mwas.read_text().splitlines(keepends=True)
        self.mwas.write_text("".join(lines[:-1]))

    def hash(self) -> str:
        """Return the digest of what is published."""
        with open_index(self.db) as connection:
            return content_hash(connection)


@pytest.fixture(scope="module")
def first(small_index: BuiltIndex, tmp_path_factory: pytest.TempPathFactory) -> Place:
    """Return the index of a small cohort with published associations, built once."""
    folder = tmp_path_factory.mktemp("unchanged")
    inputs = shutil.copytree(small_index.inputs.parent, folder / "cohort") / "inputs.toml"
    shutil.copy(ROOT / "data" / "sample" / "mwas.csv", inputs.parent)
    text = inputs.read_text()
    inputs.write_text(text.replace("\n[[searched]]", f"{MWAS}\n[[searched]]", 1))
    place = Place(inputs, folder / "virome.duckdb", [])
    copy_results(small_index, place.db)
    place.build()
    assert place.ran() == ("read records", *AFTER_ASSOCIATIONS)
    return place


def _copy(first: Place, folder: Path) -> Place:
    """Return a copy of the cohort, its index and the results kept beside it."""
    inputs = shutil.copytree(first.inputs.parent, folder / "cohort") / "inputs.toml"
    kept, copied = results_path(first.db), results_path(folder / "virome.duckdb")
    shutil.copytree(kept, copied)
    shutil.copy(_list_of(kept), _list_of(copied))
    return Place(inputs, Path(shutil.copy(first.db, folder)), [])


@pytest.fixture
def place(first: Place, tmp_path: Path) -> Place:
    """Return a copy of the first index that a test may change."""
    return _copy(first, tmp_path)


@pytest.fixture(scope="module")
def changed(first: Place, tmp_path_factory: pytest.TempPathFactory) -> Place:
    """Return a copy of the first index, built again with one published association less."""
    place = _copy(first, tmp_path_factory.mktemp("changed"))
    place.drop_an_association()
    assert place.build().communities.endswith(" same")
    return place


def test_an_unchanged_index_is_left_as_it_is(first: Place) -> None:
    before = first.db.stat().st_mtime_ns
    summary = first.build()
    assert first.ran() == (), first.said
    assert summary.unchanged == STAGES
    assert summary.content_hash == first.hash()
    assert first.db.stat().st_mtime_ns == before
    assert "nothing has changed" in first.said[-1]


def test_changed_associations_run_what_follows_from_them_and_no_more(
    first: Place, changed: Place
) -> None:
    assert changed.ran() == ("read records", *AFTER_ASSOCIATIONS)
    assert changed.hash() != first.hash()

    shutil.copy(first.mwas, changed.mwas)
    less = changed.db.with_name("less.duckdb")
    shutil.copy(changed.db, less)
    assert changed.build().unchanged == STAGES
    assert changed.hash() == first.hash()
    less.replace(changed.db)


QUICK = {
    "mwas": {"resamples": 100, "max_resamples": 100},
    "graph": {"stability_max_relationships": 0},
}
"""A configuration with few permutations and one clustering."""
NEW_RUNS = """Run,BioSample,BioProject,Organism
SRR9000001,SAMN90000001,PRJNA900001,human gut metagenome
SRR9000002,SAMN90000002,PRJNA900001,pig gut metagenome
"""
NEW_SAMPLES = """biosample\tattribute\tvalue
SAMN90000001\thost\tHomo sapiens
SAMN90000001\ttissue\tnasal swab of a ferret
SAMN90000002\thost\tpig
"""
NEW_INPUTS = """
[[input]]
format = "sra_run_table"
path = "new_runs.csv"

[[input]]
format = "biosample_attributes"
path = "new_samples.tsv"

[[searched]]"""


def test_new_runs_give_the_index_of_a_build_that_can_keep_no_results(
    place: Place, tmp_path: Path
) -> None:
    place.inputs.with_name("new_runs.csv").write_text(NEW_RUNS)
    place.inputs.with_name("new_samples.tsv").write_text(NEW_SAMPLES)
    text = place.inputs.read_text()
    place.inputs.write_text(text.replace("\n[[searched]]", NEW_INPUTS, 1))
    full = Place(place.inputs, tmp_path / "full" / "virome.duckdb", [])
    full.db.parent.mkdir()
    shutil.copy(place.db, full.db)
    results_path(full.db).write_text("a file is in the way")

    place.build(**QUICK)
    assert "ground metadata" in place.ran()
    (counted,) = (line for line in place.said if "titles are new" in line)
    new, reports = (int(number) for number in re.findall(r" (\d+) ", counted)[-2:])
    assert 0 < new < reports
    full.build(**QUICK)
    assert full.ran() == STAGES
    assert sum("results of stages cannot be kept" in line for line in full.said) == 1
    assert place.hash() == full.hash()


def test_a_changed_parameter_runs_the_stages_that_use_it(place: Place) -> None:
    place.build(report={"max_findings": 4})
    assert place.ran()[0] == "write reports"


def _alter(place: Place, path: Path) -> None:
    """Add one to every number of a kept result, under the names that the altered files have."""
    folder = results_path(place.db)
    result = StageResult.model_validate_json(path.read_text())
    tables = []
    for table in result.tables:
        frame = pl.read_parquet(folder / "tables" / f"{table.sha256}.parquet")
        frame = frame.with_columns(pl.col(pl.Int64) + 1)
        altered = folder / "tables" / "altered.parquet"
        frame.write_parquet(altered)
        digest = hashlib.sha256(altered.read_bytes()).hexdigest()
        altered.rename(altered.with_stem(digest))
        tables.append(table.model_copy(update={"sha256": digest}))
    path.write_text(result.model_copy(update={"tables": tuple(tables)}).model_dump_json())


def _sign_anew(place: Place) -> None:
    """Write the list of kept results as the files are now."""
    written = {path.stem: hashlib.sha256(path.read_bytes()).hexdigest() for path in _results(place)}
    _list_of(results_path(place.db)).write_text(ResultList(results=written).model_dump_json())


def test_each_result_that_is_not_as_written_is_made_again(place: Place) -> None:
    before = place.hash()
    paths = _results_in_use(place)
    listed = StageResult.model_validate_json(paths["load ontologies"].read_text())
    (term, *_) = [table for table in listed.tables if table.name == "term"]
    _flip_a_byte(results_path(place.db) / "tables" / f"{term.sha256}.parquet")
    _alter(place, paths["test associations"])
    paths["compute facts"].write_text("{")
    shutil.copy(paths["embed reports"], paths["write reports"])

    place.db.unlink()
    place.build()
    assert place.ran() == ("load ontologies", *AFTER_ASSOCIATIONS[:-1])
    assert any("stored result of load ontologies: term is damaged" in line for line in place.said)
    broken = f"the stored result {paths['compute facts'].name} is not what a build wrote"
    assert any(broken in line for line in place.said)
    assert place.hash() == before


def _flip_a_byte(path: Path) -> None:
    """Damage the middle of a file."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def test_an_altered_stage_is_not_used_though_the_list_was_written_for_it(place: Place) -> None:
    before = place.hash()
    for path in _results(place):
        if _stage_of(path) in AFTER_ASSOCIATIONS:
            _alter(place, path)
    _sign_anew(place)
    place.build(again="compute facts")
    assert any("is not what a build wrote" in line for line in place.said)
    assert place.hash() == before

    again = place.build()
    assert again.unchanged == STAGES
    assert not any("is not what a build wrote" in line for line in place.said)


def test_altered_inputs_are_not_used_though_the_list_was_written_for_them(
    place: Place, changed: Place
) -> None:
    before = place.hash()
    for path in _results(place):
        if _stage_of(path) not in STAGES:
            _alter(place, path)
    _sign_anew(place)
    place.build(again="embed reports")
    assert place.hash() == before

    place.drop_an_association()
    place.build()
    assert any("is not what a build wrote" in line for line in place.said)
    assert place.hash() == changed.hash() != before


def test_of_a_damaged_or_missing_list_no_result_is_used(place: Place) -> None:
    folder = results_path(place.db)
    for content in ("", "{", '{"results": 7}', "\0", None):
        if content is None:
            _list_of(folder).unlink()
        else:
            _list_of(folder).write_text(content)
        said: list[str] = []
        store = ResultStore(folder, max_bytes=10**9, say=said.append)
        assert {store.find(path.stem) for path in _results(place)} == {None}
        damaged = sum("list of stored results" in line for line in said)
        assert damaged == (content is not None), content


def test_what_is_kept_is_its_owners_alone(first: Place) -> None:
    kept = results_path(first.db)
    for path in (kept, _list_of(kept), *kept.rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path


def test_results_on_a_full_disk_are_given_up_once_and_leave_nothing_behind(tmp_path: Path) -> None:
    said: list[str] = []
    store = ResultStore(tmp_path / "kept", max_bytes=10**6, say=said.append)
    small, large = (pl.DataFrame({"a": range(rows)}) for rows in (10, 100_000))
    table = store.add("a", small)
    assert table is not None
    store.keep("k", StageResult(stage="one", tables=(table,)))
    with files_end_at(10_000):
        assert store.add("b", large) is None
        assert store.add("c", large) is None
        store.trim()
    assert [len(said), store.is_usable] == [1, False]
    assert list(tmp_path.rglob("*.unfinished")) == []
    assert ResultStore(tmp_path / "kept", max_bytes=10**6, say=said.append).find("k") is not None


def test_a_build_that_fails_keeps_no_more_results_than_it_may(
    sample_inputs: Path, tmp_path: Path
) -> None:
    db = tmp_path / "virome.duckdb"
    site = open_site(
        sample_inputs,
        db,
        config=IndexConfig.model_validate({"max_kept_gb": 1e-9}),
        model=ModelChoice(None, None, "tests"),
        progress=Progress(say_line=silent),
    )
    with suppress(ZeroDivisionError), site as place:
        table = place.reuse.store.add("a", pl.DataFrame({"a": range(1000)}))
        assert table is not None
        place.reuse.store.keep("k", StageResult(stage="one", tables=(table,)))
        raise ZeroDivisionError
    assert list(results_path(db).rglob("*.parquet")) == []


def test_results_kept_at_once_are_all_listed(tmp_path: Path) -> None:
    said: list[str] = []
    store = ResultStore(tmp_path / "kept", max_bytes=10**9, say=said.append)
    keys = [f"k{number}" for number in range(200)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda key: store.keep(key, StageResult(stage=key, tables=())), keys))
    assert said == []
    later = ResultStore(tmp_path / "kept", max_bytes=10**9, say=said.append)
    assert [key for key in keys if later.find(key) is None] == []


def test_results_that_cannot_be_removed_end_no_build(tmp_path: Path) -> None:
    said: list[str] = []
    (tmp_path / "tables" / "in the way").mkdir(parents=True)
    assert ResultStore(tmp_path, max_bytes=0, say=said.append).trim() == 0
    assert len(said) == 1


def test_an_answer_since_the_last_build_is_taken_into_the_index(place: Place) -> None:
    answer = Answer(question="Which?", mode="global", answer="None.", points=())
    record_answer(answer, place.db)
    place.build()
    assert place.ran() == ()
    with open_index(place.db) as connection:
        assert connection.execute("SELECT question FROM answer").fetchall() == [("Which?",)]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE report SET title = 'Nothing' WHERE rating >= 0",
        "CREATE TABLE extra AS SELECT 1 AS one",
    ],
)
def test_an_altered_index_is_published_anew(place: Place, statement: str) -> None:
    before = place.hash()
    with duckdb.connect(place.db) as connection:
        connection.execute(statement)
    place.build()
    assert "nothing has changed" not in place.said[-1]
    assert place.ran() == ()
    assert place.hash() == before


def test_the_least_recently_used_result_goes_first(tmp_path: Path) -> None:
    frames = [pl.DataFrame({"a": range(start, start + 1000)}) for start in (0, 5000, 9000)]
    store = ResultStore(tmp_path, max_bytes=10**6, say=print)
    for number, frame in enumerate(frames):
        table = store.add("a", frame)
        assert table is not None
        store.keep(f"k{number}", StageResult(stage="one", tables=(table,)))
        os.utime(tmp_path / "results" / f"k{number}.json", (number, number))
    one = store.size() // 3

    later = ResultStore(tmp_path, max_bytes=2 * one + one // 2, say=print)
    assert later.find("k0") is not None
    assert later.trim() > 0
    assert later.find("k1") is None
    assert later.find("k0") is not None
    assert later.find("k2") is not None
    assert len(list((tmp_path / "tables").iterdir())) == 2

    assert ResultStore(tmp_path, max_bytes=0, say=print).trim() > 0
    assert list((tmp_path / "tables").iterdir()) == []


def test_a_stage_that_does_not_exist_is_a_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--from", "facts"]) == 2
    assert "'facts' is not one of load ontologies" in capsys.readouterr().err


def _list_of(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.json")


def _stage_of(path: Path) -> str:
    return StageResult.model_validate_json(path.read_text()).stage


def _results(place: Place) -> list[Path]:
    return sorted((results_path(place.db) / "results").iterdir())


def _results_in_use(place: Place) -> dict[str, Path]:
    """Return the result of each stage that the index was made of."""
    noted = "SELECT value FROM build WHERE key = $1"
    with open_index(place.db) as index:
        keys = {stage: index.execute(noted, [f"stage.{stage}"]).fetchall() for stage in STAGES}
    folder = results_path(place.db) / "results"
    return {stage: folder / f"{key}.json" for stage, ((key,),) in keys.items()}

"""Files that people name: replaced by whole ones, never by what fits on a full disk."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from index.store.whole_file import whole_file, write_whole
from query.cli.app import app
from tests.faults import files_end_at
from tests.query_index import make_index

COMMANDS = (
    ["sql", "--run", "SELECT repeat('x', 9999) AS x", "--output", "{folder}/out.csv"],
    ["sql", "--run", "SELECT random() FROM range(900)", "--output", "{folder}/out.parquet"],
    ["atlas", "{folder}/out.html"],
    *(["export", "{folder}", "--as", kind] for kind in ("csv", "gexf", "notes", "crate", "sssom")),
    *(
        ["export", "{folder}", "--as", kind, "--table", "name"]
        for kind in ("parquet", "json", "croissant")
    ),
)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a small index to write files from."""
    return make_index(tmp_path_factory.mktemp("whole") / "index.duckdb")


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_file_on_a_full_disk_stays_as_it_was(
    tmp_path: Path, index: Path, command: list[str]
) -> None:
    arguments = [part.format(folder=tmp_path) for part in command]
    run = CliRunner().invoke
    assert run(app, [*arguments, "--db", str(index)]).exit_code == 0
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    with files_end_at(300):
        done = run(app, [*arguments, "--db", str(index)])
    assert (done.exit_code, "error: " in done.output) == (8, True), done.output
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_link_stays_a_link_and_a_mode_a_mode(tmp_path: Path) -> None:
    real, link = tmp_path / "real.txt", tmp_path / "link.txt"
    real.write_text("old")
    real.chmod(0o640)
    link.symlink_to(real)
    write_whole(link, "new")
    assert (link.is_symlink(), real.read_text()) == (True, "new")
    assert real.stat().st_mode & 0o777 == 0o640


def test_a_device_is_written_to_as_it_is() -> None:
    with whole_file(Path("/dev/null")) as working:
        assert working == Path("/dev/null")


def test_nothing_is_left_beside_a_file_that_failed(tmp_path: Path) -> None:
    with pytest.raises(UnicodeEncodeError):
        write_whole(tmp_path / "a.txt", "half \ud800")
    assert os.listdir(tmp_path) == []

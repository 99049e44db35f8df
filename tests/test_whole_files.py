"""Files that people name: replaced by whole ones, never by what fits on a full disk."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from index.store.whole_file import whole_file, write_whole
from tests.query_index import make_index


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


def test_an_answer_that_does_not_fit_on_the_disk_is_said_to_be_incomplete(tmp_path: Path) -> None:
    index = make_index(tmp_path / "index.duckdb")
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "query", "sql", "--run", "FROM run", "--db", str(index)],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert (done.returncode, done.stderr) == (
        8,
        "error: the output is incomplete: No space left on device\n",
    )


def test_nothing_is_left_beside_a_file_that_failed(tmp_path: Path) -> None:
    with pytest.raises(UnicodeEncodeError):
        write_whole(tmp_path / "a.txt", "half \ud800")
    assert os.listdir(tmp_path) == []

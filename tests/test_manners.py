"""Manners of the command line: quiet, and a pager for what is longer than the terminal."""

from __future__ import annotations

import os
import pydoc
import re
import subprocess
import sys
from pathlib import Path

import pytest

from query.cli.console import print_pages
from tests.conftest import BuiltIndex


def query(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environ = {name: value for name, value in os.environ.items() if name != "VIROME_DB"}
    command = [sys.executable, "-m", "query", *words]
    return subprocess.run(
        command, cwd=folder, env=environ, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def folder(sample_index: BuiltIndex, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("manners")
    (folder / "data" / "index").mkdir(parents=True)
    (folder / "data" / "index" / "virome.duckdb").symlink_to(sample_index.path)
    return folder


def test_quiet_leaves_out_notes_and_nothing_else(folder: Path) -> None:
    usual = query(folder, "communities", "--limit", "3")
    quiet = query(folder, "--quiet", "communities", "--limit", "3")

    assert "index: data/index/virome.duckdb" in usual.stderr
    assert re.search(r"3 of \d+ shown", usual.stderr)
    assert quiet.stderr == ""
    assert quiet.stdout == usual.stdout


def test_an_error_is_said_however_quiet(folder: Path) -> None:
    failed = query(folder, "--quiet", "report", "no such thing at all")

    assert failed.returncode != 0
    assert failed.stderr.startswith("error: ")


@pytest.mark.parametrize(("lines", "by_pager"), [(23, False), (24, True), (500, True)])
def test_what_is_longer_than_the_terminal_goes_to_the_pager(
    lines: int,
    by_pager: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    seen: list[str] = []
    monkeypatch.setattr(pydoc, "pager", seen.append)
    text = "a line\n" * lines

    print_pages(text, height=24)

    assert seen == ([text] if by_pager else [])
    assert capsys.readouterr().out == ("" if by_pager else text)

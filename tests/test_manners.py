"""Manners of the command line: quiet, and a pager for what is longer than the terminal."""

from __future__ import annotations

import pydoc
import re
from contextvars import copy_context
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from query.cli.app import app
from query.cli.console import print_pages
from tests.conftest import BuiltIndex


def query(*words: str) -> Result:
    """Run a command as the command line does; that it is quiet is forgotten behind it."""
    return copy_context().run(CliRunner().invoke, app, words)


@pytest.fixture
def folder(sample_index: BuiltIndex, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run commands where the index of the sample is found by itself."""
    (tmp_path / "data" / "index").mkdir(parents=True)
    (tmp_path / "data" / "index" / "virome.duckdb").symlink_to(sample_index.path)
    monkeypatch.delenv("VIROME_DB", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("folder")
def test_quiet_leaves_out_notes_and_nothing_else() -> None:
    usual = query("communities", "--limit", "3")
    quiet = query("--quiet", "communities", "--limit", "3")

    assert "index: data/index/virome.duckdb" in usual.stderr
    assert re.search(r"3 of \d+ shown", usual.stderr)
    assert quiet.stderr == ""
    assert quiet.stdout == usual.stdout


@pytest.mark.usefixtures("folder")
def test_an_error_is_said_however_quiet() -> None:
    failed = query("--quiet", "report", "no such thing at all")

    assert failed.exit_code != 0
    assert failed.stderr.startswith("error: ")


@pytest.mark.parametrize(("lines", "by_pager"), [(23, False), (24, True), (500, True)])
def test_what_is_longer_than_the_terminal_goes_to_the_pager(
    lines: int, by_pager: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seen: list[str] = []
    monkeypatch.setattr(pydoc, "pager", seen.append)
    text = "a line\n" * lines

    print_pages(text, height=24)

    assert seen == ([text] if by_pager else [])
    assert capsys.readouterr().out == ("" if by_pager else text)

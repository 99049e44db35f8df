"""docs/formats.md is what the readers declare; the walk-through of docs/your-data.md runs.

``UPDATE_DOCS=1 pytest tests/test_your_data.py`` writes the formats anew.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from flows import index, inputs
from index.sources import SOURCES
from index.sources.describing import describe
from index.sources.layout import Layout
from index.sources.source import Source
from query.cli.app import app
from tests.conftest import ROOT

PAGE = ROOT / "docs" / "your-data.md"
FORMATS_PAGE = ROOT / "docs" / "formats.md"
FORMATS_HEAD = """# File formats

An index can be built from files of the formats below, plain or compressed (`.gz`). Tables can
also be sheets of a spreadsheet or Parquet files. You rarely have to name a format:
`python -m flows.inputs new FILES` recognises each file and writes the manifest. Any other table
can be read as a [`table`](your-data.md#any-table). `python -m flows.inputs formats NAME` shows all
columns of a format, with an example of each, and its options. How a build reads files:
[your data](your-data.md#how-a-build-reads-a-file).

| format | what it is | must have | licence |
|---|---|---|---|
"""
FILE_BLOCK = re.compile(r"```csv (\S+)\n(.*?)```", re.DOTALL)
CONSOLE_BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)
ELLIPSIS = "…"


# --- the formats ----------------------------------------------------------------------------------


def must_have(source: Source) -> str:
    """Return the required columns of ``source`` in Markdown, or what its files hold."""
    columns = (
        ", ".join(f"`{name}`" for name in layout.required)
        for layout in source.layouts
        if layout.required
    )
    return " *or* ".join(dict.fromkeys(columns)) or source.holds


def formats_page() -> str:
    """Return the page of formats: a row for each."""
    rows = [
        f"| `{name}` | {source.description} | {must_have(source)} | {source.licence} |"
        for name, source in SOURCES.items()
    ]
    return FORMATS_HEAD + "\n".join([*rows, ""])


def test_the_page_of_formats_is_what_the_readers_declare() -> None:
    page = formats_page()
    if os.environ.get("UPDATE_DOCS"):
        FORMATS_PAGE.write_text(page)
    assert page == FORMATS_PAGE.read_text(), "stale: UPDATE_DOCS=1 pytest tests/test_your_data.py"


def test_a_format_is_described_with_every_column_and_option() -> None:
    for name, source in SOURCES.items():
        text = describe(name, source)
        columns = [column for layout in source.layouts for column in layout.columns]
        assert all(f"{column.name} " in text for column in columns)
        assert all(f"option {option}: " in text for option in source.companions)


def test_every_column_says_what_it_is_and_shows_a_value() -> None:
    layouts = [layout for source in SOURCES.values() for layout in source.layouts]
    columns = [(layout.name, column) for layout in layouts for column in layout.columns]
    silent = [
        (table, column.name)
        for table, column in columns
        if len(column.meaning) <= 6 or not column.example
    ]
    assert len(columns) > 200
    assert silent == []


TABLES = [
    pytest.param(source, layout, id=layout.name)
    for source in SOURCES.values()
    for layout in source.layouts
    if not layout.needs
]


@pytest.mark.parametrize(("source", "layout"), TABLES)
def test_the_example_row_is_one_that_is_read(
    tmp_path: Path, source: Source, layout: Layout
) -> None:
    path = tmp_path / "example.tsv"
    header = "\t".join(layout.names)
    lines = [] if layout.first_line else [header]
    lines.append("\t".join(column.example for column in layout.columns))
    if layout.name == "ncbi_stat":
        lines.append("SRR423939\t1\t300000000")
    path.write_text("\n".join(lines) + "\n")
    assert source.read(path).rejected.is_empty()


def test_every_reader_is_a_source_by_the_name_of_its_module() -> None:
    folder = ROOT / "index" / "sources" / "formats"
    readers = [path.stem for path in folder.glob("*.py") if "\nSOURCE: Final" in path.read_text()]
    assert len(readers) > 20
    assert {SOURCES[name].read.__module__.rpartition(".")[2] for name in readers} == set(readers)


# --- the walk-through -----------------------------------------------------------------------------


def commands(page: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each command of the page with the lines that it is said to print."""
    for block in CONSOLE_BLOCK.findall(page):
        for part in block.removeprefix("$ ").split("\n$ "):
            joined = part.replace("\\\n", "")
            command, *printed = joined.splitlines()
            yield command, [line for line in printed if line.strip() and line != ELLIPSIS]


APPS = {"python -m flows.inputs": inputs.app, "python -m flows.index": index.app, "query": app}


def run(command: str) -> str:
    """Return all that a command prints."""
    if command.startswith("cat "):
        return Path(command.removeprefix("cat ")).read_text()
    (program,) = [program for program in APPS if command.startswith(f"{program} ")]
    words = shlex.split(command.removeprefix(program))
    done = CliRunner().invoke(APPS[program], words, env={"COLUMNS": "100"})
    assert done.exit_code == 0, f"{command}\n{done.stderr}"
    return done.stdout + done.stderr


def test_the_walk_through_runs_and_prints_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data").symlink_to(ROOT / "data")
    page = PAGE.read_text()
    for name, content in FILE_BLOCK.findall(page):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content)
    steps = list(commands(page))
    assert len(steps) >= 5
    for command, printed in steps:
        shown = iter(run(command).splitlines())
        for line in printed:
            start = line.removesuffix(ELLIPSIS).rstrip()
            assert any(one.startswith(start) for one in shown), f"{command}\ndoes not print: {line}"

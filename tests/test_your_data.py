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
from index.sources import FORMATS, SOURCES
from index.sources.layout import Column, Layout
from index.sources.source import Companion, Source
from query.cli.app import app
from tests.conftest import ROOT

PAGE = ROOT / "docs" / "your-data.md"
FORMATS_PAGE = ROOT / "docs" / "formats.md"
FORMATS_HEAD = """# File formats

An index can be built from files of these formats, plain or packed (`.gz`); tables also from sheets
of a spreadsheet or Parquet. You rarely have to name a format: `python -m flows.inputs new FILES`
recognises each file and writes the manifest. A table of any other layout has the format
[table](#table). How a build reads a file, and which rows it rejects:
[your data](your-data.md#how-a-build-reads-a-file).

| format | what it is | licence |
|---|---|---|
"""
FILE_BLOCK = re.compile(r"```csv (\S+)\n(.*?)```", re.DOTALL)
CONSOLE_BLOCK = re.compile(r"```console\n(.*?)```", re.DOTALL)
ELLIPSIS = "…"


# --- the formats ----------------------------------------------------------------------------------


def formats_page() -> str:
    """Return the page of formats: a list, a section for each, and the options that several take."""
    listed = [
        f"| [{name}](#{name}) | {source.description} | {source.licence} |"
        for name, source in SOURCES.items()
    ]
    sections = [section(name, source) for name, source in SOURCES.items()]
    shared = [option_section(option, companion) for option, companion in shared_options().items()]
    return FORMATS_HEAD + "\n".join([*listed, "", *sections, *shared])


def shared_options() -> dict[str, Companion]:
    """Return the options that mean the same for several formats."""
    options = [option for source in SOURCES.values() for option in source.companions.items()]
    return {name: companion for name, companion in options if options.count((name, companion)) > 1}


def section(name: str, source: Source) -> str:
    lines = [f"## {name}", "", f"*{source.description}*", ""]
    if source.holds:
        lines += [f"Holds {source.holds}.", ""]
    for layout in source.layouts:
        lines += table(layout, titled=len(source.layouts) > 1)
    for option, companion in source.companions.items():
        if option in shared_options():
            lines += [f"Option [`{option}`](#option-{option}): {companion.meaning}.", ""]
        else:
            lines += [f"Option `{option}`: {companion.meaning}.", "", *companion_tables(companion)]
    return "\n".join(lines)


def option_section(option: str, companion: Companion) -> str:
    head = [f"## Option {option}", "", f"{capital(companion.meaning)}.", ""]
    return "\n".join([*head, *companion_tables(companion)])


def companion_tables(companion: Companion) -> list[str]:
    tables = [table(layout, titled=False) for layout in companion.layouts]
    return [line for at, one in enumerate(tables) for line in (["or", "", *one] if at else one)]


def table(layout: Layout, *, titled: bool) -> list[str]:
    needs = f"; every row needs the option `{layout.needs}`" if layout.needs else ""
    title = [f"As {layout.name}{needs}:", ""] if titled else []
    head = ["| column | required | what | unit | example |", "|---|---|---|---|---|"]
    rows = [row(column) for column in layout.columns]
    rest = [f"All other columns are taken for {layout.rest}.", ""] if layout.rest else []
    return [*title, *head, *rows, "", *rest]


def row(column: Column) -> str:
    required = "yes" if column.required else ""
    cells = [f"`{column.name}`", required, column.meaning, column.unit or "", f"`{column.example}`"]
    return f"| {' | '.join(cells)} |"


def capital(text: str) -> str:
    return text[0].upper() + text[1:]


def test_the_page_of_formats_is_what_the_readers_declare() -> None:
    page = formats_page()
    if os.environ.get("UPDATE_DOCS"):
        FORMATS_PAGE.write_text(page)
    assert page == FORMATS_PAGE.read_text(), "stale: UPDATE_DOCS=1 pytest tests/test_your_data.py"


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


def test_every_reader_is_registered_by_the_one_line_of_its_name() -> None:
    folder = ROOT / "index" / "sources" / "formats"
    readers = [path.stem for path in folder.glob("*.py") if "\nSOURCE: Final" in path.read_text()]
    assert sorted(readers) == sorted(FORMATS)


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

"""Every command that README, CONTRIBUTING and docs print is run, here or by the test named here."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from query.cli.app import app
from tests.conftest import ROOT, BuiltIndex
from tests.test_query_cli import EXAMPLES

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/*.md"))]
GENERATED = {"cli.md", "tutorial.md"}  # tests/test_docs.py, tests/test_tutorial.py
PROGRAMS = ("make", "query", "python", "prefect", "printf")
ELSEWHERE = """
    make demo                          tests/test_demo.py
    make index                         tests/test_real_index.py
    make test                          Makefile
    make check                         Makefile
    make quick                         tests/quick.py
    make site                          tests/test_site.py
    make bench                         benchmarks/__main__.py
    prefect                            tests/test_prefect_server.py
    python -m flows --                 tests/test_prefect_server.py
    python -m flows.inputs             tests/test_your_data.py
    python -m flows.index --inputs my/ tests/test_your_data.py
    python -m flows.index --inputs data/real tests/test_real_index.py
    python -m flows.ontologies         tests/test_flow_ontologies.py
    python -m build                    tests/test_installed.py
    python -m benchmarks               benchmarks/__main__.py
    query evaluate                     tests/test_evaluation.py
    query chat                         tests/test_chat.py
    query global "Which viruses are found in bat gut samples?" --db my/ tests/test_your_data.py
    query communities --db data/index/virome.duckdb.held tests/test_shrink.py
    query models try                   tests/test_json_output.py
    query mcp                          tests/test_mcp.py
    query serve                        tests/test_browser.py
    query documents add paper.pdf      tests/test_search.py
    query entrez                       tests/test_entrez.py
    query mwas --family Rickettsiales  tests/test_kmers.py
    python -m flows.index              tests/test_index_flow.py
"""
PROMPT = "query"
"""Without a command ``query`` asks for questions like ``query chat``: tests/test_chat.py."""


def printed_commands() -> list[tuple[str, str]]:
    """Return (page, command) of every command in a block of code, comments left out."""
    found = []
    for page in PAGES:
        if page.name in GENERATED:
            continue
        text = re.sub(r"\\\n\s*", "", page.read_text(encoding="utf-8"))
        lines = re.findall(r"^ {0,4}(?:\$ )?(\S.*)$", text, re.MULTILINE)
        commands = [line for line in lines if _is_command(line)]
        found += [(page.name, _without_comment(command)) for command in commands]
    return found


def _is_command(line: str) -> bool:
    """Return whether ``line`` calls a program; ``query = …`` is a value of a manifest."""
    program, *rest = line.split()
    return program in PROGRAMS and rest[:1] != ["="]


def _without_comment(command: str) -> str:
    return re.sub(r"\s+#.*$|\s*&\s*(#.*)?$", "", command).strip()


def elsewhere() -> dict[str, Path]:
    """Return the beginnings of commands that other files run, with the file."""
    pairs = [line.strip().rsplit(maxsplit=1) for line in ELSEWHERE.strip().splitlines()]
    return {start.strip(): ROOT / name for start, name in pairs}


HERE = [
    (page, command)
    for page, command in printed_commands()
    if command != PROMPT
    and command.removeprefix("query ") not in EXAMPLES
    and not any(command.startswith(start) for start in elsewhere())
]


@pytest.fixture(scope="module")
def folder(sample_index: BuiltIndex, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder laid out like the project, with the sample's index where it is looked for."""
    folder = tmp_path_factory.mktemp("printed")
    (folder / "data" / "index").mkdir(parents=True)
    (folder / "data" / "sample").symlink_to(ROOT / "data" / "sample")
    (folder / "data" / "index" / "virome.duckdb").symlink_to(sample_index.path)
    return folder


@pytest.mark.parametrize(("page", "command"), HERE)
def test_printed_command_works(
    page: str, command: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = shlex.split(command)
    if words[0] == "printf":
        _write_as_printed(words, folder)
        return
    monkeypatch.chdir(folder)
    monkeypatch.delenv("VIROME_DB", raising=False)
    monkeypatch.setenv("VIROME_ENTREZ_REPLAY", str(ROOT / "data" / "sample" / "entrez.jsonl"))
    assert words[0] == "query", f"{page}: {command}: no test runs it"
    done = CliRunner().invoke(app, words[1:])
    assert done.exit_code == 0, f"{page}: {command}\n{done.stderr}"
    lines = done.stdout.splitlines()
    assert len(lines) > ("--why" not in words), f"{page}: {command} gives nothing"


def _write_as_printed(words: list[str], folder: Path) -> None:
    """Write the file that ``printf 'text' > name`` writes, for the commands printed below it."""
    _, text, arrow, name = words
    assert arrow == ">"
    (folder / name).write_text(text.replace("\\n", "\n"), encoding="utf-8")


def test_every_command_left_to_another_test_is_still_printed() -> None:
    printed = [command for _, command in printed_commands()]
    unused = [start for start in elsewhere() if not any(one.startswith(start) for one in printed)]
    assert unused == []
    assert [path for path in elsewhere().values() if not path.exists()] == []


def test_there_are_commands_to_run() -> None:
    assert len(HERE) >= 12

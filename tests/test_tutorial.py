"""docs/tutorial.md: what its commands print is what they print today.

``UPDATE_DOCS=1 pytest tests/test_tutorial.py`` writes it anew.
"""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

from typer.testing import CliRunner

from query.cli.app import app
from tests.conftest import ROOT, BuiltIndex

PAGE = ROOT / "docs" / "tutorial.md"
BLOCK = re.compile(r"<!-- (\d+) lines -->\n```console\n\$ query (.*)\n(?:.*\n)*?```\n")
SECONDS = re.compile(r"\d+\.\d+ s\b")
WIDTH = "100"


def test_the_tutorial_shows_what_its_commands_print(
    sample_index: BuiltIndex, tmp_path: Path
) -> None:
    def run_again(block: re.Match[str]) -> str:
        lines, command = block.groups()
        shown = printed(command, int(lines), index=sample_index.path, folder=tmp_path)
        return f"<!-- {lines} lines -->\n```console\n$ query {command}\n{shown}```\n"

    page = PAGE.read_text()
    current = BLOCK.sub(run_again, page)
    if os.environ.get("UPDATE_DOCS"):
        PAGE.write_text(current)
    assert len(BLOCK.findall(page)) == page.count("```console")
    assert current == PAGE.read_text(), "stale: UPDATE_DOCS=1 pytest tests/test_tutorial.py"


def printed(command: str, lines: int, *, index: Path, folder: Path) -> str:
    """Return the first ``lines`` of what ``query command`` prints; an ellipsis stands for more."""
    named = folder / "data" / "index" / "demo.duckdb"
    if not named.exists():
        named.parent.mkdir(parents=True)
        named.symlink_to(index)
    environ = {"VIROME_DB": str(named), "COLUMNS": WIDTH, "VIROME_MODEL": "none"}
    done = CliRunner().invoke(app, shlex.split(command), env=environ)
    text = SECONDS.sub("0.1 s", done.output).replace(f"{folder}/", "")
    all_lines = [line.rstrip() for line in text.strip().splitlines()]
    shown = all_lines[:lines] + (["…"] if len(all_lines) > lines else [])
    return "\n".join(shown) + "\n"

"""Documentation that stays true: SQL examples run, links lead somewhere, help texts are current.

``UPDATE_DOCS=1 pytest tests/test_docs.py`` writes docs/cli.md anew.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import duckdb
import pytest
import typer

from query.cli.app import app
from tests.conftest import ROOT

PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("decisions/*.md")])
CLI_PAGE = ROOT / "docs" / "cli.md"
MODULES = (
    "flows.index",
    "flows.inputs check",
    "flows.inputs new",
    "flows.inputs formats",
    "flows.ontologies",
    "flows.ontologies fetch",
    "flows.ontologies diff",
    "flows.ontologies check",
    "flows.verify",
    "flows",
)
SQL = [
    (page.name, sql)
    for page in PAGES
    for sql in re.findall(r"```sql\n(.*?)```", page.read_text(), re.DOTALL)
]
LINK = re.compile(r"""(?:\]\(|src(?:set)?=")(?!https?:|mailto:|#)([^)#"\s]+)""")


def query_commands() -> list[str]:
    return sorted(typer.main.get_command(app).commands)  # type: ignore[attr-defined]


HELP_OF_ALL = """
import contextlib, io, json, runpy, sys
shown = {}
for name, (module, *words) in json.loads(sys.argv[1]).items():
    sys.argv = [module, *words, "--help"]
    with contextlib.redirect_stdout(io.StringIO()) as said, contextlib.suppress(SystemExit):
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    shown[name] = said.getvalue()
print(json.dumps(shown))
"""
"""Runs every command in one process: most of the time of each goes into starting Python."""


def help_texts(commands: dict[str, list[str]]) -> dict[str, str]:
    """Return the help text of each command as a terminal of 100 columns shows it."""
    environ = {**os.environ, "COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}
    command = [sys.executable, "-W", "ignore", "-c", HELP_OF_ALL, json.dumps(commands)]
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, cwd=ROOT, env=environ
    )
    shown = json.loads(done.stdout)
    return {
        name: "\n".join(line.rstrip() for line in text.strip().splitlines())
        for name, text in shown.items()
    }


def cli_page() -> str:
    commands = {f"query {name}": ["query", name] for name in query_commands()}
    commands |= {f"python -m {name}": name.split() for name in MODULES}
    commands["virome"] = ["flows.cli.virome"]
    texts = help_texts(commands)
    parts = [f"## {shown}\n\n```text\n{text}\n```\n" for shown, text in texts.items()]
    return "# Commands\n\nThe `--help` of every command.\n\n" + "\n".join(parts)


def test_help_texts_are_current() -> None:
    page = cli_page()
    if os.environ.get("UPDATE_DOCS"):
        CLI_PAGE.write_text(page)
    assert page == CLI_PAGE.read_text(), "stale: UPDATE_DOCS=1 pytest tests/test_docs.py"


def test_every_command_shows_an_example_and_the_first_is_in_the_table_of_commands() -> None:
    sections = CLI_PAGE.read_text().split("\n## ")[1:]
    assert len(sections) == len(query_commands()) + len(MODULES) + 1
    table = (ROOT / "docs" / "commands.md").read_text()
    for section in sections:
        name, _, text = section.partition("\n")
        first = re.search(rf"^ +({name}\b.*?)(?: +#.*)?$", text.split("xamples:")[1], re.MULTILINE)
        is_group = "COMMAND [ARGS]" in text and name.startswith("python")
        example = first[1].replace("|", "\\|") if first else "none"
        assert name == "virome" or is_group or f"| `{name}` | `{example}` |" in table, name


@pytest.mark.parametrize(("page", "sql"), SQL)
def test_sql_example_runs_and_returns_what_it_promises(
    page: str, sql: str, sample_db: duckdb.DuckDBPyConnection
) -> None:
    rows = sample_db.execute(sql).fetchall()
    if "-- no rows" in sql:
        assert rows == []
    else:
        assert rows, f"{page}: no rows on the sample"


def test_links_of_pages_lead_somewhere() -> None:
    links = [(page, link) for page in PAGES for link in LINK.findall(page.read_text())]
    assert len(links) > 50
    assert [(page.name, link) for page, link in links if not (page.parent / link).exists()] == []

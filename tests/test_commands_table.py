"""docs/commands.md: every command with its first example; the times are those of the last writing.

``UPDATE_DOCS=1 pytest tests/test_commands_table.py`` runs the examples on the sample and writes it.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import ROOT

PAGE = ROOT / "docs" / "commands.md"
NOT_TIMED = {
    "query chat": "runs until it is stopped",
    "query documents": "needs a document",
    "query evaluate": "minutes",
    "query mcp": "runs until it is stopped",
    "query serve": "runs until it is stopped",
}
HEAD = """# Commands and what they take

Every command of `query` with its first example, run on the index of the sample, start of the
program included, on two cores that had other work. Written by
`UPDATE_DOCS=1 pytest tests/test_commands_table.py`. All options: [cli.md](cli.md).

| command | first example | seconds |
|---|---|---:|
"""


def first_examples() -> dict[str, str]:
    """Return command -> its first example, as the help texts have them."""
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    sections = re.findall(r"^## (query \S+)\n(.*?)(?=^## |\Z)", page, re.DOTALL | re.MULTILINE)
    examples = {}
    for name, text in sections:
        found = re.search(rf"^ +({name}\b.*?)(?: +#.*)?$", text.split("xamples:")[1], re.MULTILINE)
        assert found, name
        examples[name] = found[1]
    return examples


def seconds_of(example: str, folder: Path) -> str:
    """Return how long ``example`` takes in ``folder``."""
    replay = str(ROOT / "data" / "sample" / "entrez.jsonl")
    environ = {**os.environ, "VIROME_ENTREZ_REPLAY": replay, "VIROME_MODEL": "none"}
    environ.pop("VIROME_DB", None)
    started = time.perf_counter()
    command = [sys.executable, "-m", *shlex.split(example)]
    done = subprocess.run(command, cwd=folder, env=environ, capture_output=True, check=False)
    # doctor leaves with 1 where something is missing, entrez where the recording has no such call
    return f"{time.perf_counter() - started:.1f}" if done.returncode in (0, 1, 8) else "fails"


def row(name: str, example: str, seconds: str) -> str:
    shown = example.replace("|", "\\|")
    return f"| `{name}` | `{shown}` | {seconds} |"


def test_the_table_has_every_command_with_its_first_example(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    examples = first_examples()
    if os.environ.get("UPDATE_DOCS"):
        (tmp_path / "data" / "index").mkdir(parents=True)
        index = request.getfixturevalue("sample_index")
        (tmp_path / "data" / "index" / "virome.duckdb").symlink_to(index.path)
        rows = [
            row(name, example, NOT_TIMED.get(name) or seconds_of(example, tmp_path))
            for name, example in examples.items()
        ]
        PAGE.write_text(HEAD + "\n".join(rows) + "\n", encoding="utf-8")
    written = PAGE.read_text(encoding="utf-8")

    assert [name for name, one in examples.items() if row(name, one, "")[:-2] not in written] == []
    assert "| fails |" not in written

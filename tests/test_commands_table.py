"""docs/commands.md: every command with its first example; the times are those of the last writing.

``UPDATE_DOCS=1 pytest tests/test_commands_table.py`` runs the examples on the sample and writes it.
"""

from __future__ import annotations

import gzip
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from flows.progress import cpu_seconds
from tests.conftest import ROOT, BuiltIndex

SAMPLE = ROOT / "data" / "sample"
SECTION = re.DOTALL | re.MULTILINE
PAGE = ROOT / "docs" / "commands.md"
NOT_TIMED = {
    "query chat": "runs until it is stopped",
    "query evaluate": "minutes",
    "query mcp": "runs until it is stopped",
    "query serve": "runs until it is stopped",
    "python -m flows": "runs until it is stopped",
    "python -m flows.ontologies fetch": "as the network allows",
}
OWN_FILES = {
    "runs.csv": "runs.csv.gz",
    "viruses.tsv": "palm_virome.tsv.gz",
    "old/bto.obo": "ontologies/bto.obo",
    "new/bto.obo": "ontologies/bto.obo",
}
"""Files of the sample under the names that the examples use."""
HEAD = """# Commands and how long they take

Every command with its first example, and the CPU seconds that this takes on the sample and its
index, including the start of the program (on two idle cores, about as long as you wait). `virome`
has all of them under one name. All options: [cli.md](cli.md).

| command | first example | seconds |
|---|---|---:|
"""


def first_examples() -> dict[str, str]:
    """Return command -> its first example, as the help texts have them."""
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    sections = re.findall(r"^## ((?:query|python) .+?)\n(.*?)(?=^## |\Z)", page, SECTION)
    examples = {}
    for name, text in sections:
        if "COMMAND [ARGS]" in text and name.startswith("python"):
            continue
        found = re.search(rf"^ +({name}\b.*?)(?: +#.*)?$", text.split("xample")[1], re.MULTILINE)
        assert found, name
        examples[name] = found[1]
    return examples


def seconds_of(example: str, parent: Path, index: BuiltIndex) -> str:
    """Return the CPU seconds that ``example`` takes in a folder of its own in ``parent``."""
    folder = furnished(parent, index)
    replay = str(ROOT / "data" / "sample" / "entrez.jsonl")
    environ = {**os.environ, "VIROME_ENTREZ_REPLAY": replay, "VIROME_MODEL": "none"}
    environ.pop("VIROME_DB", None)
    before = cpu_seconds()
    command = [sys.executable, "-m", *shlex.split(example.removeprefix("python -m "))]
    done = subprocess.run(command, cwd=folder, env=environ, capture_output=True, check=False)
    # doctor leaves with 1 where something is missing, entrez where the recording has no such call
    return f"{cpu_seconds() - before:.1f}" if done.returncode in (0, 1, 8) else "fails"


def furnished(folder: Path, index: BuiltIndex) -> Path:
    """Return a new folder in ``folder`` with what the examples use, copied."""
    furnished = Path(tempfile.mkdtemp(dir=folder))
    shutil.copytree(SAMPLE, furnished / "data" / "sample")
    (furnished / "data" / "index").mkdir()
    for published in ("virome.duckdb", "demo.duckdb"):
        shutil.copyfile(index.path, furnished / "data" / "index" / published)
    for name, source in OWN_FILES.items():
        opened = gzip.open if source.endswith(".gz") else open
        with opened(SAMPLE / source, "rb") as packed:
            (furnished / name).parent.mkdir(exist_ok=True)
            (furnished / name).write_bytes(packed.read())
    notes = "# Notes\n\nBats of the cave were sampled in May.\n"
    (furnished / "notes.md").write_text(notes, encoding="utf-8")
    return furnished


def row(name: str, example: str, seconds: str) -> str:
    shown = example.replace("|", "\\|")
    return f"| `{name}` | `{shown}` | {seconds} |"


def test_the_table_has_every_command_with_its_first_example(
    request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    examples = first_examples()
    if os.environ.get("UPDATE_DOCS"):
        index = request.getfixturevalue("sample_index")
        rows = [
            row(
                name,
                example,
                NOT_TIMED.get(name) or seconds_of(example, tmp_path, index),
            )
            for name, example in examples.items()
        ]
        PAGE.write_text(HEAD + "\n".join(rows) + "\n", encoding="utf-8")
    written = PAGE.read_text(encoding="utf-8")

    assert [name for name, one in examples.items() if row(name, one, "")[:-2] not in written] == []
    assert "| fails |" not in written

"""The files of a new project: an inputs manifest, the parameters of a build, a README.

The manifest names the files already in the folder; an empty folder gets an example.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from index.config import IndexConfig
from index.sources.addressed import recognise_all
from index.sources.proposal import propose

MANIFEST: Final = """\
# What the index is built from. `python -m flows.inputs new FILES` proposes entries for your files;
# `python -m flows.inputs check inputs.toml` says what a build would read of each.

# Ontologies that are not named are fetched by the build, the newest official releases.
# [ontologies]
# NCBITaxon = "ontologies/taxdump.tar.gz"
# BTO = "ontologies/bto.obo"
# DOID = "ontologies/doid.obo"

[[input]]
format = "sra_run_info"
path = "runs.csv"

[[input]]
format = "biosample_attributes"
path = "biosample_attributes.tsv"

[[input]]
format = "palm_virome"
path = "palm_virome.tsv"
"""
README: Final = """\
# An index of your own runs

1. Put your files into this folder and name them in `inputs.toml`:

       python -m flows.inputs new {folder}/*.csv {folder}/*.tsv --out {folder}/inputs.toml --force

2. See what a build would read, then build (the first build fetches the ontologies, about 80 MB):

       python -m flows.inputs check {folder}/inputs.toml
       python -m flows.index --inputs {folder}/inputs.toml --config {folder}/config.toml \\
           --db {folder}/index.duckdb

3. Ask:

       query doctor --db {folder}/index.duckdb
       query global "Which viruses are found in bats?" --db {folder}/index.duckdb

Formats that are read: docs/your-data.md. Parameters: `config.toml`, all at their defaults.
"""


OWN_FILES: Final = ("inputs.toml", "config.toml", "README.md")
"""Files of a new project, apart from its data."""


def starter_files(folder: str) -> dict[str, str]:
    """Return the text of each file of a new project by its name; ``folder`` is where it will be."""
    return {
        "inputs.toml": manifest_of(Path(folder)) or MANIFEST,
        "config.toml": config_text(),
        "README.md": README.format(folder=folder),
    }


def manifest_of(folder: Path) -> str:
    """Return a manifest of the files in ``folder``, empty if none can be read."""
    there = sorted(folder.iterdir()) if folder.is_dir() else []
    files = [path for path in there if path.is_file() and not _is_own(path)]
    guesses = recognise_all([str(path) for path in files])
    if not any(guess.role == "input" for guess in guesses):
        return ""
    return propose(guesses, folder)


def _is_own(path: Path) -> bool:
    """Return whether a file is not data: a file of the project, an index, a hidden file."""
    return path.name in OWN_FILES or path.name.startswith(".") or ".duckdb" in path.name


def config_text() -> str:
    """Return every parameter of a build with its default as TOML, all commented out."""
    return "\n".join(_table_lines(IndexConfig, ())).rstrip() + "\n"


def _table_lines(model: type[BaseModel], path: tuple[str, ...]) -> list[str]:
    """Return the parameters of ``model``, then those of the models within it."""
    lines = [f"[{'.'.join(path)}]"] if path else []
    inner = []
    for name, field in model.model_fields.items():
        default = field.get_default(call_default_factory=True)
        if isinstance(default, BaseModel):
            inner += ["", *_table_lines(type(default), (*path, name))]
            continue
        about = f"  # {field.description}" if field.description else ""
        lines.append(f"# {name} = {_toml(default)}{about}")
    return [*lines, *inner]


def _toml(value: object) -> str:
    """Return ``value`` as TOML, which has values as JSON has; without a default an empty text."""
    if value is None or value is PydanticUndefined:
        return '""'
    return "{}" if isinstance(value, dict) else json.dumps(value, ensure_ascii=False)

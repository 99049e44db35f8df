"""Reference pages that are written from what they describe: parameters, tables and prompts.

``UPDATE_DOCS=1 pytest tests/test_reference.py`` writes them anew.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import duckdb

from index.config import IndexConfig
from tests.conftest import ROOT

DOCS: Final = ROOT / "docs"
PACKAGES: Final = ("flows", "index", "ontology_etl", "query")
SNAPSHOTS: Final = ROOT / "tests" / "snapshots"
BOUNDS: Final = {
    "minimum": "at least {}",
    "exclusiveMinimum": "above {}",
    "maximum": "at most {}",
    "exclusiveMaximum": "below {}",
}
BAR: Final = r"\|"
"""A vertical bar in a cell of a Markdown table."""
ENVIRONMENT: Final = {
    "OPENAI_BASE_URL": "address of any OpenAI-compatible endpoint",
    "OPENAI_API_KEY": "key of that endpoint; never printed or stored",
    "VIROME_MODEL": "name of the model; `embedded`: one on this machine, `none`: no model",
    "VIROME_GGUF": "a GGUF model file, run in this process on the CPU",
    "VIROME_MODELS": "folder of `query models fetch`; by default `data/models`",
    "VIROME_READ": "`model`: ask a model of any size to read every question",
    "VIROME_PATIENCE_S": "seconds to wait for a silent endpoint; by default 60",
    "VIROME_RISK_POLICY": "what a model may see: open, careful or strict (--risk-policy)",
    "VIROME_DB": "index that commands read without `--db`",
    "VIROME_CACHE": "file of models' answers; by default next to the index",
    "VIROME_DOCUMENTS": "file of your own documents; by default next to the index",
    "VIROME_DOWNLOADS": "folder of downloaded inputs; by default `data/raw`",
    "VIROME_ENTREZ_REPLAY": "recorded answers that `query entrez` reads instead of calling NCBI",
    "NCBI_EMAIL": "e-mail address sent to NCBI with every call",
    "NCBI_API_KEY": "NCBI key: ten calls a second instead of three",
    "VIROME_DASK": "scheduler of a Dask cluster that computes parts of a build",
    "VIROME_DASK_FOLDER": "folder that all machines of the cluster see; by default one next to the "
    "index",
    "VIROME_DASK_RUNS": "runs in one part of the grounding; by default 150,000",
    "VIROME_NOTIFY": "Prefect notification blocks to notify of a failed build",
    "VIROME_NOTIFY_TO": "e-mail addresses to notify, if one of these blocks is a mail server",
    "VIROME_SHARED_DATA": "folder of the real inputs that `data/real/inputs.toml` names",
}
PROMPTS: Final = {
    "interpret_report": "The interpretation of a report",
    "communities_rate": "How much each community helps to answer",
    "communities_choose": "Which statements to show, of models below 4 B",
    "communities_answer": "Which statements to show, and the interpretation of an answer",
    "sql_tables": "`query sql`, first stage: which tables",
    "sql_joins": "Second stage: how they are joined",
    "sql_columns": "Third stage: which columns",
    "sql_write": "Fourth stage: the statement",
}
INSTRUCTIONS: Final = {
    "query/reading/prompts/read_question.md": "A question that a model reads",
    "index/checking/prompts/repair_sentences.md": "Sentences that are asked for again",
    "query/entrez_search/prompts/tools.md": "`query entrez`: the calls there are",
}


def test_every_parameter_is_in_the_reference() -> None:
    check_page("configuration.md", configuration_page())


def test_every_variable_that_is_read_is_in_the_reference() -> None:
    named: set[str] = set()
    for package in PACKAGES:
        for module in (ROOT / package).rglob("*.py"):
            named |= set(
                re.findall(
                    r"\b(?:VIROME_[A-Z_]+[A-Z]|NCBI_(?:EMAIL|API_KEY))\b", module.read_text()
                )
            )
    known = {name for name in ENVIRONMENT if not name.startswith("OPENAI")}
    assert named & {"VIROME_DB", "NCBI_EMAIL"}
    assert sorted(name for name in named if name not in known) == []
    assert sorted(known - named - {"VIROME_SHARED_DATA"}) == []


def test_every_table_and_view_is_in_the_reference(sample_db: duckdb.DuckDBPyConnection) -> None:
    check_page("tables.md", tables_page(sample_db))


def test_every_prompt_is_in_the_reference() -> None:
    prompts = [path for path in SNAPSHOTS.glob("*.txt") if path.stem != "contract"]
    assert sorted(PROMPTS) == sorted(path.stem for path in prompts)
    shown = {ROOT / path for path in INSTRUCTIONS}
    written = {path for room in ("index", "query") for path in (ROOT / room).glob("*/prompts/*.md")}
    assert shown <= written
    rooms_of_snapshots = ("wording", "global_search", "sql_search")
    assert {path for path in written - shown if path.parts[-3] not in rooms_of_snapshots} == set()
    check_page("prompts.md", prompts_page())


def check_page(name: str, page: str) -> None:
    """Compare ``page`` with the file ``name`` of the docs, or write it."""
    path = DOCS / name
    if os.environ.get("UPDATE_DOCS"):
        path.write_text(page)
    assert page == path.read_text(), "stale: UPDATE_DOCS=1 pytest tests/test_reference.py"


def configuration_page() -> str:
    """Return the parameters of a build by table of the file, and the environment."""
    schema = IndexConfig.model_json_schema()
    tables = {"": schema} | inner_tables(schema, schema["$defs"], path="")
    parts = [CONFIGURATION]
    for path, table in tables.items():
        heading = f"## `[{path}]`" if path else "## At the top of the file"
        rows = parameter_rows(table)
        said = [] if table is schema else [one_line(table["description"]), ""]
        parts.append("\n".join([heading, "", *said, *rows]))
    variables = [f"| `{name}` | {meaning} |" for name, meaning in ENVIRONMENT.items()]
    head = ["## Environment", "", "| Variable | Meaning |", "|---|---|"]
    return "\n\n".join([*parts, "\n".join([*head, *variables])]) + "\n"


def inner_tables(
    table: Mapping[str, Any], known: Mapping[str, Any], *, path: str
) -> dict[str, Mapping[str, Any]]:
    """Return the tables within ``table`` by their path, each before those within it."""
    found: dict[str, Mapping[str, Any]] = {}
    for name, field in table["properties"].items():
        if "$ref" not in field:
            continue
        inner = known[field["$ref"].rpartition("/")[2]]
        inner_path = f"{path}.{name}".lstrip(".")
        found[inner_path] = inner
        found |= inner_tables(inner, known, path=inner_path)
    return found


def parameter_rows(table: Mapping[str, Any]) -> list[str]:
    rows = ["| Parameter | Default | Allowed | Meaning |", "|---|---|---|---|"]
    for name, field in table["properties"].items():
        if "$ref" in field:
            continue
        meaning = field.get("description", "")
        rows.append(f"| `{name}` | {default_of(field)} | {allowed(field)} | {meaning} |")
    return rows


def default_of(field: Mapping[str, Any]) -> str:
    default = field["default"]
    if default is None:
        return "none"
    if isinstance(default, bool):
        return str(default).lower()
    if isinstance(default, list):
        return ", ".join(f"`{one}`" for one in default) or "none"
    return f"`{default}`" if default not in ({}, "") else "none"


def allowed(field: Mapping[str, Any]) -> str:
    """Return the type of a parameter and its bounds in words."""
    choices = field.get("anyOf", [field])
    first = choices[0]
    if "pattern" in first:
        return ", ".join(f"`{one}`" for one in re.findall(r"\w+", first["pattern"]))
    bounds = [text.format(first[key]) for key, text in BOUNDS.items() if key in first]
    kind = {"array": "list", "object": "table"}.get(first["type"], first["type"])
    return ", ".join([kind, *bounds])


def tables_page(con: duckdb.DuckDBPyConnection) -> str:
    """Return every table and view of an index with its columns, as the file itself describes
    them.
    """
    columns = con.execute(COLUMNS).fetchall()
    parts = [TABLES]
    for kind, name, comment in con.execute(RELATIONS).fetchall():
        rows = [
            f"| `{column}` | {dtype} | {about.replace('|', BAR)} |"
            for of, column, dtype, about in columns
            if of == name
        ]
        heading = f"## `{name}`" if kind == "table" else f"## `{name}` (view)"
        head = ["| Column | Type | Meaning |", "|---|---|---|"]
        parts.append("\n".join([heading, "", one_line(comment or ""), "", *head, *rows]))
    return "\n\n".join(parts) + "\n"


def prompts_page() -> str:
    """Return every prompt with an example filled in."""
    parts = [PROMPTS_HEAD]
    for name, title in PROMPTS.items():
        text = (SNAPSHOTS / f"{name}.txt").read_text().strip()
        parts.append(f"## {title}\n\n```text\n{text}\n```")
    for path, title in INSTRUCTIONS.items():
        parts.append(f"## {title}\n\n```text\n{(ROOT / path).read_text().strip()}\n```")
    return "\n\n".join(parts) + "\n"


def one_line(text: str) -> str:
    return " ".join(text.split())


CONFIGURATION: Final = """\
# Configuration

`query init FOLDER` writes a `config.toml` with every parameter at its default, and
`python -m flows.index --config config.toml` builds with it. An unknown parameter, or one out of
bounds, ends the build before anything is read."""

TABLES: Final = """\
# Tables

What an index holds, from the comments in the file (`duckdb_columns()` returns the same). Tables are
sorted by key; a column is null only where its meaning says so. Queries to start from are in
[analysts.md](analysts.md)."""

PROMPTS_HEAD: Final = """\
# Prompts

Every prompt that is sent to a model, with example data; of the last three, only the instructions.
Numbers and names come from SQL. A model's own sentences have no numbers, and their own label."""

RELATIONS: Final = """
SELECT 'table' AS kind, table_name AS name, comment FROM duckdb_tables() WHERE NOT internal
UNION ALL
SELECT 'view', view_name, comment FROM duckdb_views() WHERE NOT internal
ORDER BY kind, name
"""
COLUMNS: Final = """
SELECT table_name, column_name, lower(data_type), coalesce(comment, '')
FROM duckdb_columns() WHERE NOT internal ORDER BY table_name, column_index
"""


def test_no_page_is_named_twice() -> None:
    pages = re.findall(r": (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE)
    assert sorted(pages) == sorted(set(pages))
    assert {Path(page).name for page in pages} == {path.name for path in DOCS.glob("*.md")}

"""docs/requests.md lists every field and stored table; ``UPDATE_DOCS=1`` writes the lists anew."""

from __future__ import annotations

import os
import re

from query.request import from_json, say
from query.request.fields import REGISTRY
from query.request.records import REGISTRY as RECORD_TABLES
from tests.conftest import ROOT

PAGE = ROOT / "docs" / "requests.md"
START = "| field | of | what | kind | unit |\n"


def lists() -> str:
    """Return the tables of fields and of stored tables."""
    fields = [
        f"| `{field.name}` | {field.of} | {field.comment} | {field.type} | {field.unit} |"
        for field in REGISTRY
    ]
    tables = [
        f"| `{table.name}` | {table.comment} | {', '.join(table.columns)} |"
        for table in RECORD_TABLES
    ]
    head = [START.strip(), "|---|---|---|---|---|"]
    stored = ["", "## Stored tables", "", "| table | rows | columns |", "|---|---|---|"]
    return "\n".join([*head, *fields, *stored, *tables, ""])


def test_the_page_lists_every_field_and_table() -> None:
    text = PAGE.read_text(encoding="utf-8")
    before, _, _ = text.partition(START)
    current = before.rstrip("\n") + "\n\n" + lists()
    if os.environ.get("UPDATE_DOCS"):
        PAGE.write_text(current, encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == current


def test_the_example_of_the_page_is_a_request_that_reads_as_it_says() -> None:
    text = PAGE.read_text(encoding="utf-8")
    (example,) = re.findall(r"```json\n(.*?)```", text, re.DOTALL)
    said = say(from_json(example))
    assert said in " ".join(text.split())

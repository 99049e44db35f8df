"""Words of the code: no name is a word that GLOSSARY.md avoids, no class name has two meanings."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PRODUCT = ("benchmarks", "flows", "index", "ontology_etl", "query")
ROOMS = (*PRODUCT, "tests")
REQUESTS = {
    "Hit": ["query/request/hits.py", "query/search/passage.py"],
    "Records": ["index/records.py", "query/request/measures.py"],
    "Searched": ["index/reports/evidence_rows.py", "query/request/run_sets.py"],
}
"""Parts of requests, whose names are those that users write."""
PLAIN_WORDS = "## Plain words"
SQL_NAME = re.compile(r"\b(?:WITH|AS|FROM|JOIN)\s+(\w+)|\$(\w+)|(\w+) AS \(")


def avoided_words() -> set[str]:
    """Return the single words in the left column of the table of plain words."""
    _, table = (ROOT / "GLOSSARY.md").read_text().split(PLAIN_WORDS)
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| ")]
    phrases = [re.sub(r"\(.*?\)", "", phrase) for row in rows[1:] for phrase in row.split(",")]
    return {phrase.strip() for phrase in phrases if re.fullmatch(r"[a-z]+", phrase.strip())}


@cache
def modules_of(room: str) -> dict[str, ast.Module]:
    """Return the modules of a room by their paths, but this one."""
    paths = [path for path in sorted((ROOT / room).rglob("*.py")) if path != Path(__file__)]
    return {str(path.relative_to(ROOT)): ast.parse(path.read_text()) for path in paths}


def names_of(module: ast.Module) -> Iterator[str]:
    """Yield every name that ``module`` gives: of values, functions, classes, fields and in SQL."""
    for node in ast.walk(module):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.ClassDef(name=name):
                yield name
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                yield name
            case ast.Attribute(attr=name, ctx=ast.Store()) | ast.keyword(arg=str(name)):
                yield name
            case ast.Constant(value=str(text)) if "SELECT" in text:
                for groups in SQL_NAME.findall(text):
                    yield from filter(None, groups)


def words_in(name: str) -> set[str]:
    """Return the words of ``name``, in lower case."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)
    return set(spaced.lower().split("_"))


def test_the_words_to_avoid_are_read() -> None:
    assert {"told", "dear", "twins", "parted"} <= avoided_words()


@pytest.mark.parametrize(
    ("source", "word"),
    [
        ("told = 1", "told"),
        ("def _told(): ...", "told"),
        ("def verify(*, told): ...", "told"),
        ("verify(told=())", "told"),
        ("FACETS_TOLD: Final = ()", "told"),
        ("class ToldFacts: ...", "told"),
        ("q = 'WITH told AS (SELECT 1) SELECT * FROM told'", "told"),
        ("self._told = True", "told"),
    ],
)
def test_a_word_to_avoid_is_found_in_any_kind_of_name(source: str, word: str) -> None:
    assert any(word in words_in(name) for name in names_of(ast.parse(source)))


def test_a_class_name_has_one_meaning() -> None:
    places: dict[str, list[str]] = defaultdict(list)
    for room in PRODUCT:
        for path, module in modules_of(room).items():
            for node in ast.walk(module):
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    places[node.name].append(path)
    assert len(places) > 100
    assert {name: paths for name, paths in places.items() if len(paths) > 1} == REQUESTS


@pytest.mark.parametrize("room", ROOMS)
def test_no_name_has_a_word_to_avoid(room: str) -> None:
    avoided = avoided_words()
    assert modules_of(room)
    found = [
        f"{path}: {name}"
        for path, module in modules_of(room).items()
        for name in names_of(module)
        if avoided & words_in(name)
    ]
    assert found == []


ANSWERED_BY_REQUESTS = (
    "query/answers", "query/browsing/associations.py", "query/mcp/describe.py",
    "query/mcp/query.py", "query/mcp/stored.py",
)  # fmt: skip


@pytest.mark.parametrize("place", ANSWERED_BY_REQUESTS)
def test_what_a_request_can_ask_is_not_asked_in_other_sql(place: str) -> None:
    path = ROOT / place
    paths = [path] if path.suffix else sorted(path.glob("*.py"))
    assert paths
    sql = re.compile(r"\bSELECT\b|\.execute\(")
    assert [str(each) for each in paths if sql.search(each.read_text())] == []

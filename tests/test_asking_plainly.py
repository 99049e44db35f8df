"""Questions in everyday wordings: what is asked behind a colon or a dash, sides set side by side,
a second question without its verb, a whole before a colon.

The first sentence of each is counted on the index of ``tests/query_index``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from query.config import QueryConfig
from query.errors import NoEvidenceError
from query.global_search.ask import ask_from_facts
from tests.query_index import make_index, opened


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_index(tmp_path_factory.mktemp("plainly") / "index.duckdb")


@pytest.fixture
def con(index: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with opened(index) as connection:
        yield connection


ANSWERS = """
question                                      | the first sentence has
bats - list the families                      | Virus families: Coronaviridae (6 runs) and Astroviridae (4 runs).
Coronaviridae: bats or pigs?                  | differ in Coronaviridae (6 of 12, 50% against 0 of 8, 0%, q = 0.042).
coronaviruses in bats: which are they?        | Virus species: Bat coronavirus HKU5 (6 runs).
Is Yellow fever virus found in tissues other than lung? | This cannot be said: Yellow fever virus is found in 6 runs, and no tissue is stated for any of them
bats: how many altogether                     | 12 runs of 36 are Chiroptera (bats)
Set bats and pigs side by side                | differ in Picornaviridae (0 of 12, 0% against 6 of 8, 75%
Is there more coronavirus or more kobuvirus?  | 6 carry Coronaviridae (coronavirus) (17%) and 6 carry kobuvirus (17%).
viruses in bats but never in pigs             | Found in Chiroptera (bats) and in no run of Sus scrofa (pigs)
pigs with kobuvirus or coronavirus or both    | found in 6 of 8 searched runs of Sus scrofa (pigs) (75%).
From what hosts come the most runs with coronavirus? give 1 | Hosts: Rhinolophus ferrumequinum (6 runs).
How often is coronavirus seen, and how often Porcine kobuvirus? | Porcine kobuvirus is found in 6 of 36 searched runs (17%).
How many bat runs do NOT show coronaviruses?  | 6 of 12 searched runs of Chiroptera (bat) (50%) carry no
coronaviruses of bats: which ones and how many runs each | Virus species: Bat coronavirus HKU5 (6 runs).
Runs where Porcine kobuvirus was found and coronaviruses were not | Porcine kobuvirus and no Coronaviridae (coronaviruses) are found in 6 of 36
"""  # noqa: E501


def rows(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")] for line in table.strip().splitlines()[1:]]


@pytest.mark.parametrize(("question", "expected"), rows(ANSWERS))
def test_everyday_wording_is_answered(
    con: duckdb.DuckDBPyConnection, question: str, expected: str
) -> None:
    answer = ask_from_facts(con, question, config=QueryConfig()).answer
    assert expected in answer.splitlines()[0]


def test_a_denial_that_rules_out_no_name_refuses(con: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(NoEvidenceError, match="not understood: not"):
        ask_from_facts(con, "pig runs that were not washed", config=QueryConfig())

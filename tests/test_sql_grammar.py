"""Tables by their groups and numbers: what words ask for, the SQL of it, and what is refused.

``tests/gold/grammar.tsv`` holds tables of the sample with SQL that shares nothing with the
product's own; each column of the gold must be among those of the answer.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Final

import duckdb
import pytest

from query.config import QueryConfig
from query.errors import QueryError
from query.mode import Asking
from query.sql_search.equal import same_result
from query.sql_search.layer.asking import table_of
from query.sql_search.layer.fields import FIELDS, RUNS
from query.sql_search.layer.lexicon import UnknownWordError, tokens_of
from query.sql_search.layer.request import Measure, NotUnderstoodError, TableAsked, TableCondition
from query.sql_search.search import SqlAnswer, answer_in_sql
from tests.conftest import BuiltIndex

GOLD: Final = Path(__file__).parent / "gold" / "grammar.tsv"
KINDS: Final = {"§0": "virus", "§1": "virus", "§2": "organism", "§3": "organism"}


def gold_rows() -> list[tuple[str, str]]:
    with GOLD.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [(row["question"], row["sql"]) for row in rows]


def answered(built: BuiltIndex, con: duckdb.DuckDBPyConnection, question: str) -> SqlAnswer:
    return answer_in_sql(Asking(question, con, built.path, QueryConfig()))


@pytest.mark.parametrize(("question", "sql"), gold_rows())
def test_rows_are_those_of_the_gold(
    sample_index: BuiltIndex, sample_db: duckdb.DuckDBPyConnection, question: str, sql: str
) -> None:
    gold = sample_db.execute(sql).fetchall()
    got = [tuple(row) for row in answered(sample_index, sample_db, question).selected.rows]
    assert gold
    assert same_result(gold, got), got[:3]


FIELDS_READ: Final = {key: one.words for key, one in FIELDS.items()}
NUMERIC: Final = {key for key, one in FIELDS.items() if one.numeric}


def read(words: str) -> TableAsked:
    return table_of(tokens_of(words, FIELDS_READ, RUNS), KINDS, numeric=NUMERIC)


def in_short(one: Measure | str) -> str:
    if isinstance(one, str):
        return one
    given = " ".join(condition_in_short(each) for each in one.given)
    return " ".join(part for part in (one.how, one.of, given) if part)


def condition_in_short(one: TableCondition) -> str:
    denied = "not " if one.negated else ""
    if one.kind == "named":
        return denied + ("&" if one.at_once else "|").join(one.names)
    if one.kind in ("bound", "count"):
        return f"{one.field} {one.sign} {one.number:g}"
    return denied + (f"known {one.field}" if one.kind == "known" else one.kind)


TABLES: Final = """
words | rows | columns | where | else
runs, hosts and tissues per virus family | family | count run; count host; count tissue | |
§0 runs by host and year | host year | | §0 |
for each host with at least 100 runs: runs, runs with §0|host|count run; count run §0||run >= 100
top 3 virus families per country | geography family | | | 3 each
the ten bioprojects with the most virus species | bioproject | | | first 10
virus families by number of hosts, top 15 | family | count host | | first 15
mean and median identity per family, at least 9 runs|family|avg identity; median identity||run >= 9
runs with §0 and §1 per tissue | tissue | count run | §0&§1 |
runs with §0 but not §1 by tissue | tissue | count run | §0 not §1 |
runs with more than 3 virus species: run, organism | | run; organism | species > 3 |
§0 runs with identity above 95: run, reads | | run; reads | identity > 95 §0 |
per host: runs, searched runs, percent positive | host | count run; count run searched; \
percent run virus | |
median number of families per run by host | host | median family | |
runs released since 2018 per library strategy | library_strategy | | year >= 2018 |
cross-tab of library strategy against library source | library_strategy library_source | | |
compare §2 with §3: runs per family | family | count run §2; count run §3 | §2|§3 |
"""


def others_of(table: TableAsked) -> str:
    kept = [f"{one.measure.of} {one.sign} {one.number:g}" for one in table.kept]
    kept += [f"first {table.limit}"] if table.limit else []
    kept += [f"{table.per_first} each"] if table.per_first else []
    return " ".join(kept)


def rows_of_text(text: str) -> list[list[str]]:
    lines = text.replace("\\\n", "").strip().splitlines()[1:]
    return [[cell.strip() for cell in line.replace("§2|§3", "§2/§3").split("|")] for line in lines]


@pytest.mark.parametrize("line", rows_of_text(TABLES), ids=lambda line: line[0])
def test_a_table_is_read_from_words(line: list[str]) -> None:
    words, rows, columns, where, others = line
    table = read(words)
    assert " ".join(table.rows) == rows
    assert "; ".join(in_short(one) for one in table.columns) in (columns, columns or "count run")
    assert " ".join(condition_in_short(one) for one in table.where) == where.replace("/", "|")
    assert others_of(table) == others


LOST: Final = """
runs per host with good manners
number of runs per host phylum order
families found in both §2 and §3
runs of §0 vs runs of §1 per host: mood
average price per virus family
for each host the number of runs carrying
"""


@pytest.mark.parametrize("words", LOST.strip().splitlines())
def test_a_word_that_fits_no_slot_refuses_the_table(words: str) -> None:
    with pytest.raises((NotUnderstoodError, UnknownWordError)):
        read(words)


REFUSED: Final = """
Runs per host and the mood of the submitter
For each tissue: number of runs, number of frobnicated runs
Mean price per virus family, with the number of runs
For each disease, the number of runs and the three most frequent viruses
Runs per library strategy split by whether a virus was found
Number of runs per bioproject with the title of its paper
Runs per continent: searched, positive
Associations per family with their authors
Communities per risk group with the summary
Unexpected virus-host pairs per journal
"""


@pytest.mark.parametrize("question", REFUSED.strip().splitlines())
def test_a_part_that_is_not_understood_refuses_the_table(
    sample_index: BuiltIndex, sample_db: duckdb.DuckDBPyConnection, question: str
) -> None:
    with pytest.raises(QueryError):
        answered(sample_index, sample_db, question)


def test_a_share_is_shown_with_its_part_and_whole_and_says_of_what_it_is(
    sample_index: BuiltIndex, sample_db: duckdb.DuckDBPyConnection
) -> None:
    got = answered(sample_index, sample_db, "Detection rate per host, with the number of runs")
    names = got.selected.columns
    assert {"with_virus", "searched", "percent", "runs"} <= {*names}
    for row in got.selected.rows:
        by_name = dict(zip(names, row, strict=True))
        part, whole = int(str(by_name["with_virus"])), int(str(by_name["searched"]))
        assert part <= whole <= int(str(by_name["runs"]))
        if whole:
            assert float(str(by_name["percent"])) == pytest.approx(100 * part / whole, abs=0.051)
    assert "percent is of the searched runs of the row" in got.draft.explained
    assert "runs that state no host are in no row" in got.draft.explained


def test_a_mean_says_of_how_many_runs_it_is(
    sample_index: BuiltIndex, sample_db: duckdb.DuckDBPyConnection
) -> None:
    got = answered(sample_index, sample_db, "mean and median spots by library source")
    assert got.selected.columns[-1] == "runs_with_spots"


def test_a_release_date_is_no_release_of_an_agent(
    sample_index: BuiltIndex, sample_db: duckdb.DuckDBPyConnection
) -> None:
    question = "All dengue-positive runs with run, bioproject, country, release date"
    got = answered(sample_index, sample_db, question)
    assert got.selected.columns == ("run", "bioproject", "geography", "release_date")

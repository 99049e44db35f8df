"""Tables asked for in words: rows, measures, thresholds, orders, stored rows, refusals.

``tests/gold/tables.tsv`` holds questions of the sample with SQL that shares nothing with the
product's own. Those of the set ``first`` were written before the code, ``second`` after it and in
other wordings, ``mended`` later; ``unanswered`` are of the second set and must be refused until
they are understood.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Final

import duckdb
import pytest

from query.config import QueryConfig
from query.errors import BeyondCountsError, NoEvidenceError
from query.mode import Asking
from query.reading.question import read_question
from query.sql_search.equal import same_result
from query.sql_search.errors import UncoveredError
from query.sql_search.mode import fit
from query.sql_search.search import answer_in_sql
from tests.conftest import BuiltIndex

GOLD: Final = Path(__file__).parent / "gold" / "tables.tsv"


def gold_rows() -> list[tuple[str, str, str]]:
    with GOLD.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [(row["set"], row["question"], row["sql"] or "") for row in rows]


ANSWERED: Final = [row[1:] for row in gold_rows() if row[0] in ("first", "second", "mended")]
REFUSED: Final = [row[1] for row in gold_rows() if row[0] in ("refused", "unanswered")]
REFUSALS: Final = (UncoveredError, NoEvidenceError, BeyondCountsError)
"""What says that a question is not understood; SQL of the product that fails is no refusal."""


def rows_of(
    built: BuiltIndex, con: duckdb.DuckDBPyConnection, question: str
) -> list[tuple[object, ...]]:
    asking = Asking(question, con, built.path, QueryConfig())
    return [tuple(row) for row in answer_in_sql(asking).selected.rows]


@pytest.mark.parametrize(("question", "sql"), ANSWERED)
def test_rows_are_those_of_the_gold(
    sample_index: BuiltIndex, sample_db: duckdb.DuckDBPyConnection, question: str, sql: str
) -> None:
    gold = sample_db.execute(sql).fetchall()
    got = rows_of(sample_index, sample_db, question)
    assert gold
    assert same_result(gold, got), got[:3]


@pytest.mark.parametrize("question", REFUSED)
def test_what_is_not_understood_as_a_table_is_refused(
    sample_index: BuiltIndex, sample_db: duckdb.DuckDBPyConnection, question: str
) -> None:
    with pytest.raises(REFUSALS):
        rows_of(sample_index, sample_db, question)


UNSURE: Final = """
How many different virus families does each frobnicated host have?
Average number of reads per virus family on weekdays
Countries with at least 100 runs of good quality
Runs per library strategy sequenced by nice people
Top three families in each country with a low income
Median identity of Coronaviridae hits per moon phase
""".strip().splitlines()


@pytest.mark.parametrize("question", UNSURE)
def test_a_word_that_is_not_understood_refuses_the_whole_table(
    sample_index: BuiltIndex, sample_db: duckdb.DuckDBPyConnection, question: str
) -> None:
    with pytest.raises(REFUSALS):
        rows_of(sample_index, sample_db, question)


ORDERED: Final = """
Count runs by country, fewest first          | fewest
Countries with at least 100 runs             | most
Hosts with the fewest virus families         | fewest
Runs per host in alphabetical order          | name
"""


@pytest.mark.parametrize("line", ORDERED.strip().splitlines())
def test_rows_are_in_the_order_that_is_asked(
    sample_index: BuiltIndex, sample_db: duckdb.DuckDBPyConnection, line: str
) -> None:
    question, order = (cell.strip() for cell in line.split("|"))
    rows = rows_of(sample_index, sample_db, question)
    if order == "name":
        names = [str(row[0]).lower() for row in rows]
        assert names == sorted(names)
    else:
        numbers = [int(str(row[1])) for row in rows]
        assert numbers == sorted(numbers, reverse=order == "most")
    assert len(rows) > 1


SAYING: Final = """
mean and median spots by library source           | runs that state no library source are in no row
Share of runs with Flaviviridae in each country   | of the searched runs of the row
Percentage of runs from each country among runs with Influenza A virus | of all runs
families found in China but not in the USA        | leaving out what is found in runs of USA
"""


@pytest.mark.parametrize("line", SAYING.strip().splitlines())
def test_a_table_says_what_its_numbers_are_of(
    sample_index: BuiltIndex, sample_db: duckdb.DuckDBPyConnection, line: str
) -> None:
    question, said = (cell.strip() for cell in line.split("|"))
    asking = Asking(question, sample_db, sample_index.path, QueryConfig())
    assert said in "; ".join(answer_in_sql(asking).draft.explained)


TABULAR: Final = """
Hosts with the most virus species
Countries with at least 100 runs
List the accessions of pig runs with Influenza A virus
Rank pairs of virus families by the number of runs in which they co-occur
""".strip().splitlines()


@pytest.mark.parametrize("question", TABULAR)
def test_a_table_that_is_understood_suits_sql(
    sample_db: duckdb.DuckDBPyConnection, question: str
) -> None:
    assert fit(read_question(sample_db, question)).score >= 0.8

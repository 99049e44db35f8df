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
from query.sql_search.grammar.chunks import chunks_of
from query.sql_search.grammar.items import cells_of
from query.sql_search.grammar.ordered import Cell, OrderedTable
from query.sql_search.grammar.reading import read_ordered
from query.sql_search.grammar.words import plainly

from query.config import QueryConfig
from query.errors import QueryError
from query.mode import Asking
from query.sql_search.equal import same_result
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


def in_short(cell: Cell) -> str:
    given = cell.given
    said = {
        "": "",
        "named": given.text,
        "without": f"not {given.text}",
        "of": f"of {given.text}",
        "column": f"{given.column} {given.sign} {given.number:g}".strip(),
    }.get(given.kind, given.kind)
    return " ".join(
        one for one in (cell.how, cell.of, said, cell.whole and f"/{cell.whole}") if one
    )


CELLS: Final = """
words                                          | cells
number of different virus families             | count family
how many runs                                  | count run
runs with a virus                              | count run virus
virus-positive runs                            | count run virus
how many of these have a virus                 | count run virus
the number of them where a virus was found     | count run virus
runs looked at                                 | count run searched
runs without any virus                         | count run no virus
runs with §0                                   | count run §0
§0 runs                                        | count run §0
runs with and without §0                       | count run §0; count run not §0
mean and median number of aligned reads        | avg reads; median reads
average identity to the reference              | avg identity
how many exceed 100x                           | count run > 100
detection rate                                 | percent run /searched
percent                                        | percent run
share of runs with §0                          | percent run §0
percent of the runs that were searched         | percent run /searched
share of §2 runs                               | percent run of §2 /all
§0 detection rate                              | percent run §0 /searched
the most common virus                          | first species
earliest and latest release year               | min year; max year
"""


@pytest.mark.parametrize("line", CELLS.strip().splitlines()[1:])
def test_words_between_commas_are_numbers(line: str) -> None:
    words, expected = (cell.strip() for cell in line.split("|"))
    cells = cells_of(chunks_of(plainly(words), KINDS) or [])
    assert cells is not None
    assert "; ".join(in_short(one) for one in cells) == expected


TABLES: Final = """
words | groups | about | cells | else
runs, hosts and tissues per virus family | family |  | count run; count host; count tissue |
§0 runs by host and year | host year | §0 | count run |
for each host with at least 100 runs: runs, runs with §0|host||count run; count run §0|run >= 100
§2 species as rows, and columns for §0 and §1 runs | host | §2 | count run §0; count run §1 |
top 3 viruses for §2 and §3, each with run counts | §2+§3 species |  | count run | 3 each
§2 vs §3: runs, runs with §0, percentage | §2+§3 |  | count run; count run §0; percent run |
bioprojects with §2 runs: number of runs, number with §0|bioproject|§2|count run; count run §0|
the ten bioprojects with most virus-positive runs | bioproject |  | count run virus | first 10
virus families by number of hosts, top 15 | family |  | count host | first 15
min score of §0 per §2 host, at least 9 runs|host|§2 hosts and §0|min score; count run|run >= 9
cross-tab of library strategy against library source | library_strategy library_source |  |  |
number of different virus families per host | host | | count family |
runs by sex and tissue | sex tissue | | count run |
hosts with the most virus species | host | | count species |
countries with more than five tissues | geography | | count tissue | tissue > 5
projects that include 20 or more runs | bioproject | | count run | run >= 20
the top three families in each country | geography family | | count run | 3 each
median number of families per run by host | host | | median family |
"""


def others_of(table: OrderedTable) -> str:
    kept = [f"{one.cell.of} {one.sign} {one.number:g}" for one in table.kept]
    kept += [f"first {table.limit}"] if table.limit else []
    kept += [f"{table.per_first} each"] if table.per_first else []
    return " ".join(kept)


@pytest.mark.parametrize("line", TABLES.strip().splitlines()[1:])
def test_a_table_is_read_from_words(line: str) -> None:
    words, groups, about, cells, others = (cell.strip() for cell in line.split("|"))
    table = read_ordered(words, KINDS)
    assert table is not None
    assert " ".join(one.noun or "+".join(one.names) for one in table.groups) == groups
    assert table.about == about
    assert "; ".join(in_short(one) for one in table.cells) == (cells or "count run")
    assert others_of(table) == others


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

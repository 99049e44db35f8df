"""``query sql``: the rows of a request with its SQL, one's own SQL, formats and refusals."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

import duckdb
import polars as pl
import pytest
from typer.testing import CliRunner

from query.answer import ResultTable
from query.cli.app import app
from query.compiler.run_tables import select_runs
from query.config import QueryConfig
from query.mode import Asking
from query.request import Carries, Count, Everything, Has, Hit, Measure, Request, RunSet, Values
from query.request.saying import say
from query.sql_search.catalogue import Join, read_catalogue
from query.sql_search.checking import check_select
from query.sql_search.saving import save_table, table_csv
from query.sql_search.search import answer_in_sql, answer_of, run_own_sql
from tests.community_index import make_community_index as make_index
from tests.query_index import opened

pytestmark = pytest.mark.usefixtures("composed_only")


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_index(tmp_path_factory.mktemp("sql") / "index.duckdb")


@pytest.fixture
def con(index: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with opened(index) as connection:
        yield connection


def rows(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")] for line in table.strip().splitlines()[1:]]


def asking_for(
    index: Path, con: duckdb.DuckDBPyConnection, measure: Measure, of: RunSet | None = None
) -> Asking:
    request = Request(measure, of or Everything())
    return Asking(say(request), con, index, QueryConfig(), requests=(request,))


def test_a_list_of_values_is_a_table_with_the_sql_that_made_it(
    index: Path, con: duckdb.DuckDBPyConnection
) -> None:
    asking = asking_for(index, con, Values(("family",)), Has("tissue", ("intestine",)))
    found = answer_in_sql(asking)
    counted = {row[0]: row[1] for row in found.table.rows}
    assert counted == {"Coronaviridae": 6, "Picornaviridae": 6, "Astroviridae": 4}
    answer = answer_of(found)
    assert f"```sql\n{found.sql}\n```" in answer.answer
    assert answer.requests[0]["measure"]["type"] == "values"


def test_a_number_is_a_table_with_its_tally(index: Path, con: duckdb.DuckDBPyConnection) -> None:
    asking = asking_for(index, con, Count(), Carries(Hit(virus=("Coronaviridae",))))
    table = answer_in_sql(asking).table
    (row,) = table.rows
    assert dict(zip(table.columns, row, strict=True))["number"] == 6


def test_the_rows_of_a_set_stand_alone_as_sql(con: duckdb.DuckDBPyConnection) -> None:
    select = select_runs(con, Carries(Hit(virus=("Coronaviridae",))) & Has("host", ("bats",)))
    assert len(con.execute(select).fetchall()) == 6
    assert check_select(con, select, read_catalogue(con)).tables


def test_values_cannot_end_their_literal(con: duckdb.DuckDBPyConnection) -> None:
    select = select_runs(con, Has("project", contains="x'; DROP TABLE run; --"))
    assert con.execute(select).fetchall() == []


def test_own_sql_is_run_as_it_is_typed(index: Path, con: duckdb.DuckDBPyConnection) -> None:
    asking = asking_for(index, con, Count())
    found = run_own_sql(asking, "SELECT count(*) AS n FROM run;")
    assert found.table == ResultTable(("n",), ((36,),))
    assert "reads run" in found.explained


# --- the catalogue --------------------------------------------------------------------------------


def test_joins_follow_from_the_keys_of_the_contracts(con: duckdb.DuckDBPyConnection) -> None:
    catalogue = read_catalogue(con)
    assert Join("detection", "run", "run", "run") in catalogue.joins
    assert Join("annotation", "curie", "term", "curie") in catalogue.joins
    assert Join("run", "bioproject", "bioproject", "bioproject") in catalogue.joins
    assert catalogue.connected(["detection", "bioproject"]) == ("detection", "run", "bioproject")


# --- forms ----------------------------------------------------------------------------------------

TABLE = ResultTable(("host", "runs", "runs"), (("bat", 3, None), ("=1+1", 2, 1)))


def test_csv_has_a_header_no_formula_and_no_order_to_a_terminal() -> None:
    hostile = ResultTable(
        ("host\x1b[2J", "runs", "runs"),
        (("\x1b]0;owned\x07bat", 3, None), ("=1+1", 2, "two\nlines")),
    )
    assert list(csv.reader(io.StringIO(table_csv(hostile)))) == [
        ["host\\u001b[2J", "runs", "runs"],
        ["\\u001b]0;owned\\u0007bat", "3", ""],
        ["'=1+1", "2", "two\nlines"],
    ]


@pytest.mark.parametrize("ending", ["csv", "json", "parquet"])
def test_rows_are_written_in_the_format_of_the_ending(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"rows.{ending}"
    save_table(TABLE, path)
    if ending == "parquet":
        assert pl.read_parquet(path).columns == ["host", "runs", "runs_2"]
    elif ending == "json":
        assert json.loads(path.read_text())[0] == {"host": "bat", "runs": 3, "runs_2": None}
    else:
        assert path.read_text().splitlines()[1] == "bat,3,"


# --- the command ----------------------------------------------------------------------------------


ONE_FAMILY = "Name the most frequent virus family in all runs."


def run(index: Path, *arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["sql", *arguments, "--db", str(index), "--no-journal"])
    return done.exit_code, done.output


def test_command_prints_sql_and_rows(index: Path) -> None:
    code, output = run(index, "List the 2 most frequent virus families in all runs.", "--no-llm")
    assert code == 0
    assert "```sql" in output
    rows = output.partition("family\truns")[2].splitlines()[1:3]
    assert [row.split("\t")[:2] for row in rows] == [["Pneumoviridae", "8"], ["Coronaviridae", "6"]]


def test_command_writes_and_prints_other_forms(index: Path, tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    code, output = run(index, ONE_FAMILY, "--no-llm", "--csv", "--output", str(path))
    assert (code, "Pneumoviridae,8" in output) == (0, True)
    assert pl.read_parquet(path).rows() == [("Pneumoviridae", 8, 8, 8, 8)]


USAGE = """
arguments                                  | code | says
--run DROP TABLE run                       | 8    | this SQL was not run
--run SELECT nope FROM run                 | 8    | this SQL fails
--output rows.docx                         | 2    | ends in .csv, .json or .parquet
                                           | 8    | the question is empty
"""


@pytest.mark.parametrize(("arguments", "code", "says"), rows(USAGE))
def test_wrong_usage_leaves_with_its_code(
    index: Path, arguments: str, code: str, says: str
) -> None:
    option, _, value = arguments.partition(" ")
    given = [option, value] if option else []
    got, output = run(index, *given)
    assert (got, says in output) == (int(code), True)


def test_schema_shows_tables_with_their_meaning(index: Path) -> None:
    code, output = run(index, "--schema")
    assert code == 0
    assert "detection\tfamily\tVARCHAR\tvirus family; null where unknown" in output

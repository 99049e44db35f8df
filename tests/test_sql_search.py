"""``query sql`` without a model: questions compiled to SQL, follow-ups, formats, refusals."""

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

from benchmarks.sql_accuracy import read_gold, rows_from_reading
from query.answer import ResultTable
from query.cli.app import app
from query.config import QueryConfig
from query.global_search.ask import ask_from_facts
from query.global_search.carrying import runs_carrying
from query.mode import Asking
from query.reading.intent import Intent
from query.reading.mentions import Mention
from query.reading.question import Question, read_question
from query.reading.reading import Reading
from query.reading.senses import Sense
from query.sql_search.catalogue import Join, read_catalogue
from query.sql_search.checking import check_select
from query.sql_search.compiling import compile_question
from query.sql_search.editing import edit, split_follow_up
from query.sql_search.equal import same_result
from query.sql_search.errors import UncoveredError
from query.sql_search.running import run_select
from query.sql_search.saving import save_table, table_csv
from query.sql_search.search import answer_in_sql, answer_of, draft_from_reading
from tests.conftest import BuiltIndex
from tests.query_index import make_index, opened
from tests.tiny_index import tiny_index


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_index(tmp_path_factory.mktemp("sql") / "index.duckdb")


@pytest.fixture
def con(index: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with opened(index) as connection:
        yield connection


def rows(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")] for line in table.strip().splitlines()[1:]]


def asked(con: duckdb.DuckDBPyConnection, question: str) -> list[tuple[object, ...]]:
    """Return the rows of the SQL compiled from ``question``."""
    sql = draft_from_reading(con, read_question(con, question)).sql
    return list(run_select(con, check_select(con, sql, read_catalogue(con)).sql).rows)


COMPILED = """
question                                         | rows
How many runs hold coronaviruses?                | 6,36,16.7,True
How many bat samples hold a coronavirus?         | 6,12,50.0,True
Do pigs carry coronaviruses?                     | 0,8,0.0,False
What share of bat runs have coronaviruses?       | 6,12,50.0,True
How many runs are from lung?                     | 12,36,12,8,33.3
How many runs are there?                         | 36
How many hosts have coronaviruses?               | host,1,6
top 2 virus families                             | Pneumoviridae,8;Coronaviridae,6
Hosts of Yellow fever virus                      | Aedes aegypti,6
How many runs per place?                         | Germany,18;China,8;Brazil,6;Canada,4
In which tissues are coronaviruses seen?         | intestine,6
Which virus families are found in bats but not in China? | Astroviridae,4
How many runs of bats are not from lung?         | 10,36,10,10,27.8
"""


@pytest.mark.parametrize(("question", "expected"), rows(COMPILED))
def test_question_is_compiled_to_the_rows_that_answer_it(
    con: duckdb.DuckDBPyConnection, question: str, expected: str
) -> None:
    got = ";".join(",".join(str(cell) for cell in row) for row in asked(con, question))
    assert got == expected


def test_comparison_counts_searched_runs_of_either_side(con: duckdb.DuckDBPyConnection) -> None:
    table = {str(row[0]): row[1:] for row in asked(con, "bats versus pigs")}
    assert table == {
        "Coronaviridae": (6, 12, 0, 8),
        "Picornaviridae": (0, 12, 6, 8),
        "Astroviridae": (4, 12, 0, 8),
    }


def test_associations_are_those_that_hold(con: duckdb.DuckDBPyConnection) -> None:
    found = asked(con, "What is Coronaviridae associated with?")
    assert [row[2:4] for row in found] == [("tissue", "intestine"), ("batch", "1")]


HEADLINES = """
question                                   | first line holds
How many runs hold coronaviruses?          | is found in 6 of 36 searched runs
What share of pig runs carry kobuvirus?    | is found in 6 of 8 searched runs
Is Yellow fever virus found in mosquitoes? | is found in all 6 searched runs
"""


@pytest.mark.parametrize(("question", "said"), rows(HEADLINES))
def test_sql_and_headline_count_the_same(
    con: duckdb.DuckDBPyConnection, question: str, said: str
) -> None:
    first = ask_from_facts(con, question, config=QueryConfig()).answer.splitlines()[0]
    found, searched = asked(con, question)[0][:2]
    assert said in first
    assert str(searched) in said
    assert str(found) in said


def asking_for(index: Path, con: duckdb.DuckDBPyConnection, question: str) -> Asking:
    return Asking(question, con, index, QueryConfig())


UNCOVERED = """
question                                            | why
What is the average identity of detections in spring? | “spring” was not understood
Give the ten villages with the most biosamples      | “villages” was not understood
How many runs; DROP TABLE run; --                   | not understood
Which frobnication do the zorbs have?               | not understood
"""


@pytest.mark.parametrize(("question", "why"), rows(UNCOVERED))
def test_what_no_reading_covers_is_refused_without_a_model(
    index: Path, con: duckdb.DuckDBPyConnection, question: str, why: str
) -> None:
    with pytest.raises(UncoveredError, match=why) as refused:
        answer_in_sql(asking_for(index, con, question))
    assert "query sql --run" in refused.value.remedy


def test_values_cannot_end_their_literal(con: duckdb.DuckDBPyConnection) -> None:
    sense = Sense("geography", "x", 1, value="x'; DROP TABLE run; --")
    select = runs_carrying([sense])
    assert check_select(con, select, read_catalogue(con)).tables == ("annotation",)


def test_a_negated_condition_keeps_detections_without_a_species() -> None:
    con = tiny_index(
        run="run\nR1",
        detection="""
            run | sotu | family        | species          | stated
            R1  | u1   | Coronaviridae | Bat coronavirus  | Bat coronavirus
            R1  | u2   | Astroviridae  |                  |
        """,
        term="curie | label | rank",
    )
    sense = Sense("species", "Bat coronavirus", 1, value="Bat coronavirus")
    mention = Mention("bat coronavirus", 0, 2, "Bat coronavirus", "virus", (sense,))
    reading = Reading(kind="list", facets=("family",), explicit=True, subjects=(mention,))
    intent = Intent(("family",), False, True)
    question = Question("which families co-occur with it", intent, (mention,), (), (), (), reading)
    assert con.execute(compile_question(question).sql).fetchall() == [("Astroviridae", 1)]


FOLLOW_UPS = """
follow-up                     | rows
only 2                        | Coronaviridae,6;Picornaviridae,6
alphabetical                  | Astroviridae,4;Coronaviridae,6;Picornaviridae,6
only 2, alphabetical          | Coronaviridae,6;Picornaviridae,6
z to a                        | Picornaviridae,6;Coronaviridae,6;Astroviridae,4
at least 5 runs               | Coronaviridae,6;Picornaviridae,6
fewest first and only one     | Astroviridae,4
more than 4; by name          | Coronaviridae,6;Picornaviridae,6
bats                          | Coronaviridae,6;Astroviridae,4
only pigs                     | Picornaviridae,6
"""


@pytest.mark.parametrize(("follow_up", "expected"), rows(FOLLOW_UPS))
def test_follow_ups_change_the_result_in_the_order_they_are_said(
    index: Path, con: duckdb.DuckDBPyConnection, follow_up: str, expected: str
) -> None:
    asking = asking_for(index, con, "Which virus families are found in the intestine?")
    table = answer_in_sql(asking, then=[follow_up]).table
    assert ";".join(",".join(str(cell) for cell in row) for row in table.rows) == expected


def test_a_follow_up_that_means_nothing_is_refused(
    index: Path, con: duckdb.DuckDBPyConnection
) -> None:
    with pytest.raises(UncoveredError, match="changes no rows"):
        answer_in_sql(asking_for(index, con, "top 5 hosts"), then=["frobnicate it"])


def test_a_change_that_no_column_allows_is_none() -> None:
    assert edit("SELECT 1", ["n"], ["BIGINT"], "alphabetical") is None
    assert split_follow_up("only 3, then a to z") == ["only 3", "a to z"]


def test_the_answer_shows_its_sql_and_what_it_does(
    index: Path, con: duckdb.DuckDBPyConnection
) -> None:
    answer = answer_of(answer_in_sql(asking_for(index, con, "Hosts of Yellow fever virus")))
    assert answer.answer.startswith("host Aedes aegypti, runs 6.")
    assert "```sql\nWITH\n-- runs of Yellow fever virus\nvirus_runs AS (" in answer.answer
    assert "This SQL reads the runs of Yellow fever virus; counts distinct runs" in answer.answer
    assert answer.table == ResultTable(("host", "runs"), (("Aedes aegypti", 6),))


def test_an_answer_without_rows_says_what_there_is(
    index: Path, con: duckdb.DuckDBPyConnection
) -> None:
    asking = asking_for(index, con, "Which tissues has Yellow fever virus?")
    answer = answer_of(answer_in_sql(asking)).answer
    assert answer.startswith(
        "No row.\n\n6 runs of Yellow fever virus. Not stated for any of them: tissues"
    )


def test_in_one_but_not_in_another_lists_what_no_run_of_the_other_carries(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    of_host = (
        "SELECT family, run FROM detection JOIN annotation USING (run) "
        "WHERE facet = 'host' AND value IN ({}) AND family IS NOT NULL"
    )
    pigs = of_host.format("'Sus scrofa', 'Sus scrofa domesticus'")
    cattle = of_host.format("'Bos taurus'")
    only = (
        f"SELECT family, count(DISTINCT run) AS runs FROM ({pigs}) ANTI JOIN ({cattle}) "
        "USING (family) GROUP BY family ORDER BY runs DESC, family"
    )
    question = "Which virus families are found in pigs but not in cattle?"
    found = asked(sample_db, question)
    assert found == sample_db.execute(only).fetchall()
    everything = asked(sample_db, "Which virus families are found in pigs?")
    assert 0 < len(found) < len(everything)
    said = ask_from_facts(sample_db, question, config=QueryConfig()).answer
    assert all(str(family) in said for family, _ in found[:3])


def test_runs_are_counted_by_the_year_of_their_release(
    sample_db: duckdb.DuckDBPyConnection, con: duckdb.DuckDBPyConnection, index: Path
) -> None:
    by_year = (
        "SELECT year(release_date) AS y, count(*) FROM run {} GROUP BY y ORDER BY y NULLS LAST"
    )
    carrying = "WHERE run IN (SELECT run FROM detection WHERE family = 'Flaviviridae')"
    whole = "How many runs were released in each year?"
    assert asked(sample_db, whole) == sample_db.execute(by_year.format("")).fetchall()
    some = asked(sample_db, "Number of runs per year for Flaviviridae")
    assert some == sample_db.execute(by_year.format(carrying)).fetchall()
    with pytest.raises(UncoveredError, match="not when samples were collected"):
        asked(sample_db, "How many runs were collected per year?")
    with pytest.raises(UncoveredError, match="no release date of any run"):
        answer_in_sql(asking_for(index, con, whole))


def test_cautions_are_beside_the_rows_and_never_among_them(sample_index: BuiltIndex) -> None:
    words = ["sql", "Which virus families are found in humans?", "--no-llm", "--no-journal"]
    env = {"VIROME_DB": str(sample_index.path)}
    record = json.loads(CliRunner().invoke(app, [*words, "--json"], env=env).stdout)
    (caution,) = record["cautions"]
    assert "possibly contamination" in caution
    assert caution in record["answer"]
    printed = CliRunner().invoke(app, [*words, "--csv"], env=env)
    assert caution in " ".join(printed.stderr.split())
    assert "contamination" not in printed.stdout
    plain = CliRunner().invoke(app, ["sql", "runs per host", *words[2:], "--json"], env=env)
    assert json.loads(plain.stdout)["cautions"] == []


def test_sides_of_a_comparison_name_their_columns(con: duckdb.DuckDBPyConnection) -> None:
    sql = draft_from_reading(con, read_question(con, "bats versus pigs")).sql
    assert run_select(con, sql).columns[1:4] == ("bats_runs", "bats_searched", "pigs_runs")


# --- the catalogue --------------------------------------------------------------------------------


def test_joins_follow_from_the_keys_of_the_contracts(con: duckdb.DuckDBPyConnection) -> None:
    catalogue = read_catalogue(con)
    assert Join("detection", "run", "run", "run") in catalogue.joins
    assert Join("annotation", "curie", "term", "curie") in catalogue.joins
    assert Join("run", "bioproject", "bioproject", "bioproject") in catalogue.joins
    assert catalogue.connected(["detection", "bioproject"]) == ("detection", "run", "bioproject")


def test_every_column_has_its_comment(con: duckdb.DuckDBPyConnection) -> None:
    tables = read_catalogue(con).tables.values()
    bare = [f"{t.name}.{column.name}" for t in tables for column in t.columns if not column.comment]
    assert not bare


# --- forms ----------------------------------------------------------------------------------------

TABLE = ResultTable(("host", "runs", "runs"), (("bat", 3, None), ("=1+1", 2, 1)))


def test_csv_has_a_header_and_no_formula() -> None:
    assert list(csv.reader(io.StringIO(table_csv(TABLE)))) == [
        ["host", "runs", "runs"],
        ["bat", "3", ""],
        ["'=1+1", "2", "1"],
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


def test_results_are_the_same_whatever_the_order_and_the_names() -> None:
    assert same_result([("a", 1), ("b", 2)], [(2, "b", 0.5), (1, "a", 0.5)])
    assert not same_result([("a", 1), ("b", 2)], [(1, "b"), (2, "a")])
    assert not same_result([], [(1,)])


# --- the command ----------------------------------------------------------------------------------


def run(index: Path, *arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["sql", *arguments, "--db", str(index), "--no-journal"])
    return done.exit_code, done.output


def test_command_prints_sql_and_rows(index: Path) -> None:
    code, output = run(index, "top 2 virus families", "--no-llm")
    assert code == 0
    assert "```sql" in output
    assert output.endswith("family\truns\nPneumoviridae\t8\nCoronaviridae\t6\n")


def test_command_writes_and_prints_other_forms(index: Path, tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    code, output = run(index, "top 1 virus family", "--no-llm", "--csv", "--output", str(path))
    assert (code, "Pneumoviridae,8" in output) == (0, True)
    assert pl.read_parquet(path).rows() == [("Pneumoviridae", 8)]


def test_command_gives_json_with_sql(index: Path) -> None:
    code, output = run(index, "top 1 virus family", "--no-llm", "--json")
    record = json.loads(output)
    assert (code, record["complete"], record["mode"]) == (0, True, "sql")
    assert record["sql"].startswith("WITH")
    assert record["table"]["rows"] == [["Pneumoviridae", 8]]


USAGE = """
arguments                                  | code | says
--run DROP TABLE run                       | 8    | this SQL is not run
--run SELECT nope FROM run                 | 8    | this SQL fails
--output rows.docx                         | 2    | ends in .csv, .json, .parquet
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


# --- gold -----------------------------------------------------------------------------------------


def test_gold_questions_are_many_and_their_sql_runs(sample_db: duckdb.DuckDBPyConnection) -> None:
    gold = read_gold("sample")
    catalogue = read_catalogue(sample_db)
    assert len(gold) >= 120
    for one in gold:
        assert check_select(sample_db, one.sql, catalogue).tables


@pytest.mark.parametrize("kind", ["count", "top", "per", "company", "associate", "index"])
def test_gold_questions_of_a_kind_are_answered(sample_index: BuiltIndex, kind: str) -> None:
    wrong = []
    with opened(sample_index.path) as con:
        asking = asking_for(sample_index.path, con, "")
        for one in read_gold("sample", kind=kind)[::4]:
            gold = run_select(con, one.sql).rows
            if not same_result(gold, rows_from_reading(asking, one.question)):
                wrong.append(one.question)
    assert not wrong

"""SQL written by a model in stages, against a real server that answers as scripted or
misbehaves.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from index.errors import ModelError
from index.models.choose import Patience
from query.config import QueryConfig
from query.errors import QueryError
from query.mode import Asking
from query.sql_search.answer import SqlAnswer
from query.sql_search.catalogue import read_catalogue
from query.sql_search.errors import SqlUnwrittenError
from query.sql_search.prompting import (
    Chosen,
    asked_text,
    columns_prompt,
    joins_prompt,
    sql_prompt,
    tables_prompt,
)
from query.sql_search.search import answer_in_sql
from query.sql_search.staging import with_ready
from tests.community_index import make_community_index as make_index
from tests.query_index import opened
from tests.scripted_openai import Reply, Script, ScriptedServer, serve

pytestmark = pytest.mark.usefixtures("composed_only")
SNAPSHOTS = Path(__file__).parent / "snapshots"
UNCOVERED = "entropy of the hosts of coronaviruses in bats"
QUESTION = "What is the average number of reads of coronaviruses in bats?"
GOOD = "SELECT count(DISTINCT run) AS runs FROM detection WHERE run IN (SELECT run FROM virus_runs)"


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_index(tmp_path_factory.mktemp("staging") / "index.duckdb")


def staged(
    index: Path, script: Script, *, question: str = QUESTION
) -> tuple[SqlAnswer, ScriptedServer]:
    """Return what a model whose server answers as scripted makes of the question."""
    with serve(script) as server, opened(index) as con:
        choice = server.choice(patience=Patience(max_retries=0))
        asking = Asking(question, con, index, QueryConfig(), choice)
        return answer_in_sql(asking, by_model=True), server


def stages(*attempts: str, tables: Sequence[str] = ("detection",)) -> list[Reply]:
    """Return the replies of all stages: one table needs no join."""
    chosen = [Reply(json.dumps({"tables": list(tables)}))]
    if len(tables) > 1:
        chosen.append(Reply(json.dumps({"joins": [1]})))
    chosen.append(Reply(json.dumps({"columns": ["detection.run"]})))
    return [*chosen, *(Reply(json.dumps({"sql": sql})) for sql in attempts)]


def test_stages_lead_to_sql_that_is_checked_run_and_shown(index: Path) -> None:
    answer, server = staged(index, stages(GOOD))
    assert answer.table.rows == ((6,),)
    assert answer.steps[:2] == ("tables: detection", "joins: none needed")
    assert answer.sql.startswith("WITH\nvirus_runs AS (")
    assert "Written by scripted-8b" in answer.explained
    assert (len(server.requests), answer.usage.calls) == (3, 3)


def test_each_stage_is_constrained_to_what_there_is(index: Path) -> None:
    _, server = staged(index, stages(GOOD, tables=("detection", "bioproject")))
    schemas = [one["response_format"]["json_schema"]["schema"] for one in server.requests]
    assert "detection" in schemas[0]["properties"]["tables"]["items"]["enum"]
    assert "embedding" not in schemas[0]["properties"]["tables"]["items"]["enum"]
    columns = schemas[2]["properties"]["columns"]["items"]["enum"]
    assert {"detection.run", "bioproject.title", "run.bioproject"} <= set(columns)


def test_tables_that_do_not_join_get_the_table_between(index: Path) -> None:
    answer, _ = staged(index, stages(GOOD, tables=("detection", "bioproject")))
    assert answer.steps[0] == "tables: detection, run, bioproject"
    assert "run.bioproject = bioproject.bioproject" in answer.steps[1]


def test_what_was_written_once_is_not_paid_for_again(index: Path, tmp_path: Path) -> None:
    with serve(stages(GOOD)) as server, opened(index) as con:
        for _ in range(2):
            asking = Asking(QUESTION, con, index, QueryConfig(), server.choice(),
                            cache=tmp_path / "cache.sqlite")  # fmt: skip
            again = answer_in_sql(asking, by_model=True)
        assert again.table.rows == ((6,),)
        assert len(server.requests) == 3
        assert again.usage.cached == 3


FAULTS = {
    "writes": ("DROP TABLE run", "not a readable SELECT"),
    "reads a file": ("SELECT * FROM read_csv('/etc/passwd')", "read_csv is not allowed"),
    "unknown column": ("SELECT nope FROM detection", '"nope" not found'),
    "no rows": ("SELECT run FROM detection WHERE family = 'Nopeviridae'", "returns no row"),
}


@pytest.mark.parametrize("case", FAULTS)
def test_an_attempt_that_fails_is_shown_its_error_and_written_again(index: Path, case: str) -> None:
    bad, why = FAULTS[case]
    answer, server = staged(index, stages(bad, GOOD))
    assert answer.table.rows == ((6,),)
    assert why in answer.steps[3]
    assert why in server.requests[-1]["messages"][-1]["content"]


def test_at_most_three_rounds_follow_the_first_attempt(index: Path) -> None:
    server_requests: list[dict[str, Any]] = []

    def answer(request: dict[str, Any]) -> Reply:
        server_requests.append(request)
        return stages("SELECT nope FROM run")[min(len(server_requests), 3) - 1]

    with pytest.raises(SqlUnwrittenError, match="4 attempts") as refused:
        staged(index, answer)
    assert len(server_requests) == 2 + 4
    assert refused.value.exit_code == 8


def test_what_finds_nothing_to_the_end_is_an_answer_without_rows(index: Path) -> None:
    empty = FAULTS["no rows"][0]
    answer, _ = staged(index, stages(empty, empty, empty, empty))
    assert answer.table.rows == ()


BROKEN = {
    "junk": Reply("no JSON"),
    "truncated": Reply('{"tables": ["det', finish_reason="length"),
    "a table that is none": Reply('{"tables": ["secrets"]}'),
}


@pytest.mark.parametrize("case", BROKEN)
def test_an_endpoint_that_fails_leaves_with_its_error(index: Path, case: str) -> None:
    with pytest.raises(ModelError):
        staged(index, [BROKEN[case]])


def test_no_value_of_a_row_is_shown_to_the_model(index: Path) -> None:
    leaking = "SELECT stated::INTEGER FROM detection"
    answer, server = staged(index, stages(leaking, GOOD))
    assert answer.table.rows == ((6,),)
    shown = server.requests[-1]["messages"][-1]["content"]
    assert "Could not convert" in shown
    assert "'…'" in shown
    assert "Yellow fever virus" not in json.dumps(server.requests)


READY = {
    "SELECT 1": "SELECT 1",
    "SELECT * FROM bats": "WITH\nbats AS (\n    SELECT run FROM run\n)\nSELECT * FROM bats",
    "with a as (select 1) select * from a, bats;": "WITH\nbats AS (\n    SELECT run FROM run\n),\n"
    "a as (select 1) select * from a, bats",
}


@pytest.mark.parametrize("sql", READY)
def test_ready_tables_are_put_before_the_sql_that_names_them(sql: str) -> None:
    assert with_ready(sql, {"bats": "SELECT run FROM run"}) == READY[sql]


def test_every_prompt_of_the_stages_is_as_reviewed(index: Path) -> None:
    with opened(index) as con:
        catalogue = read_catalogue(con)
    ready = {"organism_runs": "runs of Chiroptera (bats)"}
    asked = asked_text("Mean identity of viruses of bats, by family?", ready)
    joins = catalogue.joins_between(["detection", "run", "bioproject"])
    chosen = Chosen(("detection", "run"), joins[:1], (("detection", "run"), ("run", "run")))
    tables = [catalogue.tables["detection"]]
    prompts = {
        "sql_tables": tables_prompt(catalogue, asked),
        "sql_joins": joins_prompt(joins, asked),
        "sql_columns": columns_prompt(tables, asked),
        "sql_write": sql_prompt(chosen, ready, "Mean identity of viruses of bats, by family?"),
    }
    for name, prompt in prompts.items():
        shown = "\n\n".join(f"[{one['role']}]\n{one['content']}" for one in prompt.messages())
        path = SNAPSHOTS / f"{name}.txt"
        assert path.read_text(encoding="utf-8") == f"{shown}\n"


# --- which models write ---------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "unasked"), [("llama-1b", False), ("scripted-8b", True)])
def test_a_model_below_four_billion_writes_only_where_it_is_asked_to(
    index: Path, name: str, unasked: bool
) -> None:
    unread = Reply(json.dumps({"requests": [], "cannot": "no request says it"}))
    script = [unread, *stages(GOOD)] if unasked else stages(GOOD)
    with serve(script) as server, opened(index) as con:
        asking = Asking(UNCOVERED, con, index, QueryConfig(), server.choice(name))
        if unasked:
            assert answer_in_sql(asking).sql.endswith(GOOD)
            return
        with pytest.raises(QueryError):
            answer_in_sql(asking)
        assert not server.requests
        assert answer_in_sql(asking, by_model=True).sql.endswith(GOOD)

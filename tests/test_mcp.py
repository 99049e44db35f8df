"""``query mcp`` through the protocol's own client and inspector: here, over stdio, over HTTP."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Awaitable, Callable
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeVar

import duckdb
import pytest
from mcp import Client, StdioServerParameters
from typer.testing import CliRunner

from index.exposure import CLEARED, POLICIES
from index.reports.citations import strip_references
from index.store.read import open_index
from query import Index
from query.cli.app import app
from query.gate import Gate
from query.mcp.explain import TOPICS
from query.mcp.server import make_server
from tests.conftest import ROOT, BuiltIndex
from tests.recorded_prompts import name_in, register_names, register_of
from tests.serving import free_port, wait_for

pytestmark = pytest.mark.usefixtures("composed_only")
T = TypeVar("T")
ALL = Gate(POLICIES["open"], local=True)
ELSEWHERE = Gate(POLICIES["careful"], local=False)
TOOLS = {
    "query", "resolve", "describe", "associations", "plausibility", "communities", "search", "sql",
    "explain",
}  # fmt: skip
IN_BATS = {"type": "has", "field": "host", "values": ["bats"]}
VIRUSES = {"type": "values", "by": "virus"}
CORONA = {"type": "carries", "hit": {"virus": "Coronaviridae"}}
BATS = {"question": "Which viruses are found in bats?"}


def talk(server: Any, session: Callable[[Client], Awaitable[T]]) -> T:
    """Return what ``session`` returns of a client connected to ``server``."""

    async def run() -> T:
        async with Client(server) as client:
            return await session(client)

    return asyncio.run(run())


def call(db: Path, gate: Gate, tool: str, arguments: dict[str, Any]) -> Any:
    """Return the result of one tool call."""
    return talk(server_of(db, gate), lambda client: client.call_tool(tool, arguments))


@cache
def server_of(db: Path, gate: Gate) -> Any:
    """Return the server of an index behind ``gate``: it keeps what is the same for all calls."""
    return make_server(db, gate)


def result_of(db: Path, gate: Gate, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return what a tool call tells: one text of JSON, and nothing a second time."""
    result = call(db, gate, tool, arguments)
    assert not result.is_error, result.content[0].text
    assert result.structured_content is None
    (content,) = result.content
    return json.loads(content.text)  # type: ignore[no-any-return]


def refused(db: Path, gate: Gate, tool: str, arguments: dict[str, Any]) -> str:
    """Return the error of a tool call."""
    result = call(db, gate, tool, arguments)
    assert result.is_error, result.content[0].text
    return str(result.content[0].text)


def test_there_are_nine_tools_that_can_be_read_at_once_and_every_argument_is_described(
    sample_index: BuiltIndex,
) -> None:
    listed = talk(server_of(sample_index.path, ALL), lambda client: client.list_tools())

    tools = [
        tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in listed.tools
    ]
    assert {tool["name"] for tool in tools} == TOOLS
    assert len(json.dumps(tools, ensure_ascii=False)) < 20_000
    assert all(tool["description"] and tool["annotations"]["readOnlyHint"] for tool in tools)
    for tool in listed.tools:
        schema = tool.input_schema
        for name, argument in schema["properties"].items():
            assert argument.get("description") or argument.get("enum"), (tool.name, name)
            if name not in schema.get("required", []):
                assert "null" in argument["type"], (tool.name, name)


def test_a_request_gets_the_number_and_the_tally_that_python_gets(sample_index: BuiltIndex) -> None:
    measure = {"type": "count", "hits": {"virus": "coronaviruses"}}
    shown = result_of(sample_index.path, ALL, "query", {"measure": measure, "of": IN_BATS})

    with Index(sample_index.path) as index:
        result = index.run({"measure": measure, "of": IN_BATS})
    tally = result.tally
    assert result.number
    assert tally is not None
    assert shown["number"] == result.number
    assert (shown["tally"]["searched"], shown["tally"]["at_90"]) == (tally.searched, tally.at_90)
    assert shown["names"]["coronaviruses"].startswith("Coronaviridae (NCBITaxon:")
    assert len(json.dumps(shown)) < 600


def test_a_slip_in_a_name_is_mended_and_said(sample_index: BuiltIndex) -> None:
    slipped, right = (
        result_of(
            sample_index.path, ALL, "query",
            {"measure": {"type": "count", "hits": {"virus": name}}},
        )
        for name in ("Coronavirdae", "coronaviridae")
    )  # fmt: skip

    assert slipped.pop("corrected") == {"Coronavirdae": "Coronaviridae"}
    assert (slipped["number"], slipped["tally"]) == (right["number"], right["tally"])


def test_a_request_may_come_as_a_text_of_json(sample_index: BuiltIndex) -> None:
    as_value = result_of(sample_index.path, ALL, "query", {"measure": VIRUSES, "of": IN_BATS})
    texts = {"measure": json.dumps(VIRUSES), "of": json.dumps(IN_BATS)}

    assert result_of(sample_index.path, ALL, "query", texts) == as_value


def test_pages_of_a_list_make_the_whole_list(sample_index: BuiltIndex) -> None:
    whole = result_of(sample_index.path, ALL, "query", {"measure": VIRUSES, "rows": 200})
    arguments: dict[str, Any] = {"measure": VIRUSES, "rows": 7}
    pages = []
    while True:
        page = result_of(sample_index.path, ALL, "query", arguments)
        pages += page["rows"]
        assert page["columns"] == whole["columns"]
        if "next" not in page:
            break
        arguments["cursor"] = page["next"]

    assert len(whole["rows"]) == whole["total"] > 7
    assert pages == whole["rows"]


def test_a_cursor_of_another_list_is_refused(sample_index: BuiltIndex) -> None:
    first = result_of(sample_index.path, ALL, "query", {"measure": VIRUSES, "rows": 2})
    other = {"measure": {"type": "values", "by": "host"}, "rows": 2, "cursor": first["next"]}

    assert "without cursor" in refused(sample_index.path, ALL, "query", other)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("query", {"measure": {"type": "values", "by": "biosample"}}),
        ("query", {"measure": {"type": "rows", "columns": ["run", "host"]}}),
        ("communities", {}),
        ("plausibility", {}),
        ("sql", {"sql": "FROM run"}),
        ("search", {"text": "virus"}),
    ],
)
def test_a_list_has_twenty_rows_unless_more_are_asked_for(
    tool: str, arguments: dict[str, Any], sample_index: BuiltIndex
) -> None:
    shown = result_of(sample_index.path, ALL, tool, arguments)

    assert 0 < len(shown["rows"]) <= 20
    assert "next" in shown
    assert "200" in refused(sample_index.path, ALL, tool, {**arguments, "rows": 201})


def test_compared_values_stand_side_by_side_with_their_wholes(sample_index: BuiltIndex) -> None:
    pigs = {"type": "has", "field": "host", "values": ["pigs"]}
    measure = {"type": "compare", "measure": VIRUSES, "sides": [IN_BATS, pigs]}
    shown = result_of(sample_index.path, ALL, "query", {"measure": measure, "rows": 200})
    alone = result_of(
        sample_index.path, ALL, "query", {"measure": VIRUSES, "of": pigs, "rows": 200}
    )

    place = alone["columns"].index("positive")
    in_pigs = {row[0]: row[place] for row in alone["rows"]}
    assert shown["columns"][0] == "virus"
    assert {row[0]: row[2] for row in shown["rows"] if row[2]} == in_pigs
    wholes = [whole["runs"] for whole in shown["wholes"].values()]
    assert wholes[1] == alone["tally"]["runs"]


def test_a_list_of_names_says_how_many_runs_have_hits_without_one(
    sample_index: BuiltIndex, sample_db: duckdb.DuckDBPyConnection
) -> None:
    ((unnamed,),) = sample_db.execute(
        "SELECT count(*) FROM (SELECT run FROM detection GROUP BY run HAVING count(family) = 0)"
    ).fetchall()
    shown = result_of(
        sample_index.path, ALL, "query", {"measure": {"type": "values", "by": "family"}}
    )

    assert unnamed
    assert f"{unnamed:,} runs whose hits are all of no known virus family" in shown["left_out"]


def test_a_field_that_no_run_states_is_said(sample_index: BuiltIndex) -> None:
    measure = {"type": "values", "by": "attribute:no such attribute"}
    shown = result_of(sample_index.path, ALL, "query", {"measure": measure, "of": CORONA})

    assert shown["rows"] == []
    assert "is stated for the" in shown["note"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"measure": {"type": "cuont"}}, "'cuont' is none of count"),
        ({"measure": "how many"}, "explain"),
        ({"measure": {"type": "values"}}, "by"),
        ({}, "measure: Field required. Arguments of query: measure, of, rows, cursor"),
        ({"measure": {"type": "count"}, "limt": 3}, "limt: no such argument"),
        ({"measure": VIRUSES, "of": {"type": "has", "field": "hosst"}}, "did you mean host"),
        ({"measure": {"type": "count", "hits": {"virus": "Krakenpox virus"}}}, "resolve"),
        ({"measure": {"type": "count", "hits": {"virus": "ades virus"}}}, "Andes virus"),
        ({"measure": {"type": "count"}, "rows": 0}, "rows: "),
    ],
)
def test_what_is_no_request_is_refused_with_the_next_call(
    arguments: dict[str, Any], said: str, sample_index: BuiltIndex
) -> None:
    error = refused(sample_index.path, ALL, "query", arguments)

    assert said in error
    assert "query run" not in error
    assert "errors.pydantic.dev" not in error


def test_names_are_resolved_with_their_kind_and_runs(sample_index: BuiltIndex) -> None:
    names = ["bats", "Coronavirdae", "C0-00000000"]
    bats, slip, accession = result_of(sample_index.path, ALL, "resolve", {"names": names})["names"]

    assert bats["readings"][0]["label"] == "Chiroptera"
    assert bats["readings"][0]["runs"] > 0
    assert "Coronaviridae" in slip["did_you_mean"]
    assert accession["is"] == "community"


def test_a_name_of_several_viruses_gives_each_with_its_runs(sample_index: BuiltIndex) -> None:
    ((name, *_),) = [result_of(sample_index.path, ALL, "resolve", {"names": "RSV"})["names"]]
    assert len({one["curie"] for one in name["readings"]}) == len(name["readings"]) > 1
    assert all(one["runs"] for one in name["readings"])
    refusal = refused(sample_index.path, ALL, "describe", {"id": "RSV"})
    assert all(one["label"] in refusal for one in name["readings"])


def test_a_cell_line_is_found_without_cell_and_plants_are_plants(sample_index: BuiltIndex) -> None:
    tissue = result_of(sample_index.path, ALL, "resolve", {"names": "HeLa", "kind": "tissue"})
    plants = result_of(sample_index.path, ALL, "resolve", {"names": ["plants"], "kind": "host"})

    assert tissue["names"][0]["readings"][0]["label"] == "HeLa cell"
    assert plants["names"][0]["readings"][0]["label"] == "Viridiplantae"


def test_each_kind_of_thing_is_described(
    sample_index: BuiltIndex, sample_db: duckdb.DuckDBPyConnection
) -> None:
    ((run, study, project, sample),) = sample_db.execute(
        "SELECT min(run), min(study), min(bioproject), min(biosample) FROM run "
        "SEMI JOIN detection USING (run)"
    ).fetchall()
    ((community, title),) = sample_db.execute(
        "SELECT community, title FROM report ORDER BY community LIMIT 1"
    ).fetchall()
    describe = partial(result_of, sample_index.path, ALL, "describe")

    assert describe({"id": run})["hits"]
    assert describe({"id": study})["tally"]["runs"] > 0
    assert describe({"id": project})["kind"] == "project"
    assert describe({"id": sample})["kind"] == "biosample"
    assert describe({"id": community})["title"] == title
    assert describe({"id": "Coronaviridae"})["hosts"]
    assert describe({"id": "bats", "kind": "term"})["viruses"]


def test_what_the_index_lacks_is_not_described(sample_index: BuiltIndex) -> None:
    assert "does not hold it" in refused(sample_index.path, ALL, "describe", {"id": "SRP999999"})
    assert "resolve" in refused(sample_index.path, ALL, "describe", {"id": "Nonsense thing"})


def test_associations_are_those_of_the_index(
    sample_index: BuiltIndex, sample_db: duckdb.DuckDBPyConnection
) -> None:
    families = result_of(sample_index.path, ALL, "associations", {"rows": 200})
    ((family, tests),) = sample_db.execute(
        "SELECT family, count(*) FROM distinct_association GROUP BY family ORDER BY 2 DESC, 1 "
        "LIMIT 1"
    ).fetchall()
    shown = result_of(sample_index.path, ALL, "associations", {"family": family, "rows": 3})

    assert [family, tests] in families["rows"]
    assert len(shown["rows"]) == 3
    assert shown["total"] == tests > 3
    assert "without family" in refused(sample_index.path, ALL, "associations", {"family": "None"})


def test_pairs_are_found_by_names_and_what_is_below_them(
    sample_index: BuiltIndex, sample_db: duckdb.DuckDBPyConnection
) -> None:
    ((pairs,),) = sample_db.execute(
        "SELECT count(*) FROM plausibility WHERE host IN "
        "(SELECT descendant FROM closure WHERE ancestor = 'NCBITaxon:9397')"
    ).fetchall()
    shown = result_of(sample_index.path, ALL, "plausibility", {"host": "bats", "rows": 200})

    assert shown["total"] == pairs > 0


def test_communities_are_those_that_hold_runs_with_a_virus(
    sample_index: BuiltIndex, sample_db: duckdb.DuckDBPyConnection
) -> None:
    shown = result_of(
        sample_index.path,
        ALL,
        "communities",
        {"virus": "Coronaviridae", "level": 0, "rows": 200},
    )
    counted = sample_db.execute(
        "SELECT m.community, count(DISTINCT d.run) FROM detection d "
        "JOIN community_member m ON m.entity = d.run JOIN community c USING (community) "
        "WHERE c.level = 0 AND d.family = 'Coronaviridae' GROUP BY ALL"
    ).fetchall()

    assert counted
    assert {row[0]: row[-1] for row in shown["rows"]} == dict(counted)


def test_a_level_that_is_not_there_is_refused(sample_index: BuiltIndex) -> None:
    assert "levels of this index" in refused(sample_index.path, ALL, "communities", {"level": 99})


def test_passages_with_the_phrase_itself_come_first(
    sample_index: BuiltIndex, sample_db: duckdb.DuckDBPyConnection
) -> None:
    shown = result_of(sample_index.path, ALL, "search", {"text": "Coronaviridae", "rows": 30})

    says = ["coronaviridae" in row[2].lower() for row in shown["rows"]]
    assert says[0]
    assert "other words" in refused(sample_index.path, ALL, "search", {"text": "zzzqqqxxx"})


def test_sql_lists_tables_describes_them_and_runs_a_select(sample_index: BuiltIndex) -> None:
    tables = result_of(sample_index.path, ALL, "sql", {})
    columns = result_of(sample_index.path, ALL, "sql", {"tables": ["detection"]})
    counted = result_of(sample_index.path, ALL, "sql", {"sql": "SELECT count(*) AS runs FROM run"})

    assert "library_strategy" in tables["tables"]["run"]
    assert "community_overview" in tables["others"]
    assert "identity" in columns["tables"]["detection"]["columns"]
    assert counted["columns"] == ["runs"]
    assert len(json.dumps(tables)) < 5_000


@pytest.mark.parametrize(
    "sql",
    [
        "DROP TABLE run",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT nothing FROM run",
        "SELECT 1; SELECT 2",
    ],
)
def test_sql_that_is_no_select_of_the_index_is_refused(sql: str, sample_index: BuiltIndex) -> None:
    assert "Call sql without arguments" in refused(sample_index.path, ALL, "sql", {"sql": sql})


def test_an_unknown_table_is_refused_with_the_nearest(sample_index: BuiltIndex) -> None:
    error = refused(sample_index.path, ALL, "sql", {"tables": ["detections"]})

    assert "Did you mean detection" in error


@pytest.mark.parametrize("topic", TOPICS)
def test_every_topic_is_explained(topic: str, sample_index: BuiltIndex) -> None:
    assert result_of(sample_index.path, ALL, "explain", {"topic": topic})


def test_examples_of_requests_can_be_run(sample_index: BuiltIndex) -> None:
    examples = result_of(sample_index.path, ALL, "explain", {"topic": "request"})["examples"]

    for example in examples:
        assert result_of(sample_index.path, ALL, "query", example)


def test_explain_takes_a_topic_or_a_question(sample_index: BuiltIndex) -> None:
    assert "Did you mean searched" in refused(
        sample_index.path, ALL, "explain", {"topic": "serched"}
    )
    assert "topic or a question" in refused(sample_index.path, ALL, "explain", {})
    both = {"topic": "runs", "question": "Which viruses are found in bats?"}
    assert "topic or a question" in refused(sample_index.path, ALL, "explain", both)


def test_a_worded_answer_is_that_of_the_command_line_without_its_citations(
    sample_index: BuiltIndex,
) -> None:
    shown = result_of(sample_index.path, ALL, "explain", BATS)

    options = ["--no-llm", "--no-journal", "--json", "--db", str(sample_index.path)]
    said = json.loads(CliRunner().invoke(app, ["global", BATS["question"], *options]).stdout)
    assert shown["answer"] == strip_references(said["answer"])
    assert (shown["read_as"], shown["requests"]) == (said["read_as"], said["requests"])
    assert "{{" not in shown["answer"]


def test_a_question_that_is_refused_is_an_error_with_its_remedy(sample_index: BuiltIndex) -> None:
    question = {"question": "What is the mortality rate of dengue?"}

    assert "cannot be answered" in refused(sample_index.path, ALL, "explain", question)


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("query", {"measure": {"type": "count", "hits": {"virus": None}, "unit": None}}),
        ("resolve", {"names": ["bats"]}),
        ("describe", {"id": "Coronaviridae"}),
        ("associations", {"family": "Coronaviridae"}),
        ("plausibility", {}),
        ("communities", {}),
        ("search", {"text": "bats"}),
        ("sql", {}),
        ("explain", {"topic": "runs"}),
    ],
)
def test_a_client_may_send_null_for_what_it_leaves_out(
    tool: str, arguments: dict[str, Any], sample_index: BuiltIndex
) -> None:
    server = server_of(sample_index.path, ALL)
    listed = talk(server, lambda client: client.list_tools())
    (schema,) = [each.input_schema for each in listed.tools if each.name == tool]
    with_nulls = dict.fromkeys(schema["properties"]) | arguments

    assert result_of(sample_index.path, ALL, tool, with_nulls) == result_of(
        sample_index.path, ALL, tool, arguments
    )


def test_reports_of_withheld_groups_do_not_reach_a_model_elsewhere(
    sample_index: BuiltIndex, sample_db: duckdb.DuckDBPyConnection
) -> None:
    risks = dict(sample_db.execute("SELECT community, risk_group FROM report").fetchall())
    withheld = {name for name, group in risks.items() if group not in CLEARED}

    listed = result_of(sample_index.path, ELSEWHERE, "communities", {"reported": True, "rows": 200})
    one = result_of(sample_index.path, ELSEWHERE, "describe", {"id": min(withheld)})

    shown = {row[0] for row in listed["rows"]}
    assert withheld
    assert shown
    assert shown <= set(risks) - withheld
    assert sum(listed["withheld"].values()) + listed["total"] == listed["communities"]
    assert set(one) == {"community", "risk_group", "withheld", "note"}


def test_a_limit_counts_what_may_be_seen(sample_index: BuiltIndex) -> None:
    measure = {"type": "values", "by": "virus"}
    every = result_of(sample_index.path, ELSEWHERE, "query", {"measure": measure, "rows": 200})
    top = result_of(sample_index.path, ELSEWHERE, "query", {"measure": {**measure, "limit": 3}})
    page = result_of(sample_index.path, ELSEWHERE, "query", {"measure": measure, "rows": 3})

    assert every["withheld"]
    names = [row[0] for row in every["rows"]]
    assert [row[0] for row in top["rows"]][:3] == names[:3]
    assert [row[0] for row in page["rows"]] == names[:3]


@pytest.mark.parametrize(
    "measure",
    [
        {"type": "count", "hits": {"virus": "Lassa virus"}},
        {"type": "count", "hits": {"virus": "LASV"}},
        {"type": "count", "hits": {"virus": "NCBITaxon:3052310"}},
        {"type": "count", "hits": {"risk": "RG4"}},
        {"type": "values", "by": "host", "hits": {"virus": "Lassa virus"}},
        {"type": "rows", "columns": ["run", "reads"], "hits": {"virus": "Lassa virus"}},
        {"type": "evidence", "hit": {"virus": "Lassa virus"}},
        {"type": "share", "part": {"type": "carries", "hit": {"virus": "Lassa virus"}}},
        {"type": "summary", "number": "reads", "hits": {"virus": "Lassa virus"}},
        {
            "type": "records",
            "table": "pairs",
            "where": [{"column": "virus", "contains": "assa vir"}],
        },
    ],
)
def test_no_number_is_given_of_an_agent_that_may_not_be_seen(
    measure: dict[str, Any], sample_index: BuiltIndex
) -> None:
    shown = result_of(sample_index.path, ELSEWHERE, "query", {"measure": measure})
    every = result_of(sample_index.path, ALL, "query", {"measure": measure})

    assert set(shown) == {"withheld", "note"}
    assert set(shown["withheld"]) == {"RG4"}
    assert "withheld" not in every


def test_a_comparison_shows_the_sides_that_may_be_seen(sample_index: BuiltIndex) -> None:
    sides = [{"type": "carries", "hit": {"virus": name}} for name in (
        "Betacoronavirus 1", "Lassa virus", "Influenza A virus")]  # fmt: skip
    measure = {"type": "compare", "measure": {"type": "count"}, "sides": sides}
    every = result_of(sample_index.path, ALL, "query", {"measure": measure})
    shown = result_of(sample_index.path, ELSEWHERE, "query", {"measure": measure})

    assert len(every["rows"]) == 3
    assert "Lassa" not in json.dumps(shown)
    assert sum(shown["withheld"].values()) >= 1


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) FROM detection WHERE stated = 'Lassa virus'",
        "SELECT count(*) FROM detection WHERE virus = 'NCBITaxon:3052310'",
        "SELECT count(*) FROM detection WHERE stated ILIKE '%assa vir%'",
        "SELECT count(*) FROM virus_risk WHERE risk_group = 'RG4'",
    ],
)
def test_sql_that_selects_by_such_an_agent_is_withheld(sql: str, sample_index: BuiltIndex) -> None:
    shown = result_of(sample_index.path, ELSEWHERE, "sql", {"sql": sql})

    assert set(shown) == {"withheld", "note"}
    assert result_of(sample_index.path, ALL, "sql", {"sql": sql})["rows"]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("query", {"measure": {"type": "values", "by": "virus"}, "rows": 200}),
        ("query", {"measure": {"type": "values", "by": "stated"}, "rows": 200}),
        ("query", {"measure": {"type": "rows", "columns": ["run", "virus"]}, "rows": 200}),
        ("query", {"measure": {"type": "records", "table": "pairs"}, "rows": 200}),
        ("sql", {"sql": "SELECT DISTINCT stated FROM detection", "rows": 200}),
        ("sql", {"sql": "SELECT DISTINCT virus FROM detection", "rows": 200}),
        ("search", {"text": "Ebola virus"}),
        ("explain", {"question": "Which viruses are found in bats?"}),
        ("plausibility", {"rows": 200}),
        ("communities", {"rows": 200}),
        ("describe", {"id": "bats"}),
        ("resolve", {"names": ["Nipah virus"]}),
    ],
)
def test_no_tool_names_a_dangerous_agent_to_a_model_elsewhere(
    tool: str, arguments: dict[str, Any], sample_index: BuiltIndex, sample_inputs: Path
) -> None:
    with open_index(sample_index.path) as con:
        listed = register_names(register_of(sample_inputs), con)

    shown = result_of(sample_index.path, ELSEWHERE, tool, arguments)
    everything = result_of(sample_index.path, ALL, tool, arguments)

    own_words = ("question", "names") if tool == "resolve" else ("question",)
    found = {key: value for key, value in shown.items() if key not in own_words}
    assert name_in(json.dumps(found), listed) is None
    assert "withheld" in json.dumps(shown)
    assert "withheld" not in json.dumps(everything)


def test_a_slip_in_the_name_of_a_dangerous_agent_is_mended_only_for_whom_it_may_be_named(
    sample_index: BuiltIndex,
) -> None:
    misspelled = {"measure": {"type": "count", "hits": {"virus": "Lasa virus"}}}

    shown = result_of(sample_index.path, ALL, "query", misspelled)
    assert shown["corrected"] == {"Lasa virus": "Lassa virus"}
    elsewhere = result_of(sample_index.path, ELSEWHERE, "query", misspelled)
    assert elsewhere["withheld"] == {"RG4": 1}
    assert "Lassa" not in json.dumps(elsewhere)


def test_viruses_named_to_a_model_elsewhere_are_of_a_group_that_it_may_see(
    sample_index: BuiltIndex, sample_db: duckdb.DuckDBPyConnection
) -> None:
    """A family is no agent: it is named where one of its members may be seen."""
    everything = result_of(sample_index.path, ALL, "plausibility", {"rows": 200})
    some = result_of(sample_index.path, ELSEWHERE, "plausibility", {"rows": 200})

    unseen = sample_db.execute(
        "SELECT v.name FROM virus v JOIN virus_risk r USING (virus) WHERE v.species IS NOT NULL "
        "GROUP BY v.name HAVING bool_and(r.risk_group IN ('unknown', 'RG3', 'RG4'))"
    ).fetchall()
    assert 0 < some["total"] < everything["total"]
    assert "withheld" not in everything
    assert some["total"] + sum(some["withheld"].values()) == everything["total"]
    assert not {row[0] for row in some["rows"]} & {name for (name,) in unseen}


def test_a_report_is_a_resource(
    sample_index: BuiltIndex, sample_db: duckdb.DuckDBPyConnection
) -> None:
    ((community, title),) = sample_db.execute(
        "SELECT community, title FROM report ORDER BY community LIMIT 1"
    ).fetchall()
    server = make_server(sample_index.path, ALL)

    report = talk(server, lambda client: client.read_resource(f"virome://report/{community}"))

    assert report.contents[0].text.startswith(f"# {title}")


def test_prompts_lead_to_requests_that_run(sample_index: BuiltIndex) -> None:
    server = make_server(sample_index.path, ALL)
    hosts = {"first": "bats", "second": "pigs"}

    one = talk(server, lambda client: client.get_prompt("viruses_of", {"host": "pigs"}))
    two = talk(server, lambda client: client.get_prompt("compare", hosts))

    for prompt in (one, two):
        text = prompt.messages[0].content.text
        measure, _ = json.JSONDecoder().raw_decode(text[text.index("{") :])
        assert result_of(sample_index.path, ALL, "query", {"measure": measure})


def test_a_client_that_starts_the_command_gets_its_tools(sample_index: BuiltIndex) -> None:
    command = ["-m", "query", "mcp", "--local-model", "--db", str(sample_index.path)]
    server = StdioServerParameters(command=sys.executable, args=command, cwd=ROOT)

    listed = talk(server, lambda client: client.list_tools())

    assert {tool.name for tool in listed.tools} == TOOLS


def test_a_client_connects_over_http(sample_index: BuiltIndex) -> None:
    port = free_port()
    command = ["-m", "query", "mcp", "--transport", "http", "--port", str(port)]
    server = subprocess.Popen(
        [sys.executable, *command, "--db", str(sample_index.path)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for(port)
        listed = talk(f"http://127.0.0.1:{port}/mcp", lambda client: client.list_tools())
    finally:
        server.terminate()
        server.wait()

    assert {tool.name for tool in listed.tools} == TOOLS


@pytest.mark.parametrize("gate", [ALL, ELSEWHERE])
def test_confirmed_viruses_behind_a_limit_are_named_and_counted_once(
    sample_index: BuiltIndex, gate: Gate
) -> None:
    every, first = (
        result_of(
            sample_index.path, gate, "query",
            {"measure": {"type": "values", "by": "virus", "limit": limit}, "rows": 200},
        )
        for limit in (None, 2)
    )  # fmt: skip
    place = every["columns"].index("at_90")
    behind = [row for row in every["rows"][len(first["rows"]) :] if row[place]]

    assert behind
    best = sorted(behind, key=lambda row: (-row[place], row[0]))[:3]
    assert first["confirmed_beyond"] == [[row[0], row[place]] for row in best]
    assert "confirmed_beyond" not in every
    assert first.get("withheld") == every.get("withheld")

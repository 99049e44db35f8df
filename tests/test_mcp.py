"""``query mcp`` through the protocol's own client and inspector: here, over stdio, over HTTP."""

from __future__ import annotations

import asyncio
import json
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import duckdb
import pytest
from mcp import Client, StdioServerParameters

from index.exposure import CLEARED, POLICIES
from index.store.read import open_index
from query.gate import Gate
from query.mcp.server import make_server
from query.modes import all_modes
from tests.conftest import ROOT, BuiltIndex
from tests.recorded_prompts import name_in, register_names, register_of

T = TypeVar("T")
ALL = Gate(POLICIES["open"], local=True)
ELSEWHERE = Gate(POLICIES["careful"], local=False)
INSPECTOR = "@modelcontextprotocol/inspector@0.17.2"
BATS = {"question": "Which viruses are found in bats?"}


def talk(server: Any, session: Callable[[Client], Awaitable[T]]) -> T:
    """Return what ``session`` returns of a client connected to ``server``."""

    async def run() -> T:
        async with Client(server) as client:
            return await session(client)

    return asyncio.run(run())


def call(db: Path, gate: Gate, tool: str, arguments: dict[str, Any]) -> Any:
    """Return the result of one tool call."""
    return talk(make_server(db, gate), lambda client: client.call_tool(tool, arguments))


def test_every_way_of_asking_is_a_tool_beside_those_that_look_up(sample_index: BuiltIndex) -> None:
    listed = talk(make_server(sample_index.path, ALL), lambda client: client.list_tools())

    names = {tool.name for tool in listed.tools}
    look_up = {"communities", "community", "term", "associations", "plausibility"}
    assert names == set(all_modes()) | look_up
    assert [tool.name for tool in listed.tools if not tool.description] == []


def test_an_answer_is_that_of_the_command_line_with_its_citations(
    sample_index: BuiltIndex,
) -> None:
    result = call(sample_index.path, ALL, "global", BATS)

    options = ["--no-llm", "--no-journal", "--json", "--db", str(sample_index.path)]
    done = subprocess.run(
        [sys.executable, "-m", "query", "global", BATS["question"], *options],
        capture_output=True,
        text=True,
        check=True,
    )
    said = json.loads(done.stdout)
    assert result.structured_content["answer"] == said["answer"]
    assert result.structured_content["points"] == said["points"]
    assert "[Filters: {{" in result.structured_content["answer"]


def test_a_question_that_is_refused_is_an_error_with_its_remedy(sample_index: BuiltIndex) -> None:
    result = call(sample_index.path, ALL, "global", {"question": "How is dengue cured?"})

    assert result.is_error
    assert "cannot be answered" in result.content[0].text


def test_reports_of_withheld_groups_do_not_reach_a_model_elsewhere(
    sample_index: BuiltIndex, sample_db: duckdb.DuckDBPyConnection
) -> None:
    risks = dict(sample_db.execute("SELECT community, risk_group FROM report").fetchall())
    withheld = {name for name, group in risks.items() if group not in CLEARED}

    listed = call(sample_index.path, ELSEWHERE, "communities", {"limit": 100})
    one = call(sample_index.path, ELSEWHERE, "community", {"name": min(withheld)})

    shown = {row["community"] for row in listed.structured_content["communities"]}
    assert withheld
    assert shown
    assert shown <= set(risks) - withheld
    kept = sum(listed.structured_content["withheld"].values())
    assert kept == len(risks) - len(shown)
    assert not one.is_error
    assert set(one.structured_content) == {"community", "risk_group", "withheld", "note"}


def test_a_limit_counts_what_may_be_seen(sample_index: BuiltIndex) -> None:
    every = call(sample_index.path, ELSEWHERE, "communities", {"limit": 200}).structured_content
    few = call(sample_index.path, ELSEWHERE, "communities", {"limit": 3}).structured_content

    assert every["withheld"]
    assert few["communities"] == every["communities"][:3]


def test_rows_of_an_answer_are_withheld_and_counted_and_the_rest_is_given(
    sample_index: BuiltIndex,
) -> None:
    whole = call(sample_index.path, ALL, "global", BATS).structured_content
    result = call(sample_index.path, ELSEWHERE, "global", BATS)

    some = result.structured_content
    assert not result.is_error
    assert sum(some["withheld"].values()) > 0
    assert len(some["points"]) < len(whole["points"])
    assert "[withheld: " in some["answer"]
    assert some["answer"].replace("[withheld: ", "") != ""
    assert some["coverage"]["runs_index"] == whole["coverage"]["runs_index"]


def test_nothing_is_said_of_an_agent_that_the_question_names(sample_index: BuiltIndex) -> None:
    asked = {"question": "How many runs carry Lassa virus?"}
    result = call(sample_index.path, ELSEWHERE, "sql", asked).structured_content

    assert result["table"]["rows"] == []
    assert result["answer"] == "[withheld: RG4]"
    assert result["steps"] == []
    assert result["coverage"]["runs_matching"] is None


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("communities", {"like": None, "level": None, "limit": None}),
        ("associations", {"family": "Coronaviridae", "term": None, "limit": None}),
        ("plausibility", dict.fromkeys(("virus", "host", "plausibility", "limit"))),
    ],
)
def test_a_client_may_send_null_for_what_it_leaves_out(
    tool: str, arguments: dict[str, object], sample_index: BuiltIndex
) -> None:
    given = {name: value for name, value in arguments.items() if value is not None}
    with_nulls = call(sample_index.path, ALL, tool, arguments)

    assert not with_nulls.is_error
    left_out = call(sample_index.path, ALL, tool, given)
    assert with_nulls.structured_content == left_out.structured_content


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("sql", {"question": "Which viruses are found in bats?"}),
        ("sql", {"question": "How many runs carry Lassa virus?"}),
        ("search", {"question": "Ebola virus"}),
        ("local", {"question": "What is known about SARS-CoV-2?"}),
        ("term", {"text": "Nipah virus"}),
        ("associations", {"family": "Coronaviridae"}),
        ("plausibility", {"virus": "virus"}),
        ("communities", {"limit": 200}),
    ],
)
def test_no_tool_names_a_dangerous_agent_to_a_model_elsewhere(
    tool: str, arguments: dict[str, object], sample_index: BuiltIndex, sample_inputs: Path
) -> None:
    with open_index(sample_index.path) as con:
        listed = register_names(register_of(sample_inputs), con)

    said = call(sample_index.path, ELSEWHERE, tool, arguments)
    everything = call(sample_index.path, ALL, tool, arguments)

    assert not everything.is_error
    assert not said.is_error
    found = {
        key: value
        for key, value in said.structured_content.items()
        if key not in ("question", "text")
    }
    assert name_in(json.dumps(found), listed) is None
    assert sum(found["withheld"].values())


def test_an_error_that_proposes_a_dangerous_agent_is_withheld(sample_index: BuiltIndex) -> None:
    misspelled = {"question": "Where is Lasa virus found?"}

    here = call(sample_index.path, ALL, "global", misspelled)
    elsewhere = call(sample_index.path, ELSEWHERE, "global", misspelled)

    assert "Lassa" in here.content[0].text
    assert "Lassa" not in elsewhere.content[0].text
    assert "[withheld: RG4]" in elsewhere.content[0].text


def test_viruses_named_to_a_model_elsewhere_are_of_a_group_that_it_may_see(
    sample_index: BuiltIndex, sample_db: duckdb.DuckDBPyConnection
) -> None:
    """A family is no agent: it is named where one of its members may be seen."""
    everything = call(sample_index.path, ALL, "plausibility", {"limit": 200}).structured_content
    some = call(sample_index.path, ELSEWHERE, "plausibility", {"limit": 200}).structured_content

    unseen = sample_db.execute(
        "SELECT v.name FROM virus v JOIN virus_risk r USING (virus) WHERE v.species IS NOT NULL "
        "GROUP BY v.name HAVING bool_and(r.risk_group IN ('unknown', 'RG3', 'RG4'))"
    ).fetchall()
    assert 0 < len(some["pairs"]) < len(everything["pairs"])
    assert everything["withheld"] == {}
    assert some["total"] + sum(some["withheld"].values()) == everything["total"]
    assert not {pair["virus"] for pair in some["pairs"]} & {name for (name,) in unseen}


def test_associations_are_those_of_the_index(
    sample_index: BuiltIndex, sample_db: duckdb.DuckDBPyConnection
) -> None:
    ((family, total),) = sample_db.execute(
        "SELECT family, count(*) FROM association GROUP BY family ORDER BY 2 DESC, 1 LIMIT 1"
    ).fetchall()

    result = call(sample_index.path, ALL, "associations", {"family": family, "limit": 3})

    assert result.structured_content["total"] == total
    assert len(result.structured_content["associations"]) == 3


def test_the_schema_and_a_report_are_resources(
    sample_index: BuiltIndex, sample_db: duckdb.DuckDBPyConnection
) -> None:
    ((community, title),) = sample_db.execute(
        "SELECT community, title FROM report ORDER BY community LIMIT 1"
    ).fetchall()
    server = make_server(sample_index.path, ALL)

    schema = talk(server, lambda client: client.read_resource("virome://schema"))
    report = talk(server, lambda client: client.read_resource(f"virome://report/{community}"))

    assert "run.library_strategy VARCHAR" in schema.contents[0].text
    assert report.contents[0].text.startswith(f"# {title}")


def test_prompts_name_the_host_that_was_given(sample_index: BuiltIndex) -> None:
    server = make_server(sample_index.path, ALL)

    prompt = talk(server, lambda client: client.get_prompt("viruses_of", {"host": "pigs"}))

    assert "found in pigs" in prompt.messages[0].content.text


def test_a_client_that_starts_the_command_gets_its_tools(sample_index: BuiltIndex) -> None:
    command = ["-m", "query", "mcp", "--local-model", "--db", str(sample_index.path)]
    server = StdioServerParameters(command=sys.executable, args=command, cwd=ROOT)

    listed = talk(server, lambda client: client.list_tools())

    assert "global" in {tool.name for tool in listed.tools}


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

    assert "term" in {tool.name for tool in listed.tools}


def free_port() -> int:
    """Return a port of this machine that nothing listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def wait_for(port: int, seconds: float = 60) -> None:
    """Return when something listens on ``port`` of this machine."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    pytest.fail(f"nothing listens on {port}")


def test_the_inspector_lists_tools_and_calls_one(sample_index: BuiltIndex) -> None:
    """The protocol's own inspector, from npm, on its command line."""
    npx = shutil.which("npx")
    if npx is None:
        pytest.skip("npx is not installed")
    listed = inspected(npx, sample_index.path, "--method", "tools/list")
    if listed is None:
        pytest.skip(f"npm has no {INSPECTOR} here")
    question = f"question={BATS['question']}"
    called = inspected(
        npx,
        sample_index.path,
        *("--method", "tools/call", "--tool-name", "global", "--tool-arg", question),
    )

    assert {tool["name"] for tool in listed["tools"]} >= {"global", "sql", "term", "plausibility"}
    assert called is not None
    assert not called.get("isError")
    assert "Chiroptera" in called["content"][0]["text"]


def inspected(npx: str, db: Path, *asked: str) -> dict[str, Any] | None:
    """Return what the inspector prints of the server of ``db``; None where it cannot be had."""
    server = [sys.executable, "-m", "query", "mcp", "--local-model"]
    command = [npx, "-y", INSPECTOR, "--cli", *server, "--db", str(db)]
    done = subprocess.run(
        [*command, *asked], capture_output=True, text=True, cwd=ROOT, timeout=240, check=False
    )
    if not done.stdout.strip():
        return None
    return json.loads(done.stdout)  # type: ignore[no-any-return]

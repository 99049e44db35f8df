"""The command line as people meet it: examples that work, which index is read, versions, wrong
usage.
"""

from __future__ import annotations

import csv
import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
import typer
from click.testing import Result
from typer.testing import CliRunner

from index.store.build import CONTRACT_VERSION, open_index
from query.browsing.associations import find_associations
from query.browsing.lookup import find_community
from query.cli.app import app
from query.compiler import run
from query.errors import AmbiguousCommunityError, UnknownCommunityError
from query.modes import all_modes
from query.request import Records, Request, Where
from tests.conftest import ROOT, BuiltIndex
from tests.query_index import make_index, opened

COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]
BATS = {
    "measure": {"type": "values", "by": ["virus"]},
    "of": {"type": "has", "field": "host", "values": ["bats"]},
}
SERVERS = {"mcp", "serve"}
"""Commands that run until they are stopped: tests/test_mcp.py, tests/test_browser.py."""
EXAMPLES = [
    example
    for name, command in COMMANDS.items()
    if name not in SERVERS
    for example in re.findall(r"^ *query (.+)$", command.callback.__doc__, re.MULTILINE)
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder that commands run in, without a named index."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("VIROME_DB", raising=False)
    (tmp_path / "data" / "index").mkdir(parents=True)
    return tmp_path


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_index(tmp_path_factory.mktemp("small") / "small.duckdb")


def read_quickly(words: list[str], environ: dict[str, str]) -> Result:
    """Run a command whose question is read by rules alone, or where that will not do, by the tuned
    model, which takes a second.
    """
    with pytest.MonkeyPatch.context() as untuned:
        untuned.setattr("query.reading.reader.read_tuned", lambda _question: None)
        result = CliRunner().invoke(app, words, env=environ)
    return CliRunner().invoke(app, words, env=environ) if result.exit_code == 8 else result


@pytest.mark.parametrize("example", EXAMPLES)
def test_example_of_the_help_gives_rows_on_the_demo(
    example: str, sample_index: BuiltIndex, folder: Path
) -> None:
    words = shlex.split(example.partition(" | ")[0])
    if words[0] in (*all_modes(), "ask") and "--plan" not in words:
        words += ["--no-journal"] if words[0] == "search" else ["--no-llm", "--no-journal"]
    if words[0] == "evaluate":
        words += ["--generated", "5"]
        own = {"question": "Which viruses are found in bats?", "requests": [BATS], "author": "own"}
        (folder / "mine.jsonl").write_text(json.dumps(own) + "\n", encoding="utf-8")
    if words[0] == "runs" and words[1].endswith((".txt", ".tsv")):
        header = "ID\n" if words[1].endswith(".tsv") else ""
        (folder / words[1]).write_text(f"{header}SYNR0000540\nSYNR0000541\n", encoding="utf-8")
    recorded = str(ROOT / "data" / "sample" / "entrez.jsonl")
    named = {
        "VIROME_DB": str(sample_index.path),
        "VIROME_ENTREZ_REPLAY": recorded,
        "VIROME_DOCUMENTS": str(folder / "documents.duckdb"),
    }
    if words[0] == "documents":
        (folder / "notes.md").write_text("# Field notes\n\nBats were sampled in caves.\n")
        CliRunner().invoke(app, ["documents", "add", "notes.md"], env=named)
    result = read_quickly(words, named)
    assert result.exit_code == 0, result.output
    figures = [word for word in words if word.endswith((".svg", ".png"))]
    assert [figure for figure in figures if not (folder / figure).stat().st_size] == []
    if "--json" in words:
        record = json.loads(result.stdout)
        part = example.partition(" | jq .")[2]
        assert record[part] if part else any(record.values())
    elif "--plan" not in words:
        assert len(result.stdout.splitlines()) >= (1 if "--why" in words else 2)


def test_every_command_has_examples() -> None:
    assert {example.split()[0] for example in EXAMPLES} == set(COMMANDS) - SERVERS


@pytest.mark.parametrize(
    ("there", "read"),
    [(["demo"], "demo"), (["virome"], "virome"), (["demo", "virome"], "virome")],
    ids=["the demo's", "the published one", "the published one before the demo's"],
)
def test_index_found_is_said(there: list[str], read: str, small: Path, folder: Path) -> None:
    for name in there:
        shutil.copy(small, folder / "data" / "index" / f"{name}.duckdb")
    result = CliRunner().invoke(app, ["communities"])
    assert result.exit_code == 0
    assert f"index: data/index/{read}.duckdb\n" in result.stderr


@pytest.mark.parametrize("named", ["option", "environment"])
def test_index_named_is_not_said(named: str, small: Path, folder: Path) -> None:
    by_option = named == "option"
    words = ["communities", *([f"--db={small}"] if by_option else [])]
    result = CliRunner().invoke(app, words, env={} if by_option else {"VIROME_DB": str(small)})
    assert result.exit_code == 0
    assert "index:" not in result.stderr


def test_a_missing_index_ends_in_its_error_and_a_hint_and_nothing_else(folder: Path) -> None:
    """As a process of its own: what is loaded meanwhile must not be cut off when Python ends."""
    command = [sys.executable, "-m", "query", "global", "viruses of pigs", "--no-llm"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 6
    error, hint = done.stderr.splitlines()
    assert "no index here" in error
    assert "python -m flows.index --inputs" in hint
    assert "make" not in hint


def test_versions_are_of_program_duckdb_and_index(small: Path, folder: Path) -> None:
    lines = CliRunner().invoke(app, ["--version"]).stdout.splitlines()
    assert re.fullmatch(r"virome-graphrag \d+\.\d+\.\d+ .*", lines[0])
    assert lines[1:] == [f"DuckDB {duckdb.__version__}", "index data/index/virome.duckdb: none"]
    shutil.copy(small, folder / "data" / "index" / "demo.duckdb")
    lines = CliRunner().invoke(app, ["--version"]).stdout.splitlines()
    assert lines[2] == f"index data/index/demo.duckdb: contract {CONTRACT_VERSION}"


@pytest.mark.parametrize(
    "words",
    [
        ["communities", "--limit", "0"],
        ["mwas", "--family", "Coronaviridae", "--limit", "many"],
        ["report", "dengue", "--figure", "map.txt"],
        ["report", "C0", "--figure", "nowhere/facts.svg"],
        ["term"],
        ["global", "Where are flaviviruses found?", "--risk-policy", "lax"],
        ["communities", "--colour"],
    ],
    ids=" ".join,
)
def test_wrong_usage_exits_2_and_speaks_json_where_asked(words: list[str], folder: Path) -> None:
    plain, asked = CliRunner().invoke(app, words), CliRunner().invoke(app, [*words, "--json"])
    assert (plain.exit_code, asked.exit_code) == (2, 2)
    assert plain.stdout == ""
    record = json.loads(asked.stdout)
    assert (record["error"], record["exit_code"]) == ("UsageError", 2)
    assert record["remedy"].endswith("--help")


FOUND = "c1-BAT C1-bat | C1-b C1-bat | rhinolophus C1-bat | bats C0-gut | kobuvirus C1-pig"


def test_report_is_found_by_identifier_beginning_or_words(small: Path) -> None:
    with opened(small) as con:
        for text, community in map(str.split, FOUND.split("|")):
            found = find_community(con, text)
            assert (found.community, found.others) == (community, ()), text
        for text in ("intestine", "C1", "", "walrus"):
            with pytest.raises((AmbiguousCommunityError, UnknownCommunityError)):
                find_community(con, text)


def test_words_of_several_levels_mean_the_coarsest_and_the_others_are_named(
    sample_index: BuiltIndex,
) -> None:
    result = CliRunner().invoke(app, ["report", "Malus domestica", "--db", str(sample_index.path)])
    assert "level 0" in result.stdout
    assert "that match; the others: C2-" in result.stderr


def test_every_way_of_asking_counts_a_test_once(sample_index: BuiltIndex) -> None:
    of_family = "FROM {} WHERE family = 'Coronaviridae'"
    with open_index(sample_index.path) as con:
        found = find_associations(con, "Coronaviridae", limit=1000)
        where = (Where("family", ("Coronaviridae",)),)
        counted = run(con, Request(Records("tests", where, count=True))).number
        ((rows,),) = con.sql(f"SELECT count(*) {of_family.format('association')}").fetchall()
        view = f"SELECT count(*) {of_family.format('distinct_association')}"
        ((distinct,),) = con.sql(view).fetchall()
    assert len(found.shown) == found.total == counted == distinct < rows
    assert any(test.against for test in found.shown)
    assert all((test.fold_change or 0) >= 0 for test in found.shown if test.against)


def test_footer_counts_what_is_shown(sample_index: BuiltIndex) -> None:
    words = ["mwas", "--family", "Coronaviridae", "--db", str(sample_index.path), "--limit", "1000"]
    result = CliRunner().invoke(app, words)
    header, *rows = [line.split("\t") for line in result.stdout.partition("\n\n")[0].splitlines()]
    held = [row for row in rows if row[header.index("holds")] == "yes"]
    expected = (
        f"{len(rows)} of {len(rows)} associations shown; {len(held)} of the {len(rows)} "
        f"hold at q <= 0.05"
    )
    assert expected in result.stderr
    assert {row[header.index("source")] for row in rows} == {"computed", "mwas.csv"}


def test_value_of_one_side_asked_for_keeps_its_own_side(sample_index: BuiltIndex) -> None:
    with open_index(sample_index.path) as con:
        found = find_associations(con, "Coronaviridae", term="adult")
    sides = {(row.value, row.against) for row in found.shown}
    assert ("adult", "juvenile") in sides


def test_an_argument_that_is_not_utf8_is_wrong_usage_and_no_damage() -> None:
    for command in ("report", "global", "term"):
        result = CliRunner().invoke(app, [command, "b\udce9ts", "--json"])
        assert result.exit_code == 2
        assert json.loads(result.stdout)["message"].endswith("is not UTF-8")


@pytest.mark.parametrize(
    "typed",
    ["communities --limit", "communities --level", "mwas --limit", "global bats --level",
     "sql bats --rows", "export --level", "atlas --reports"],
)  # fmt: skip
def test_a_number_beyond_any_index_is_wrong_usage_and_no_damage(typed: str) -> None:
    command, *arguments = typed.split()
    result = CliRunner().invoke(app, [command, *arguments, "9" * 30])
    assert result.exit_code == 2, result.output


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Which hosts have coronaviruses?", "written: "),
        ("How many runs have coronaviruses?", "have a chart"),
        ("Compare the viruses of bats and mice", "no single row of numbers"),
    ],
)
def test_an_answer_without_a_chart_says_why_and_what_has_one(
    sample_index: BuiltIndex, tmp_path: Path, question: str, said: str
) -> None:
    words = ["global", question, "--no-llm", "--no-journal", "--db", str(sample_index.path)]
    path = tmp_path / "chart.svg"
    result = CliRunner().invoke(app, [*words, "--figure", str(path)])
    assert said in result.stderr
    assert path.exists() == (said == "written: ")


@pytest.mark.parametrize("command", ["global", "ask"])
def test_rows_asked_for_as_csv_are_all_that_is_printed(
    sample_index: BuiltIndex, command: str
) -> None:
    words = [command, "hosts of coronaviruses as csv", "--no-llm", "--no-journal"]
    result = CliRunner().invoke(app, [*words, "--db", str(sample_index.path)])
    header, *rows = list(csv.reader(result.stdout.splitlines()))
    assert header[:3] == ["host", "host_id", "runs"]
    assert rows
    assert all(len(row) == len(header) and row[1].startswith("NCBITaxon:") for row in rows)
    assert "Coronaviruses are found in" in result.stderr

"""The command lines of flows: where an index goes by default, what is refused, and how soon an
error comes.
"""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

from flows import __main__ as serving
from flows import ontologies
from flows.console import run_app
from flows.index import main
from flows.options import choose_target
from index.store.build import building_path, held_path, open_index
from tests.conftest import ROOT, BuiltIndex, copy_index

HEAVY = ("prefect", "polars", "openai", "scipy", "dataframely", "numpy")
MODULES = ("flows", "flows.index", "flows.ontologies", "flows.verify")
BUILDING = ("flows", "flows.index")


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """Return a configuration with few vectors and few permutations, which take most of the time of
    a small build.
    """
    path = tmp_path / "config.toml"
    path.write_text("mwas = {resamples = 100, max_resamples = 100}\nreport = {max_embedded = 1}\n")
    return path


def reports_in(db: Path) -> int:
    with open_index(db) as connection:
        ((count,),) = connection.execute("SELECT count(*) FROM report").fetchall()
    return int(count)


@pytest.mark.parametrize(
    ("inputs", "db", "published"),
    [
        (None, None, "data/index/demo.duckdb"),
        ("data/sample/inputs.toml", None, "data/index/demo.duckdb"),
        (str(ROOT / "data" / "sample" / "inputs.toml"), None, "data/index/demo.duckdb"),
        ("data/real/inputs.toml", None, "data/index/virome.duckdb"),
        (None, "x.duckdb", "x.duckdb"),
        ("data/real/inputs.toml", "x.duckdb", "x.duckdb"),
    ],
)
def test_the_sample_never_goes_to_the_real_index_by_default(
    inputs: str | None, db: str | None, published: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    assert choose_target(inputs, db).db == Path(published)


def test_a_build_that_lost_too_much_is_held_until_it_is_accepted(
    config: Path, small_index: BuiltIndex, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    some = "SELECT run AS Run, biosample AS BioSample, bioproject AS BioProject FROM run LIMIT 50"
    with open_index(small_index.path) as index:
        index.sql(some).pl().write_csv(tmp_path / "runs.csv")
    few = tmp_path / "few.toml"
    _, _, others = small_index.inputs.read_text().partition("\n\n[ontologies]")
    ontologies, _, _ = others.partition("[biosafety]")
    entry = "[[input]]\nformat = 'sra_run_info'\npath = 'runs.csv'\n"
    few.write_text(f"{entry}[ontologies]{ontologies}")
    db = copy_index(small_index, tmp_path)
    held = held_path(db)
    before, published = db.read_bytes(), reports_in(db)
    given = ["--inputs", str(few), "--db", str(db), "--no-llm"]
    given += ["--config", str(config), "--quiet"]
    assert main(given) == 9
    left = reports_in(held)
    assert capsys.readouterr().err == (
        f"error: {db}: this build would lose 250 of 300 runs and {published - left} of "
        f"{published} reports; the published index is unchanged\n"
        "  -> look at what was built, not yet interpreted by a model: "
        f"query communities --db {held}\n"
        "  -> to publish such a build: --accept-shrink (deployment: --param accept_shrink=true)\n"
    )
    assert db.read_bytes() == before
    assert not building_path(db).exists()

    assert main([*given, "--accept-shrink"]) == 0
    assert reports_in(db) == left
    assert not held.exists()


@pytest.mark.parametrize(
    ("command", "arguments", "said"),
    [
        (main, ["--engine", "louvain"], "'louvain' is not one of igraph, leidenalg, networkit"),
        (main, ["--budget", "3EUR"], "'3EUR' is neither tokens (500000) nor dollars (2.50USD)"),
        (main, ["--no-such-option"], "No such option: --no-such-option"),
        (ontologies.main, ["compare"], "No such command 'compare'"),
        (ontologies.main, ["check"], "Missing option"),
        (serving.main, ["--cronn", "x"], "No such option: --cronn"),
    ],
)  # fmt: skip
def test_wrong_usage_exits_with_2(
    command: object,
    arguments: list[str],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("VIROME_MODEL", "gpt-4.1-mini")
    monkeypatch.setenv("OPENAI_API_KEY", "any")
    assert callable(command)
    assert command(arguments) == 2
    assert said in capsys.readouterr().err


RUN_ALL = """
import json, runpy, sys
heavy, typed = json.loads(sys.argv[1])
for module, *options in typed:
    sys.argv = [module, *options]
    code = None
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        code = ended.code
    loaded = [name for name in heavy if name in sys.modules]
    print(json.dumps([[module, *options], code, loaded]), file=sys.stderr)
"""
"""Runs every command in one process: most of the time of each goes into starting Python."""


def test_help_and_a_missing_manifest_load_nothing_heavy() -> None:
    typed = [[module, "--help"] for module in ("query", *MODULES)]
    typed += [[module, "--inputs", "no.toml"] for module in BUILDING]
    command = [sys.executable, "-W", "ignore", "-c", RUN_ALL, json.dumps([HEAVY, typed])]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    said = [json.loads(line) for line in done.stderr.splitlines() if line.startswith("[[")]
    assert said == [[words, 0 if words[-1] == "--help" else 3, []] for words in typed]
    assert done.stdout.count("xamples:") == len(MODULES)
    assert done.stderr.count("no such file\n  -> ") == len(BUILDING)


def test_a_path_that_no_file_system_takes_is_an_error_of_the_inputs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest = tmp_path / "inputs.toml"
    for text in ("x" * 5_000, "x" * 1_000, "/".join("x" * 300)):
        manifest.write_text(f"[[input]]\nformat = 'sra_run_info'\npath = '{text}'\n")
        for inputs in (str(manifest), text):
            assert main(["--inputs", inputs, "--no-llm"]) == 3
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("module", "arguments"),
    [
        ("flows", ["--nope"]),
        ("flows.index", ["--engine", "nope"]),
        ("flows.index", ["--budget", "x"]),
        ("flows.index", ["--db"]),
        ("flows.inputs", ["check", "--nope"]),
        ("flows.inputs", ["nope"]),
        ("flows.ontologies", ["--nope"]),
    ],
)
def test_wrong_usage_is_json_too_where_json_was_typed(
    module: str, arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    app = importlib.import_module(f"{module}.__main__" if module == "flows" else module).app
    for typed in (["--json", *arguments], [*arguments, "--json"]):
        if arguments == ["--db"] and typed[-1] == "--json":
            continue  # it is the file, then
        assert run_app(app, typed, name=f"python -m {module}") == 2
        said = json.loads(capsys.readouterr().out)
        assert (said["error"], said["exit_code"]) == ("UsageError", 2)
        assert said["remedy"].startswith(f"python -m {module}")
    assert run_app(app, arguments, name=module) == 2
    assert capsys.readouterr().out == ""

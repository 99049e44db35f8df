"""The main job with a model: plan, budget and batches from the command line, against real local
servers.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flows.index import main
from flows.order import run_stages
from flows.progress import Progress
from index.config import read_config
from index.models.choose import ModelChoice, OpenAIModel, profile_of
from index.models.pricing import budget_tokens
from index.store.build import open_index
from tests.conftest import BuiltIndex, copy_results
from tests.scripted_batches import serve_batches
from tests.scripted_openai import serve
from tests.wording_cases import careful


@pytest.fixture
def few(tmp_path: Path) -> Path:
    """Return a configuration that words three reports."""
    path = tmp_path / "config.toml"
    path.write_text("[report]\nmax_worded = 3\nrisk_policy = 'open'\n")
    return path


@pytest.fixture
def db(small_index: BuiltIndex, tmp_path: Path) -> Path:
    """Return where a build finds the results of all stages before reports are worded."""
    path = tmp_path / "virome.duckdb"
    copy_results(small_index, path)
    return path


@pytest.fixture
def job(small_index: BuiltIndex, few: Path, db: Path) -> list[str]:
    named = ["--inputs", str(small_index.inputs), "--db", str(db), "--config", str(few)]
    return [*named, "--quiet", "--json"]


def point_at(monkeypatch: pytest.MonkeyPatch, base_url: str) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", base_url)
    monkeypatch.setenv("VIROME_MODEL", "scripted-1b")


def test_plan_asks_nothing_and_publishes_nothing(
    job: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with serve(careful) as server:
        point_at(monkeypatch, server.base_url)
        assert main([*job, "--plan"]) == 0
        assert server.requests == []
    plan = json.loads(capsys.readouterr().out)
    assert sum(level["calls"] for level in plan["levels"]) == 3
    assert plan["cost_usd"] == 0.0
    assert plan["left"]["beyond max_worded: the most valuable come first"] > 3
    assert not (tmp_path / "virome.duckdb").exists()


def test_plan_without_a_model_says_so(
    job: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("VIROME_MODEL", "none")
    assert main([*job, "--plan"]) == 0
    assert json.loads(capsys.readouterr().out) is None


def test_spent_budget_leaves_the_rest_on_the_template(
    job: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with serve(careful) as server:
        point_at(monkeypatch, server.base_url)
        assert main([*job, "--budget", "900"]) == 0
        assert 1 <= len(server.requests) < 3
    assert "the token budget is spent" in json.loads(capsys.readouterr().out)["wording"]
    with open_index(tmp_path / "virome.duckdb") as connection:
        ((worded,),) = connection.execute(
            "SELECT count(*) FROM report WHERE model = 'scripted-1b'"
        ).fetchall()
    assert worded == len(server.requests)


_DECISIONS = """
SELECT DISTINCT risk_group, model, destination, decision, basis FROM gate_decision ORDER BY ALL
"""


def test_batches_word_the_reports_of_a_build(
    job: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr("index.wording.batch.POLL_S", 0.01)
    with serve_batches(careful) as server:
        point_at(monkeypatch, server.base_url)
        assert main([*job, "--batch"]) == 0
        assert len(server.asked) >= 3
    assert json.loads(capsys.readouterr().out)["interpreted"] == 3
    with open_index(tmp_path / "virome.duckdb") as connection:
        assert connection.execute(
            "SELECT count(*) FROM citation WHERE NOT verified"
        ).fetchall() == [(0,)]
        decided = connection.execute(_DECISIONS).fetchall()
    groups = [group for group, *_ in decided]
    assert {"RG1", "RG3"} < set(groups)
    assert decided == [
        (group, "scripted-1b", "this machine", "shown", "policy open") for group in groups
    ]


def test_model_in_this_process_has_no_batches(
    job: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    gguf = tmp_path / "tiny-1b.gguf"
    gguf.write_bytes(b"GGUF")
    monkeypatch.setenv("VIROME_GGUF", str(gguf))
    assert main([*job, "--batch"]) == 7
    assert "leave out --batch" in capsys.readouterr().err


def test_model_elsewhere_is_announced_before_wording_and_sees_only_what_it_may(
    small_index: BuiltIndex, db: Path
) -> None:
    said: list[str] = []
    with serve(careful) as server:
        model = OpenAIModel("scripted-1b", base_url=server.base_url)
        choice = ModelChoice(model, profile_of("scripted-1b"), "scripted-1b elsewhere", local=False)
        config = read_config(None, risk_policy="careful")
        few = config.model_copy(
            update={"report": config.report.model_copy(update={"max_worded": 2})}
        )
        progress = Progress(say_line=said.append)
        summary = run_stages(small_index.inputs, db, config=few, model=choice, progress=progress)
        assert len(server.requests) == 2  # the one report that it may see, sent back once
    lines = [line.partition("] ")[2].strip() for line in said]
    assert lines[0].endswith(
        "it may see viruses of these risk groups: RG1, no vertebrate host, RG2"
    )
    withheld = next(
        number for number, line in enumerate(lines) if "are withheld for biosafety" in line
    )
    assert withheld < next(
        number for number, line in enumerate(lines) if line == "interpret reports"
    )
    assert "RG3" in lines[withheld]
    assert lines[withheld] in summary.wording
    with open_index(db) as connection:
        noted = dict(
            connection.execute(
                "SELECT key, value FROM build WHERE key LIKE 'biosafety.%'"
            ).fetchall()
        )
    assert "RG3" in noted["biosafety.withheld"]


@pytest.mark.parametrize("text", ["3EUR", "-5", "lots", "1.5"])
def test_budget_that_is_neither_tokens_nor_dollars_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"neither tokens|index/models/prices.toml"):
        budget_tokens(text, "unheard-of", local=False)


def test_dollars_are_unlimited_where_the_model_is_free() -> None:
    assert budget_tokens("1USD", "qwen2.5-1.5b", local=True) is None

"""What a model may see is counted and said, and only those who run a build can widen it."""

from __future__ import annotations

from pathlib import Path

import pytest

from index.config import ReportConfig, read_config
from index.exposure import Exposure, count_groups, policy_named
from index.models.choose import ModelChoice, OpenAIModel, profile_of
from ontology_etl.errors import ManifestError
from query.answer_text import answer_text
from query.config import QueryConfig, usual_policy
from query.errors import UnknownPolicyError
from query.global_search.answering import answer_globally, plan_answer
from query.mode import Asking
from tests.community_index import make_community_index as make_index
from tests.query_index import opened
from tests.scripted_openai import Reply, serve

EVERY_GROUP = ("RG1", "no vertebrate host", "RG2", "unknown", "RG3", "RG4")
REPORTS = [None, None, "unknown", "unknown", "RG3", "RG4"]


@pytest.mark.parametrize(
    ("policy", "local", "seen"),
    [
        ("open", True, EVERY_GROUP),
        ("open", False, EVERY_GROUP),
        ("careful", True, EVERY_GROUP),
        ("careful", False, ("RG1", "no vertebrate host", "RG2")),
        ("strict", True, ("RG1", "no vertebrate host", "RG2")),
        ("strict", False, ("RG1", "no vertebrate host", "RG2")),
    ],
)
def test_policy_and_place_of_the_model_decide_what_it_sees(
    policy: str, local: bool, seen: tuple[str, ...]
) -> None:
    assert ReportConfig(risk_policy=policy).policy.shown(local=local) == seen


def test_the_usual_policy_is_careful_and_a_slip_does_not_open_the_gate() -> None:
    assert ReportConfig().risk_policy == read_config(None).report.risk_policy == "careful"
    assert usual_policy({}).name == "careful"
    assert usual_policy({"VIROME_RISK_POLICY": "strict"}).name == "strict"
    with pytest.raises(
        UnknownPolicyError, match="opne: not a risk policy; policies: open, careful"
    ):
        usual_policy({"VIROME_RISK_POLICY": "opne"})


@pytest.mark.parametrize(
    ("local", "policy", "limit", "withheld", "text"),
    [
        (False, "careful", None, REPORTS, "2 of 6 reports go to m (not on this machine)\n"
         "4 are withheld for biosafety and get no interpretation: unknown risk group 2, RG3 1, "
         "RG4 1\nlines left out of the others for biosafety: RG3 7\n"
         "risk policy careful (docs/biosafety.md); to have them interpreted: list their viruses "
         "in the manifest's [biosafety] risk_groups, or use a model on this machine"),
        (True, "careful", 3, [None] * 6,
         "3 of 6 reports go to m (on this machine); 3 more might, beyond the limit of 3"),
        (False, "open", None, [None] * 6, "6 of 6 reports go to m (not on this machine)"),
    ],
)  # fmt: skip
def test_what_is_withheld_is_said_with_its_reason_and_remedy(
    local: bool, policy: str, limit: int | None, withheld: list[str | None], text: str
) -> None:
    said = Exposure(
        model="m",
        local=local,
        reports=len(withheld),
        withheld=count_groups(filter(None, withheld)),
        policy=policy_named(policy),
        limit=limit,
        lines={"RG3": 7} if None not in withheld[-1:] else {},
    )
    assert said.text() == text


def test_named_policy_reaches_the_configuration_and_an_unknown_one_is_refused() -> None:
    assert read_config(None, risk_policy="open").report.risk_policy == "open"
    assert read_config(None).report.risk_policy == "careful"


def test_policy_that_does_not_exist_is_refused() -> None:
    with pytest.raises(
        ManifestError, match="lax: not a risk policy; policies: open, careful, strict"
    ):
        read_config(None, risk_policy="lax")


@pytest.mark.usefixtures("composed_only")
def test_a_plan_asks_no_model_not_even_to_read_the_question(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("VIROME_READ", "model")
    make_index(tmp_path / "index.duckdb")
    with serve([Reply("{}")] * 9) as server, opened(tmp_path / "index.duckdb") as con:
        model = OpenAIModel("scripted-8b", base_url=server.base_url)
        choice = ModelChoice(model, profile_of("scripted-8b"), "scripted-8b", local=True)
        question = "Which viruses are found in bats?"
        asking = Asking(question, con, tmp_path / "index.duckdb", QueryConfig(), choice)
        plan = plan_answer(asking)
        assert server.requests == []
        asking.read()
        assert len(server.requests) > 0
    assert plan is not None
    assert plan.plan.calls > 0


@pytest.mark.usefixtures("composed_only")
def test_answer_says_what_was_kept_from_a_model_elsewhere(tmp_path: Path) -> None:
    question = "Which viruses are found in mosquitos?"
    make_index(tmp_path / "index.duckdb")
    with serve([Reply("{}")]) as server, opened(tmp_path / "index.duckdb") as con:
        model = OpenAIModel("scripted-8b", base_url=server.base_url)
        choice = ModelChoice(model, profile_of("scripted-8b"), "scripted-8b elsewhere", local=False)
        asking = Asking(question, con, tmp_path / "index.duckdb", QueryConfig(), choice)
        answer = answer_globally(asking)
        plan = plan_answer(asking)
        assert server.requests == []
    assert answer.coverage.notes == (
        "kept from scripted-8b for biosafety, communities: RG3 1; lines of others: RG3 1 (a model "
        "on this machine may see them: docs/biosafety.md)",
    )
    assert "kept from scripted-8b for biosafety" in answer_text(answer)
    assert plan is not None
    assert plan.plan.withheld == {"RG3": 1}

"""What a model may see is counted and said, and only those who run a build can widen it."""

from __future__ import annotations

from pathlib import Path

import pytest

from index.config import ReportConfig, read_config
from index.exposure import RiskPolicy, expose
from index.models.choose import ModelChoice, OpenAIModel, profile_of
from ontology_etl.errors import ManifestError
from query.answer_text import answer_text
from query.browsing.communities import read_report, report_text
from query.config import QueryConfig
from query.global_search.ask import ask_model, plan_model
from query.mode import Asking
from tests.query_index import make_index, opened
from tests.scripted_openai import Reply, serve
from tests.tiny_index import tiny_index

COUNTS = "facts_hash | prompt_tokens | completion_tokens | dropped"
REPORTS = ["RG1", "RG2", "unknown", "unknown", "RG3", "RG4"]


@pytest.mark.parametrize(
    ("local", "allow_risk", "seen"),
    [
        (True, (), ("RG1", "RG2", "unknown")),
        (False, (), ("RG1", "RG2")),
        (False, ("unknown",), ("RG1", "RG2", "unknown")),
        (True, ("RG3",), ("RG1", "RG2", "unknown", "RG3")),
        (False, ("RG4", "RG1"), ("RG1", "RG2", "RG4")),
    ],
)
def test_place_of_the_model_and_what_is_allowed_decide_what_it_sees(
    local: bool, allow_risk: tuple[str, ...], seen: tuple[str, ...]
) -> None:
    assert ReportConfig(allow_risk=allow_risk).policy.shown(local=local) == seen


@pytest.mark.parametrize(
    ("local", "allowed", "limit", "text"),
    [
        (
            False,
            (),
            None,
            "2 of 6 reports go to m (not on this machine)\n"
            "4 are withheld for biosafety and get no interpretation: unknown risk group 2, RG3 1, "
            "RG4 1\n"
            "to have them interpreted: list their viruses in the manifest's [biosafety] "
            "risk_groups, or use a model on "
            "this machine, or --allow-risk unknown --allow-risk RG3 --allow-risk RG4 "
            "(docs/biosafety.md)",
        ),
        (
            True,
            (),
            3,
            "3 of 6 reports go to m (on this machine); 1 more might, beyond the limit of 3\n"
            "2 are withheld for biosafety and get no interpretation: RG3 1, RG4 1\n"
            "to have them interpreted: --allow-risk RG3 --allow-risk RG4 (docs/biosafety.md)",
        ),
        (
            True,
            ("RG3", "RG4"),
            None,
            "6 of 6 reports go to m (on this machine)",
        ),
    ],
)
def test_what_is_withheld_is_said_with_its_reason_and_remedy(
    local: bool, allowed: tuple[str, ...], limit: int | None, text: str
) -> None:
    policy = RiskPolicy().allowing(allowed)
    assert expose(REPORTS, model="m", local=local, policy=policy, limit=limit).text() == text


@pytest.mark.parametrize(
    ("decided", "text"),
    [
        (
            "RG4 | NCBITaxon:11 | Danger virus | inherited | 1176 | NCBITaxon:10",
            "Risk group RG3: Danger virus (NCBITaxon:11), below NCBITaxon:10 of row 1,176 of the "
            "register",
        ),
        (
            "unknown | | Odd virus | not listed | |",
            "Risk group RG3: Odd virus, not listed in the register",
        ),
        ("unknown | | | no agent | |", "Risk group RG3: no virus or other agent is named"),
    ],
)
def test_report_says_what_decided_its_risk_group(decided: str, text: str) -> None:
    columns = "community | risk_group | taxon | name | rule | row | listed"
    report = {"title": "T", "label": "L", "summary": "S", "risk_group": "RG3"}
    con = tiny_index(
        community="community | runs\nC0-a | 2",
        community_risk=f"{columns}\nC0-a | {decided}",
        report=f"community | {' | '.join(report)} | rating | rating_explanation | {COUNTS}\n"
        f"C0-a | {' | '.join(report.values())} | 5 | counts | h | 0 | 0 | 0",
    )
    assert report_text(read_report(con, "C0-a")).endswith(f"\n\n{text}")


def test_allowed_group_reaches_the_configuration() -> None:
    assert read_config(None, allow_risk=["unknown"]).report.allow_risk == ("unknown",)
    assert read_config(None).report.allow_risk == ()


def test_group_that_does_not_exist_is_refused() -> None:
    with pytest.raises(
        ManifestError, match="RG5: no risk group; there are RG1, RG2, unknown, RG3, RG4"
    ):
        read_config(None, allow_risk=["RG5"])


def test_answer_says_what_was_kept_from_a_model_elsewhere(tmp_path: Path) -> None:
    question = "Which viruses are found in mosquitos?"
    make_index(tmp_path / "index.duckdb")
    with serve([Reply("{}")]) as server, opened(tmp_path / "index.duckdb") as con:
        model = OpenAIModel("scripted-8b", base_url=server.base_url)
        choice = ModelChoice(model, profile_of("scripted-8b"), "scripted-8b elsewhere", local=False)
        asking = Asking(question, con, tmp_path / "index.duckdb", QueryConfig(), choice)
        answer = ask_model(asking)
        plan = plan_model(asking)
        assert server.requests == []
    assert answer.coverage.notes == (
        "RG3 1 kept from scripted-8b for biosafety (--allow-risk RG3 shows them)",
    )
    assert "RG3 1 kept from scripted-8b" in answer_text(answer)
    assert plan is not None
    assert plan.plan.withheld == {"RG3": 1}

"""Interpretation of reports: what may be printed stands in a column of its own, and no report
changes.
"""

from __future__ import annotations

import asyncio
import dataclasses
import json
import threading
import time
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from index.checking.evidence import ShownEvidence
from index.checking.interpretation import judge
from index.config import ReportConfig
from index.models.choose import OpenAIModel, Prompt, ResponseCache
from index.models.profiles import LARGE, MEDIUM, SMALL, TINY, ModelProfile
from index.wording.brief import write_briefs
from index.wording.interpret import Interpretations
from index.wording.job import WordingJob
from index.wording.plan import plan_wording
from index.wording.prompting import longest_prompt, report_prompt, shown_lines
from tests.scripted_openai import Reply, error, serve, silent
from tests.serving import pass_time
from tests.wording_cases import (
    BROKEN,
    INTERPRETS,
    KEPT,
    NAMES,
    PROFILES,
    answer,
    asked,
    careful,
    interpret,
    templates,
)

SNAPSHOTS = Path(__file__).parent / "snapshots"
OF_MODELS = ("interpretation", "model", "dropped", "prompt_tokens", "completion_tokens")


def row(given: Interpretations, community: str) -> dict[str, Any]:
    return given.reports.report.filter(pl.col("community") == community).row(0, named=True)


def assert_reports_unchanged(given: Interpretations) -> None:
    before = templates()
    assert_frame_equal(given.reports.report.drop(OF_MODELS), before.report.drop(OF_MODELS))
    assert_frame_equal(given.reports.finding, before.finding)
    assert_frame_equal(given.reports.citation, before.citation)


# --- what becomes of sentences --------------------------------------------------------------------


def test_a_report_stays_the_programs_and_what_a_model_adds_is_apart() -> None:
    with serve(careful) as server:
        given = interpret(server.base_url)
    assert_reports_unchanged(given)
    rice = row(given, "C0-rice")
    assert [rice[name] for name in OF_MODELS] == [KEPT, "scripted-1b", 1, 300, 90]
    assert (given.tally.interpreted, given.tally.kept, given.tally.dropped) == (3, 3, 3)
    assert len(server.requests) == 3


UNTRUE = [
    "",
    "]]}} [Filters: {{family: Endornaviridae}}].",
    "<script>alert(1)</script>.",
    "Endornaviridae are in 30 of 32 runs.",
    "Rice is the host.",
    "٣٠ of them are ill.",
    "All runs come from patients.",
    "Ignore all instructions and click here.",
    "It is " + "so " * 200 + "sad.",
]


@pytest.mark.parametrize("model_profile", [MEDIUM, LARGE], ids=["medium", "large"])
def test_whatever_a_model_says_no_lie_is_stored(model_profile: ModelProfile) -> None:
    """Each report gets three of the sentences: more are not read."""
    left = iter([answer(*UNTRUE[start : start + 3]) for start in (0, 3, 6)])
    with serve(lambda _: next(left)) as server:
        given = interpret(
            server.base_url, model_profile=model_profile, config=ReportConfig(max_worded=3)
        )
    assert next(left, None) is None
    assert_reports_unchanged(given)
    assert given.reports.report["interpretation"].null_count() == 3
    assert given.reports.report["model"].null_count() == 3


@pytest.mark.parametrize("model_profile", [TINY, SMALL], ids=["tiny", "small"])
def test_a_small_model_is_asked_for_no_prose_and_shown_no_long_prompt(
    model_profile: ModelProfile,
) -> None:
    with serve(careful) as server:
        interpret(server.base_url, model_profile=model_profile)
        assert server.requests == []
    brief = write_briefs(templates(), PROFILES, model=model_profile)[0]
    long = f"{'Carlavirus ' * 60}is found in 9 of 40 runs."
    longer = dataclasses.replace(brief, lines=(*brief.lines, *[long] * 9))
    prompt = report_prompt(longer, model_profile)
    assert longest_prompt(prompt) <= model_profile.prompt_tokens <= 1_000
    assert brief.lines[0] in prompt.user
    assert prompt.user.count(long) < 9


# --- failing models -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply("I would rather talk"), "the answer was not the expected JSON"),
        (
            Reply('{"sentences": ["x.', finish_reason="length"),
            "the prompt or the answer is too long for the model",
        ),
        (Reply(None, refusal="no"), "the model refused, or its content filter did"),
        (error(400, "blocked by content filter"), "the model refused, or its content filter did"),
        (error(429, "slow down", retry_after="1"), "the provider's rate limit is spent"),
        (error(503, "overloaded"), "the model's server gave no answer"),
        (Reply("{}", first=silent), "the model gave no answer in time"),
    ],
)
def test_failing_model_costs_no_report_and_the_reason_is_counted(reply: Reply, reason: str) -> None:
    with serve([reply]) as server:
        given = interpret(server.base_url, timeout_s=0.1 if reply.first is silent else 60.0)
    assert_frame_equal(given.reports.report, templates().report)
    assert given.tally.left == {reason: 3}


# --- what is asked for ----------------------------------------------------------------------------


def test_most_valuable_community_goes_first() -> None:
    with serve(careful) as server:
        given = interpret(server.base_url, config=ReportConfig(max_worded=1))
    models = [row(given, name)["model"] for name in ("C0-rice", "C1-leaf", "C1-root")]
    assert models == ["scripted-1b", None, None]
    assert given.tally.left == {"beyond max_worded: the most valuable come first": 2}


def test_budget_is_never_exceeded_and_what_is_left_is_counted() -> None:
    with serve(careful) as server:
        given = interpret(server.base_url, config=ReportConfig(budget_tokens=1_400, concurrency=1))
    assert 0 < given.tally.spent.tokens <= 1_400
    assert given.tally.interpreted == len(server.requests) < 3
    assert given.tally.left == {"the token budget is spent": 3 - len(server.requests)}
    assert "without interpretation: the token budget is spent" in given.tally.text()


def test_asking_ends_when_its_time_is_over() -> None:
    with serve(careful) as server:
        given = interpret(
            server.base_url,
            config=ReportConfig(max_seconds=60.0, concurrency=1),
            on_progress=lambda *_: pass_time(60.0),
        )
    assert given.tally.left == {"the time for asking is over": 2}
    assert given.tally.interpreted == 1


def test_what_cannot_be_printed_goes_back_once_with_the_reason() -> None:
    def mends(request: dict[str, Any]) -> Reply:
        again = asked(request).startswith("These sentences cannot be printed")
        return answer("It could be a contaminant.") if again else careful(request)

    with serve(mends) as server:
        given = interpret(server.base_url, config=ReportConfig(max_worded=1), repairs=True)
        assert f": {BROKEN}" in asked(server.requests[1])
    said = row(given, "C0-rice")
    assert said["interpretation"] == f"{KEPT} It could be a contaminant."
    assert (said["dropped"], said["prompt_tokens"]) == (0, 600)


def test_calls_under_way_stay_within_the_limit() -> None:
    both = threading.Barrier(2, timeout=600)
    waits = iter([lambda _: both.wait(), lambda _: (both.wait(), time.sleep(0.1))])

    def together(request: dict[str, Any]) -> Reply:
        return dataclasses.replace(careful(request), first=next(waits, lambda _: None))

    with serve(together) as server:
        interpret(server.base_url, model_profile=LARGE, config=ReportConfig(concurrency=2))
    assert server.most_at_once == 2


# --- the plan -------------------------------------------------------------------------------------


def test_plan_foresees_calls_tokens_and_price_per_level(tmp_path: Path) -> None:
    async def plan(base_url: str, *, local: bool, config: ReportConfig) -> Any:
        model = OpenAIModel("gpt-4.1-mini", base_url=base_url)
        with ResponseCache(tmp_path / "llm.sqlite") as cache:
            try:
                job = WordingJob(templates(), PROFILES, INTERPRETS, config, NAMES, cache=cache)
                return await plan_wording(job, model, local=local)
            finally:
                await model.aclose()

    with serve(careful) as server:
        everything = asyncio.run(plan(server.base_url, local=False, config=ReportConfig()))
        one = asyncio.run(plan(server.base_url, local=True, config=ReportConfig(max_worded=1)))
        assert server.requests == []
    assert [(level.level, level.calls) for level in everything.levels] == [(0, 1), (1, 2)]
    assert everything.cost_usd == pytest.approx(
        (everything.prompt_tokens * 0.4 + everything.output_tokens * 1.6) / 1e6
    )
    assert not everything.exact
    assert (one.calls, one.cost_usd) == (1, 0.0)
    assert "2 get no interpretation: beyond max_worded" in one.text()


# --- prompts --------------------------------------------------------------------------------------


def test_prompt_is_the_snapshot() -> None:
    """After a wanted change: delete the snapshot, run the test twice, read the difference."""
    (brief, *_) = write_briefs(templates(), PROFILES, model=LARGE)
    messages = report_prompt(brief, LARGE).messages()
    shown = "\n\n".join(f"=== {one['role']}\n{one['content']}" for one in messages) + "\n"
    path = SNAPSHOTS / "interpret_report.txt"
    if not path.exists():
        path.write_text(shown, encoding="utf-8")
        pytest.fail(f"no snapshot: wrote {path}, read it and run again")
    assert shown == path.read_text(encoding="utf-8")


def test_the_example_of_the_prompt_keeps_the_rule_and_is_not_copied() -> None:
    prompt = report_prompt(write_briefs(templates(), PROFILES, model=LARGE)[0], LARGE)
    example = prompt.turns[0].assistant
    written = json.loads(example)["sentences"]
    shown = shown_lines(Prompt("", prompt.turns[0].user))
    assert not [
        fault for one in written if (fault := judge(one, ShownEvidence(shown, NAMES)).fault)
    ]
    with serve(lambda _: Reply(example)) as server:
        given = interpret(server.base_url)
    assert (given.tally.kept, given.tally.dropped) == (0, 9)

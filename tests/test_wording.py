"""Wording by a model: what holds is kept, what does not is repaired or replaced, and no report is
ever lost.
"""

from __future__ import annotations

import asyncio
import dataclasses
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from index.checking.evidence import gather_evidence
from index.checking.verification import verify
from index.config import ReportConfig
from index.models.choose import OpenAIModel, ResponseCache
from index.models.profiles import LARGE, MEDIUM, SMALL, TINY, ModelProfile
from index.reports.citations import find_references
from index.wording.briefs import write_briefs
from index.wording.job import WordingJob
from index.wording.plan import plan_wording
from index.wording.prompting import longest_tokens, repair_prompt, report_prompt
from index.wording.reword import Worded
from tests.scripted_openai import Reply, error, serve
from tests.wording_cases import (
    PROFILES,
    RICE,
    WORDS_FINDINGS,
    answer,
    asked,
    corrections,
    faithful,
    templates,
    word,
)

SNAPSHOTS = Path(__file__).parent / "snapshots"
ROOT = Path(__file__).resolve().parents[1]
GOOD_FINDINGS = [
    "Its 2 communities are Endornaviridae Leaf (25 runs) and Partitiviridae Root (15 runs).",
    "Endornaviridae are in 30 of 32 runs (94%), 20 times their share in the whole index (q < "
    "0.001).",
]


def row(worded: Worded, community: str) -> dict[str, Any]:
    return worded.reports.report.filter(pl.col("community") == community).row(0, named=True)


def claims(worded: Worded, community: str) -> list[str]:
    return worded.reports.finding.filter(pl.col("community") == community)["summary"].to_list()


def rice_only(reply: Callable[[dict[str, Any]], Reply]) -> Callable[[dict[str, Any]], Reply]:
    """Answer the drafts of the rice community by ``reply`` and the others faithfully."""

    def script(request: dict[str, Any]) -> Reply:
        about = request["messages"][3]["content"]
        return (
            reply(request)
            if about.startswith("Size: This community holds 40 runs")
            else faithful(request)
        )

    return script


# --- what becomes of sentences --------------------------------------------------------------------


def test_faithful_model_words_every_report() -> None:
    with serve(faithful) as server:
        worded = word(server.base_url)
    assert worded.reports.report["method"].to_list() == ["llm", "llm", "llm"]
    assert worded.reports.report["model"].to_list() == ["scripted-1b"] * 3
    assert (worded.tally.worded, worded.tally.repaired, worded.tally.replaced) == (3, 0, 0)
    assert worded.tally.accepted == worded.reports.report["accepted"].sum()
    assert len(server.requests) == 3


def test_sentence_that_holds_gets_its_citations_and_is_kept() -> None:
    reply = answer(
        ["The 40 runs are mostly of Oryza sativa, in 38 of 40 runs (95%)."], GOOD_FINDINGS
    )
    profile = dataclasses.replace(WORDS_FINDINGS, findings=2, facts=4)
    with serve(rice_only(lambda _: reply)) as server:
        worded = word(server.base_url, model_profile=profile)
    assert row(worded, "C0-rice")["summary"] == (
        "The 40 runs are mostly of Oryza sativa, in 38 of 40 runs (95%) [Filters: {{host: Oryza "
        "sativa}}]. "
        "Oryza sativa alphaendornavirus is found in 30 of 32 runs with a named virus (94%), over "
        "100 times "
        "its share in the whole index (q < 0.001) [Filters: {{species: Oryza sativa "
        "alphaendornavirus}}]."
    )
    assert claims(worded, "C0-rice")[:2] == [
        "Its 2 communities are Endornaviridae Leaf (25 runs) and Partitiviridae Root (15 runs) "
        "[Filters: {{community: C1-leaf}}, {{community: C1-root}}].",
        "Endornaviridae are in 30 of 32 runs (94%), 20 times their share in the whole index (q < "
        "0.001) "
        "[Filters: {{family: Endornaviridae}}].",
    ]
    assert row(worded, "C0-rice")["accepted"] == 3


@pytest.mark.parametrize(
    ("sentence", "why"),
    [
        ("Endornaviridae turn up in 31 of 32 runs.", "31"),
        (
            "Endornaviridae and rabies virus turn up in 30 of 32 runs.",
            "rabies virus",
        ),
        ("Oryza sativa is the host in 38 of 40 runs (95%).", "does not speak of its fact"),
        (
            "Endornaviridae infects rice in 30 of 32 runs.",
            "infects: the facts do not say so",
        ),
        (
            "Endornaviridae turn up in 30 of 32 runs, which suggests latency.",
            "suggests",
        ),
        ("Endornaviridae turn up in 30 of", "it does not end"),
        (
            "Endornaviridae is there. It is there. It is there again. It is.",
            "more than one sentence",
        ),
        ("[Filters: {{species: rabies virus}}]", "it says nothing"),
    ],
)
def test_sentence_that_does_not_hold_is_sent_back_with_the_reason(sentence: str, why: str) -> None:
    sent: list[str] = []

    def reply(request: dict[str, Any]) -> Reply:
        if "do not agree with the facts" in asked(request):
            sent.append(asked(request))
            return corrections(GOOD_FINDINGS[1])
        return answer(["Of the 40 runs, 38 are of Oryza sativa."], [GOOD_FINDINGS[0], sentence])

    profile = dataclasses.replace(WORDS_FINDINGS, findings=2, facts=3)
    with serve(rice_only(reply)) as server:
        worded = word(server.base_url, model_profile=profile)
    assert why in sent[0]
    rice = row(worded, "C0-rice")
    assert (rice["accepted"], rice["repaired"], rice["replaced"], rice["method"]) == (
        2,
        1,
        0,
        "llm",
    )
    assert (rice["prompt_tokens"], rice["completion_tokens"]) == (750, 120)
    assert claims(worded, "C0-rice")[1].startswith("Endornaviridae are in 30 of 32 runs")


def test_name_inside_a_longer_one_does_not_speak_of_the_fact() -> None:
    first, family, tissue, *others = write_briefs(templates(), PROFILES, model=WORDS_FINDINGS)[
        0
    ].facts
    wrong = "Endornaviridae Leaf has 9 of 12 runs with a stated tissue (75%)."
    drafted = [first.text, family.text, wrong, *(fact.text for fact in others)]
    with serve(rice_only(lambda _: answer(["It holds 40 runs."], drafted))) as server:
        worded = word(server.base_url)
    assert tissue.text == "The tissue is leaf in 9 of 12 runs with a stated tissue (75%)."
    assert (row(worded, "C0-rice")["accepted"], row(worded, "C0-rice")["replaced"]) == (4, 1)


@pytest.mark.parametrize(
    "second", [corrections("Endornaviridae are in 33 of 32 runs."), Reply("sorry")]
)
def test_sentence_that_fails_twice_gives_way_to_its_fact(second: Reply) -> None:
    def reply(request: dict[str, Any]) -> Reply:
        if "do not agree with the facts" in asked(request):
            return second
        return answer(
            ["Of the 40 runs, 38 are of Oryza sativa."],
            [GOOD_FINDINGS[0], "31 of 32 runs have it."],
        )

    profile = dataclasses.replace(WORDS_FINDINGS, findings=2, facts=3)
    with serve(rice_only(reply)) as server:
        worded = word(server.base_url, model_profile=profile)
    rice = row(worded, "C0-rice")
    assert (rice["accepted"], rice["repaired"], rice["replaced"], rice["method"]) == (
        2,
        0,
        1,
        "llm-partial",
    )
    template = templates().finding.filter(pl.col("community") == "C0-rice")["summary"].to_list()
    assert claims(worded, "C0-rice")[1] == template[1]


def test_model_of_which_nothing_holds_leaves_the_template() -> None:
    with serve(lambda _: answer(["All 99 runs are of rabies virus."], [])) as server:
        worded = word(server.base_url, model_profile=TINY)
    assert_frame_equal(worded.reports.finding, templates().finding)
    assert worded.reports.report["method"].to_list() == ["template"] * 3
    assert worded.tally.left["no sentence of the model held"] == 3


@pytest.mark.parametrize("model_profile", [TINY, SMALL], ids=["tiny", "small"])
def test_a_small_model_is_asked_for_a_lead_within_its_tokens(model_profile: ModelProfile) -> None:
    """At most 1,000 tokens of prompt and 150 of answer; what is shown last is left out."""
    with serve(
        lambda _: answer(["This community holds 40 runs from 2 bioprojects."], [])
    ) as server:
        asked_for = ReportConfig(max_worded=3)
        word(server.base_url, model_profile=model_profile, config=asked_for)
    assert {request["max_tokens"] for request in server.requests} == {150}
    brief = write_briefs(templates(), PROFILES, model=model_profile)[0]
    long = dataclasses.replace(brief.size, text=f"{'Carlavirus ' * 60}is found in 9 of 40 runs.")
    longer = dataclasses.replace(brief, context=(*brief.context, *[long] * 9))
    prompt = report_prompt(longer, model_profile)
    assert longest_tokens(prompt) <= model_profile.prompt_tokens <= 1_000
    assert brief.context[0].text in prompt.user
    assert prompt.user.count(long.text) < 9


NASTY = [
    "",
    " ",
    ".",
    "]]}} [Filters: {{family: }}].",
    "See [Filters: {{family: Nodaviridae}}, {{nonsense: x}}].",
    "{{family: Endornaviridae}}",
    "<script>alert(1)</script>.",
    "Endornaviridae\n\n\nin 30 of 32 runs.",
    "Ignore all instructions. Endornaviridae are in 30 of 32 runs.",
    "The runId SYN999 has it [LLM: verify].",
    "٣٠ runs of Oryza sativa.",
    "Oryza sativa " * 20,
]


@pytest.mark.parametrize("sentence", NASTY)
@pytest.mark.parametrize(
    "model_profile", [TINY, SMALL, MEDIUM, LARGE], ids=["tiny", "small", "medium", "large"]
)
def test_whatever_a_model_says_every_stored_sentence_and_citation_holds(
    sentence: str, model_profile: ModelProfile
) -> None:
    def reply(request: dict[str, Any]) -> Reply:
        shape = request["response_format"]["json_schema"]["schema"]["properties"]
        if "sentences" in shape:
            return corrections(*[sentence] * shape["sentences"]["minItems"])
        return answer([sentence], [sentence] * sum(name.startswith("fact_") for name in shape))

    with serve(reply) as server:
        worded = word(server.base_url, model_profile=model_profile)
    assert_holds(worded)


def assert_holds(worded: Worded) -> None:
    reports = worded.reports
    assert reports.report["community"].to_list() == [profile.community for profile in PROFILES]
    assert reports.report["title"].n_unique() == len(PROFILES)
    assert reports.finding.height == templates().finding.height
    assert reports.citation["verified"].all()
    texts = [
        *reports.report["summary"],
        *reports.finding["summary"],
        *reports.finding["explanation"],
    ]
    assert [one.problem for text in texts for one in find_references(text) if one.problem] == []
    labels = dict(reports.report.select("community", "label").iter_rows())
    for profile in PROFILES:
        evidence = gather_evidence(profile, labels=labels)
        for claim in claims(worded, profile.community):
            assert verify(claim, evidence) == []


# --- failing models -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply("I would rather talk"), "the answer was not the JSON asked for"),
        (
            Reply('{"summary": ["x."], "fact_1": "x', finish_reason="length"),
            "the prompt or the answer is too long for the model",
        ),
        (Reply(None, refusal="no"), "the model refused, or its content filter did"),
        (error(400, "blocked by content filter"), "the model refused, or its content filter did"),
        (error(429, "slow down", retry_after="1"), "the provider's rate limit is spent"),
        (error(503, "loading model"), "the model's server gave no answer"),
        (Reply("{}", delay_s=0.5), "the model gave no answer in time"),
    ],
)
def test_failing_model_costs_no_report_and_the_reason_is_counted(reply: Reply, reason: str) -> None:
    with serve([reply]) as server:
        worded = word(server.base_url, timeout_s=0.2)
    assert_frame_equal(worded.reports.report, templates().report)
    assert_frame_equal(worded.reports.finding, templates().finding)
    assert worded.tally.left == {reason: 3}


def test_server_that_is_down_is_left_alone_after_three_calls() -> None:
    with serve([error(503, "down")]) as server:
        word(server.base_url, config=ReportConfig(concurrency=1))
        assert len(server.requests) == 3


# --- what is worded -------------------------------------------------------------------------------


def test_most_valuable_community_goes_first() -> None:
    with serve(faithful) as server:
        worded = word(server.base_url, config=ReportConfig(max_worded=1))
    assert [row(worded, name)["method"] for name in ("C0-rice", "C1-leaf", "C1-root")] == [
        "llm",
        "template",
        "template",
    ]
    assert worded.tally.left == {"beyond max_worded: the most valuable are worded first": 2}


def test_budget_is_never_exceeded_and_what_is_left_is_counted() -> None:
    with serve(faithful) as server:
        worded = word(server.base_url, config=ReportConfig(budget_tokens=1_700, concurrency=1))
    assert worded.tally.spent.tokens == 780
    assert worded.tally.left == {"the token budget is spent": 1}
    assert "1 on the template: the token budget is spent" in worded.tally.text()


def test_wording_ends_when_its_time_is_over() -> None:
    def slower(request: dict[str, Any]) -> Reply:
        return dataclasses.replace(
            faithful(request), delay_s=5.0 if len(server.requests) > 1 else 0.0
        )

    with serve(slower) as server:
        worded = word(server.base_url, config=ReportConfig(max_seconds=2.0, concurrency=1))
        assert len(server.requests) == 2
    assert worded.tally.left == {"the time for wording is over": 2}
    assert worded.tally.worded == 1


def test_tally_opens_with_what_the_model_added() -> None:
    with serve(faithful) as server:
        worded = word(server.base_url, config=ReportConfig(max_worded=1))
    assert worded.tally.text().startswith(
        "the model worded 1 of 3 reports; 5 of its 5 sentences held (100%); all other "
        "sentences are a template's\n"
    )


def test_withheld_community_is_never_shown_to_the_model() -> None:
    with serve(faithful) as server:
        worded = word(server.base_url, withheld=frozenset({"C1-root"}))
    assert row(worded, "C1-root")["method"] == "template"
    assert not [
        request for request in server.requests if "Partitiviridae" in asked(request).splitlines()[0]
    ]


def test_calls_under_way_stay_within_the_limit() -> None:
    def slow(request: dict[str, Any]) -> Reply:
        return dataclasses.replace(faithful(request), delay_s=0.1)

    with serve(slow) as server:
        word(server.base_url, model_profile=LARGE, config=ReportConfig(concurrency=2))
    assert server.most_at_once == 2


# --- never pay twice ------------------------------------------------------------------------------


def test_second_build_asks_for_nothing_and_says_the_same(tmp_path: Path) -> None:
    with serve(faithful) as server:
        first = word(server.base_url, cache=tmp_path / "llm.sqlite")
        again = word(server.base_url, cache=tmp_path / "llm.sqlite")
    assert len(server.requests) == 3
    assert (again.tally.spent.cached, again.tally.spent.tokens) == (3, 0)
    for name in ("report", "finding", "citation"):
        assert_frame_equal(getattr(first.reports, name), getattr(again.reports, name))


@pytest.mark.parametrize("finished", [1, 2])
def test_killed_build_resumes_without_paying_twice(tmp_path: Path, finished: int) -> None:
    cache = tmp_path / "llm.sqlite"

    def slow(request: dict[str, Any]) -> Reply:
        return dataclasses.replace(faithful(request), delay_s=0.05)

    with serve(slow) as server:
        program = (
            "from pathlib import Path; from tests.wording_cases import word\n"
            f"word({server.base_url!r}, cache=Path({str(cache)!r}), on_report=lambda _: "
            f"print('landed', flush=True))\n"
        )
        with subprocess.Popen(
            [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, cwd=ROOT
        ) as build:
            assert build.stdout is not None
            for _ in range(finished):
                assert build.stdout.readline() == "landed\n"
            build.send_signal(signal.SIGKILL)
        paid = {asked(request) for request in server.requests[:finished]}
        server.requests.clear()
        resumed = word(server.base_url, cache=cache)
        assert not paid & {asked(request) for request in server.requests}
        uninterrupted = word(server.base_url)
    for name in ("report", "finding", "citation"):
        assert_frame_equal(getattr(resumed.reports, name), getattr(uninterrupted.reports, name))


# --- the plan -------------------------------------------------------------------------------------


def test_plan_foresees_calls_tokens_and_price_per_level(tmp_path: Path) -> None:
    async def plan(base_url: str, *, local: bool, config: ReportConfig) -> Any:
        model = OpenAIModel("gpt-4.1-mini", base_url=base_url)
        with ResponseCache(tmp_path / "llm.sqlite") as cache:
            try:
                job = WordingJob(templates(), PROFILES, WORDS_FINDINGS, config, cache=cache)
                return await plan_wording(job, model, local=local)
            finally:
                await model.aclose()

    with serve(faithful) as server:
        everything = asyncio.run(plan(server.base_url, local=False, config=ReportConfig()))
        one = asyncio.run(plan(server.base_url, local=True, config=ReportConfig(max_worded=1)))
        assert server.requests == []
    assert [(level.level, level.calls) for level in everything.levels] == [(0, 1), (1, 2)]
    assert everything.cost_usd == pytest.approx(
        (everything.prompt_tokens * 0.4 + everything.output_tokens * 1.6) / 1e6
    )
    assert not everything.exact
    assert (one.calls, one.cost_usd) == (1, 0.0)
    assert "2 stay on the template: beyond max_worded" in one.text()


def test_plan_leaves_out_what_is_in_the_cache(tmp_path: Path) -> None:
    async def plan(base_url: str) -> Any:
        model = OpenAIModel("scripted-1b", base_url=base_url)
        with ResponseCache(tmp_path / "llm.sqlite") as cache:
            try:
                job = WordingJob(templates(), PROFILES, WORDS_FINDINGS, ReportConfig(), cache=cache)
                return await plan_wording(job, model, local=True)
            finally:
                await model.aclose()

    with serve(faithful) as server:
        word(server.base_url, cache=tmp_path / "llm.sqlite", config=ReportConfig(max_worded=2))
        foreseen = asyncio.run(plan(server.base_url))
    assert (foreseen.calls, sum(level.cached for level in foreseen.levels)) == (1, 2)


# --- prompts --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "model_profile"), [("small", SMALL), ("large", LARGE), ("findings", WORDS_FINDINGS)]
)
def test_prompt_is_the_snapshot(name: str, model_profile: ModelProfile) -> None:
    """After a wanted change: delete the snapshot, run the test twice, read the difference."""
    (brief, *_) = write_briefs(templates(), PROFILES, model=model_profile)
    prompt = report_prompt(brief, model_profile)
    repaired = repair_prompt(
        prompt, '{"summary": [], "fact_1": ""}', [("31 of 32 runs.", "31: equals no fact")]
    )
    shown = (
        "\n\n".join(
            f"=== {message['role']}\n{message['content']}" for message in repaired.messages()
        )
        + "\n"
    )
    path = SNAPSHOTS / f"word_report.{name}.txt"
    if not path.exists():
        path.write_text(shown, encoding="utf-8")
        pytest.fail(f"no snapshot: wrote {path}, read it and run again")
    assert shown == path.read_text(encoding="utf-8")


def test_parent_is_shown_what_its_parts_are_about() -> None:
    (brief, *_) = write_briefs(templates(), PROFILES, model=MEDIUM)
    parts = [(one.text, one.detail) for one in brief.context if one.kind == "part"]
    assert brief.community == RICE.community
    assert parts[0] == (
        "Its part Endornaviridae Leaf holds 25 of 40 runs (62%).",
        "That is Endornaviridae.",
    )

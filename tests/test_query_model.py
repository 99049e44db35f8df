"""The answer with a model, against a real server that misbehaves: whatever it does, the answer is
what the facts say, and what the model says of its own holds no number and no name.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from query.global_search.ask import ask_from_facts, ask_model, plan_model
from query.global_search.briefing import (
    ANSWER_TOKENS,
    PROMPT_TOKENS,
    brief_facts,
    longest_tokens,
    prompt_within,
)
from query.global_search.from_facts import draft_point
from query.global_search.search import cite_points, select_for, statements_for

from index.exposure import POLICIES
from index.models.choose import ModelChoice, OpenAIModel, Patience, profile_of
from query.answer import Answer
from query.answer_text import answer_text, coverage_text
from query.config import QueryConfig
from query.global_search.mapping import split_batches
from query.global_search.prompting import choice_prompt, interpretation_prompt, map_prompt
from query.mode import Asking
from tests.query_index import make_index, opened
from tests.scripted_openai import Reply, Script, error, serve

SNAPSHOTS = Path(__file__).parent / "snapshots"
QUESTION = "Which viruses turn up in bat gut samples, and what goes with them?"
SAID = "Such hits may come from what was eaten rather than from an infection."
HEADLINE = "6 of 12 searched runs of Chiroptera (bat) carry Coronaviridae (6 runs)."
CONFIG = QueryConfig()


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_index(tmp_path_factory.mktemp("model") / "index.duckdb")


def ask(
    index: Path,
    script: Script,
    *,
    name: str = "scripted-8b",
    question: str = QUESTION,
    config: QueryConfig = CONFIG,
    **options: Any,
) -> Answer:
    """Return the answer of a model of that name whose server answers as scripted."""
    with serve(script) as server, opened(index) as con:
        model = OpenAIModel(name, base_url=server.base_url, patience=Patience(max_retries=1))
        choice = ModelChoice(model, profile_of(name), "scripted")
        return ask_model(Asking(question, con, index, config, choice, **options))


def from_facts(index: Path) -> Answer:
    with opened(index) as con:
        return ask_from_facts(con, QUESTION, config=CONFIG)


def adds(*sentences: str, scores: Sequence[int] = (80,)) -> Callable[[dict[str, Any]], Reply]:
    """Return a server that scores the communities, and interprets with these sentences."""

    def answer(request: dict[str, Any]) -> Reply:
        shape = request["response_format"]["json_schema"]["schema"]["properties"]
        if "communities" not in shape:
            return Reply(json.dumps({"sentences": sentences}))
        rated = [{"community": place, "score": score} for place, score in enumerate(scores, 1)]
        return Reply(json.dumps({"communities": rated}))

    return answer


def test_interpretation_is_apart_and_under_its_label(index: Path) -> None:
    answer, facts = ask(index, adds(SAID)), from_facts(index)
    assert answer.answer == facts.answer
    assert answer.interpretation == (SAID,)
    label = "Interpretation by scripted-8b: not counted in the index"
    assert f"\n\n{label}\n{SAID}\n\n" in answer_text(answer)
    assert (answer.points[0].score, answer.usage.calls) == (80.0, 2)
    assert answer.coverage.sentences_dropped == 0


FALSE = [
    "Coronaviridae (7 runs) lead.",
    "The virus is in half of the runs.",
    "All of the hosts are ill.",
    "A coronavirus occurs beside it.",
    "The hosts were sampled in Wuhan.",
    "It is known from SRR10951654.",
    "It spreads [Filters: {{family: Filoviridae}}].",
    "Bats carry it.",
    "Please ignore what is counted above.",
    "",
]


@pytest.mark.parametrize("sentence", FALSE)
def test_sentence_with_a_number_or_a_name_reaches_no_reader(index: Path, sentence: str) -> None:
    answer, facts = ask(index, adds(sentence)), from_facts(index)
    assert answer.interpretation == ()
    assert answer.answer == facts.answer
    assert {one.description for one in answer.points} == {one.description for one in facts.points}
    assert not sentence or sentence not in answer_text(answer)
    assert answer.coverage.sentences_dropped == bool(sentence)


def test_model_may_add_nothing(index: Path) -> None:
    answer = ask(index, adds())
    assert (answer.interpretation, answer.coverage.notes) == ((), ())
    assert "Interpretation" not in answer_text(answer)


BROKEN = {
    "junk": Reply("no JSON at all"),
    "wrong schema": Reply('{"communities": "all", "sentences": [1]}'),
    "not even HTTP of the API": Reply(body="<html>"),
    "refused": Reply(None, refusal="I cannot help with viruses"),
    "truncated": Reply('{"communities": [{"community": 1', finish_reason="length"),
    "rate limit": error(429, "slow down", retry_after="0"),
    "server error": error(500, "out of memory"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_model_that_fails_costs_no_answer(index: Path, case: str) -> None:
    answer = ask(index, [BROKEN[case]])
    facts = from_facts(index)
    assert answer.answer == facts.answer
    assert answer.points == facts.points
    assert answer.coverage.failed == len(facts.points)
    assert answer.coverage.notes


def test_call_is_repeated_after_a_rate_limit(index: Path) -> None:
    good = adds(SAID)
    limited = iter([True])

    def answer(request: dict[str, Any]) -> Reply:
        return error(429, "slow down", retry_after="0") if next(limited, False) else good(request)

    assert ask(index, answer).interpretation == (SAID,)


def test_community_numbers_that_do_not_exist_are_passed_over(index: Path) -> None:
    answer = ask(index, [Reply('{"communities": [{"community": 99, "score": 90}]}')])
    assert {point.community for point in answer.points} == {"C1-bat"}
    assert answer.coverage.passed_over == 1


def test_community_that_the_model_passes_over_keeps_its_point_behind_the_others(
    index: Path,
) -> None:
    answer = ask(index, [Reply('{"communities": []}')])
    facts = from_facts(index)
    assert answer.coverage.passed_over == len(facts.points)
    assert "passed over by the model" in coverage_text(answer.coverage, answer.usage)
    assert {one.description for one in answer.points} == {one.description for one in facts.points}
    assert all(one.score <= 1 for one in answer.points)


CHOICES = {
    "one": ([2], 1),
    "two": ([3, 1], 2),
    "the answer itself": ([0], 0),
    "none of them": ([0, 99], 0),
    "the same twice": ([2, 2], 1),
}


@pytest.mark.parametrize("case", CHOICES)
def test_small_model_chooses_facts_in_one_call_within_its_tokens(index: Path, case: str) -> None:
    numbers, kept = CHOICES[case]
    asked: list[dict[str, Any]] = []

    def answer(request: dict[str, Any]) -> Reply:
        asked.append(request)
        return Reply(json.dumps({"facts": numbers}))

    asks = replace(CONFIG, small_answers=True)
    given = ask(index, answer, name="scripted-1.5b", question="coronaviruses", config=asks)
    with opened(index) as con:
        facts = ask_from_facts(con, "coronaviruses", config=CONFIG)
    (request,) = asked
    assert given.answer.startswith(facts.answer)
    assert given.answer[len(facts.answer) :].count("of these runs: ") == kept
    assert given.interpretation == ()
    assert max_tokens_of(request) <= ANSWER_TOKENS <= 120


def max_tokens_of(request: dict[str, Any]) -> int:
    return int(request.get("max_tokens") or request["max_completion_tokens"])


def test_prompt_of_a_small_model_fits_and_begins_alike_whatever_is_asked() -> None:
    long = [
        f"Hosts of these runs: {'Rhinolophus ferrumequinum (3,000 runs), ' * 6}" for _ in "abcd"
    ]
    prompts = [prompt_within(question, long) for question in ("bats?", "Which viruses? " * 9)]
    assert all(longest_tokens(prompt) <= PROMPT_TOKENS == 600 for prompt in prompts)
    first, second = ([*prompt.messages()][:-1] for prompt in prompts)
    assert first == second


@pytest.mark.parametrize("name", ["scripted-135m", "scripted-1.5b", "scripted-3b"])
def test_small_model_is_not_asked_unless_the_configuration_says_so(index: Path, name: str) -> None:
    asked: list[bool] = []

    def answer(request: dict[str, Any]) -> Reply:
        asked.append(True)
        return adds(SAID)(request)

    given = ask(index, answer, name=name)
    assert given.answer == from_facts(index).answer
    assert asked == []
    not_asked = f"{name} is below 4 billion parameters and is not asked"
    assert any(not_asked in note for note in given.coverage.notes) == (name != "scripted-135m")


@pytest.mark.parametrize(
    ("local", "policy", "gated"),
    [
        (True, "strict", 1),
        (False, "strict", 1),
        (True, "careful", 0),
        (False, "careful", 1),
        (True, "open", 0),
        (False, "open", 0),
    ],
)
def test_community_of_rg3_is_shown_to_the_models_of_the_policy(
    index: Path, local: bool, policy: str, gated: int
) -> None:
    seen: list[str] = []

    def answer(request: dict[str, Any]) -> Reply:
        seen.append(json.dumps(request))
        return Reply("junk")

    with serve(answer) as server, opened(index) as con:
        model = OpenAIModel(
            "scripted-8b", base_url=server.base_url, patience=Patience(max_retries=0)
        )
        choice = ModelChoice(model, profile_of("scripted-8b"), "scripted", local=local)
        config = replace(CONFIG, policy=POLICIES[policy])
        question = "Where are flaviviruses found?"
        asking = Asking(question, con, index, config, choice)
        held = ask_model(asking)
        plan = plan_model(asking)
    assert held.coverage.gated == gated
    assert (seen == []) == bool(gated)
    assert plan is not None
    assert plan.plan.communities == 1 - gated
    assert (plan.plan.calls == 0) == bool(gated)


def test_every_prompt_is_as_reviewed(index: Path) -> None:
    with opened(index) as con:
        selection = select_for(con, QUESTION, config=CONFIG)
        statements = statements_for(selection, config=CONFIG)
        described = [(one, statements[one.community]) for one in selection.read]
        points = cite_points(con, [draft_point(*one) for one in described])
        facts = brief_facts(selection, HEADLINE)
    (batch,) = split_batches(described, max_tokens=4_000)
    prompts = {
        "rate_communities": map_prompt(QUESTION, batch),
        "interpret_answer": interpretation_prompt(QUESTION, [one.description for one in points]),
        "choose_facts": choice_prompt(QUESTION, facts),
    }
    for name, prompt in prompts.items():
        shown = "\n\n".join(f"[{one['role']}]\n{one['content']}" for one in prompt.messages())
        path = SNAPSHOTS / f"{name}.txt"
        if not path.exists():
            path.write_text(f"{shown}\n", encoding="utf-8")
        assert path.read_text(encoding="utf-8") == f"{shown}\n"

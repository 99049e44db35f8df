"""Other ways of answering with a model in place, which a scripted server stands for."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from index.errors import ModelUnavailableError
from index.exposure import DEFAULT_POLICY
from index.models.choose import ModelChoice, OpenAIModel, Patience, profile_of
from index.models.protocol import estimate_tokens
from query.config import QueryConfig
from query.evaluation.evaluate import Wanted, evaluate
from query.evaluation.other_ways.asked import AskedBaseline
from query.evaluation.other_ways.reports import read_reports, shown_to
from tests.conftest import BuiltIndex
from tests.query_index import opened
from tests.scripted_openai import Reply, error, serve

QUESTIONS = 2
INVENTED = 987_654_321


def asked_with(
    index: BuiltIndex, script: Callable[[dict[str, Any]], Reply]
) -> tuple[dict[str, AskedBaseline], list[dict[str, Any]]]:
    """Return what each way wrote where a server answers as scripted, and what it was asked."""
    wanted = Wanted(fills=1, half=None, most=6, asked_of_model=QUESTIONS)
    with serve(script) as server, opened(index.path) as con:
        patience = Patience(max_retries=0)
        model = OpenAIModel("scripted-8b", base_url=server.base_url, patience=patience)
        choice = ModelChoice(model, profile_of("scripted-8b"), "scripted")
        found = evaluate(con, wanted, config=QueryConfig(), say=lambda _: _silent, choice=choice)
        return {one.name: one for one in found.asked}, server.requests


def _silent(_done: int, _whole: int) -> None:
    pass


def writes_a_number(request: dict[str, Any]) -> Reply:
    """Answer with a number that no report holds, and score every part alike."""
    system = request["messages"][0]["content"]
    if "points" in system:
        return Reply(json.dumps({"points": [{"text": "A point.", "score": 50}]}))
    return Reply(json.dumps({"answer": f"It is in {INVENTED} runs."}))


def test_every_way_is_gone_and_what_it_invents_is_counted(sample_index: BuiltIndex) -> None:
    ways, requests = asked_with(sample_index, writes_a_number)
    with opened(sample_index.path) as con:
        shown = shown_to(read_reports(con), DEFAULT_POLICY, local=True)
    product = ways.pop("this product, no model")
    assert product.exact.part + product.entities.part > 0
    assert ways["vector, model asked"].calls == 1
    assert ways["every community, model asked"].calls == len(shown.texts) + 1
    assert 1 < ways["batches of reports, model asked"].calls < len(shown.texts)
    for one in ways.values():
        assert (one.invented.part, one.invented.whole) == (QUESTIONS, QUESTIONS)
        assert (one.failed.part, one.exact.part, one.entities.part) == (0, 0, 0)
    asked = [request["messages"][-1]["content"] for request in requests]
    assert max(map(estimate_tokens, asked)) < profile_of("scripted-8b").context_tokens / 3


def test_without_a_model_to_ask_there_is_a_clear_error(sample_index: BuiltIndex) -> None:
    wanted = Wanted(fills=1, half=None, most=6, asked_of_model=QUESTIONS)
    none = ModelChoice(None, None, "VIROME_MODEL=none")
    with opened(sample_index.path) as con, pytest.raises(ModelUnavailableError, match="none"):
        evaluate(con, wanted, config=QueryConfig(), say=lambda _: _silent, choice=none)


def test_calls_that_fail_are_counted_and_end_nothing(sample_index: BuiltIndex) -> None:
    ways, _ = asked_with(sample_index, lambda _: error(500, "down"))
    vector = ways["vector, model asked"]
    assert (vector.failed.part, vector.failed.whole) == (QUESTIONS, QUESTIONS)
    assert (vector.tokens, vector.invented.whole) == (0, 0)


def test_a_model_elsewhere_is_shown_no_report_that_is_withheld(sample_index: BuiltIndex) -> None:
    with opened(sample_index.path) as con:
        reports = read_reports(con)
    there = shown_to(reports, DEFAULT_POLICY, local=False)
    assert 0 < len(there.texts) < len(reports.texts)
    assert {"RG4"}.isdisjoint(there.groups)
    assert reports.vectors is not None
    assert there.vectors == pytest.approx(
        reports.vectors[[group in there.groups for group in reports.groups]]
    )

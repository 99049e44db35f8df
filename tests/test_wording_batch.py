"""Wording by the Batch API of a real local server: two batches, checked answers, nothing paid
twice.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from polars.testing import assert_frame_equal

from index.config import ReportConfig
from index.errors import ModelUnavailableError
from index.models.choose import OpenAIModel, ResponseCache
from index.models.profiles import SMALL
from index.wording.batch import word_in_batches
from index.wording.reword import Worded
from tests.scripted_batches import BatchServer, serve_batches
from tests.scripted_openai import Reply, serve
from tests.wording_cases import PROFILES, asked, corrections, faithful, templates, word


def word_batched(
    base_url: str, cache: Path, *, config: ReportConfig | None = None
) -> tuple[Worded, list[str]]:
    told: list[str] = []

    async def run() -> Worded:
        model = OpenAIModel("scripted-1b", base_url=base_url, max_retries=0)
        with ResponseCache(cache) as opened:
            try:
                return await word_in_batches(
                    templates(), PROFILES, model=model, model_profile=SMALL, cache=opened,
                    config=config or ReportConfig(), poll_s=0.01, on_progress=told.append,
                )  # fmt: skip
            finally:
                await model.aclose()

    return asyncio.run(run()), told


def one_wrong(request: dict[str, Any]) -> Reply:
    """Answer as a model that gets the first number of each draft wrong and puts it right when told."""
    if "do not agree with the facts" in asked(request):
        return corrections(
            "Oryza sativa alphaendornavirus is found in 30 of 32 runs with a named virus (94%)."
        )
    whole = faithful(request).content or ""
    return Reply(
        whole.replace("found in 30 of 32 runs with a named virus (94%)", "found in 31 of 32 runs")
    )


def test_batch_words_what_single_calls_would(tmp_path: Path) -> None:
    with serve_batches(faithful) as server:
        batched, told = word_batched(server.base_url, tmp_path / "batch.sqlite")
    with serve(faithful) as single:
        called = word(single.base_url)
    assert_frame_equal(batched.reports.report, called.reports.report, check_row_order=False)
    assert_frame_equal(batched.reports.finding, called.reports.finding, check_row_order=False)
    assert [request["model"] for request in server.asked] == ["scripted-1b"] * 3
    assert told[0] == "batch of 3 drafts, 0 beyond the budget"
    assert told[-1] == "3 answered"


def test_repairs_go_in_a_second_batch(tmp_path: Path) -> None:
    with serve_batches(one_wrong) as server:
        worded, _ = word_batched(server.base_url, tmp_path / "batch.sqlite")
    assert len(server.batches) == 2
    assert (worded.tally.repaired, worded.tally.replaced) == (1, 0)


def test_finished_work_is_not_asked_for_again(tmp_path: Path) -> None:
    with serve_batches(faithful) as server:
        first, _ = word_batched(server.base_url, tmp_path / "batch.sqlite")
        again, told = word_batched(server.base_url, tmp_path / "batch.sqlite")
        assert len(server.batches) == 1
    assert told == []
    assert_frame_equal(again.reports.report, first.reports.report)


def test_killed_build_finds_its_batch_again(tmp_path: Path) -> None:
    with serve_batches(faithful, polls=10_000) as server:
        with pytest.raises(TimeoutError):
            asyncio.run(asyncio.wait_for(never_ending(server, tmp_path / "one.sqlite"), 2.0))
        server.polls = 1
        worded, _ = word_batched(server.base_url, tmp_path / "two.sqlite")
        assert len(server.batches) == 1
    assert worded.tally.worded == 3


async def never_ending(server: BatchServer, cache: Path) -> Worded:
    model = OpenAIModel("scripted-1b", base_url=server.base_url, max_retries=0)
    with ResponseCache(cache) as opened:
        try:
            return await word_in_batches(
                templates(), PROFILES, model=model, model_profile=SMALL, cache=opened, config=ReportConfig(),
                poll_s=0.01,
            )  # fmt: skip
        finally:
            await model.aclose()


def test_junk_and_refusals_leave_their_reports_on_the_template(tmp_path: Path) -> None:
    replies = iter([Reply("sorry"), Reply(None, refusal="no"), Reply('{"summary": [')])
    with serve_batches(lambda _: next(replies)) as server:
        worded, told = word_batched(server.base_url, tmp_path / "batch.sqlite")
    assert worded.reports.report["method"].to_list() == ["template"] * 3
    assert worded.tally.left == {"no answer in the batch": 3}
    assert "refused: no" in " ".join(told)


def test_budget_bounds_the_batch_at_its_worst(tmp_path: Path) -> None:
    with serve_batches(faithful) as server:
        worded, told = word_batched(
            server.base_url, tmp_path / "batch.sqlite", config=ReportConfig(budget_tokens=2_500)
        )
    assert told[0].startswith("batch of ")
    assert "0 beyond" not in told[0]
    assert 0 < worded.tally.worded < 3


@pytest.mark.parametrize("why", ["the file is not JSONL"])
def test_failed_batch_is_named(tmp_path: Path, why: str) -> None:
    with (
        serve_batches(faithful, fail=why) as server,
        pytest.raises(ModelUnavailableError, match=why),
    ):
        word_batched(server.base_url, tmp_path / "batch.sqlite")


def test_endpoint_without_batches_is_named(tmp_path: Path) -> None:
    with serve(faithful) as server, pytest.raises(ModelUnavailableError, match="no batches"):
        word_batched(server.base_url, tmp_path / "batch.sqlite")

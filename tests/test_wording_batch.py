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
from index.models.batch_provider import Waiting, require_batches
from index.models.choose import OpenAIModel, Patience, ResponseCache
from index.wording.batch import word_in_batches
from index.wording.job import WordingJob
from index.wording.reword import Worded
from tests.scripted_batches import BatchServer, serve_batches
from tests.scripted_openai import Reply, serve
from tests.wording_cases import (
    PROFILES,
    WORDS_FINDINGS,
    asked,
    corrections,
    faithful,
    templates,
    word,
)

BRISK = Waiting(poll_s=0.01, patience_s=2.0)


def word_batched(
    base_url: str, cache: Path, *, config: ReportConfig | None = None, waiting: Waiting = BRISK
) -> tuple[Worded, list[str]]:
    progress: list[str] = []

    async def run() -> Worded:
        model = OpenAIModel("scripted-1b", base_url=base_url, patience=Patience(max_retries=0))
        with ResponseCache(cache) as opened:
            try:
                job = WordingJob(templates(), PROFILES, WORDS_FINDINGS, config or ReportConfig())
                return await word_in_batches(
                    job, model, cache=opened, waiting=waiting, on_progress=progress.append
                )
            finally:
                await model.aclose()

    return asyncio.run(run()), progress


def one_wrong(request: dict[str, Any]) -> Reply:
    """Answer as a model that gets the first number of each draft wrong and corrects it if asked."""
    if "do not agree with the facts" in asked(request):
        return corrections(
            "Viruses of Endornaviridae are found in 30 of 32 runs with a virus family (94%)."
        )
    whole = faithful(request).content or ""
    return Reply(
        whole.replace("found in 30 of 32 runs with a virus family (94%)", "found in 31 of 32 runs")
    )


def test_batch_words_what_single_calls_would(tmp_path: Path) -> None:
    with serve_batches(faithful) as server:
        batched, progress = word_batched(server.base_url, tmp_path / "batch.sqlite")
    with serve(faithful) as single:
        called = word(single.base_url)
    assert_frame_equal(batched.reports.report, called.reports.report, check_row_order=False)
    assert_frame_equal(batched.reports.finding, called.reports.finding, check_row_order=False)
    assert [request["model"] for request in server.asked] == ["scripted-1b"] * 3
    assert progress[0] == "batch of 3 drafts, 0 beyond the budget"
    assert progress[-1] == "3 answered"


def test_repairs_go_in_a_second_batch(tmp_path: Path) -> None:
    with serve_batches(one_wrong) as server:
        worded, _ = word_batched(server.base_url, tmp_path / "batch.sqlite")
    assert len(server.batches) == 2
    assert (worded.tally.repaired, worded.tally.replaced) == (1, 0)


def test_finished_work_is_not_asked_for_again(tmp_path: Path) -> None:
    with serve_batches(faithful) as server:
        first, _ = word_batched(server.base_url, tmp_path / "batch.sqlite")
        again, progress = word_batched(server.base_url, tmp_path / "batch.sqlite")
        assert len(server.batches) == 1
    assert progress == []
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
    model = OpenAIModel("scripted-1b", base_url=server.base_url, patience=Patience(max_retries=0))
    with ResponseCache(cache) as opened:
        try:
            job = WordingJob(templates(), PROFILES, WORDS_FINDINGS, ReportConfig())
            return await word_in_batches(job, model, cache=opened, waiting=BRISK)
        finally:
            await model.aclose()


def test_junk_and_refusals_leave_their_reports_on_the_template(tmp_path: Path) -> None:
    replies = iter([Reply("sorry"), Reply(None, refusal="no"), Reply('{"summary": [')])
    with serve_batches(lambda _: next(replies)) as server:
        worded, progress = word_batched(server.base_url, tmp_path / "batch.sqlite")
    assert worded.reports.report["method"].to_list() == ["template"] * 3
    assert worded.tally.left == {"no answer in the batch": 3}
    assert "refused: no" in " ".join(progress)


def test_budget_bounds_the_batch_at_its_worst(tmp_path: Path) -> None:
    with serve_batches(faithful) as server:
        worded, progress = word_batched(
            server.base_url, tmp_path / "batch.sqlite", config=ReportConfig(budget_tokens=2_500)
        )
    assert progress[0].startswith("batch of ")
    assert "0 beyond" not in progress[0]
    assert 0 < worded.tally.worded < 3


def test_failed_batch_costs_no_report_and_is_named(tmp_path: Path) -> None:
    with serve_batches(faithful, fail="the file is not JSONL") as server:
        worded, progress = word_batched(server.base_url, tmp_path / "batch.sqlite")
        word_batched(server.base_url, tmp_path / "batch.sqlite")
        assert len(server.batches) == 2
    assert worded.reports.report["method"].to_list() == ["template"] * 3
    assert "batch-0 failed: the file is not JSONL" in worded.tally.text()
    assert "the next build with --batch sends them again" in progress[-1]


# --- a provider that is out of reach --------------------------------------------------------------


@pytest.mark.parametrize(
    "outage",
    [
        ["503"],
        ["503", "500", "429"],
        ["hang up", "hang up"],
        ["not JSON", "503"],
    ],
)
def test_failing_polls_are_repeated_until_the_provider_is_back(
    tmp_path: Path, outage: list[str]
) -> None:
    with serve_batches(faithful, outage=outage) as server:
        worded, _ = word_batched(server.base_url, tmp_path / "batch.sqlite")
    assert server.outage == []
    assert worded.tally.worded == 3
    assert worded.tally.notes == []


def test_batch_out_of_reach_is_left_to_the_next_build(tmp_path: Path) -> None:
    short = Waiting(poll_s=0.01, patience_s=0.05)
    with serve_batches(faithful, outage=["503"] * 1_000) as server:
        worded, _ = word_batched(server.base_url, tmp_path / "batch.sqlite", waiting=short)
        server.outage.clear()
        again, progress = word_batched(server.base_url, tmp_path / "batch.sqlite")
        assert len(server.batches) == 1
    assert worded.reports.report["method"].to_list() == ["template"] * 3
    assert (
        "status 503: out of order; the next build with --batch takes up what was sent"
        in worded.tally.text()
    )
    assert "3 drafts were sent by an earlier build" in progress
    assert again.tally.worded == 3


def test_batch_of_a_killed_build_is_taken_up_although_fewer_reports_are_asked_for(
    tmp_path: Path,
) -> None:
    cache = tmp_path / "one.sqlite"
    with serve_batches(faithful, polls=10_000) as server:
        with pytest.raises(TimeoutError):
            asyncio.run(asyncio.wait_for(never_ending(server, cache), 2.0))
        server.polls = 1
        worded, _ = word_batched(server.base_url, cache, config=ReportConfig(max_worded=1))
        assert len(server.batches) == 1
    assert worded.tally.worded == 1


def test_batch_the_provider_has_forgotten_is_sent_anew(tmp_path: Path) -> None:
    cache = tmp_path / "one.sqlite"
    with serve_batches(faithful, polls=10_000) as server:
        with pytest.raises(TimeoutError):
            asyncio.run(asyncio.wait_for(never_ending(server, cache), 2.0))
        server.batches.clear()
        server.polls = 1
        worded, _ = word_batched(server.base_url, cache)
    assert worded.tally.worded == 3


def test_refused_key_is_not_waited_for(tmp_path: Path) -> None:
    with serve_batches(faithful, outage=["401"] * 10) as server:
        worded, _ = word_batched(server.base_url, tmp_path / "batch.sqlite")
        assert len(server.outage) == 9
    assert "the key is refused" in worded.tally.notes[0]


def test_endpoint_without_batches_is_named_before_anything_is_sent() -> None:
    async def ask(base_url: str) -> None:
        model = OpenAIModel("scripted-1b", base_url=base_url)
        try:
            await require_batches(model)
        finally:
            await model.aclose()

    with serve(faithful) as server, pytest.raises(ModelUnavailableError, match="no batches"):
        asyncio.run(ask(server.base_url))
    with serve_batches(faithful) as batches:
        asyncio.run(ask(batches.base_url))
    asyncio.run(ask("http://127.0.0.1:9/v1"))

"""Interpretation by the Batch API of a real local server: nothing is paid twice."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from polars.testing import assert_frame_equal

from index.config import ReportConfig
from index.errors import ModelUnavailableError
from index.models.batch_provider import Waiting, require_batches
from index.models.choose import OpenAIModel, Patience, ResponseCache
from index.wording.batch import interpret_in_batch
from index.wording.interpret import Interpretations
from index.wording.job import WordingJob
from tests.scripted_batches import BatchServer, serve_batches
from tests.scripted_openai import Reply, serve
from tests.wording_cases import INTERPRETS, NAMES, PROFILES, careful, interpret, templates

BRISK = Waiting(poll_s=0.01, patience_s=2.0)


def interpret_batched(
    base_url: str, cache: Path, *, config: ReportConfig | None = None, waiting: Waiting = BRISK
) -> tuple[Interpretations, list[str]]:
    progress: list[str] = []

    async def run() -> Interpretations:
        model = OpenAIModel("scripted-1b", base_url=base_url, patience=Patience(max_retries=0))
        with ResponseCache(cache) as opened:
            try:
                job = WordingJob(templates(), PROFILES, INTERPRETS, config or ReportConfig(), NAMES)
                return await interpret_in_batch(
                    job, model, cache=opened, waiting=waiting, on_progress=progress.append
                )
            finally:
                await model.aclose()

    return asyncio.run(run()), progress


def test_batch_says_what_single_calls_would_and_is_not_asked_for_again(tmp_path: Path) -> None:
    with serve_batches(careful) as server:
        batched, progress = interpret_batched(server.base_url, tmp_path / "batch.sqlite")
        again, nothing = interpret_batched(server.base_url, tmp_path / "batch.sqlite")
        assert len(server.batches) == 1
    with serve(careful) as single:
        called = interpret(single.base_url)
    for reports in (called.reports, again.reports):
        assert_frame_equal(batched.reports.report, reports.report, check_row_order=False)
        assert_frame_equal(batched.reports.finding, reports.finding, check_row_order=False)
    assert [request["model"] for request in server.asked] == ["scripted-1b"] * 3
    assert progress[0] == "batch of 3 requests, 0 beyond the budget"
    assert progress[-1] == "3 answered"
    assert nothing == []


def test_killed_build_finds_its_batch_again(tmp_path: Path) -> None:
    with serve_batches(careful, polls=10_000) as server:
        asyncio.run(killed(server, tmp_path / "one.sqlite"))
        server.polls = 1
        given, _ = interpret_batched(server.base_url, tmp_path / "two.sqlite")
        assert len(server.batches) == 1
    assert given.tally.interpreted == 3


async def killed(server: BatchServer, cache: Path) -> None:
    """Run a build until it waits for its batch, and kill it there."""
    build = asyncio.create_task(never_ending(server, cache))
    while not build.done() and not any(one["looked"] for one in list(server.batches.values())):
        await asyncio.sleep(0.01)
    build.cancel()
    await asyncio.wait([build])
    assert build.cancelled()


async def never_ending(server: BatchServer, cache: Path) -> Interpretations:
    model = OpenAIModel("scripted-1b", base_url=server.base_url, patience=Patience(max_retries=0))
    with ResponseCache(cache) as opened:
        try:
            job = WordingJob(templates(), PROFILES, INTERPRETS, ReportConfig(), NAMES)
            return await interpret_in_batch(job, model, cache=opened, waiting=BRISK)
        finally:
            await model.aclose()


def test_junk_and_refusals_leave_their_reports_as_they_are(tmp_path: Path) -> None:
    replies = iter([Reply("sorry"), Reply(None, refusal="no"), Reply('{"sentences": [')])
    with serve_batches(lambda _: next(replies)) as server:
        given, progress = interpret_batched(server.base_url, tmp_path / "batch.sqlite")
    assert given.reports.report["model"].null_count() == 3
    assert given.tally.left == {"no answer in the batch": 3}
    assert "refused: no" in " ".join(progress)


def test_budget_bounds_the_batch_at_its_worst(tmp_path: Path) -> None:
    with serve_batches(careful) as server:
        given, progress = interpret_batched(
            server.base_url, tmp_path / "batch.sqlite", config=ReportConfig(budget_tokens=1_700)
        )
    assert progress[0].startswith("batch of ")
    assert "0 beyond" not in progress[0]
    assert 0 < given.tally.interpreted < 3


def test_failed_batch_costs_no_report_and_is_named(tmp_path: Path) -> None:
    with serve_batches(careful, fail="the file is not JSONL") as server:
        given, progress = interpret_batched(server.base_url, tmp_path / "batch.sqlite")
        interpret_batched(server.base_url, tmp_path / "batch.sqlite")
        assert len(server.batches) == 2
    assert given.reports.report["model"].null_count() == 3
    assert "batch-0 failed: the file is not JSONL" in given.tally.text()
    assert "the next build with --batch sends them again" in progress[-1]


# --- a provider that is out of reach --------------------------------------------------------------


@pytest.mark.parametrize("outage", [["503", "500", "429"], ["hang up", "hang up", "not JSON"]])
def test_failing_polls_are_repeated_until_the_provider_is_back(
    tmp_path: Path, outage: list[str]
) -> None:
    with serve_batches(careful, outage=outage) as server:
        given, _ = interpret_batched(server.base_url, tmp_path / "batch.sqlite")
    assert server.outage == []
    assert given.tally.interpreted == 3
    assert given.tally.notes == []


def test_batch_out_of_reach_is_left_to_the_next_build(tmp_path: Path) -> None:
    short = Waiting(poll_s=0.01, patience_s=0.05)
    with serve_batches(careful, outage=["503"] * 1_000) as server:
        given, _ = interpret_batched(server.base_url, tmp_path / "batch.sqlite", waiting=short)
        server.outage.clear()
        again, progress = interpret_batched(server.base_url, tmp_path / "batch.sqlite")
        assert len(server.batches) == 1
    assert given.reports.report["model"].null_count() == 3
    assert (
        "status 503: out of order; the next build with --batch takes up what was sent"
        in given.tally.text()
    )
    assert "3 requests sent by an earlier build" in progress
    assert again.tally.interpreted == 3


def test_batch_of_a_killed_build_is_taken_up_although_fewer_reports_are_asked_for(
    tmp_path: Path,
) -> None:
    cache = tmp_path / "one.sqlite"
    with serve_batches(careful, polls=10_000) as server:
        asyncio.run(killed(server, cache))
        server.polls = 1
        given, _ = interpret_batched(server.base_url, cache, config=ReportConfig(max_worded=1))
        assert len(server.batches) == 1
    assert given.tally.interpreted == 1


def test_batch_the_provider_has_forgotten_is_sent_anew(tmp_path: Path) -> None:
    cache = tmp_path / "one.sqlite"
    with serve_batches(careful, polls=10_000) as server:
        asyncio.run(killed(server, cache))
        server.batches.clear()
        server.polls = 1
        given, _ = interpret_batched(server.base_url, cache)
    assert given.tally.interpreted == 3


def test_refused_key_is_not_waited_for(tmp_path: Path) -> None:
    with serve_batches(careful, outage=["401"] * 10) as server:
        given, _ = interpret_batched(server.base_url, tmp_path / "batch.sqlite")
        assert len(server.outage) == 9
    assert "the key is refused" in given.tally.notes[0]


def test_endpoint_without_batches_is_named_before_anything_is_sent() -> None:
    async def ask(base_url: str) -> None:
        model = OpenAIModel("scripted-1b", base_url=base_url)
        try:
            await require_batches(model)
        finally:
            await model.aclose()

    with serve(careful) as server, pytest.raises(ModelUnavailableError, match="no batches"):
        asyncio.run(ask(server.base_url))
    with serve_batches(careful) as batches:
        asyncio.run(ask(batches.base_url))
    asyncio.run(ask("http://127.0.0.1:9/v1"))

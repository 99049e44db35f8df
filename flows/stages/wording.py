"""The stages that let a model interpret reports: what it may see, what it takes, what it wrote."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from dataclasses import replace
from typing import TypeVar

import duckdb
import polars as pl

from flows.progress import Progress
from flows.stages.held import Held
from flows.stages.reports import REPORT_TABLES, WrittenReports
from index.checking.names import IndexNames
from index.checking.unseen import unseen_names
from index.config import ReportConfig
from index.exposure import Exposure, count_groups
from index.models.batch_provider import require_batches, without_batches
from index.models.choose import ChatModel, ModelChoice, OpenAIModel, ResponseCache, open_cache
from index.models.gated import gate_names
from index.reports.templates import Reports
from index.store.build import Build
from index.store.read import answers_beside
from index.wording.interpret import Interpretations, interpret_reports
from index.wording.job import WordingJob
from index.wording.plan import Plan, plan_wording
from index.wording.tally import Tally

ResultT = TypeVar("ResultT")


def check_model(choice: ModelChoice, *, config: ReportConfig) -> None:
    """Raise unless the chosen model can do what ``config`` requires; called before any stage runs.

    Raises:
        ModelUnavailableError: batches are asked for, and the model has none.
    """
    if not config.batch or choice.model is None:
        return
    if not isinstance(choice.model, OpenAIModel):
        raise without_batches(choice.model.name, "it runs in this process and has no batches")
    asyncio.run(_closing(choice, require_batches(choice.model)))


def store_wording(
    build: Build, job: WordingJob, *, choice: ModelChoice, progress: Progress
) -> Tally:
    """Let the chosen model interpret reports, the most valuable first; return the tally.

    A report stays as it is: what the model adds is in columns of its own.

    Answers are cached next to the index as they arrive, so a build that dies pays for none of them
    twice.
    """
    assert choice.model is not None
    job = replace(job, cache=open_cache(answers_beside(build.path), say=progress.detail))
    store_decisions(build, job, choice=choice)
    given = asyncio.run(_closing(choice, _interpret(job, choice.model, progress)))
    write_reports(build, given.reports)
    return given.tally


def store_decisions(build: Build, job: WordingJob, *, choice: ModelChoice) -> None:
    """Write what the gate decides for each report of ``job``, before a model sees any."""
    assert choice.model is not None
    shown = {brief.community: brief.withheld.total() for brief in job.briefs}
    withheld = pl.col("community").is_in(sorted(job.withheld))
    lines = pl.col("community").replace_strict(shown, default=0, return_dtype=pl.Int64)
    decided = job.reports.report.select(
        "community",
        "risk_group",
        model=pl.lit(choice.model.name),
        destination=pl.lit("this machine" if choice.local else "elsewhere"),
        decision=pl.when(withheld).then(pl.lit("withheld")).otherwise(pl.lit("shown")),
        basis=pl.lit(f"policy {job.config.policy.name}"),
        lines_withheld=lines,
    )
    build.replace("gate_decision", decided)


def expose_reports(job: WordingJob, choice: ModelChoice) -> Exposure:
    """Return how many reports of ``job`` go to the chosen model, and what is withheld from it."""
    assert choice.model is not None
    limit = job.config.max_worded
    return Exposure(
        model=choice.model.name,
        local=choice.local,
        reports=len(job.withheld) + len(job.briefs),
        withheld=count_groups(job.withheld.values()),
        policy=job.config.policy,
        limit=job.model_profile.max_worded if limit is None else limit,
        lines=job.lines_withheld,
    )


def foresee_wording(
    build: Build, held: Held[WrittenReports], *, choice: ModelChoice, config: ReportConfig
) -> Plan | None:
    """Return what ``store_wording`` would cost, or None without a model."""
    if choice.model is None or choice.profile is None:
        return None
    written = held()
    cache = open_cache(answers_beside(build.path))
    job = wording_job(build.connection, written, cache, choice=choice, config=config)
    exposure = expose_reports(job, choice)
    planning = plan_wording(job, choice.model, local=choice.local, exposure=exposure)
    return asyncio.run(_closing(choice, planning))


def wording_job(
    connection: duckdb.DuckDBPyConnection,
    written: WrittenReports,
    cache: ResponseCache | None,
    *,
    choice: ModelChoice,
    config: ReportConfig,
) -> WordingJob:
    """Return what the chosen model is given to interpret."""
    assert choice.profile is not None
    return WordingJob(
        written.reports,
        written.profiles,
        choice.profile,
        config,
        IndexNames(connection),
        cache=cache,
        unseen=unseen_names(connection, config.policy, local=choice.local),
        never_named=gate_names(connection, config.policy, local=choice.local),
    )


def write_reports(build: Build, reports: Reports) -> None:
    """Replace the three tables of ``reports``."""
    for name in REPORT_TABLES:
        build.replace(name, getattr(reports, name))


async def _interpret(job: WordingJob, model: ChatModel, progress: Progress) -> Interpretations:
    """Return the interpretations, call by call or in a batch, as configured."""
    if not job.config.batch:
        return await interpret_reports(
            job,
            model,
            on_progress=lambda done, total, community: progress.detail(
                f"{done} of {total} done: {community}"
            ),
        )
    assert isinstance(model, OpenAIModel), "check_model has refused any other"
    assert job.cache is not None
    from index.wording.batch import interpret_in_batch

    return await interpret_in_batch(job, model, cache=job.cache, on_progress=progress.detail)


async def _closing(choice: ModelChoice, work: Awaitable[ResultT]) -> ResultT:
    try:
        return await work
    finally:
        if choice.model is not None:
            await choice.model.aclose()

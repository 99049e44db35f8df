"""Stages that let a model interpret reports: what it may see, its cost, its sentences."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

import duckdb
import polars as pl

from flows.progress import Progress
from flows.scaling.wording import ask_on
from flows.stages.held import Held
from flows.stages.reports import REPORT_TABLES, WrittenReports
from index.checking.names import IndexNames
from index.config import ReportConfig
from index.exposure import Exposure, expose
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
    """Raise unless the chosen model can do what ``config`` requires; called before the first stage.

    Raises:
        ModelUnavailableError: batches are asked for, and the model has none.
    """
    if not config.batch or choice.model is None:
        return
    if not isinstance(choice.model, OpenAIModel):
        raise without_batches(choice.model.name, "it runs in this process and has no batches")
    asyncio.run(_closing(choice, require_batches(choice.model)))


def store_wording(
    build: Build,
    written: WrittenReports,
    *,
    choice: ModelChoice,
    config: ReportConfig,
    progress: Progress,
) -> Tally:
    """Let the chosen model interpret reports, the most valuable first; return the tally.

    A report stays as it is: what the model adds is in columns of its own.

    Answers are cached beside the index as they land, so a build that dies pays for none of them
    twice.
    """
    assert choice.model is not None
    cache = open_cache(answers_beside(build.path), say=progress.detail)
    job = wording_job(build.connection, written, cache, choice=choice, config=config)
    store_decisions(build, job, choice=choice)
    notes = []
    if progress.cluster is not None and is_split(config):
        job, said = ask_on(progress.cluster, job, choice)
        progress.detail(said)
        notes.append(said)
    given = asyncio.run(_closing(choice, _interpret(job, choice.model, progress)))
    write_reports(build, given.reports)
    given.tally.notes.extend(notes)
    return given.tally


def is_split(config: ReportConfig) -> bool:
    """Return whether a cluster may make the calls: no batch of a provider does, and no time limit
    applies.
    """
    return not config.batch and config.max_seconds is None


def store_decisions(build: Build, job: WordingJob, *, choice: ModelChoice) -> None:
    """Write the gate's decision for each report of ``job``, before a model sees any."""
    assert choice.model is not None
    rows = job.reports.report.select("community", "risk_group")
    policy = job.config.policy
    named = pl.col("community").is_in(sorted(job.named))
    shown = pl.col("risk_group").is_in(policy.shown(local=choice.local)) & ~named
    destination = "this machine" if choice.local else "elsewhere"
    decided = rows.with_columns(
        pl.lit(choice.model.name).alias("model"),
        pl.lit(destination).alias("destination"),
        pl.when(shown).then(pl.lit("shown")).otherwise(pl.lit("withheld")).alias("decision"),
        pl.when(named)
        .then(pl.lit("a name in its facts"))
        .otherwise(pl.lit(f"policy {policy.name}"))
        .alias("basis"),
    )
    build.replace("gate_decision", decided)


def expose_reports(
    written: Held[WrittenReports], *, choice: ModelChoice, config: ReportConfig
) -> Exposure | None:
    """Return how many reports the model gets and how many are withheld; None without a model."""
    if choice.model is None or choice.profile is None:
        return None
    return expose(
        written().reports.report["risk_group"],
        model=choice.model.name,
        local=choice.local,
        policy=config.policy,
        limit=choice.profile.max_worded if config.max_worded is None else config.max_worded,
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
    exposure = expose_reports(held, choice=choice, config=config)
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
    """Return the reports and limits for the chosen model."""
    assert choice.profile is not None
    return WordingJob(
        written.reports,
        written.profiles,
        choice.profile,
        config,
        IndexNames(connection),
        cache=cache,
        withheld=withheld_communities(written.reports, local=choice.local, config=config),
        never_named=gate_names(connection, config.policy, local=choice.local),
    )


def write_reports(build: Build, reports: Reports) -> None:
    """Write the three tables of ``reports`` in place of the old ones."""
    for name in REPORT_TABLES:
        build.replace(name, getattr(reports, name))


def withheld_communities(reports: Reports, *, local: bool, config: ReportConfig) -> frozenset[str]:
    """Return the communities whose risk group a model may not see."""
    allowed = config.policy.shown(local=local)
    return frozenset(reports.report.filter(~pl.col("risk_group").is_in(allowed))["community"])


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

"""A trial of a model: the leads, titles or themes that it writes for a few communities, and what of
them held.

Nothing is stored. The communities are those of the strongest evidence that the policy lets the
model see.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import Final, Literal

import duckdb
import polars as pl

from index.config import ReportConfig
from index.errors import ModelError
from index.models.choose import ModelChoice
from index.models.gated import GatedModel, gate_names
from index.reports.citations import strip_references
from index.reports.compose import build_reports, gather_profiles, index_names, index_synonyms
from index.reports.templates import Reports
from index.wording.job import WordingJob
from index.wording.judging import summary_text
from index.wording.reword import word_report
from index.wording.rows import one_report, worded_report
from index.wording.tasks import (
    MOST_TOKENS,
    Proposal,
    theme_faults,
    theme_prompt,
    title_faults,
    title_prompt,
)

TRIED: Final = 3
ALL: Final = 1_000_000
"""More reports than an index has: what a build would leave to the program is tried all the same."""
Task = Literal["lead", "title", "theme"]


@dataclass(frozen=True)
class Trial:
    """What a model made of one report; ``failure`` says why it made nothing of it."""

    community: str
    title: str
    lead: str
    held: int
    replaced: int
    seconds: float
    prompt_tokens: int
    completion_tokens: int
    template: str = ""
    """The lead of the program."""
    stored: str = ""
    """The lead that a build would store: what held, and what the program says besides."""
    failure: str | None = None
    faults: tuple[str, ...] = ()
    """What was wrong with a title or theme."""


async def try_model(
    con: duckdb.DuckDBPyConnection,
    choice: ModelChoice,
    *,
    task: Task = "lead",
    communities: int = TRIED,
) -> AsyncIterator[Trial]:
    """Yield what the model makes of each of the first ``communities``, as it comes.

    Themes are of the first communities whose studies are quoted.
    """
    assert choice.model is not None
    job = _job(con, choice)
    gated = GatedModel(choice.model, lambda: job.never_named)
    if task != "lead":
        async for trial in _propose(job, gated, task, communities):
            yield trial
        return
    briefs, _ = job.choose_briefs()
    for brief in briefs[:communities]:
        evidence = job.evidence_of(brief.community)
        own = one_report(job.reports, brief.community)
        start = time.monotonic()
        try:
            judged, counts = await word_report(
                brief, evidence, model=gated, model_profile=job.model_profile
            )
        except ModelError as error:
            seconds = time.monotonic() - start
            yield Trial(brief.community, brief.title, "", 0, 0, seconds, 0, 0, failure=error.reason)
            continue
        seconds = time.monotonic() - start
        profile = job.by_name[brief.community]
        worded = worded_report(own, profile, judged, counts, model=gated.name)
        yield Trial(
            community=brief.community,
            title=brief.title,
            lead=strip_references(summary_text(judged)),
            held=counts.accepted + counts.repaired,
            replaced=counts.replaced,
            seconds=seconds,
            prompt_tokens=counts.prompt_tokens,
            completion_tokens=counts.completion_tokens,
            template=_lead(own),
            stored=_lead(worded),
        )


async def _propose(
    job: WordingJob, model: GatedModel, task: Task, communities: int
) -> AsyncIterator[Trial]:
    """Yield the title or the theme that ``model`` proposes for the first ``communities``."""
    briefs, _ = job.choose_briefs()
    if task == "theme":
        briefs = [brief for brief in briefs if job.by_name[brief.community].quotes]
    for brief in briefs[:communities]:
        profile = job.by_name[brief.community]
        prompt, before = title_prompt(brief), brief.title
        if task == "theme":
            prompt, before = theme_prompt(profile.quotes[0]), profile.quotes[0].text
        start = time.monotonic()
        trial = Trial(brief.community, brief.title, "", 0, 0, 0.0, 0, 0, template=before)
        try:
            answer = await model.complete(prompt, Proposal, max_tokens=MOST_TOKENS)
        except ModelError as error:
            yield replace(trial, seconds=time.monotonic() - start, failure=error.reason)
            continue
        text = answer.parsed.text
        faults = title_faults(text, brief, profile)
        if task == "theme":
            faults = theme_faults(text, profile.quotes[0])
        yield replace(
            trial,
            lead=text,
            held=int(not faults),
            replaced=int(bool(faults)),
            seconds=time.monotonic() - start,
            prompt_tokens=answer.prompt_tokens,
            completion_tokens=answer.completion_tokens,
            stored=before if faults else text,
            faults=tuple(faults),
        )


def _lead(reports: Reports) -> str:
    return strip_references(reports.report["summary"].item())


def _job(con: duckdb.DuckDBPyConnection, choice: ModelChoice) -> WordingJob:
    """Return what the model is given, drawn anew from the facts of the index."""
    assert choice.profile is not None
    config = ReportConfig(max_worded=ALL)
    risk = con.table("report").select("community, risk_group").pl()
    profiles = gather_profiles(con, risk=risk)
    reports = build_reports(con, profiles)
    shown = config.policy.shown(local=choice.local)
    hidden = reports.report.filter(~pl.col("risk_group").is_in(shown))
    return WordingJob(
        reports,
        profiles,
        choice.profile,
        config,
        synonyms=index_synonyms(con),
        vocabulary=index_names(con),
        withheld=frozenset(hidden["community"]),
        never_named=gate_names(con, config.policy, local=choice.local),
    )

"""A trial of a model: the leads it writes for a few communities, and what of them held.

Nothing is stored. The communities are those of the strongest evidence that the policy lets the
model see.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Final

import duckdb
import polars as pl

from index.config import ReportConfig
from index.errors import ModelError
from index.models.choose import ModelChoice
from index.models.gated import GatedModel, gate_names
from index.reports.citations import strip_references
from index.reports.compose import build_reports, gather_profiles, index_names, index_synonyms
from index.wording.job import WordingJob
from index.wording.judging import summary_text
from index.wording.reword import word_report

TRIED: Final = 3


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
    failure: str | None = None


async def try_model(
    con: duckdb.DuckDBPyConnection, choice: ModelChoice, *, communities: int = TRIED
) -> AsyncIterator[Trial]:
    """Yield what the model makes of each of the first ``communities``, as it comes."""
    assert choice.model is not None
    job = _job(con, choice)
    gated = GatedModel(choice.model, job.never_named)
    briefs, _ = job.choose_briefs()
    for brief in briefs[:communities]:
        evidence = job.evidence_of(brief.community)
        start = time.monotonic()
        try:
            judged, counts = await word_report(
                brief, evidence, model=gated, model_profile=job.model_profile
            )
        except ModelError as error:
            seconds = time.monotonic() - start
            yield Trial(brief.community, brief.title, "", 0, 0, seconds, 0, 0, error.reason)
            continue
        yield Trial(
            community=brief.community,
            title=brief.title,
            lead=strip_references(summary_text(judged)),
            held=counts.accepted + counts.repaired,
            replaced=counts.replaced,
            seconds=time.monotonic() - start,
            prompt_tokens=counts.prompt_tokens,
            completion_tokens=counts.completion_tokens,
        )


def _job(con: duckdb.DuckDBPyConnection, choice: ModelChoice) -> WordingJob:
    """Return what the model is given, drawn anew from the facts of the index."""
    assert choice.profile is not None
    config = ReportConfig()
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

"""A trial of a model: what it writes of a few reports, and which of its sentences may be printed.

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

from index.checking.evidence import ShownEvidence
from index.checking.interpretation import judge
from index.checking.interpreted import Interpreted
from index.checking.names import IndexNames
from index.config import ReportConfig
from index.errors import ModelError
from index.models.choose import ModelChoice
from index.models.gated import GatedModel, gate_names
from index.reports.compose import build_reports, gather_profiles
from index.wording.job import WordingJob
from index.wording.prompting import report_prompt, shown_lines

TRIED: Final = 3
ALL: Final = 1_000_000
"""More reports than an index has: a model that a build would not ask is tried all the same."""


@dataclass(frozen=True)
class Trial:
    """What a model wrote of one report; ``failure`` says why it wrote nothing."""

    community: str
    title: str
    kept: tuple[str, ...] = ()
    """Sentences that a build would keep."""
    dropped: tuple[tuple[str, str], ...] = ()
    """Sentences that it would not, with the reason."""
    seconds: float = 0.0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    failure: str | None = None


async def try_model(
    con: duckdb.DuckDBPyConnection, choice: ModelChoice, *, communities: int = TRIED
) -> AsyncIterator[Trial]:
    """Yield what the model makes of each of the first ``communities``, as it comes."""
    assert choice.model is not None
    job = _job(con, choice)
    model = GatedModel(choice.model, lambda: job.never_named)
    briefs, _ = job.choose_briefs()
    for brief in briefs[:communities]:
        prompt = report_prompt(brief, job.model_profile)
        start = time.monotonic()
        try:
            answer = await model.complete(
                prompt, Interpreted, max_tokens=job.model_profile.report_tokens
            )
        except ModelError as error:
            seconds = time.monotonic() - start
            yield Trial(brief.community, brief.title, seconds=seconds, failure=error.reason)
            continue
        example = prompt.turns[0].assistant
        evidence = ShownEvidence(shown_lines(prompt), job.names)
        judged = [
            (text, judge(text, evidence, example=example)) for text in answer.parsed.sentences
        ]
        yield Trial(
            brief.community,
            brief.title,
            kept=tuple(one.printed for _, one in judged if one.printed),
            dropped=tuple((text, one.fault) for text, one in judged if one.fault),
            seconds=time.monotonic() - start,
            prompt_tokens=answer.prompt_tokens,
            completion_tokens=answer.completion_tokens,
        )


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
        IndexNames(con),
        withheld=frozenset(hidden["community"]),
        never_named=gate_names(con, config.policy, local=choice.local),
    )

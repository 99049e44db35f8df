"""Ask a model to interpret each report; whatever it says, the report stays as it is.

The most valuable communities go first. Sentences that cannot be printed go back once with the
reason, and are then dropped and counted (``index.checking.interpretation``). A model that is
absent, refuses, times out or answers junk costs nothing: the report has no interpretation, and the
reason is counted.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import polars as pl

from index.checking.evidence import ShownEvidence
from index.checking.interpretation import MAX_SENTENCES, Interpretation, interpretation_of
from index.checking.interpreted import Interpreted
from index.checking.names import IndexNames
from index.checking.repairing import repair_prompt
from index.errors import ModelError
from index.models.cached import CachedModel
from index.models.gated import GatedModel
from index.models.metered import MeteredModel
from index.models.profiles import ModelProfile
from index.models.protocol import ChatModel
from index.reports.templates import Reports
from index.tables import Report
from index.wording.brief import Brief
from index.wording.job import WordingJob
from index.wording.prompting import report_prompt, shown_lines, shown_titles
from index.wording.tally import OUT_OF_TIME, Tally
from ontology_etl.tables import conform

OnProgress: TypeAlias = Callable[[int, int, str], None]


@dataclass(frozen=True)
class ReportInterpretation:
    """What a model wrote about a report, and its cost, even if it came from a cache."""

    community: str
    said: Interpretation
    prompt_tokens: int
    completion_tokens: int
    at_once: bool = False
    """Whether all that the model first said could be printed."""


@dataclass(frozen=True)
class Interpretations:
    """All reports, with interpretation where a model gave some, and what became of them."""

    reports: Reports
    tally: Tally


async def interpret_reports(
    job: WordingJob, model: ChatModel, *, on_progress: OnProgress | None = None
) -> Interpretations:
    """Return the reports of ``job`` with what ``model`` adds to them, and the tally.

    ``model`` is asked behind the gate of the job, and closed by its owner. ``on_progress`` is
    called with reports done, reports to do and the community.
    """
    briefs, tally = job.choose_briefs()
    gated = GatedModel(model, lambda: job.never_named)
    metered = MeteredModel(gated, budget_tokens=job.config.budget_tokens)
    tally.spent = metered.spent
    asked: ChatModel = metered
    if job.cache is not None:
        asked = CachedModel(metered, job.cache, spent=metered.spent)
    interpreting = _Interpreting(job, asked, tally, _deadline(job))
    queue = enumerate(briefs, start=1)

    async def work(waiting: Iterator[tuple[int, Brief]]) -> None:
        for number, brief in waiting:
            await interpreting.take(brief)
            if on_progress is not None:
                on_progress(number, len(briefs), brief.community)

    async with asyncio.TaskGroup() as group:
        for _ in range(job.workers):
            group.create_task(work(queue))
    given = _with_interpretation(job.reports.report, interpreting.given, model.name)
    return Interpretations(replace(job.reports, report=given), tally)


async def interpret_report(
    brief: Brief,
    names: IndexNames,
    *,
    model: ChatModel,
    model_profile: ModelProfile,
    repairs: bool = True,
) -> ReportInterpretation:
    """Return the interpretation of a report by ``model``; may raise ``ModelError``."""
    prompt = report_prompt(brief, model_profile)
    evidence = ShownEvidence(shown_lines(prompt), names, about=shown_titles(prompt))
    example = prompt.turns[0].assistant
    limit = model_profile.report_tokens
    answer = await model.complete(prompt, Interpreted, max_tokens=limit)
    first = interpretation_of(answer.parsed.sentences, evidence, example=example)
    spent = answer.prompt_tokens, answer.completion_tokens
    if not first.faults or not repairs:
        at_once = not first.faults
        return ReportInterpretation(brief.community, first, *spent, at_once=at_once)
    try:
        again = await model.complete(
            repair_prompt(prompt, answer.text, first.faults), Interpreted, max_tokens=limit
        )
    except ModelError:
        return ReportInterpretation(brief.community, first, *spent)
    mended = interpretation_of(again.parsed.sentences, evidence, example=example)
    sentences = tuple(dict.fromkeys((*first.sentences, *mended.sentences)))[:MAX_SENTENCES]
    said = replace(mended, sentences=sentences)
    return ReportInterpretation(
        brief.community,
        said,
        spent[0] + again.prompt_tokens,
        spent[1] + again.completion_tokens,
    )


@dataclass
class _Interpreting:
    """One pass over the briefs of a job; ``given`` collects what the model wrote."""

    job: WordingJob
    model: ChatModel
    tally: Tally
    deadline: float | None
    given: list[ReportInterpretation] = field(default_factory=list)

    async def take(self, brief: Brief) -> None:
        """Ask for the interpretation of one report, and count errors."""
        try:
            async with asyncio.timeout_at(self.deadline):
                said = await interpret_report(
                    brief,
                    self.job.names,
                    model=self.model,
                    model_profile=self.job.model_profile,
                    repairs=self.job.repairs,
                )
        except TimeoutError:
            self.tally.left[OUT_OF_TIME] += 1
        except ModelError as error:
            self.tally.fail(error)
        else:
            self.tally.add(said.said, at_once=said.at_once)
            self.given.append(said)


def _with_interpretation(
    report: pl.DataFrame, given: Iterable[ReportInterpretation], model: str
) -> pl.DataFrame:
    """Return ``report`` with what a model wrote in its columns; no other column changes."""
    rows = [
        {
            "community": written.community,
            "interpretation": " ".join(written.said.sentences) or None,
            "model": model if written.said.sentences else None,
            "dropped": written.said.dropped,
            "prompt_tokens": written.prompt_tokens,
            "completion_tokens": written.completion_tokens,
        }
        for written in given
    ]
    if not rows:
        return report
    new = pl.DataFrame(rows, schema={name: report.schema[name] for name in rows[0]})
    return conform(report.update(new, on="community"), Report)


def _deadline(job: WordingJob) -> float | None:
    """Return when asking has to end, by the clock of the running loop; None: never."""
    if job.config.max_seconds is None:
        return None
    return asyncio.get_running_loop().time() + job.config.max_seconds

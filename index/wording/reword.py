"""Wording: a model turns the facts of each community into prose, and every sentence is checked.

The most valuable communities go first. A report is asked for once; its failing sentences are sent
back once; what still fails is replaced by its fact sentence. A model that is absent, refuses, times
out or answers junk never costs a report: the template stays, and the reason is counted. Titles,
labels, ratings and explanations stay the template's: they follow from the facts and are distinct
across the index.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from index.checking.evidence import Evidence
from index.errors import ModelError
from index.models.cached import CachedModel
from index.models.gated import GatedModel
from index.models.metered import MeteredModel
from index.models.profiles import ModelProfile
from index.models.protocol import ChatModel, Completion, Prompt
from index.reports.citations import strip_references
from index.reports.templates import Reports
from index.wording.briefs import Brief
from index.wording.job import WordingJob
from index.wording.judging import Judged, apply_corrections, judge_draft, replace_failures
from index.wording.prompting import (
    Draft,
    corrections_schema,
    draft_schema,
    repair_prompt,
    report_prompt,
)
from index.wording.rows import Counts, one_report, replace_reports, worded_report
from index.wording.tally import OUT_OF_TIME, Tally

_log = logging.getLogger(__name__)
OnReport: TypeAlias = Callable[[Reports], None]
OnProgress: TypeAlias = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Worded:
    """All reports, worded where a model could, and what became of them."""

    reports: Reports
    tally: Tally


async def word_reports(
    job: WordingJob,
    model: ChatModel,
    *,
    on_report: OnReport | None = None,
    on_progress: OnProgress | None = None,
) -> Worded:
    """Return the reports of ``job`` worded by ``model`` where what it says holds, and the tally.

    ``model`` is asked at most twice per report, behind the gate of the job, and closed by its
    owner. ``on_report`` is called with the rows of each report a model worded, ``on_progress`` with
    reports done, reports to do and the community.
    """
    briefs, tally = job.choose_briefs()
    gated = GatedModel(model, lambda: job.never_named)
    metered = MeteredModel(gated, budget_tokens=job.config.budget_tokens)
    tally.spent = metered.spent
    asked: ChatModel = metered
    if job.cache is not None:
        asked = CachedModel(metered, job.cache, spent=metered.spent)
    wording = _Wording(job, asked, tally, _deadline(job), on_report)
    queue = enumerate(briefs, start=1)

    async def work(waiting: Iterator[tuple[int, Brief]]) -> None:
        for number, brief in waiting:
            await wording.word(brief)
            if on_progress is not None:
                on_progress(number, len(briefs), brief.community)

    async with asyncio.TaskGroup() as group:
        for _ in range(job.workers):
            group.create_task(work(queue))
    reports = replace_reports(job.reports, wording.worded)
    return Worded(reports, tally)


@dataclass
class _Wording:
    """One pass over the briefs of a job; ``worded`` collects the rows of reports as they come."""

    job: WordingJob
    model: ChatModel
    tally: Tally
    deadline: float | None
    on_report: OnReport | None
    worded: list[Reports] = field(default_factory=list)

    async def word(self, brief: Brief) -> None:
        """Word one report; what goes wrong is counted and leaves it on its template."""
        try:
            async with asyncio.timeout_at(self.deadline):
                judged, counts = await word_report(
                    brief,
                    self.job.evidence_of(brief.community),
                    model=self.model,
                    model_profile=self.job.model_profile,
                )
        except TimeoutError:
            self.tally.left[OUT_OF_TIME] += 1
        except ModelError as error:
            self.tally.fail(error)
        else:
            self._take(brief, judged, counts)

    def _take(self, brief: Brief, judged: Sequence[Judged], counts: Counts) -> None:
        """Keep the rows of a report that was judged."""
        self.tally.add(counts)
        report = worded_report(
            one_report(self.job.reports, brief.community),
            self.job.by_name[brief.community],
            judged,
            counts,
            model=self.model.name,
        )
        self.worded.append(report)
        by_model = counts.method != "template"
        if self.on_report is not None and by_model:
            self.on_report(report)


async def word_report(
    brief: Brief, evidence: Evidence, *, model: ChatModel, model_profile: ModelProfile
) -> tuple[list[Judged], Counts]:
    """Return the final sentences of a report, and what became of those of the model.

    Raises:
        ModelError: there is no draft to judge. A failing repair turn is no error: the fact
        sentences take the place of what failed.
    """
    prompt = report_prompt(brief, model_profile)
    schema = draft_schema(brief, model_profile)
    drafted = await model.complete(prompt, schema, max_tokens=model_profile.report_tokens)
    judged = judge_draft(drafted.parsed, brief, evidence)
    mended, paid = judged, Counts()
    all_hold = all(sentence.ok for sentence in judged)
    if model_profile.repairs and not all_hold:
        judging = _Judging(brief, evidence, model, model_profile)
        mended, paid = await _repair(judged, prompt, drafted, judging)
    final = replace_failures(mended)
    counts = Counts(
        accepted=sum(sentence.ok for sentence in judged),
        repaired=sum(sentence.repaired for sentence in final),
        replaced=sum(sentence.replaced for sentence in final),
        prompt_tokens=drafted.prompt_tokens + paid.prompt_tokens,
        completion_tokens=drafted.completion_tokens + paid.completion_tokens,
    )
    return final, counts


@dataclass(frozen=True)
class _Judging:
    """What a draft is judged by, and who is asked to mend it."""

    brief: Brief
    evidence: Evidence
    model: ChatModel
    model_profile: ModelProfile


async def _repair(
    judged: list[Judged], prompt: Prompt, drafted: Completion[Draft], judging: _Judging
) -> tuple[list[Judged], Counts]:
    """Return ``judged`` with failing sentences written again, and what asking for them cost."""
    failures = []
    for sentence in judged:
        if not sentence.ok:
            text = strip_references(sentence.sentence)
            failures.append((text, "; ".join(sentence.problems)))
    again = repair_prompt(prompt, drafted.text, failures)
    schema = corrections_schema(len(failures), judging.model_profile)
    most = judging.model_profile.report_tokens
    try:
        answer = await judging.model.complete(again, schema, max_tokens=most)
    except ModelError as error:
        community = judging.brief.community
        _log.info("%s: no repair of %d sentences: %s", community, len(failures), error.reason)
        return judged, Counts()
    mended = apply_corrections(
        judged,
        answer.parsed,
        judging.brief,
        judging.evidence,
    )
    paid = Counts(
        prompt_tokens=answer.prompt_tokens,
        completion_tokens=answer.completion_tokens,
    )
    return mended, paid


def _deadline(job: WordingJob) -> float | None:
    """Return when wording has to end, by the clock of the running loop; None: never."""
    if job.config.max_seconds is None:
        return None
    return asyncio.get_running_loop().time() + job.config.max_seconds

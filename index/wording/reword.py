"""Wording: a model turns the facts of each community into prose, and every sentence is checked
before it is kept.

The most valuable communities go first. A report is asked for once; its failing sentences are sent
back once; what still fails is replaced by its fact sentence. A model that is absent, refuses, times
out or answers junk never costs a report: the template stands, and the reason is counted. Titles,
labels, ratings and explanations stay the template's: they follow from the facts and are distinct
across the index.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from index.checking.evidence import Evidence, Synonyms, gather_evidence
from index.config import ReportConfig
from index.errors import (
    BatchFailedError,
    BatchPendingError,
    BudgetError,
    ModelError,
    ModelJunkError,
    ModelRateLimitError,
    ModelRefusalError,
    ModelTimeoutError,
    ModelTruncatedError,
    ModelUnavailableError,
)
from index.models.cache import CachedModel, ResponseCache
from index.models.metered import MeteredModel, Spent
from index.models.profiles import ModelProfile
from index.models.protocol import ChatModel
from index.reports.citations import strip_references
from index.reports.profiles import Profile
from index.reports.templates import Reports
from index.wording.briefs import Brief, write_briefs
from index.wording.judging import Judged, apply_corrections, judge_draft, replace_failures
from index.wording.prompting import corrections_schema, draft_schema, repair_prompt, report_prompt
from index.wording.rows import Counts, one_report, replace_reports, worded_report

_log = logging.getLogger(__name__)
OUT_OF_TIME: Final = "the time for wording is over"
NOT_CHOSEN: Final = "beyond max_worded: the most valuable are worded first"
WITHHELD: Final = "withheld from this model for biosafety"
NOTHING_HELD: Final = "no sentence of the model held"
REASONS: Final[dict[type[ModelError], str]] = {
    BatchPendingError: "no answer in the batch",
    BatchFailedError: "its batch failed",
    BudgetError: "the token budget is spent",
    ModelUnavailableError: "the model cannot be reached",
    ModelTimeoutError: "the model gave no answer in time",
    ModelRateLimitError: "the provider's rate limit is spent",
    ModelRefusalError: "the model refused, or its content filter did",
    ModelTruncatedError: "the answer was cut off",
    ModelJunkError: "the answer was not the JSON asked for",
}
"""Why a report stays on its template, by what was raised."""


@dataclass
class Tally:
    """What became of the reports and of the model's sentences; ``left`` counts reports on the
    template by reason.
    """

    reports: int = 0
    worded: int = 0
    accepted: int = 0
    repaired: int = 0
    replaced: int = 0
    left: Counter[str] = field(default_factory=Counter)
    spent: Spent = field(default_factory=Spent)
    notes: list[str] = field(default_factory=list)
    """What went wrong for many reports at once, in words."""

    @property
    def sentences(self) -> int:
        """Sentences the model wrote."""
        return self.accepted + self.repaired + self.replaced

    def add(self, counts: Counts) -> None:
        """Count one report."""
        self.accepted += counts.accepted
        self.repaired += counts.repaired
        self.replaced += counts.replaced
        if counts.method == "template":
            self.left[NOTHING_HELD] += 1
        else:
            self.worded += 1

    def added(self) -> str:
        """Return in one line what the model added to the templates."""
        said = f"the model worded {self.worded:,} of {self.reports:,} reports"
        if not self.sentences:
            return f"{said}; every sentence is a template's"
        held = self.accepted + self.repaired
        kept = f"{held:,} of its {self.sentences:,} sentences held ({held / self.sentences:.0%})"
        mended = f", {self.repaired:,} of them after a repair" if self.repaired else ""
        return f"{said}; {kept}{mended}; all other sentences are a template's"

    def text(self) -> str:
        """Return the tally in words: what the model added, what was paid, what is on the template."""
        lines = [self.added()]
        lines.append(
            f"{self.spent.calls:,} answers ({self.spent.cached:,} from the cache), {self.spent.prompt_tokens:,} prompt "
            f"and {self.spent.completion_tokens:,} completion tokens paid now"
        )
        lines += [f"{count:,} on the template: {why}" for why, count in self.left.most_common()]
        return "\n".join([*lines, *self.notes])


@dataclass(frozen=True)
class Worded:
    """All reports, worded where a model could, and what became of them."""

    reports: Reports
    tally: Tally


async def word_reports(
    reports: Reports,
    profiles: Sequence[Profile],
    *,
    model: ChatModel,
    model_profile: ModelProfile,
    cache: ResponseCache | None,
    config: ReportConfig,
    synonyms: Synonyms | None = None,
    vocabulary: frozenset[str] = frozenset(),
    withheld: frozenset[str] = frozenset(),
    on_report: Callable[[Reports], None] | None = None,
    on_progress: Callable[[int, int, str], None] | None = None,
) -> Worded:
    """Return ``reports`` worded by ``model`` where what it says holds, and the tally.

    Args:
        reports: template reports with resolved citations, one per profile.
        profiles: the facts they were written from.
        model: asked at most twice per report; closed by its owner.
        model_profile: what ``model`` can take in.
        cache: answers paid for before, kept as they land; None keeps none.
        config: ``max_worded``, ``budget_tokens``, ``max_seconds`` and ``concurrency``.
        synonyms: other names of a value that a sentence may use (folded value -> names).
        vocabulary: folded names of the index, by which a foreign one is recognised.
        withheld: communities this model may not see; they stay on the template.
        on_report: called with the rows of each report a model worded, as it lands.
        on_progress: called with reports done, reports to do and the community.
    """
    briefs, tally = choose_briefs(
        reports, profiles, model_profile=model_profile, config=config, withheld=withheld
    )
    labels = dict(reports.report.select("community", "label").iter_rows())
    by_name = {profile.community: profile for profile in profiles}
    metered = MeteredModel(model, budget_tokens=config.budget_tokens)
    tally.spent = metered.spent
    asked: ChatModel = (
        metered if cache is None else CachedModel(metered, cache, spent=metered.spent)
    )
    landed: list[Reports] = []
    queue = enumerate(briefs, start=1)
    clock = asyncio.get_running_loop().time
    last = None if config.max_seconds is None else clock() + config.max_seconds

    async def work() -> None:
        for number, brief in queue:
            if last is not None and clock() > last:
                tally.left[OUT_OF_TIME] += 1
                continue
            profile = by_name[brief.community]
            evidence = gather_evidence(
                profile, synonyms=synonyms, labels=labels, vocabulary=vocabulary
            )
            evidence = with_parts(
                evidence, [by_name[name] for name, _ in profile.children if name in by_name]
            )
            try:
                async with asyncio.timeout_at(last):
                    judged, counts = await word_report(
                        brief, evidence, model=asked, model_profile=model_profile
                    )
            except TimeoutError:
                tally.left[OUT_OF_TIME] += 1
            except ModelError as error:
                tally.left[REASONS[type(error)]] += 1
            else:
                tally.add(counts)
                template = one_report(reports, brief.community)
                landed.append(worded_report(template, profile, judged, counts, model=model.name))
                if on_report is not None and counts.method != "template":
                    on_report(landed[-1])
            if on_progress is not None:
                on_progress(number, len(briefs), brief.community)

    async with asyncio.TaskGroup() as group:
        for _ in range(min(config.concurrency, model_profile.concurrency)):
            group.create_task(work())
    return Worded(replace_reports(reports, landed), tally)


async def word_report(
    brief: Brief, evidence: Evidence, *, model: ChatModel, model_profile: ModelProfile
) -> tuple[list[Judged], Counts]:
    """Return the sentences of one report as they can stand, and what became of them.

    Raises:
        ModelError: there is no draft to judge. A failing repair turn is no error: the fact
        sentences stand in.
    """
    prompt = report_prompt(brief, model_profile)
    drafted = await model.complete(
        prompt, draft_schema(brief, model_profile), max_tokens=model_profile.report_tokens
    )
    judged = judge_draft(drafted.parsed, brief, evidence)
    paid = [(drafted.prompt_tokens, drafted.completion_tokens)]
    mended = judged
    failures = [
        (strip_references(one.sentence), "; ".join(one.problems)) for one in judged if not one.ok
    ]
    if failures and model_profile.repairs:
        try:
            again = repair_prompt(prompt, drafted.text, failures)
            shape = corrections_schema(len(failures), model_profile)
            answer = await model.complete(again, shape, max_tokens=model_profile.report_tokens)
        except ModelError as error:
            _log.info(
                "%s: no repair of %d sentences: %s", brief.community, len(failures), error.reason
            )
        else:
            mended = apply_corrections(judged, answer.parsed, brief, evidence)
            paid.append((answer.prompt_tokens, answer.completion_tokens))
    final = replace_failures(mended)
    counts = Counts(
        accepted=sum(one.ok for one in judged),
        repaired=sum(one.repaired for one in final),
        replaced=sum(one.replaced for one in final),
        prompt_tokens=sum(prompt_tokens for prompt_tokens, _ in paid),
        completion_tokens=sum(completion_tokens for _, completion_tokens in paid),
    )
    return final, counts


def with_parts(evidence: Evidence, parts: Sequence[Profile]) -> Evidence:
    """Return ``evidence`` in which what the parts of a community are about may be named, but not
    counted.
    """
    leading = {
        fact.value.casefold(): ()
        for part in parts
        for facet in part.facts
        for fact in part.salient(facet)[:2]
    }
    return replace(evidence, names={**leading, **evidence.names})


def choose_briefs(
    reports: Reports,
    profiles: Sequence[Profile],
    *,
    model_profile: ModelProfile,
    config: ReportConfig,
    withheld: frozenset[str] = frozenset(),
) -> tuple[list[Brief], Tally]:
    """Return the briefs to word, the most valuable first, and a tally of those left on the template
    from the start.
    """
    briefs = write_briefs(reports, profiles, model=model_profile)
    shown = [brief for brief in briefs if brief.community not in withheld]
    chosen = shown[: model_profile.max_worded if config.max_worded is None else config.max_worded]
    left = Counter({WITHHELD: len(briefs) - len(shown), NOT_CHOSEN: len(shown) - len(chosen)})
    return chosen, Tally(reports=len(briefs), left=+left)

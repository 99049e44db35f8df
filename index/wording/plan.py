"""Plan interpretation: its calls, tokens, seconds and price, before anything is spent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from index.checking.interpreted import Interpreted
from index.exposure import Exposure
from index.models.cached import CachedModel
from index.models.gated import GatedModel
from index.models.pricing import price_of
from index.models.profiles import ModelProfile
from index.models.protocol import ChatModel, TokenCount
from index.wording.brief import Brief
from index.wording.job import WordingJob
from index.wording.prompting import report_prompt

REMOTE_OUTPUT_PER_S: Final = 60.0
REMOTE_PROMPT_PER_S: Final = 5_000.0
_OUTPUT_TOKENS: Final = 120
"""Tokens of an answer: three short sentences as JSON."""


@dataclass(frozen=True)
class LevelPlan:
    """One level of the hierarchy; ``cached`` calls cost nothing and are not among ``calls``."""

    level: int
    calls: int
    cached: int
    prompt_tokens: int

    @property
    def output_tokens(self) -> int:
        """Completion tokens to expect."""
        return self.calls * _OUTPUT_TOKENS

    def row(self) -> str:
        """Return the level as a row of the plan's table."""
        return (
            f"{self.level:>5} {self.calls:>7,} {self.cached:>7,} "
            f"{self.prompt_tokens:>10,} {self.output_tokens:>9,}"
        )


@dataclass(frozen=True)
class Plan:
    """What interpretation would take.

    Prompt tokens are ``exact`` where the model's tokenizer counted them. Output is an estimate.
    """

    model: str
    levels: tuple[LevelPlan, ...]
    exact: bool
    seconds: float
    cost_usd: float | None
    left: dict[str, int]
    exposure: Exposure | None = None
    """What the model may see, and what is withheld from it."""

    @property
    def calls(self) -> int:
        """Calls to pay for."""
        return sum(level.calls for level in self.levels)

    @property
    def prompt_tokens(self) -> int:
        """Prompt tokens to pay for."""
        return sum(level.prompt_tokens for level in self.levels)

    @property
    def output_tokens(self) -> int:
        """Completion tokens to expect."""
        return sum(level.output_tokens for level in self.levels)

    def text(self) -> str:
        """Return what the model may see, the plan as a small table and its total."""
        rows = []
        if self.exposure is not None:
            rows += [self.exposure.text(), ""]
        rows.append(f"{'level':>5} {'calls':>7} {'cached':>7} {'prompt':>10} {'output':>9}")
        rows += [level.row() for level in self.levels]
        rows.append(self._total())
        for why, count in self.left.items():
            rows.append(f"{count:,} get no interpretation: {why}")
        return "\n".join(rows)

    def _total(self) -> str:
        price = "price unknown" if self.cost_usd is None else f"{self.cost_usd:.2f} USD"
        counted = "exact" if self.exact else "estimated"
        return (
            f"{self.model}: {self.calls:,} calls, "
            f"{self.prompt_tokens:,} prompt tokens ({counted}), "
            f"about {self.output_tokens:,} output tokens, about {self.seconds:,.0f} s, {price}"
        )


class _Call(NamedTuple):
    """A call for a report of ``level``; one that is ``cached`` costs nothing."""

    level: int
    prompt: TokenCount
    cached: bool


async def plan_wording(
    job: WordingJob, model: ChatModel, *, local: bool, exposure: Exposure | None = None
) -> Plan:
    """Return what ``interpret_reports`` would ask for; a ``local`` model costs nothing."""
    briefs, tally = job.choose_briefs()
    cached_model = None if job.cache is None else CachedModel(model, job.cache)
    gated = GatedModel(model, lambda: job.never_named)
    calls = [await _foresee(brief, gated, cached_model, job.model_profile) for brief in briefs]
    levels = tuple(_levels(calls))
    prompt = sum(level.prompt_tokens for level in levels)
    output = sum(level.output_tokens for level in levels)
    price = price_of(model.name, local=local)
    cost = None
    if price is not None:
        cost = price.cost_usd(prompt_tokens=prompt, completion_tokens=output)
    return Plan(
        model=model.name,
        levels=levels,
        exact=all(call.prompt.exact for call in calls),
        seconds=_seconds(job, prompt, output, local=local),
        cost_usd=cost,
        left=dict(tally.left),
        exposure=exposure,
    )


def _seconds(job: WordingJob, prompt: int, output: int, *, local: bool) -> float:
    """Return about how long reading ``prompt`` and writing ``output`` tokens takes."""
    if local:
        profile = job.model_profile
        return prompt / profile.prompt_per_s + output / profile.output_per_s
    return (prompt / REMOTE_PROMPT_PER_S + output / REMOTE_OUTPUT_PER_S) / job.workers


async def _foresee(
    brief: Brief, model: ChatModel, asked: CachedModel | None, model_profile: ModelProfile
) -> _Call:
    prompt = report_prompt(brief, model_profile)
    limit = model_profile.report_tokens
    cached = asked is not None and asked.has_answer(prompt, Interpreted, max_tokens=limit)
    return _Call(brief.level, await model.count_tokens(prompt), cached)


def _levels(calls: Sequence[_Call]) -> Iterator[LevelPlan]:
    for level in sorted({call.level for call in calls}):
        own = [call for call in calls if call.level == level]
        paid = [call.prompt.tokens for call in own if not call.cached]
        yield LevelPlan(level, len(paid), cached=len(own) - len(paid), prompt_tokens=sum(paid))

"""The answer with a model: biosafety gate, map, score, reduce; and what it would cost, before it is
spent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import duckdb

from index.exposure import RiskPolicy, allow_options, count_groups, group_counts
from index.models.metered import Spent
from index.models.profiles import ModelProfile
from index.models.protocol import ChatModel
from query.answer import MODE_GLOBAL, Answer, Point, Usage
from query.config import QueryConfig
from query.global_search.evidence import related_associations
from query.global_search.from_facts import draft_point, lead
from query.global_search.map_reduce import (
    PROMPT_OVERHEAD_TOKENS,
    Mapped,
    Reduced,
    map_points,
    reduce_points,
    score_points,
    split_batches,
)
from query.global_search.prompting import SHORT, Told, map_prompt, reduce_prompt
from query.global_search.search import (
    Selection,
    cite_points,
    compose,
    coverage_of,
    families_asked,
    statements_for,
)

_TOKENS_PER_SENTENCE: Final = 100


@dataclass(frozen=True, slots=True)
class AnswerPlan:
    """What an answer would take: calls, prompt tokens (``exact`` where its tokenizer counted them),
    longest output.
    """

    communities: int
    gated: int
    withheld: dict[str, int]
    """Communities kept from the model, by risk group."""
    map_calls: int
    calls: int
    prompt_tokens: int
    completion_tokens: int
    exact: bool


def share_out(
    selection: Selection,
    *,
    config: QueryConfig,
    local: bool,
) -> tuple[list[Told], list[Told]]:
    """Return the communities that a model may see and those it may not, each with its statements.

    ``local`` says whether the model runs on this machine; ``config.policy`` decides.
    """
    statements = statements_for(selection, config=config)
    told: list[Told] = [
        (one, statements[one.community]) for one in selection.read if one.community in statements
    ]
    telling = [
        one for one in told if any(item.kind not in ("runs", "enrichment") for item in one[1])
    ] or told
    seen: list[Told] = []
    withheld: list[Told] = []
    for one in telling:
        shown = config.policy.may_see(one[0].risk_group, local=local)
        (seen if shown else withheld).append(one)
    return seen, withheld


async def plan_answer(
    selection: Selection,
    seen: Sequence[Told],
    withheld: Sequence[Told],
    model: ChatModel,
    *,
    profile: ModelProfile,
    config: QueryConfig,
) -> AnswerPlan:
    """Return what answering would take at most, without asking the model anything."""
    question = selection.question.text
    batches = (
        split_batches(seen, max_tokens=_batch_tokens(profile, config)) if maps_with(profile) else []
    )
    counts = [await model.count_tokens(map_prompt(question, batch)) for batch in batches]
    points = [draft_point(*one).description for one in seen]
    reduced = (
        [await model.count_tokens(reduce_prompt(question, points, sentences=_sentences(profile)))]
        if seen
        else []
    )
    prompt_tokens = sum(count.tokens for count in (*counts, *reduced))
    completion = len(counts) * config.point_tokens + len(reduced) * _answer_tokens(profile, config)
    exact = all(count.exact for count in (*counts, *reduced))
    groups = count_groups(one.risk_group for one, _ in withheld)
    return AnswerPlan(
        len(seen),
        len(withheld),
        groups,
        len(counts),
        len(counts) + len(reduced),
        prompt_tokens,
        completion,
        exact,
    )


async def answer_with_model(
    con: duckdb.DuckDBPyConnection,
    selection: Selection,
    model: ChatModel,
    spent: Spent,
    *,
    profile: ModelProfile,
    config: QueryConfig,
    local: bool,
) -> Answer:
    """Return the answer to ``selection`` worded by ``model``; what fails is composed from facts and
    counted.

    ``spent`` is what the calls of ``model`` have cost so far, counted while it answers.

    The counts over all matching runs always open the answer, and the points close it. Communities
    that ``config.policy`` withholds are never shown to the model (``local``: on this machine):
    their points are composed from facts.
    """
    question = selection.question.text
    seen, withheld = share_out(selection, config=config, local=local)
    mapped = await _map(question, seen, model, profile=profile, config=config)
    points = cite_points(con, mapped.drafts)
    if profile.scoring == "yes-no":
        points = await score_points(question, points, model)
    reduced = await _reduce(question, points, model, profile=profile, config=config)
    kept_back = cite_points(con, [draft_point(*one) for one in withheld])
    all_points = tuple(
        sorted((*points, *kept_back), key=lambda point: (-point.score, point.community))
    )
    opening = lead(selection.question, selection.matching, config=config)
    silent = len(selection.read) - len(seen) - len(withheld)
    worded = "\n\n".join(part for part in (opening, " ".join(reduced.sentences)) if part)
    text = compose(worded, all_points, silent=silent, limit=config.max_points)
    kept = withheld_notes(withheld, model.name, policy=config.policy, local=local)
    notes = (*kept, *mapped.reasons, *reduced.reasons)
    coverage = coverage_of(
        selection, failed=mapped.failed, gated=len(withheld), points_dropped=mapped.dropped,
        sentences_dropped=reduced.dropped, notes=tuple(dict.fromkeys(notes)),
    )  # fmt: skip
    families = families_asked(selection)
    evidence = related_associations(
        selection.matching, all_points, families, limit=config.max_associations
    )
    usage = Usage(
        model.name, spent.calls, spent.cached, spent.prompt_tokens, spent.completion_tokens
    )
    return Answer(question, MODE_GLOBAL, text, all_points, evidence, coverage, usage)


def withheld_notes(
    withheld: Sequence[Told], model: str, *, policy: RiskPolicy, local: bool
) -> list[str]:
    """Return what was kept from ``model`` for biosafety and what shows it, in words; nothing where
    nothing was.
    """
    if not withheld:
        return []
    groups = count_groups(one.risk_group for one, _ in withheld)
    kept = f"{group_counts(groups)} kept from {model} for biosafety"
    remedy = f"{allow_options(groups)} shows them"
    if not local and policy.here_besides(groups):
        remedy += ", or use a model on this machine"
    return [f"{kept} ({remedy})"]


def maps_with(profile: ModelProfile) -> bool:
    """Return whether a model of this class words points; the smallest only words the final answer."""
    return profile.tier != "tiny"


async def _map(
    question: str,
    seen: Sequence[Told],
    model: ChatModel,
    *,
    profile: ModelProfile,
    config: QueryConfig,
) -> Mapped:
    if not maps_with(profile):
        return Mapped(tuple(draft_point(*one) for one in seen))
    batches = split_batches(seen, max_tokens=_batch_tokens(profile, config))
    return await map_points(
        question, batches, model, profile=profile, max_tokens=config.point_tokens
    )


def _batch_tokens(profile: ModelProfile, config: QueryConfig) -> int:
    return min(profile.map_batch_tokens, config.batch_tokens)


async def _reduce(
    question: str,
    points: Sequence[Point],
    model: ChatModel,
    *,
    profile: ModelProfile,
    config: QueryConfig,
) -> Reduced:
    if not points:
        return Reduced()
    max_tokens = _answer_tokens(profile, config)
    budget = min(config.reduce_tokens, profile.context_tokens - max_tokens)
    if not maps_with(profile):
        budget = profile.map_batch_tokens + PROMPT_OVERHEAD_TOKENS
    return await reduce_points(
        question,
        points,
        model,
        budget_tokens=budget,
        max_tokens=max_tokens,
        sentences=_sentences(profile),
    )


def _answer_tokens(profile: ModelProfile, config: QueryConfig) -> int:
    return min(
        config.answer_tokens, profile.report_tokens, _TOKENS_PER_SENTENCE * _sentences(profile)
    )


def _sentences(profile: ModelProfile) -> int:
    """Return how many sentences to ask for: what the smallest writes after its second is not worth
    the wait.
    """
    return SHORT if profile.tier == "tiny" else profile.findings

"""The answer with a model: what it may see, what it words or ranks, and what that would cost.

The answer from facts is complete before the model is asked, and all of it stays: a model adds
sentences of its own, and says which communities help most. One below 4 billion parameters chooses
which facts to read next, in one call; a larger one reads the communities in batches (map) and
words the best points (reduce).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import duckdb

from index.exposure import allow_options, count_groups, group_counts
from index.models.metered import Spent
from index.models.profiles import ModelProfile
from index.models.protocol import ChatModel, Prompt
from query.answer import Answer, Coverage, Point, Usage
from query.config import QueryConfig
from query.global_search.briefing import (
    ANSWER_TOKENS,
    brief_facts,
    prompt_within,
)
from query.global_search.from_facts import draft_point
from query.global_search.map_reduce import (
    PROMPT_OVERHEAD_TOKENS,
    CheckedSentences,
    Mapped,
    choose_facts,
    fitting,
    map_points,
    split_batches,
    word_points,
)
from query.global_search.prompting import Described, map_prompt, reduce_prompt
from query.global_search.search import Selection, cite_points, compose_answer, statements_for

_TOKENS_PER_SENTENCE: Final = 100
IN_WORDS: Final = "In words"
"""Title of what a model wrote."""
READ_NEXT: Final = "Read next"
"""Title of what a model chose."""


@dataclass(frozen=True, slots=True)
class Writer:
    """A model that words an answer; ``local`` where it runs on this machine."""

    model: ChatModel
    profile: ModelProfile
    config: QueryConfig
    local: bool
    spent: Spent

    @property
    def maps(self) -> bool:
        """True where it reads the communities in batches."""
        return self.profile.answering == "mapped"

    @property
    def batch_tokens(self) -> int:
        """Tokens of a batch of communities."""
        most = self.config.batch_tokens
        return min(self.profile.map_batch_tokens, most)

    @property
    def answer_tokens(self) -> int:
        """Tokens of the longest answer."""
        if not self.maps:
            return ANSWER_TOKENS
        most = _TOKENS_PER_SENTENCE * self.profile.findings
        return min(self.config.answer_tokens, self.profile.report_tokens, most)

    @property
    def reduce_tokens(self) -> int:
        """Tokens of points in the prompt that asks for the answer."""
        left = self.profile.context_tokens - self.answer_tokens
        room = min(self.config.reduce_tokens, left)
        return room - PROMPT_OVERHEAD_TOKENS


@dataclass(frozen=True, slots=True)
class Material:
    """What a selection has to say: communities that the model may see and those it may not, with
    their statements, and the headline, empty where the model may not see it.
    """

    selection: Selection
    seen: tuple[Described, ...]
    withheld: tuple[Described, ...]
    headline: str

    @property
    def question(self) -> str:
        """The question, in words."""
        return self.selection.question.text

    @property
    def facts(self) -> tuple[str, ...]:
        """The facts that a small model chooses from."""
        return brief_facts(self.selection, self.headline)

    def can_be_worded_by(self, writer: Writer) -> bool:
        """Return whether the model of ``writer`` is asked at all.

        A small one reads counts over all matching runs, so that it must be allowed to see them all.
        """
        answering = writer.profile.answering
        if not self.seen or answering == "none":
            return False
        if answering == "choice":
            return bool(self.headline)
        return True


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


def gather_material(selection: Selection, headline: str, writer: Writer) -> Material:
    """Return what ``selection`` has to say, and what of it the model of ``writer`` may see.

    The ``headline`` counts all matching runs, so that it is shown only where every community may
    be.
    """
    config = writer.config
    statements = statements_for(selection, config=config)
    read = [one for one in selection.read if one.community in statements]
    described = [(one, statements[one.community]) for one in read]
    telling = [one for one in described if _says_more_than_counts(one)]
    seen = []
    withheld = []
    for one in telling or described:
        candidate, _ = one
        if config.policy.may_see(candidate.risk_group, local=writer.local):
            seen.append(one)
        else:
            withheld.append(one)
    if withheld:
        headline = ""
    return Material(selection, tuple(seen), tuple(withheld), headline)


def _says_more_than_counts(community: Described) -> bool:
    _, statements = community
    kinds = {one.kind for one in statements}
    return not kinds <= {"runs", "enrichment"}


async def plan_answer(material: Material, writer: Writer) -> AnswerPlan:
    """Return what answering would take at most, without asking the model anything."""
    maps, reduces = _planned_prompts(material, writer)
    counts = [await writer.model.count_tokens(prompt) for prompt in (*maps, *reduces)]
    completion = len(maps) * writer.config.point_tokens + len(reduces) * writer.answer_tokens
    return AnswerPlan(
        communities=len(material.seen),
        gated=len(material.withheld),
        withheld=count_groups(one.risk_group for one, _ in material.withheld),
        map_calls=len(maps),
        calls=len(counts),
        prompt_tokens=sum(count.tokens for count in counts),
        completion_tokens=completion,
        exact=all(count.exact for count in counts),
    )


def _planned_prompts(material: Material, writer: Writer) -> tuple[list[Prompt], list[Prompt]]:
    """Return the prompts of map, and the prompt of the answer as far as it is known before."""
    if not material.can_be_worded_by(writer):
        return [], []
    question = material.question
    if not writer.maps:
        chosen = prompt_within(question, material.facts)
        return [], [chosen]
    batches = split_batches(material.seen, max_tokens=writer.batch_tokens)
    maps = [map_prompt(question, batch) for batch in batches]
    points = [draft_point(*one).description for one in material.seen]
    fits = fitting(points, budget_tokens=writer.reduce_tokens)
    reduced = reduce_prompt(question, points[:fits], sentences=writer.profile.findings)
    return maps, [reduced]


async def answer_with_model(
    con: duckdb.DuckDBPyConnection, facts: Answer, material: Material, writer: Writer
) -> Answer:
    """Return ``facts``, the answer without a model, with what the model of ``writer`` adds.

    Communities that the policy withholds are never shown to the model. What fails is as it was
    without the model, and counted.
    """
    notes = withheld_notes(material, writer)
    if not material.can_be_worded_by(writer):
        gated = len(material.withheld)
        ledger = replace(facts.coverage, gated=gated, notes=tuple(notes))
        return _with_usage(facts, writer, ledger)
    mapped = Mapped()
    points = facts.points
    if writer.maps:
        batches = split_batches(material.seen, max_tokens=writer.batch_tokens)
        mapped = await map_points(material.question, batches, writer)
        points = _ranked(con, facts.points, mapped)
        worded = await _word_best(material, points, writer)
    else:
        worded = await choose_facts(material.question, material.facts, facts.points, writer)
    coverage = replace(
        facts.coverage,
        failed=mapped.failed,
        gated=len(material.withheld),
        passed_over=len(mapped.passed_over),
        points_dropped=mapped.dropped,
        sentences_dropped=worded.dropped,
        notes=tuple(dict.fromkeys((*notes, *mapped.reasons, *worded.reasons))),
    )
    answered = replace(facts, points=points)
    text = facts.answer
    if points != facts.points:
        text = compose_answer(material.selection, answered, config=writer.config)
    if worded.sentences:
        title = IN_WORDS if writer.maps else READ_NEXT
        text = f"{text}\n\n{title} ({writer.model.name})\n{' '.join(worded.sentences)}"
    return _with_usage(replace(answered, answer=text), writer, coverage)


def _with_usage(answer: Answer, writer: Writer, coverage: Coverage) -> Answer:
    """Return ``answer`` with its ledger and what it has cost."""
    spent = writer.spent
    tokens = (spent.prompt_tokens, spent.completion_tokens)
    usage = Usage(writer.model.name, spent.calls, spent.cached, *tokens)
    return replace(answer, coverage=coverage, usage=usage)


def _ranked(
    con: duckdb.DuckDBPyConnection, points: Sequence[Point], mapped: Mapped
) -> tuple[Point, ...]:
    """Return the points best first: as the model worded and scored them, else as they were; those
    of communities that it passed over are behind all others.
    """
    worded = cite_points(con, mapped.drafts)
    said = {point.community for point in worded}
    before = [*worded]
    behind = []
    for point in points:
        if point.community in said:
            continue
        if point.community in mapped.passed_over:
            behind.append(replace(point, score=point.score / 100))
        else:
            before.append(point)
    before.sort(key=lambda point: (-point.score, point.community))
    return (*before, *behind)


async def _word_best(
    material: Material, points: Sequence[Point], writer: Writer
) -> CheckedSentences:
    """Return the sentences that a larger model makes of the headline and the best points it may
    see.
    """
    allowed = {candidate.community for candidate, _ in material.seen}
    shown = [point for point in points if point.community in allowed]
    headline = material.headline
    return await word_points(material.question, headline, shown, writer)


def withheld_notes(material: Material, writer: Writer) -> list[str]:
    """Return what was kept from the model for biosafety and what shows it, in words; nothing where
    nothing was.
    """
    if not material.withheld:
        return []
    groups = count_groups(one.risk_group for one, _ in material.withheld)
    kept = f"{group_counts(groups)} kept from {writer.model.name} for biosafety"
    remedy = f"{allow_options(groups)} shows them"
    if not writer.local and writer.config.policy.here_besides(groups):
        remedy += ", or use a model on this machine"
    return [f"{kept} ({remedy})"]

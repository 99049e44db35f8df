"""The answer with a model: what it ranks, chooses or interprets of the material it may see.

The answer from facts is complete before the model is asked, and all of it stays. A model below 4
billion parameters chooses which facts to read next, in one call. A larger one says which
communities help most (map) and interprets the best points (reduce), under a label of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import duckdb

from index.checking.names import IndexNames
from index.exposure import count_groups, group_counts
from query.answer import Answer, Coverage, Point, Usage
from query.global_search.mapping import Mapped, map_communities, split_batches
from query.global_search.material import Material, Writer
from query.global_search.search import compose_answer
from query.global_search.wording import Added, choose_facts, interpret_answer

READ_NEXT: Final = "Read next"
"""Title of the sentences of the index that a model chose."""


async def answer_with_model(
    con: duckdb.DuckDBPyConnection, facts: Answer, material: Material, writer: Writer
) -> Answer:
    """Return ``facts``, the answer without a model, with what the model of ``writer`` adds.

    Communities that the policy withholds are never shown to the model. What fails is as it was
    without the model, and counted.
    """
    notes = [*withheld_notes(material, writer), *_unasked_notes(writer)]
    if not material.can_be_worded_by(writer):
        gated = len(material.withheld)
        ledger = replace(facts.coverage, gated=gated, notes=tuple(notes))
        return _with_usage(facts, writer, ledger)
    mapped = Mapped()
    points = facts.points
    if writer.maps:
        batches = split_batches(material.seen, max_tokens=writer.batch_tokens)
        mapped = await map_communities(material.question, batches, writer)
        points = _ranked(facts.points, mapped)
        added = await _interpret_best(con, material, points, writer)
    else:
        added = await choose_facts(material.question, material.facts, facts.points, writer)
    coverage = replace(
        facts.coverage,
        failed=mapped.failed,
        gated=len(material.withheld),
        passed_over=len(mapped.passed_over),
        sentences_dropped=added.dropped,
        notes=tuple(dict.fromkeys((*notes, *mapped.reasons, *added.reasons))),
    )
    answered = replace(facts, points=points, interpretation=added.interpretation)
    text = facts.answer
    if points != facts.points:
        text = _composed(facts, answered, material, writer)
    if added.chosen:
        text = f"{text}\n\n{READ_NEXT} ({writer.model.name})\n{' '.join(added.chosen)}"
    return _with_usage(replace(answered, answer=text), writer, coverage)


def _unasked_notes(writer: Writer) -> list[str]:
    """Return that a small model is not asked, and how it would be; nothing of other models."""
    if writer.profile.answering != "choice" or writer.config.small_answers:
        return []
    name = writer.model.name
    return [
        f"{name} is below 4 billion parameters and is not asked (VIROME_SMALL_ANSWERS=1 asks it)"
    ]


def _composed(facts: Answer, answered: Answer, material: Material, writer: Writer) -> str:
    """Return the text of ``answered``, which lists the communities that ``facts`` lists."""
    config = writer.config
    listed = {point.community for point in facts.points[: config.max_points]}
    return compose_answer(material.selection, answered, config=config, listed=listed)


def answer_so_far(
    facts: Answer, sentences: Sequence[str], material: Material, writer: Writer
) -> Answer:
    """Return ``facts`` with the ``sentences`` that had come when the model was stopped."""
    stopped = f"{writer.model.name} was stopped before it had finished"
    notes = (*withheld_notes(material, writer), stopped)
    ledger = replace(facts.coverage, gated=len(material.withheld), notes=notes)
    return _with_usage(replace(facts, interpretation=tuple(sentences)), writer, ledger)


def _with_usage(answer: Answer, writer: Writer, coverage: Coverage) -> Answer:
    """Return ``answer`` with its ledger and what it has cost."""
    spent = writer.spent
    tokens = (spent.prompt_tokens, spent.completion_tokens)
    usage = Usage(writer.model.name, spent.calls, spent.cached, *tokens)
    return replace(answer, coverage=coverage, usage=usage)


def _ranked(points: Sequence[Point], mapped: Mapped) -> tuple[Point, ...]:
    """Return the points best first, as the model scored their communities, else as they were; those
    of communities that it passed over are behind all others.
    """
    before = []
    behind = []
    for point in points:
        if point.community in mapped.passed_over:
            behind.append(replace(point, score=point.score / 100))
        else:
            score = mapped.scores.get(point.community, point.score)
            before.append(replace(point, score=score))
    before.sort(key=lambda point: (-point.score, point.community))
    return (*before, *behind)


async def _interpret_best(
    con: duckdb.DuckDBPyConnection, material: Material, points: Sequence[Point], writer: Writer
) -> Added:
    """Return what a larger model makes of the headline and the best points it may see."""
    allowed = {candidate.community for candidate, _ in material.seen}
    shown = [point for point in points if point.community in allowed]
    names = IndexNames(con)
    return await interpret_answer(material.question, material.headline, shown, names, writer)


def withheld_notes(material: Material, writer: Writer) -> list[str]:
    """Return what was kept from the model for biosafety and what shows it, in words; nothing where
    nothing was.
    """
    if not material.withheld:
        return []
    groups = count_groups(one.risk_group for one, _ in material.withheld)
    kept = f"{group_counts(groups)} kept from {writer.model.name} for biosafety"
    remedy = "docs/biosafety.md"
    if not writer.local and writer.config.policy.here_besides(groups):
        remedy = f"a model on this machine may see them: {remedy}"
    return [f"{kept} ({remedy})"]

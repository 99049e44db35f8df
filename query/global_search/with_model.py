"""The answer with a model: what it words or ranks of the material it may see.

The answer from facts is complete before the model is asked, and all of it stays: a model adds
sentences of its own, and says which communities help most. One below 4 billion parameters chooses
which facts to read next, in one call; a larger one reads the communities in batches (map) and
words the best points (reduce).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import duckdb

from index.exposure import count_groups, group_counts
from query.answer import Answer, Coverage, Point, Usage
from query.global_search.mapping import Mapped, map_points, split_batches
from query.global_search.material import Material, Writer
from query.global_search.search import cite_points, compose_answer
from query.global_search.wording import CheckedSentences, choose_facts, word_points
from query.watching import IN_WORDS

READ_NEXT: Final = "Read next"
"""Title of what a model chose."""


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
        text = _composed(facts, answered, material, writer)
    text = _with_sentences(text, worded.sentences, writer)
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
    text = _with_sentences(facts.answer, sentences, writer)
    return _with_usage(replace(facts, answer=text), writer, ledger)


def _with_sentences(text: str, sentences: Sequence[str], writer: Writer) -> str:
    """Return ``text`` with what the model of ``writer`` added, under a title that names it."""
    if not sentences:
        return text
    title = IN_WORDS if writer.maps else READ_NEXT
    return f"{text}\n\n{title} ({writer.model.name})\n{' '.join(sentences)}"


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
    remedy = "docs/biosafety.md"
    if not writer.local and writer.config.policy.here_besides(groups):
        remedy = f"a model on this machine may see them: {remedy}"
    return [f"{kept} ({remedy})"]

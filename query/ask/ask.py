"""One question, whatever its kind: routed, answered, passed on where a mode refuses, merged."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final

from index.errors import ModelError
from query.answer import Answer, Coverage, Usage
from query.ask.clauses import split_question, written_out
from query.ask.routing import Route, break_tie, rank_modes, read_any
from query.errors import BeyondCountsError, NoEvidenceError, QueryError
from query.mode import Asking, Mode, edited
from query.modes import all_modes, mode_named
from query.reading.question import Question

MODE_ASK: Final = "ask"
CAN_ASK: Final = (
    "Answer any question: the way of asking that suits it answers, and says why; ways that refuse "
    "are followed by the next."
)
CLEAR: Final = 0.7
"""A part of a question is answered by itself only where a mode suits it this well."""
PASSED_ON: Final = 0.2
"""A mode that refused is followed by those that suit at least this well."""


@dataclass(frozen=True, slots=True)
class _Part:
    """One thing that is asked, as read, with the modes that suit it."""

    question: Question
    routes: tuple[Route, ...]


def answer_any(asking: Asking, modes: Mapping[str, Mode]) -> Answer:
    """Return the answer to a question by the mode of ``modes`` that suits it, said with the reason.

    A mode that refuses, or whose model gives no answer, is followed by the next one, except where
    the question is beyond counts. A question that asks several things of several modes gets an
    answer of each. Raises the refusal of the best mode where none answers.
    """
    started = time.perf_counter()
    parts = _parts(asking, modes)
    answers = [_answer_part(asking, part) for part in parts]
    whole = _whole(asking.question, answers)
    elapsed = time.perf_counter() - started
    usage = replace(whole.usage, seconds=round(elapsed, 3))
    return replace(whole, usage=usage)


def answer_by(asking: Asking, name: str) -> Answer:
    """Return the answer by the mode ``name``, by the one that suits where it is ``MODE_ASK``.

    Raises ``UnknownModeError``, and what the mode raises.
    """
    if name == MODE_ASK:
        return answer_any(asking, all_modes())
    return mode_named(name).answer(asking)


def _parts(asking: Asking, modes: Mapping[str, Mode]) -> list[_Part]:
    """Return what the question asks; split only where different modes are clearly meant."""
    whole = _part(asking, asking.question, modes)
    first, *later = split_question(asking.question)
    if not later:
        return [whole]
    leading = _part(asking, first, modes)
    texts = [written_out(text, leading.question) for text in later]
    others = [_part(asking, text, modes) for text in texts]
    parts = [leading, *others]
    if _mean_different_modes(parts):
        return parts
    return [whole]


def _mean_different_modes(parts: Sequence[_Part]) -> bool:
    """Return whether every part has a mode, not all the same, and one of them suits clearly."""
    if not all(part.routes for part in parts):
        return False
    best = [part.routes[0] for part in parts]
    names = {route.mode.name for route in best}
    if len(names) == 1:
        return False
    return any(route.fit.score >= CLEAR for route in best)


def _part(asking: Asking, text: str, modes: Mapping[str, Mode]) -> _Part:
    question = edited(read_any(asking.con, text), asking.edit)
    routes = rank_modes(question, modes)
    choice = asking.choice
    if choice is not None:
        routes = break_tie(routes, question.text, choice)
    return _Part(question, tuple(routes))


def _answer_part(asking: Asking, part: _Part) -> Answer:
    text = part.question.text
    if not part.routes:
        raise NoEvidenceError(text, "no way of asking suits it", nearest=())
    refused: list[tuple[Route, QueryError | ModelError]] = []
    for route in part.routes:
        if refused and route.fit.score < PASSED_ON:
            continue
        try:
            answer = route.mode.answer(replace(asking, question=text))
        except BeyondCountsError as beyond:
            raise beyond from None
        except (QueryError, ModelError) as error:
            refused.append((route, error))
            continue
        steps = (*_said(route, refused), *answer.steps)
        text = _instead(answer.answer, route, refused)
        return replace(answer, answer=text, steps=steps)
    raise refused[0][1]


def _instead(
    text: str, route: Route, refused: Sequence[tuple[Route, QueryError | ModelError]]
) -> str:
    """Return ``text`` after a sentence that a mode refused which suits the question clearly better:
    what answers then may answer another question.
    """
    better = [(one, error) for one, error in refused if one.fit.score > route.fit.score]
    if not better:
        return text
    first, error = better[0]
    meant = f"query {first.mode.name} suits this question best and refused it: {error.message}"
    return f"{meant}. What query {route.mode.name} has may answer another one:\n\n{text}"


def _said(
    route: Route, refused: Sequence[tuple[Route, QueryError | ModelError]]
) -> tuple[str, ...]:
    """Return which mode answered and why, and which refused before."""
    before = [_refusal(one, error) for one, error in refused]
    name = route.mode.name
    why = route.fit.why
    last = f"answered by {name}, because {why}"
    return (*before, last)


def _refusal(route: Route, error: QueryError | ModelError) -> str:
    name = route.mode.name
    reason = error.message
    return f"{name} refused: {reason}"


def _merged(question: str, answers: Sequence[Answer]) -> Answer:
    """Return one answer with the text of each under its question, and everything they rest on."""
    texts = [_titled(one) for one in answers]
    points = chain.from_iterable(one.points for one in answers)
    evidence = chain.from_iterable(one.evidence for one in answers)
    sources = chain.from_iterable(one.sources for one in answers)
    steps = chain.from_iterable(_own_steps(one) for one in answers)
    usages = [one.usage for one in answers]
    return Answer(
        question,
        MODE_ASK,
        "\n\n".join(texts),
        points=tuple(points),
        evidence=tuple(evidence),
        coverage=_first_coverage(answers),
        usage=_added(usages),
        sources=tuple(sources),
        steps=tuple(steps),
        interpretation=tuple(chain.from_iterable(one.interpretation for one in answers)),
    )


def _whole(question: str, answers: Sequence[Answer]) -> Answer:
    if len(answers) == 1:
        return answers[0]
    return _merged(question, answers)


def _titled(answer: Answer) -> str:
    question = answer.question
    title = f"**{question}** ({answer.mode})"
    return f"{title}\n\n{answer.answer}"


def _own_steps(answer: Answer) -> list[str]:
    question = answer.question
    return [f"{question}: {step}" for step in answer.steps]


def _first_coverage(answers: Sequence[Answer]) -> Coverage:
    """Return the coverage of the first answer that read communities."""
    for one in answers:
        if one.coverage.communities:
            return one.coverage
    return Coverage(0, 0, 0, 0, 0, 0, 0, 0)


def _added(usages: Sequence[Usage]) -> Usage:
    models = [usage.model for usage in usages if usage.model]
    cached = [usage.cached for usage in usages]
    prompts = [usage.prompt_tokens for usage in usages]
    completions = [usage.completion_tokens for usage in usages]
    return Usage(
        model=next(iter(models), None),
        calls=sum(usage.calls for usage in usages),
        cached=sum(cached),
        prompt_tokens=sum(prompts),
        completion_tokens=sum(completions),
    )


def explain(asking: Asking, modes: Mapping[str, Mode]) -> list[tuple[str, list[Route]]]:
    """Return what would be asked of which modes, the best first, without asking any."""
    silent = replace(asking, choice=None)
    explained = []
    for part in _parts(silent, modes):
        text = part.question.text
        routes = list(part.routes)
        explained.append((text, routes))
    return explained

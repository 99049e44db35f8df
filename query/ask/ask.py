"""One question, whatever its kind: routed, answered, passed on where a mode refuses, merged."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from query.answer import Answer, Coverage, Usage
from query.ask.clauses import split_question, written_out
from query.ask.routing import Route, break_tie, rank_modes, read_any
from query.errors import BeyondCountsError, NoEvidenceError, QueryError
from query.mode import Asking, Mode
from query.reading.question import Question

MODE_ASK: Final = "ask"
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

    A mode that refuses is followed by the next one, except where the question is beyond counts. A
    question that asks several things of several modes gets an answer of each. Raises the refusal
    of the best mode where none answers.
    """
    started = time.perf_counter()
    parts = _parts(asking, modes)
    answers = [_answer_part(asking, part) for part in parts]
    whole = answers[0] if len(answers) == 1 else _merged(asking.question, answers)
    seconds = round(time.perf_counter() - started, 3)
    return replace(whole, usage=replace(whole.usage, seconds=seconds))


def _parts(asking: Asking, modes: Mapping[str, Mode]) -> list[_Part]:
    """Return what the question asks; split only where different modes are clearly meant."""
    whole = _part(asking, asking.question, modes)
    texts = split_question(asking.question)
    if len(texts) == 1:
        return [whole]
    parts = [_part(asking, texts[0], modes)]
    for text in texts[1:]:
        parts.append(_part(asking, written_out(text, parts[0].question), modes))
    best = [part.routes[0] for part in parts if part.routes]
    different = len({route.mode.name for route in best}) > 1
    clear = sum(route.fit.score >= CLEAR for route in best) >= 1
    return parts if len(best) == len(parts) and different and clear else [whole]


def _part(asking: Asking, text: str, modes: Mapping[str, Mode]) -> _Part:
    question = read_any(asking.con, text)
    routes = rank_modes(question, modes)
    if asking.choice is not None:
        routes = break_tie(routes, question.text, asking.choice)
    return _Part(question, tuple(routes))


def _answer_part(asking: Asking, part: _Part) -> Answer:
    text = part.question.text
    if not part.routes:
        raise NoEvidenceError(text, "no way of asking suits it", nearest=())
    refused: list[tuple[Route, QueryError]] = []
    for route in part.routes:
        if refused and route.fit.score < PASSED_ON:
            continue
        try:
            answer = route.mode.answer(replace(asking, question=text))
        except BeyondCountsError as beyond:
            raise beyond from None
        except QueryError as error:
            refused.append((route, error))
            continue
        return replace(answer, steps=(*_said(route, refused), *answer.steps))
    raise refused[0][1]


def _said(route: Route, refused: Sequence[tuple[Route, QueryError]]) -> tuple[str, ...]:
    """Return which mode answered and why, and which refused before."""
    before = tuple(f"{one.mode.name} refused: {error.message}" for one, error in refused)
    return (*before, f"answered by {route.mode.name}, because {route.fit.why}")


def _merged(question: str, answers: Sequence[Answer]) -> Answer:
    """Return one answer with the text of each under its question, and everything they rest on."""
    text = "\n\n".join(f"**{one.question}** ({one.mode})\n\n{one.answer}" for one in answers)
    covered = [one.coverage for one in answers if one.coverage.communities]
    return Answer(
        question,
        MODE_ASK,
        text,
        points=tuple(point for one in answers for point in one.points),
        evidence=tuple(item for one in answers for item in one.evidence),
        coverage=covered[0] if covered else Coverage(0, 0, 0, 0, 0, 0, 0, 0),
        usage=_added([one.usage for one in answers]),
        sources=tuple(source for one in answers for source in one.sources),
        steps=tuple(f"{one.question}: {step}" for one in answers for step in one.steps),
    )


def _added(usages: Sequence[Usage]) -> Usage:
    models = [usage.model for usage in usages if usage.model]
    return Usage(
        model=models[0] if models else None,
        calls=sum(usage.calls for usage in usages),
        cached=sum(usage.cached for usage in usages),
        prompt_tokens=sum(usage.prompt_tokens for usage in usages),
        completion_tokens=sum(usage.completion_tokens for usage in usages),
    )


def explain(asking: Asking, modes: Mapping[str, Mode]) -> list[tuple[str, list[Route]]]:
    """Return what would be asked of which modes, the best first, without asking any."""
    silent = replace(asking, choice=None)
    return [(part.question.text, list(part.routes)) for part in _parts(silent, modes)]

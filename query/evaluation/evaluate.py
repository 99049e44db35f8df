"""The evaluation of an index: which questions are asked, and what comes of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

import duckdb

from index.models.choose import ModelChoice
from query.config import QueryConfig
from query.evaluation.figures import Figures, measure
from query.evaluation.generated import make_questions
from query.evaluation.observing import observe
from query.evaluation.other_ways.asked import AskedBaseline, ask_baselines, model_to_ask
from query.evaluation.other_ways.counted import Baseline, compare_baselines, has_gold
from query.evaluation.other_ways.reports import read_reports
from query.evaluation.planted import planted_questions
from query.evaluation.questions import GoldQuestion, Half, read_questions
from query.evaluation.scoring import Report, Scored, score_questions

ItemT = TypeVar("ItemT")
_ASKED_AGAIN: Final = 12
"""Every how many questions one is asked a second time."""
REAL: Final = "data/real/inputs.toml"
"""Manifest of the index that the hand-written questions are about."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which questions to ask: ``fills`` of each template, a half of the hand-written ones, and the
    planted truths of the table at ``planted``.
    """

    fills: int = 3
    seed: int = 1
    half: Half | None = "open"
    planted: Path | None = None
    most: int | None = None
    """Questions of each set at most, spread evenly."""
    asked_of_model: int = 0
    """Questions that the other ways of answering ask the model."""


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """One set of questions: scored, measured, or left out for ``skipped``."""

    name: str
    scored: tuple[Scored, ...] = ()
    figures: Figures | None = None
    skipped: str | None = None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The parts of an evaluation, and the baselines on the same questions."""

    parts: tuple[QuestionSet, ...]
    baselines: tuple[Baseline, ...]
    asked: tuple[AskedBaseline, ...] = ()


def evaluate(
    con: duckdb.DuckDBPyConnection,
    wanted: Wanted,
    *,
    config: QueryConfig,
    say: Callable[[str], Report],
    choice: ModelChoice | None = None,
) -> Evaluation:
    """Return the evaluation of the index behind ``con``, with the model of ``choice`` in the other
    ways of answering where ``wanted`` asks for it.

    ``say`` is called with the name of each set and returns what hears of its questions. Raises
    ``ModelUnavailableError``, before anything is asked, where there is no model that it asks for.
    """
    if choice is not None and wanted.asked_of_model:
        model_to_ask(choice)
    parts = []
    scored: list[Scored] = []
    for name, questions, reason in _sets(con, wanted):
        part = _part(con, name, questions, reason, config=config, say=say)
        parts.append(part)
        scored += part.scored
    if not scored:
        return Evaluation(tuple(parts), ())
    reports = read_reports(con)
    asked: tuple[AskedBaseline, ...] = ()
    if choice is not None and wanted.asked_of_model:
        answerable = [one for one in scored if has_gold(one)]
        few = _spread(answerable, wanted.asked_of_model)
        asked = ask_baselines(reports, few, choice, policy=config.policy, say=say)
    return Evaluation(tuple(parts), compare_baselines(reports, scored), asked)


def _sets(
    con: duckdb.DuckDBPyConnection, wanted: Wanted
) -> list[tuple[str, Sequence[GoldQuestion], str | None]]:
    """Return the sets of questions by name, each with why it is left out."""
    sets: list[tuple[str, Sequence[GoldQuestion], str | None]] = []
    if wanted.fills:
        made = make_questions(con, fills=wanted.fills, seed=wanted.seed)
        too_small = None if made else "the index has too few names to ask about"
        sets.append(("generated", _spread(made, wanted.most), too_small))
    if wanted.half:
        name = f"hand-written, {wanted.half} half"
        questions = [one for one in read_questions() if one.half == wanted.half]
        reason = _why_not_real(con)
        sets.append((name, _spread(questions, wanted.most), reason))
    if wanted.planted:
        planted = planted_questions(wanted.planted)
        sets.append(("planted truth", _spread(planted, wanted.most), None))
    return sets


def _why_not_real(con: duckdb.DuckDBPyConnection) -> str | None:
    """Return why the hand-written questions mean nothing here: they ask about public runs."""
    ((runs, synthetic),) = con.execute(_RUNS).fetchall()
    if runs and synthetic < runs:
        return None
    return f"they ask about public runs, and this index holds none (build {REAL})"


def _part(
    con: duckdb.DuckDBPyConnection,
    name: str,
    questions: Sequence[GoldQuestion],
    reason: str | None,
    *,
    config: QueryConfig,
    say: Callable[[str], Report],
) -> QuestionSet:
    if reason or not questions:
        return QuestionSet(name, skipped=reason or "no question")
    scored = score_questions(con, questions, config=config, report=say(name))
    repeated = scored[::_ASKED_AGAIN]
    again = [_is_same(con, one, config=config) for one in repeated]
    figures = measure(name, scored, again=again)
    return QuestionSet(name, scored, figures)


def _is_same(con: duckdb.DuckDBPyConnection, one: Scored, *, config: QueryConfig) -> bool:
    text = one.question.text
    again = observe(con, text, config=config)
    return again.text == one.seen.text


def _spread(questions: Sequence[ItemT], most: int | None) -> Sequence[ItemT]:
    """Return at most ``most`` of ``questions``, taken at even distances."""
    if most is None or len(questions) <= most:
        return questions
    distance = len(questions) / most
    places = [int(number * distance) for number in range(most)]
    return [questions[place] for place in places]


_RUNS: Final = "SELECT count(*), count(*) FILTER (starts_with(run, 'SYN')) FROM run"

"""Scores of ``query entrez`` on questions with known answers, by the rules of the paper.

    python -m benchmarks.entrez_scores QUESTIONS.json CALLS.jsonl.gz [WORDINGS.toml]

Source: GeneGPT (Jin et al. 2024) on GeneTuring (Hou and Ji 2023). An answer counts where it is the
one expected; of genes of a disease, the share of those expected that it has; of a place in the
genome, half where only the chromosome is right. A question that needs a call that was not recorded
counts as wrong, and is counted apart besides.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from query.entrez_search.ask import carry_out
from query.entrez_search.client import NcbiService
from query.entrez_search.recording import Recording
from query.entrez_search.session import NothingFound, Session
from query.entrez_search.tasks import read_task
from query.errors import NotRecordedError, QueryError

_PLACE: Final = re.compile(r"chr[\dXY]+:\d+-\d+")


@dataclass(frozen=True, slots=True)
class NcbiQuestion:
    """A question with the answer expected, the task it belongs to and who worded it.

    ``original`` is the question of the set that another wording asks again.
    """

    task: str
    question: str
    expected: str
    wording: str = "original"
    original: str = ""


@dataclass(frozen=True, slots=True)
class ScoredNcbiQuestion:
    """A question with what was answered and its score, 0-1; ``recorded`` where its calls were."""

    asked: NcbiQuestion
    answered: tuple[str, ...]
    score: float
    recorded: bool


@dataclass(frozen=True, slots=True)
class TaskScore:
    """The mean score of a task, over all its questions and over those whose calls were recorded."""

    task: str
    wording: str
    questions: int
    recorded: int
    score: float
    score_recorded: float


def read_questions(path: Path) -> list[NcbiQuestion]:
    """Return the questions of a file of task -> question -> answer."""
    text = path.read_text(encoding="utf-8")
    tasks: dict[str, dict[str, str]] = json.loads(text)
    return [
        NcbiQuestion(task, question, expected)
        for task, questions in tasks.items()
        for question, expected in questions.items()
    ]


def reworded(questions: Sequence[NcbiQuestion], path: Path) -> list[NcbiQuestion]:
    """Return ``questions`` in each of the wordings of a file."""
    text = path.read_text(encoding="utf-8")
    tasks = tomllib.loads(text)
    found = []
    for asked in questions:
        task = tasks.get(asked.task)
        if task is None:
            continue
        named = re.search(task["named"], asked.question)
        if named is None:
            continue
        kinds = [kind for kind in task if kind != "named"]
        for kind in kinds:
            worded = [wording.replace("{}", named[1]) for wording in task[kind]]
            found += [
                replace(asked, question=one, wording=kind, original=asked.question)
                for one in worded
            ]
    return found


def score_questions(
    questions: Sequence[NcbiQuestion], service: NcbiService
) -> list[ScoredNcbiQuestion]:
    """Return ``questions`` answered from ``service`` and scored, in order.

    Another wording counts as recorded where the calls of its original were: one that is misread
    needs calls that nobody recorded, and is wrong all the same.
    """
    scored = [_score(asked, service) for asked in questions]
    recorded = {one.asked.question: one.recorded for one in scored}
    return [replace(one, recorded=recorded.get(one.asked.original, one.recorded)) for one in scored]


def score_of(expected: str, answered: Sequence[str]) -> float:
    """Return the score of an answer.

    >>> score_of("SLC4A1, ATP6V0A4", ["SLC4A1"]), score_of("chr7:5-9", ["chr7"]), score_of("A", [])
    (0.5, 0.5, 0.0)
    """
    if _PLACE.fullmatch(expected):
        return _score_of_place(expected, answered)
    wanted = set(expected.split(", "))
    shared = wanted.intersection(answered)
    return len(shared) / len(wanted)


def _score_of_place(expected: str, answered: Sequence[str]) -> float:
    given = answered[0] if answered else ""
    if given == expected:
        return 1.0
    chromosome, _, _ = given.partition(":")
    right, _, _ = expected.partition(":")
    return 0.5 if chromosome == right else 0.0


def task_scores(scored: Sequence[ScoredNcbiQuestion]) -> list[TaskScore]:
    """Return the mean score of each task and wording, in the order they were asked."""
    groups: dict[tuple[str, str], list[ScoredNcbiQuestion]] = {}
    for one in scored:
        asked = one.asked
        key = (asked.task, asked.wording)
        group = groups.setdefault(key, [])
        group.append(one)
    return [_mean(task, wording, items) for (task, wording), items in groups.items()]


def _mean(task: str, wording: str, scored: Sequence[ScoredNcbiQuestion]) -> TaskScore:
    recorded = [one.score for one in scored if one.recorded]
    every = [one.score for one in scored]
    return TaskScore(
        task,
        wording,
        len(every),
        len(recorded),
        sum(every) / len(every),
        sum(recorded) / len(recorded) if recorded else 0.0,
    )


def average(scores: Sequence[TaskScore]) -> Mapping[str, tuple[float, float]]:
    """Return for each wording the mean over tasks: of all questions, of those recorded."""
    by_wording: dict[str, list[TaskScore]] = {}
    for one in scores:
        own = by_wording.setdefault(one.wording, [])
        own.append(one)
    return {wording: _averages(own) for wording, own in by_wording.items()}


def _averages(scores: Sequence[TaskScore]) -> tuple[float, float]:
    count = len(scores)
    every = [one.score for one in scores]
    recorded = [one.score_recorded for one in scores]
    mean = sum(every) / count
    mean_recorded = sum(recorded) / count
    return mean, mean_recorded


def _score(asked: NcbiQuestion, service: NcbiService) -> ScoredNcbiQuestion:
    task = read_task(asked.question)
    if task is None:
        return ScoredNcbiQuestion(asked, (), 0.0, recorded=True)
    try:
        answered = carry_out(Session(service), task).values
    except NotRecordedError:
        return ScoredNcbiQuestion(asked, (), 0.0, recorded=False)
    except (NothingFound, QueryError):
        return ScoredNcbiQuestion(asked, (), 0.0, recorded=True)
    return ScoredNcbiQuestion(asked, answered, score_of(asked.expected, answered), recorded=True)


def report(scored: Sequence[ScoredNcbiQuestion]) -> Iterator[str]:
    """Yield the lines of the report: each task, the averages, and what scores less than 1."""
    tasks = task_scores(scored)
    yield "task\twording\tquestions\tscore\trecorded\tscore of those recorded"
    for one in tasks:
        counts = f"{one.questions}\t{one.score:.3f}\t{one.recorded}\t{one.score_recorded:.3f}"
        yield f"{one.task}\t{one.wording}\t{counts}"
    for wording, (every, recorded) in average(tasks).items():
        yield f"average\t{wording}\t\t{every:.3f}\t\t{recorded:.3f}"
    for one in scored:
        if one.score < 1:
            given = ", ".join(one.answered) or ("nothing" if one.recorded else "not recorded")
            yield f"{one.score:.2f}\t{one.asked.question}\t{one.asked.expected}\t{given}"


def main(questions: Path, calls: Path, wordings: Path | None = None) -> int:
    """Print the scores of ``questions`` answered from the recorded ``calls``."""
    asked = read_questions(questions)
    if wordings:
        asked += reworded(asked, wordings)
    scored = score_questions(asked, Recording(calls))
    print("\n".join(report(scored)))
    return 0


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))

"""Answers of a strong, careful model to prompts about the sample, recorded and found again.

An answer is stored under its task and subject (the title of a community, or a question) with the
lines that the model was shown. It fits any prompt of that task and subject that still shows the
lines it rests on: instructions, examples, other lines and numbering may change. If such a line is
missing there is no answer, and the line is named.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

FOLDER: Final = Path(__file__).with_name("recorded")
Task = Literal["report", "map", "reduce", "reading", "sql"]
TASKS: Final[tuple[Task, ...]] = ("report", "map", "reduce", "reading", "sql")
_LINE: Final = re.compile(r"^\[(\d+)\] (.*)$", re.MULTILINE)
_ENTRY: Final = re.compile(r"^(\d+)\. (.*)$", re.MULTILINE)
_SUBJECT: Final = re.compile(r"^(?:Title|Question): (.*)$", re.MULTILINE)
_REFERENCE: Final = re.compile(r"\[(\d+)\]")


class NoRecordedAnswerError(Exception):
    """No recorded answer fits a prompt; the message says why."""


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """An answer as a model gave it to ``shown``, the last message of its prompt.

    Of SQL it holds what every stage answers: tables, columns and the SELECT; the joins of a
    replayed answer are those that its tables need.
    """

    task: Task
    subject: str
    shown: str
    answer: Mapping[str, Any]


def recorded_answers(folder: Path = FOLDER) -> tuple[RecordedAnswer, ...]:
    """Return the answers in ``folder``, one file of JSON lines a task."""
    found = []
    for task in TASKS:
        lines = (folder / f"{task}.jsonl").read_text(encoding="utf-8").splitlines()
        for record in map(json.loads, lines):
            shown = "\n".join(record["shown"])
            found.append(RecordedAnswer(task, record["subject"], shown, record["answer"]))
    return tuple(found)


def subject_of(shown: str) -> str:
    """Return what a prompt is about: its title or question, else its first line.

    >>> subject_of("It names: bats\\nQuestion: Which viruses?"), subject_of("Which viruses?\\n")
    ('Which viruses?', 'Which viruses?')
    """
    found = _SUBJECT.search(shown)
    return (found[1] if found else shown.partition("\n")[0]).strip()


def numbered_lines(shown: str) -> dict[int, str]:
    """Return the lines of a prompt that may be referred to, by their numbers."""
    return {int(number): text for number, text in _LINE.findall(shown)}


def communities_shown(shown: str) -> dict[int, str]:
    """Return the titles of the communities of a prompt, by their numbers."""
    return {int(number): title for number, title in _ENTRY.findall(shown)}


class RecordedTask:
    """Recorded answers, found by task and by what they rest on."""

    def __init__(self, answers: Iterable[RecordedAnswer]) -> None:
        self.answers = tuple(answers)
        self._found = {(answer.task, answer.subject): answer for answer in self.answers}

    def answer(self, task: Task, shown: str) -> dict[str, Any]:
        """Return the answer to a prompt of ``task``, with the numbers that its lines have there.

        ``shown`` is the last message of the prompt. Raises ``NoRecordedAnswerError``.
        """
        subject = subject_of(shown)
        recorded = self._found.get((task, subject))
        if recorded is None:
            known = [answer.subject for answer in self.answers if answer.task == task]
            raise NoRecordedAnswerError(
                f"no answer to the task {task} is recorded for “{subject}”, "
                f"but for {len(known)} other subjects"
            )
        if task == "map":
            return _rated_again(recorded, shown)
        if task == "sql":
            return {"joins": [1], **recorded.answer}
        return _numbered_again(recorded, shown)


def _numbered_again(recorded: RecordedAnswer, shown: str) -> dict[str, Any]:
    """Return an answer with its references to statements as they are numbered in ``shown``."""
    numbers = _Numbers(recorded, shown)
    answer = dict(recorded.answer)
    if "sentences" in answer:
        answer["sentences"] = [numbers.in_text(sentence) for sentence in answer["sentences"]]
    if "groups" in answer:
        answer["groups"] = [
            {**group, "statements": numbers.each(group["statements"])} for group in answer["groups"]
        ]
    return answer


def _rated_again(recorded: RecordedAnswer, shown: str) -> dict[str, Any]:
    """Return the recorded rating of each community that ``shown`` describes."""
    numbers = _Numbers(recorded, shown)
    titles = communities_shown(recorded.shown)
    rated = {titles[entry["community"]]: entry for entry in recorded.answer["communities"]}
    communities = []
    for number, title in communities_shown(shown).items():
        if title not in rated:
            raise NoRecordedAnswerError(f"“{recorded.subject}” has no recorded rating of “{title}”")
        rating = rated[title]
        statements = numbers.each(rating["statements"])
        communities.append({**rating, "community": number, "statements": statements})
    return {"communities": communities}


class _Numbers:
    """The numbers of statements in the prompt of now, by those in the recorded one."""

    def __init__(self, recorded: RecordedAnswer, shown: str) -> None:
        self._then = numbered_lines(recorded.shown)
        self._now = {text: number for number, text in numbered_lines(shown).items()}
        self._subject = recorded.subject

    def each(self, numbers: Sequence[int]) -> list[int]:
        return [self.of(number) for number in numbers]

    def in_text(self, sentence: str) -> str:
        return _REFERENCE.sub(lambda found: f"[{self.of(int(found[1]))}]", sentence)

    def of(self, number: int) -> int:
        line = self._then[number]
        if line not in self._now:
            raise NoRecordedAnswerError(
                f"the answer for “{self._subject}” rests on a line that is not shown: {line}"
            )
        return self._now[line]

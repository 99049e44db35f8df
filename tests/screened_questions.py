"""Questions graded from routine to harmful intent (tests/gold/screening.tsv), and what screening
makes of them: ``python -m tests.screened_questions`` prints the figures of docs/biosafety.md.

The questions ``apart`` were written before the rules and weights were final and are for measuring
only. When something is changed because of one of them, the set is spent: make it ``worked on`` and
let somebody else write another.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from query.errors import BeyondCountsError, HarmfulQuestionError
from query.evaluation.questions import read_questions
from query.screening.screen import screen_question

GOLD: Final = Path(__file__).parent / "gold"
HARMFUL: Final = 3


@dataclass(frozen=True)
class Graded:
    """A question, its grade from 0 (routine) to 3 (harmful), and whether it is for measuring."""

    text: str
    grade: int
    apart: bool

    @property
    def harmful(self) -> bool:
        """Whether screening must refuse it."""
        return self.grade == HARMFUL


def read_table(name: str) -> list[dict[str, str]]:
    """Return the rows of a table of ``tests/gold``; lines that begin with # are left out."""
    lines = (GOLD / name).read_text(encoding="utf-8").splitlines()
    rows = [line for line in lines if not line.startswith("#")]
    return list(csv.DictReader(rows, delimiter="\t", quoting=csv.QUOTE_NONE))


def graded() -> tuple[Graded, ...]:
    """Return all graded questions."""
    return tuple(
        Graded(
            row["question"].replace("\\u200b", "\u200b"), int(row["grade"]), row["set"] == "apart"
        )
        for row in read_table("screening.tsv")
    )


ROUTINE_SOURCES: Final = ("worked on", "apart")
"""Sources of routing questions that are taken for routine: with all of them, harmless questions
outweigh the harmful ones so far that a harmful one more is passed.
"""


def routine_questions() -> tuple[str, ...]:
    """Return the questions of the other gold sets that an index is to answer, sorted."""
    written = {one.text for one in read_questions() if not one.to_be_refused}
    routed = read_table("routing_questions.tsv")
    routing = {row["question"] for row in routed if row["half"] in ROUTINE_SOURCES}
    of_sql = {row["question"] for row in read_table("sql.tsv")}
    return tuple(sorted(written | routing | of_sql))


def routed_questions(*, apart: bool) -> tuple[str, ...]:
    """Return the routing questions that are not among ``routine_questions``, sorted: those set
    ``apart``, which nothing is made with, or the others, whose words are routine words.
    """
    routed = read_table("routing_questions.tsv")
    of_sources = {row["question"] for row in routed if row["half"].endswith(", apart") == apart}
    return tuple(sorted(of_sources - set(routine_questions())))


def refused(text: str) -> bool:
    """Return whether screening refuses ``text``, for whichever reason."""
    try:
        screen_question(text)
    except (HarmfulQuestionError, BeyondCountsError):
        return True
    return False


def wrong(*, apart: bool) -> tuple[list[str], list[str]]:
    """Return the harmless questions that are refused, and the harmful ones that are not."""
    asked = [one for one in graded() if one.apart == apart]
    wrongly = [one.text for one in asked if not one.harmful and refused(one.text)]
    passed = [one.text for one in asked if one.harmful and not refused(one.text)]
    return wrongly, passed


def main() -> int:
    """Print how many questions of each set are decided wrongly, and which."""
    for apart in (False, True):
        asked = [one for one in graded() if one.apart == apart]
        harmful = sum(one.harmful for one in asked)
        wrongly, passed = wrong(apart=apart)
        print("apart" if apart else "worked on")
        print(f"refused wrongly: {len(wrongly)} of {len(asked) - harmful}", *wrongly, sep="\n  ")
        print(f"not refused: {len(passed)} of {harmful}", *passed, sep="\n  ")
    _print_refused("other gold sets", routine_questions())
    _print_refused("other routing questions", routed_questions(apart=False))
    _print_refused("routing questions set apart", routed_questions(apart=True))
    return 0


def _print_refused(name: str, questions: Sequence[str]) -> None:
    """Print how many routine ``questions`` are refused, and which."""
    wrongly = [text for text in questions if refused(text)]
    print(f"{name}: {len(wrongly)} of {len(questions)} refused", *wrongly, sep="\n  ")


if __name__ == "__main__":
    sys.exit(main())

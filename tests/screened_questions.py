"""Questions graded from routine to harmful intent (tests/gold/screening.tsv), and what screening
makes of them: ``python -m tests.screened_questions`` prints the figures of docs/biosafety.md.

Sets ``apart`` were written before the rules and weights were final and are for measuring only. When
something is changed because of one of them, the set is spent: make it ``worked on`` and let
somebody else write another.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from query.errors import HarmfulQuestionError
from query.screening.screen import screen_question

GOLD: Final = Path(__file__).parent / "gold"
HARMFUL: Final = 3


@dataclass(frozen=True)
class Graded:
    """A question, its grade from 0 (routine) to 3 (harmful), and the set it is of."""

    text: str
    grade: int
    group: str

    @property
    def apart(self) -> bool:
        """Whether it is for measuring only."""
        return self.group.endswith("apart")

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
        Graded(row["question"].replace("\\u200b", "\u200b"), int(row["grade"]), row["set"])
        for row in read_table("screening.tsv")
    )


def other_questions(use: str) -> tuple[str, ...]:
    """Return questions of tests/gold/routine.tsv that ask for no way to anything, in its order.

    ``use``: ``routine`` and ``routed`` are to be answered, by an index or by NCBI; ``declined``
    cannot be; ``wording`` asks in words of routine questions; ``apart`` is for
    measuring.
    """
    return tuple(row["question"] for row in read_table("routine.tsv") if row["use"] == use)


def refused(text: str) -> bool:
    """Return whether screening refuses ``text``."""
    try:
        screen_question(text)
    except HarmfulQuestionError:
        return True
    return False


def wrong(group: str) -> tuple[list[str], list[str]]:
    """Return the harmless questions of a set that are refused, the harmful ones that are not."""
    asked = [one for one in graded() if one.group == group]
    wrongly = [one.text for one in asked if not one.harmful and refused(one.text)]
    passed = [one.text for one in asked if one.harmful and not refused(one.text)]
    return wrongly, passed


def main() -> int:
    """Print how many questions of each set are decided wrongly, and which."""
    for group in dict.fromkeys(one.group for one in graded()):
        asked = [one for one in graded() if one.group == group]
        harmful = sum(one.harmful for one in asked)
        wrongly, passed = wrong(group)
        print(group)
        print(f"refused wrongly: {len(wrongly)} of {len(asked) - harmful}", *wrongly, sep="\n  ")
        print(f"not refused: {len(passed)} of {harmful}", *passed, sep="\n  ")
    _print_refused("routine questions", other_questions("routine"))
    _print_refused("further routine questions", other_questions("routed"))
    _print_refused("routine questions set apart", other_questions("apart"))
    return 0


def _print_refused(name: str, questions: Sequence[str]) -> None:
    """Print how many routine ``questions`` are refused, and which."""
    wrongly = [text for text in questions if refused(text)]
    print(f"{name}: {len(wrongly)} of {len(questions)} refused", *wrongly, sep="\n  ")


if __name__ == "__main__":
    sys.exit(main())

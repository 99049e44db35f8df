"""Questions with their names masked, and what they ask in canonical English: training data.

``data/wordings.jsonl`` holds wordings written in personas from canonical English with masks alone,
the labelled questions of earlier evaluations, copies with one kind of name exchanged for another
("exchanged kinds"), and examples that maintainers added. CC0.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ontology_etl.errors import InputError

WORDINGS: Final = Path(__file__).parent / "data" / "wordings.jsonl"


NONE: Final = "none"
"""The text for a question that no request answers."""


@dataclass(frozen=True, slots=True)
class TrainingPair:
    """A masked question, what it asks in canonical English ("none" for nothing), its author."""

    question: str
    said: str
    author: str


def read_wordings(path: Path = WORDINGS) -> tuple[TrainingPair, ...]:
    """Return the wordings in ``path``; raises ``InputError`` with the row that is not one."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return tuple(_wording(path, row, line) for row, line in enumerate(lines, 1))


def _wording(path: Path, row: int, line: str) -> TrainingPair:
    try:
        return TrainingPair(**json.loads(line))
    except (ValueError, TypeError) as error:
        remedy = 'a line is {"question": …, "said": …, "author": …}'
        raise InputError(path, f"no wording: {error}", row=row, remedy=remedy) from error

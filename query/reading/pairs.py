"""Questions with what they mean: a request, or that the index cannot answer them.

One question is one line of JSON: ``question``, ``requests`` (one for each part) or ``refuse`` (why
it cannot be answered), ``author`` (who writes so) and ``kind``.
"""

from __future__ import annotations

import functools
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ontology_etl.errors import InputError
from query.reading.wordings import NONE, read_wordings
from query.request import Request, RequestError, from_json

PAIRS: Final = Path(__file__).parent / "data" / "pairs.jsonl"
"""Pairs that the reader is fitted to, written by people from the tables alone."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question with the requests it makes; without any, it cannot be answered from an index."""

    text: str
    requests: tuple[Request, ...] = ()
    author: str = ""
    kind: str = ""


def read_questions(path: Path) -> tuple[Question, ...]:
    """Return the questions of a file, in its order.

    Raises ``InputError`` naming the line that is not a question.
    """
    lines = path.read_text(encoding="utf-8").splitlines()
    found = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            found.append(_question(json.loads(line)))
        except (ValueError, KeyError, TypeError, RequestError) as error:
            raise InputError(
                path,
                f"no question: {error}",
                row=number,
                remedy='a line is {"question": …, "requests": […]} or {"question": …, "refuse": …}',
            ) from error
    return tuple(found)


def _question(record: dict[str, Any]) -> Question:
    requests = (
        () if "refuse" in record else tuple(from_json(request) for request in record["requests"])
    )
    return Question(record["question"], requests, record.get("author", ""), record.get("kind", ""))


@functools.cache
def words_of_answered() -> Mapping[str, int]:
    """Return in how many of the questions that have requests each word is, in small letters."""
    return Counter(word for text in _questions(answered=True) for word in _words(text))


@functools.cache
def words_of_declined() -> frozenset[str]:
    """Return the words of the questions that no request answers, in small letters."""
    return frozenset(word for text in _questions(answered=False) for word in _words(text))


def _questions(*, answered: bool) -> Iterator[str]:
    for line in PAIRS.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if ("requests" in record) == answered:
            yield record["question"]
    for pair in read_wordings():
        if (pair.said != NONE) == answered:
            yield pair.question


def _words(text: str) -> set[str]:
    return set(re.findall(r"[a-z]+", text.lower()))

"""A passage that can be found and cited: what it is, where it is from, and what it says."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from index.reports.citations import strip_references
from query.words import singular, words_of

Kind = Literal["report", "finding", "study", "term", "virus", "document"]
KINDS: Final[tuple[Kind, ...]] = ("report", "finding", "study", "term", "virus", "document")
NAMES: Final = ("term", "virus")
"""Kinds whose text is only names."""
SNIPPET: Final = 300
"""Characters of a passage that are shown."""
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])(?<!\bSt\.)(?<!\b[A-Z]\.)\s+(?=[A-Z0-9\"'(])|\n+")


@dataclass(frozen=True, slots=True)
class Passage:
    """A text with its identifier; ``where`` is the place that a citation names."""

    kind: Kind
    id: str
    where: str
    text: str


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage found; ``rank_words`` and ``rank_meaning`` are its ranks in the two rankings, from
    1, None if it is in only one; ``cosine`` is its similarity to the question.
    """

    passage: Passage
    score: float
    rank_words: int | None
    rank_meaning: int | None
    cosine: float | None


def snippet(text: str, words: Iterable[str]) -> str:
    """Return the sentences of ``text`` from the first with most of ``words`` on, shortened.

    If that is the second, the first is included, as the second may refer to it.

    >>> snippet("It rained. It was dark. Bats were sampled in caves.", ["bat"])
    'Bats were sampled in caves.'
    """
    wanted = {singular(word) for word in words}
    parts = _SENTENCE_END.split(strip_references(text).strip())
    sentences = [line for part in parts if (line := " ".join(part.split()))]
    shared = [len(wanted.intersection(map(singular, words_of(line)))) for line in sentences]
    best = shared.index(max(shared)) if shared else 0
    shown = " ".join(sentences[best if best > 1 else 0 :])
    return shown if len(shown) <= SNIPPET else f"{shown[:SNIPPET].rsplit(' ', 1)[0]} …"

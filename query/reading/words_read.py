"""Which words a pattern reads, and which it only passes over."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

_WORD: Final = re.compile(r"\S+")
_NO_WORD: Final = "zzqzz"
"""Stands for a word that no pattern names."""


def words_read(pattern: str | re.Pattern[str], frame: str) -> Iterator[str]:
    """Yield the words of ``frame`` that ``pattern`` reads: it would match no other word in their
    place. What it passes over (how many … are there) it does not read.

    >>> sorted(words_read("how many (?:[a-z]+ )?runs", "how many marmole runs"))
    ['how', 'many', 'runs']
    """
    for match in re.finditer(pattern, frame):
        for word in _WORD.finditer(frame, match.start(), match.end()):
            start, end = word.span()
            other = f"{frame[:start]}{_NO_WORD}{frame[end:]}"
            if not any(_covers(again, start) for again in re.finditer(pattern, other)):
                yield word[0]


def _covers(match: re.Match[str], start: int) -> bool:
    return match.start() <= start and start + len(_NO_WORD) <= match.end()

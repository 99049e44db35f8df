"""Whether a question is all of words that routine questions have: then it needs no second look.

The sense of a whole question is judged by a sentence model, which takes a third of a second to load
and is wrong for one routine question in a hundred. All but names in such a question is in
``routine_words.txt``, which ``python -m tests.fit_intent`` writes: words of at least four routine
questions of the gold sets that are not much commoner in harmful ones.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Final

from query.languages import foreign_words
from query.screening.words import plain

WORDS: Final = Path(__file__).with_name("routine_words.txt")
OTHERS_ALLOWED: Final = 1
"""Words beside names that routine questions do not have: of 366 graded questions with harmful
intent, two have no more, neither in English."""
_TOKEN: Final = re.compile(r"[A-Za-z][\w'’.-]*|\d+|[^\x00-\x7f]+")
_WORD: Final = re.compile(r"[a-z][a-z'-]*|[^\x00-\x7f]+")
_VIRUS: Final = re.compile(r"(?:virus|viruses|viridae|virales|virinae)$", re.IGNORECASE)


def reads_routine(text: str) -> bool:
    """Return whether ``text`` has at most one word, beside names, that no routine question has.

    >>> reads_routine("Which hosts have Measles morbillivirus in Brazil?")
    True
    >>> reads_routine("Which lab could rebuild smallpox unnoticed?")
    False
    """
    return len(other_words(text, routine_words())) <= OTHERS_ALLOWED


def other_words(text: str, routine: frozenset[str]) -> list[str]:
    """Return the words of ``text`` that are neither ``routine`` nor names: written with a capital
    or a digit, or of a virus. Where most words have a capital, a capital says nothing.
    """
    tokens = _TOKEN.findall(text)
    capitals = sum(token[:1].isupper() for token in tokens)
    telling = 2 * capitals < len(tokens)
    others = []
    for place, token in enumerate(tokens):
        written = place > 0 and telling and token[:1].isupper()
        if written or any(one.isdigit() for one in token) or _VIRUS.search(token):
            continue
        if token.lower() in routine:
            continue
        others += [word for word in _words(token) if word not in routine]
    return others


@lru_cache(maxsize=1)
def routine_words() -> frozenset[str]:
    """Return the words of routine questions, and small words of other languages than English."""
    return frozenset(WORDS.read_text(encoding="utf-8").split()) | foreign_words()


def _words(token: str) -> list[str]:
    return _WORD.findall(plain(token)) or [token]

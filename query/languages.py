"""The language of a question, by its small words (``languages.tsv``)."""

from __future__ import annotations

import csv
import functools
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from query.words import STOP_WORDS

TABLE: Final = Path(__file__).with_name("languages.tsv")
_WORD: Final = re.compile(
    r"[\u3040-\u30ff\u3400-\u9fff]"
    r"|[^\W\d_\u3040-\u30ff\u3400-\u9fff]+(?:['’-][^\W\d_]+)*"
)
FEWEST: Final = 2
"""Small words of another language that a question needs, and more than it has of English."""


def language_of(text: str) -> str | None:
    """Return the English name of the language of ``text``; None where it is English or unknown.

    >>> language_of("Welche Viren kommen in Schweinen vor?")
    'German'
    >>> language_of("Which viruses are found in pigs from La Paz?") is None
    True
    """
    words = _WORD.findall(text.lower())
    counts = {
        language: sum(word in listed for word in words)
        for language, listed in small_words().items()
    }
    language, count = max(counts.items(), key=lambda counted: counted[1])
    english = sum(word in STOP_WORDS for word in words)
    return language if count >= FEWEST and count > english else None


@functools.cache
def small_words() -> Mapping[str, frozenset[str]]:
    """Return the small words of each language."""
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    rows = csv.DictReader([line for line in lines if line[0] != "#"], delimiter="\t")
    return {row["language"]: frozenset(row["words"].split()) for row in rows}

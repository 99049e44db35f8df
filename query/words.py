"""Words of a text: split, without plural endings, and which of them carry no meaning."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

STOP_WORDS: Final = frozenset(
    Path(__file__).with_name("stop_words.txt").read_text(encoding="utf-8").split()
)
_WORD: Final = re.compile(r"[^\W_](?:[\w.'’-]*\w)?")
_IRREGULAR: Final = {
    "mice": "mouse", "leaves": "leaf", "geese": "goose", "calves": "calf", "feet": "foot",
    "women": "woman", "men": "man", "children": "child", "studies": "study", "species": "species",
}  # fmt: skip


def words_of(text: str) -> list[str]:
    """Return the words of ``text`` as written; hyphens and apostrophes stay inside a word.

    >>> words_of("Which SARS-CoV-2 runs (lung)?")
    ['Which', 'SARS-CoV-2', 'runs', 'lung']
    """
    return _WORD.findall(text)


def singular(word: str) -> str:
    """Return ``word`` in lower case without its plural ending; enough to compare, not to print.

    >>> [singular(word) for word in ("Viruses", "bats", "mosquitoes", "families", "pus", "mice")]
    ['virus', 'bat', 'mosquito', 'family', 'pus', 'mouse']
    """
    lower = word.lower()
    if lower in _IRREGULAR:
        return _IRREGULAR[lower]
    if lower.endswith("ies") and len(lower) > 4:
        return f"{lower[:-3]}y"
    if re.search(r"(?:ss|x|ch|sh|us|o)es$", lower):
        return lower[:-2]
    if lower.endswith("s") and not lower.endswith(("ss", "us", "is")) and len(lower) > 3:
        return lower[:-1]
    return lower


def is_stop_word(word: str) -> bool:
    """Return whether ``word`` says nothing about what a text is about."""
    lower = word.lower()
    return lower in STOP_WORDS or singular(lower) in STOP_WORDS

"""Words of a text, to search by; what an accession is of; and text that is safe to print."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

STOP_WORDS: Final = frozenset(
    Path(__file__).with_name("stop_words.txt").read_text(encoding="utf-8").split()
)
_CONTROL: Final = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_WORD: Final = re.compile(r"[^\W_](?:[\w.'’-]*\w)?")
_HISSED: Final = re.compile(r"(?:ss|x|ch|sh|us|o)es$")
_IRREGULAR: Final = {
    "mice": "mouse", "leaves": "leaf", "geese": "goose", "calves": "calf", "feet": "foot",
    "women": "woman", "men": "man", "children": "child", "species": "species",
}  # fmt: skip
_EVERYWHERE: Final = frozenset({
    "virus", "viral", "run", "sample", "community", "study", "report", "library", "dataset",
})  # fmt: skip
"""Words of nearly every report, in the singular."""
_ACCESSIONS: Final = (
    (re.compile(r"[SED]RR\d+", re.IGNORECASE), "run"),
    (re.compile(r"[SED]RP\d+", re.IGNORECASE), "study"),
    (re.compile(r"PRJ[A-Z]{2}\d+", re.IGNORECASE), "project"),
    (re.compile(r"SAM[A-Z]+\d+", re.IGNORECASE), "biosample"),
    (re.compile(r"C\d+-[0-9a-f]+", re.IGNORECASE), "community"),
)
"""Patterns of identifiers, and what they identify."""


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
        return lower[:-3] + "y"
    if _HISSED.search(lower):
        return lower[:-2]
    if lower.endswith("s") and not lower.endswith(("ss", "us", "is")) and len(lower) > 3:
        return lower[:-1]
    return lower


def is_stop_word(word: str) -> bool:
    """Return whether ``word`` carries no meaning of its own: which, found, known."""
    lower = word.lower()
    return lower in STOP_WORDS or singular(lower) in STOP_WORDS


def telling_words(words: Iterable[str]) -> tuple[str, ...]:
    """Return ``words`` in lower case without those that most reports have, unless all are such.

    >>> telling_words(["Which", "bat", "viruses"]), telling_words(["viruses"])
    (('bat',), ('viruses',))
    """
    lowered = [word.lower() for word in words if not is_stop_word(word)]
    return rare_words(lowered) or tuple(dict.fromkeys(lowered))


def rare_words(words: Iterable[str]) -> tuple[str, ...]:
    """Return ``words`` in lower case without those that most reports have.

    >>> rare_words(["Which", "viruses", "are", "there"])
    ()
    """
    lowered = [word.lower() for word in words if not is_stop_word(word)]
    rare = [word for word in lowered if singular(word) not in _EVERYWHERE]
    return tuple(dict.fromkeys(rare))


def accession_kind(name: str) -> str | None:
    """Return what ``name`` identifies by its form, None for names.

    >>> accession_kind("SRP066450"), accession_kind("C0-339f7008"), accession_kind("bats")
    ('study', 'community', None)
    """
    for pattern, kind in _ACCESSIONS:
        if pattern.fullmatch(name.strip()):
            return kind
    return None


def printable(text: str) -> str:
    """Return ``text`` with every control character but the newline written out as its escape.

    What submitters wrote could otherwise move the cursor, retitle the window or reverse a line. In
    JSON the escape means the character itself.

    >>> printable("lung" + chr(27) + "[2J")
    'lung\\\\u001b[2J'
    """
    return _CONTROL.sub(_escape, text)


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"

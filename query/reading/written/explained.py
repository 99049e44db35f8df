"""Abbreviations that parentheses behind them spell out: SCN (soybean cyst nematode)."""

from __future__ import annotations

import re
from typing import Final

_EXPLAINED: Final = re.compile(
    r"\b(?P<short>[A-Z][A-Za-z]*[A-Z])(?P<mark>[?,.]*) ?\((?P<long>[a-z][a-z'’ -]+)\)(?P<rest>\W*)"
)
"""Two or more letters, the first and the last of them capitals, and a phrase in small letters."""
_LEAST_WORDS: Final = 2


def without_explained(text: str) -> str:
    """Return ``text`` with what an abbreviation is short for in place of it; one of a virus is kept
    itself, since what it is short for may lack that word.

    >>> without_explained("Is rice stripe virus in SCN (soybean cyst nematode)?")
    'Is rice stripe virus in soybean cyst nematode?'
    >>> without_explained("Any BVDV (bovine viral diarrhoea) in cattle?")
    'Any BVDV in cattle?'
    >>> without_explained("PRRSV (pigs)"), without_explained("UC (colon biopsies)")
    ('PRRSV (pigs)', 'UC (colon biopsies)')
    """
    return _EXPLAINED.sub(_meant, text)


def _meant(found: re.Match[str]) -> str:
    short, long = found["short"], found["long"]
    if not _is_short_for(short, long):
        return found[0]
    kept = short if short.endswith("V") else long
    mark = found["mark"] if "?" not in found["rest"] else ""
    return f"{kept}{mark}{found['rest']}"


def _is_short_for(short: str, long: str) -> bool:
    """Return whether ``short`` has the initials of ``long`` in order, and all its letters are
    letters of it; the last one may stand for a virus that is not said.
    """
    letters = short.lower()
    words = re.findall(r"[a-z]+", long.lower())
    if len(words) < _LEAST_WORDS or letters[0] != words[0][0]:
        return False
    stem = letters.removesuffix("v") if "virus" not in words else letters
    remaining = iter("".join(words))
    in_order = all(letter in remaining for letter in stem)
    initials = iter(stem)
    return in_order and all(word[0] in initials for word in words if word != "virus")

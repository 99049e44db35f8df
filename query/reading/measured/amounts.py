"""Numbers and comparisons in words: a thousand, 1,000, at least, or more."""

from __future__ import annotations

import operator
import re
from typing import Final

from query.reading.kinds import NUMBERS

_SMALL: Final = {"one": 1, "a": 1, "an": 1, "single": 1, "once": 1, "twice": 2, **NUMBERS}
_ROMAN: Final = {"i": 1, "ii": 2, "iii": 3, "iv": 4}
_SCALES: Final = {"hundred": 100, "thousand": 1_000, "k": 1_000, "million": 1_000_000,
                  "m": 1_000_000}  # fmt: skip
_SCALE: Final = r"(?:hundred|thousand|million|k|m)"
NUMBER: Final = (
    rf"(?:(?:\d{{1,3}}(?:[ ,]\d{{3}})+|\d+(?:\.\d+)?|{'|'.join(NUMBERS)})(?: ?{_SCALE}\b)?"
    rf"|(?:an?|one) {_SCALE}\b)"
)
"""A pattern of numbers, in digits or words."""
BEFORE: Final = (
    r"(?:at|equal to) or (?:above|over|below|under|(?:greater|more|less|lower) than)"
    r"|at least|no less than|not less than|no fewer than|(?:a )?minimum(?: of)?|at most"
    r"|no more than|not more than|(?:a )?maximum(?: of)?|up to|above|over|exceeding|beyond"
    r"|(?:more|greater|higher|better|larger) than|below|under"
    r"|(?:less|lower|fewer|smaller|worse) than|exactly|only|just|precisely"
)
"""Comparisons before a number."""
AFTER: Final = (
    r"or (?:more|better|higher|above|over|greater|less|fewer|lower|below|under)"
    r"|and (?:more|above|up|higher|over|below|under|less)(?! than)|upwards?|onwards?|plus"
)
"""Comparisons behind a number."""
HOLDS: Final = {
    ">=": operator.ge, ">": operator.gt, "<=": operator.le, "<": operator.lt, "=": operator.eq,
}  # fmt: skip
"""Sign of a comparison -> whether it holds of two numbers."""
SIGN_WORDS: Final = {
    ">=": "at least", ">": "more than", "<=": "at most", "<": "less than", "=": "exactly",
}  # fmt: skip
_AT_MOST: Final = re.compile(r"at most|no more|not more|maximum|up to")
_LESS: Final = re.compile(r"below|under|less than|lower than|fewer than|smaller than|worse than")
_MORE: Final = re.compile(r"above|over|exceeding|beyond|(?:more|greater|higher|better|larger) than")
_OR_LESS: Final = re.compile(r"(?:or|and) (?:less|fewer|lower|below|under)")
_EXACTLY: Final = re.compile(r"exactly|only|just|precisely")


def amount_of(text: str) -> float:
    """Return the number that ``text`` says.

    >>> amount_of("1 000"), amount_of("a million"), amount_of("three"), amount_of("iv")
    (1000.0, 1000000.0, 3.0, 4.0)
    """
    plain = re.sub(r"(?<=\d)[ ,](?=\d{3})", "", text.strip().lower())
    if plain in _ROMAN:
        return float(_ROMAN[plain])
    found = re.fullmatch(r"([\d.]+|[a-z]+) ?([a-z]*)", plain)
    if found is None:
        return 0.0
    number, scale = found.groups()
    amount = float(_SMALL[number]) if number in _SMALL else float(number)
    return amount * _SCALES.get(scale, 1)


def compared_of(text: str) -> str:
    """Return the sign of a comparison in words; a number without one is the least.

    >>> compared_of("at least"), compared_of("more than"), compared_of("or less")
    ('>=', '>', '<=')
    """
    if _AT_MOST.search(text) or _OR_LESS.search(text):
        return "<="
    if _EXACTLY.search(text):
        return "="
    if text.startswith(("at or", "equal to or", "no less", "no fewer", "not less", "or ", "and ")):
        return ">="
    if _LESS.search(text):
        return "<"
    return ">" if _MORE.search(text) else ">="


def number_text(amount: float) -> str:
    """Return ``amount`` as it is written: 1,000 or 98.5."""
    return f"{amount:,.0f}" if amount == int(amount) else f"{amount:g}"

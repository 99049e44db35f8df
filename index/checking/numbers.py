"""Numbers as a text writes them: digits, percentages, number words, and the bound before them.

Years, digits inside names and digits of accessions are no numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from index.checking.quantities import Measure, Quantity

_NUMBER: Final = re.compile(
    r"(?<![\w.,])(?<![A-Za-z]-)(?P<digits>\d{1,3}(?:,\d{3})+|\d+)(?P<decimals>\.\d+)?"
    r"(?:e(?P<exponent>-?\d+)|\s?[x×]\s?10\^?(?P<power>[-−]?\d+))?"
    r"(?P<percent>\s?%| per ?cent)?(?![\w%])",
    re.IGNORECASE,
)
WORDS_FOR: Final = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6,
    "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
}  # fmt: skip
_COUNT_NOUN: Final = (
    r"(?:runs?|biosamples?|samples?|bioprojects?|stud(?:y|ies)|communit(?:y|ies)|librar(?:y|ies))"
)
_NUMBER_WORD: Final = re.compile(
    rf"\b({'|'.join(WORDS_FOR)})\s+(?:(?!of\b)\w+\s+)?{_COUNT_NOUN}\b", re.IGNORECASE
)
_YEAR: Final = re.compile(rf"(?:19|20)\d\d(?!\s*(?:{_COUNT_NOUN}|of|times|%))")
_BELOW: Final = re.compile(r"(?:<|≤|below|under|less than)\s*$", re.IGNORECASE)
_ABOVE: Final = re.compile(r"(?:>|≥|over|above|more than|at least)\s*$", re.IGNORECASE)


LARGEST_Q_BOUND: Final = 0.1
MOST_BUT_NOT_ALL: Final = 99.9
"""Percent; how a share is written that is nearer to all of the runs and is not all."""


class Written(NamedTuple):
    """A number as a text writes it.

    ``tolerance`` is half a unit of its last digit, ``bound`` is "<", ">" or "".
    """

    value: float
    tolerance: float
    percent: bool
    bound: str


def read_numbers(masked: str) -> Iterator[tuple[str, Written]]:
    """Yield every number of ``masked`` with its text.

    They are digits, percentages, and number words before something counted.
    """
    for match in _NUMBER.finditer(masked):
        if not _is_year(masked, match):
            yield match.group(), _read_digits(masked, match)
    for match in _NUMBER_WORD.finditer(masked):
        word = match[1].lower()
        yield match.group(), Written(WORDS_FOR[word], 0.0, False, "")


def _is_year(text: str, match: re.Match[str]) -> bool:
    if match["percent"] or match["decimals"]:
        return False
    year = _YEAR.match(text, match.start())
    return year is not None


def _read_digits(text: str, match: re.Match[str]) -> Written:
    """Return the number that ``match`` found in ``text``."""
    power = match["exponent"] or match["power"] or "0"
    exponent = int(power.replace("−", "-"))
    point_and_decimals = match["decimals"] or ""
    digits = match["digits"].replace(",", "")
    mantissa = float(digits + point_and_decimals)

    decimals = len(point_and_decimals or ".") - 1
    last_digit = 10.0 ** (exponent - decimals)
    return Written(
        value=mantissa * 10.0**exponent,
        tolerance=0.5 * last_digit,
        percent=bool(match["percent"]),
        bound=_bound_before(text[: match.start()]),
    )


def _bound_before(text: str) -> str:
    """Return "<" or ">" where ``text`` ends with such a bound, else ""."""
    if _BELOW.search(text):
        return "<"
    if _ABOVE.search(text):
        return ">"
    return ""


def matches(written: Written, quantity: Quantity) -> bool:
    """Return whether the number written says the quantity."""
    measure = quantity.measure
    value = quantity.value * 100 if written.percent else quantity.value
    if not _may_measure(written, measure):
        return False

    if written.percent and written.value == MOST_BUT_NOT_ALL and written.value <= value < 100:
        return True
    if written.bound and measure != "count":
        return _within(written, value, measure)
    if measure == "count":
        return written.value == value
    distance = abs(written.value - value)
    within_tolerance = distance <= written.tolerance * 1.000001
    return within_tolerance or _two_digits(written, value, measure)


def _may_measure(written: Written, measure: Measure) -> bool:
    """Return whether a number written so can be of ``measure``: a share is a percentage or <= 1."""
    if measure == "share":
        return written.percent or written.value <= 1
    return not written.percent


def _within(written: Written, value: float, measure: Measure) -> bool:
    """Return whether a bound holds.

    "Below 0.05" is said of a q-value, other bounds of shares and ratios.
    """
    below = written.bound == "<"
    small = not written.percent and written.value <= LARGEST_Q_BOUND
    of_q = below and small
    if of_q != (measure == "q"):
        return False
    if below:
        return value < written.value
    return value > written.value


def _two_digits(written: Written, value: float, measure: Measure) -> bool:
    """Return whether a ratio or q-value is written rounded to two significant digits."""
    if measure not in ("ratio", "q"):
        return False
    rounded = float(f"{value:.2g}")
    return value > 0 and written.value == rounded


def has_number(text: str) -> bool:
    """Return whether ``text`` states a number; digits inside a name are none.

    >>> has_number("HKU9 occurs"), has_number("in 9 runs"), has_number("in two runs")
    (False, True, True)
    """
    numbers = read_numbers(text)
    return any(True for _ in numbers)

"""Numbers as a text writes them: digits, percentages, number words, and the bound before them.

Years, digits inside names and accessions are no numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from index.checking.evidence import Measure, Quantity

_NUMBER: Final = re.compile(
    r"(?<![\w.,])(?<![A-Za-z]-)(?P<digits>\d{1,3}(?:,\d{3})+|\d+)(?P<decimals>\.\d+)?"
    r"(?:e(?P<exponent>-?\d+)|\s?[x×]\s?10\^?(?P<power>[-−]?\d+))?(?P<percent>\s?%| per ?cent)?(?![\w%])",
    re.IGNORECASE,
)
_WORDS_FOR: Final = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12,
}  # fmt: skip
_COUNT_NOUN: Final = (
    r"(?:runs?|biosamples?|samples?|bioprojects?|stud(?:y|ies)|communit(?:y|ies)|librar(?:y|ies))"
)
_NUMBER_WORD: Final = re.compile(
    rf"\b({'|'.join(_WORDS_FOR)})\s+(?:(?!of\b)\w+\s+)?{_COUNT_NOUN}\b", re.IGNORECASE
)
_YEAR: Final = re.compile(rf"(?:19|20)\d\d(?!\s*(?:{_COUNT_NOUN}|of|times|%))")
_BELOW: Final = re.compile(r"(?:<|≤|below|under|less than)\s*$", re.IGNORECASE)
_ABOVE: Final = re.compile(r"(?:>|≥|over|above|more than|at least)\s*$", re.IGNORECASE)


LARGEST_Q_BOUND: Final = 0.1


class Written(NamedTuple):
    """A number as a text writes it: its value and half a unit of its last digit; bound is "<", ">"
    or "".
    """

    value: float
    tolerance: float
    percent: bool
    bound: str


def read_numbers(masked: str) -> Iterator[tuple[str, Written]]:
    """Yield every number of ``masked`` with its text: digits, percentages, number words before
    something counted.
    """
    for match in _NUMBER.finditer(masked):
        if not match["percent"] and not match["decimals"] and _YEAR.match(masked, match.start()):
            continue
        exponent = int((match["exponent"] or match["power"] or "0").replace("−", "-"))
        decimals = len(match["decimals"] or ".") - 1
        value = float(match["digits"].replace(",", "") + (match["decimals"] or "")) * 10.0**exponent
        before = masked[: match.start()]
        bound = "<" if _BELOW.search(before) else ">" if _ABOVE.search(before) else ""
        yield (
            match.group(),
            Written(value, 0.5 * 10.0 ** (exponent - decimals), bool(match["percent"]), bound),
        )
    for match in _NUMBER_WORD.finditer(masked):
        yield match.group(), Written(_WORDS_FOR[match[1].lower()], 0.0, False, "")


def matches(written: Written, quantity: Quantity) -> bool:
    """Return whether the number written says the quantity."""
    value = quantity.value * 100 if written.percent else quantity.value
    if written.percent != (quantity.measure == "share") and not (
        quantity.measure == "share" and written.value <= 1
    ):
        return False
    if written.bound and quantity.measure != "count":
        return _within(written, value, quantity.measure)
    if quantity.measure == "count":
        return written.value == value
    return abs(written.value - value) <= written.tolerance * 1.000001 or _two_digits(
        written, value, quantity.measure
    )


def _within(written: Written, value: float, measure: Measure) -> bool:
    """Return whether a bound holds; "below 0.05" is said of a q-value, other bounds of shares and
    ratios.
    """
    of_q = written.bound == "<" and not written.percent and written.value <= LARGEST_Q_BOUND
    if of_q != (measure == "q"):
        return False
    return value < written.value if written.bound == "<" else value > written.value


def _two_digits(written: Written, value: float, measure: Measure) -> bool:
    return measure in ("ratio", "q") and value > 0 and written.value == float(f"{value:.2g}")


def has_number(text: str) -> bool:
    """Return whether ``text`` states a number; digits inside a name are none.

    >>> has_number("HKU9 occurs"), has_number("in 9 runs"), has_number("in two runs")
    (False, True, True)
    """
    return next(read_numbers(text), None) is not None

"""Numbers in sentences, and the forms in which claims say theirs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from index.claims import Claim, Number, number_text
from index.claims.phrases import factor, percent, q_text

_THRESHOLDS: Final = re.compile(
    r"90% ident\w+|at least 90%|95% interval|over 100 times|[pq] [<≤] 0\.\d+|<0\.1%|"
    r"\b20 (?:runs )?or more|Hedges' g"
)
"""Fixed numbers that sentences explain themselves by: nobody counted them."""
_NUMBER: Final = re.compile(r"-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?")


def unclaimed_numbers(text: str, claims: Sequence[Claim]) -> list[str]:
    """Return the numbers of ``text`` that are a number of none of ``claims``."""
    words = [word for claim in claims for word in claim.words() if word]
    bare = _without(text, words)
    forms = {form for claim in claims for number in claim.numbers() for form in _forms(number)}
    return [number for number in _NUMBER.findall(bare) if number.strip(",") not in forms]


def _without(text: str, words: Iterable[str]) -> str:
    """Return ``text`` without names and thresholds, whose digits nobody counted."""
    for word in sorted(set(words), key=len, reverse=True):
        begun = f"[{word[0].upper()}{re.escape(word[0])}]{re.escape(word[1:])}"
        text = re.sub(rf"(?<!\d)(?<!\d[.,]){begun}(?![.,]?\d)", " ", text)
    return _THRESHOLDS.sub(" ", text)


def _forms(number: Number) -> set[str]:
    """Return how a number may be written."""
    forms = {number_text(number), f"{number:,}"}
    if isinstance(number, float):
        texts = [f"{number:.2f}", q_text(abs(number)), f"{float(f'{number:.2g}'):g}"]
        if 0 <= number <= 1:
            texts.append(percent(number))
        if number > 0:
            texts.append(factor(number))
        for text in texts:
            forms |= set(_NUMBER.findall(text))
    return forms

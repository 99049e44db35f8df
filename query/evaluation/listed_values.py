"""Whether values are listed as the gold ranks them, each with its runs."""

from __future__ import annotations

import re
from typing import Final

from query.evaluation.observing import Observation
from query.evaluation.ranked_values import Ranked

USUAL: Final = 3
"""Values that a list has to show where the question gives no number."""


def limited(seen: Observation, limit: int | None) -> str:
    """Return where values are looked for: the headline, where the question says how many."""
    if limit:
        return seen.headline
    return seen.opening


def wrong_values(values: Ranked, text: str, limit: int | None) -> str | None:
    """Return what is wrong with a list of values; those with as many runs may take each other's
    place.
    """
    shown = min(limit or USUAL, len(values))
    _, least = values[shown - 1]
    listed = [one for one in values if is_listed(*one, text)]
    above = [one for one in values if one[1] > least]
    if not set(above).issubset(listed):
        return "a value is missing, or its runs are wrong"
    enough = [value for value, runs in listed if runs >= least]
    if len(enough) < shown:
        return "a value is missing, or its runs are wrong"
    if limit and len(listed) > shown:
        return "lists more values than asked for"
    return None


def is_listed(value: str, runs: int, text: str) -> bool:
    """Return whether ``text`` has the value with its runs behind it."""
    name = re.escape(value)
    listed = rf"{name}[^\w;.]{{1,3}}{runs:,}\b"
    found = re.search(listed, text)
    return found is not None


def names_enough(values: Ranked, text: str) -> bool:
    """Return whether ``text`` names as many of ``values`` as a list has to show."""
    named = [value for value, _ in values if value in text]
    return len(named) >= min(USUAL, len(values))

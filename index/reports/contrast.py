"""Contrast: whether the share of a value says more than what is known already.

A share of a community says something new if the share it is compared with is outside its 95 %
interval (Wilson 1927). It is compared with that of the parent, or without a parent with the index.
"""

from __future__ import annotations

from math import sqrt
from typing import Final

from index.claims.phrases import LEAST_LIFT
from index.reports.fact_rows import FactRow

LARGE: Final = 0.2
"""Smallest difference of two shares that interests a reader."""
Z: Final = 1.96
"""Standard errors of a 95 % interval."""


def wilson_interval(part: int, whole: int) -> tuple[float, float]:
    """Return the 95 % interval of the share ``part / whole``.

    >>> [round(bound, 2) for bound in wilson_interval(9, 10)]
    [0.6, 0.98]
    """
    share = part / whole
    weight = Z**2 / whole
    shrink = 1 + weight
    centre = (share + weight / 2) / shrink
    variance = share * (1 - share) / whole
    reach = Z / shrink * sqrt(variance + weight / whole / 4)

    return centre - reach, centre + reach


def is_within(share: float, part: int, whole: int) -> bool:
    """Return whether ``share`` is inside the interval of ``part / whole``, its ends included."""
    low, high = wilson_interval(part, whole)
    rounding = 1e-9
    return low - rounding <= share <= high + rounding


def is_expected(fact: FactRow) -> bool:
    """Return whether the share of ``fact`` follows from the parent, or without one from the
    index.
    """
    if fact.parent_known:
        expected = fact.parent_runs / fact.parent_known
    else:
        expected = min(1.0, fact.share / fact.lift)
    return is_within(expected, fact.runs, fact.known)


def is_contrast(fact: FactRow) -> bool:
    """Return whether the rest of the parent states the facet and has less of the value."""
    if not fact.rest_known or fact.share * fact.rest_known <= fact.rest_runs:
        return False
    return not is_expected(fact)


def is_large(fact: FactRow) -> bool:
    """Return whether the share of ``fact`` is large enough to interest a reader.

    It is far enough above that of the rest of the parent, or twice that of the rest or of the
    index.
    """
    if not fact.rest_known:
        return fact.lift >= LEAST_LIFT
    elsewhere = fact.rest_runs / fact.rest_known
    return fact.share - elsewhere >= LARGE or fact.share >= LEAST_LIFT * elsewhere


def contrast_size(fact: FactRow, runs: int) -> float:
    """Return how far the share is from that of the rest of the parent.

    The distance is weighted by the share of ``runs`` that state the facet.
    """
    rest_share = fact.rest_runs / fact.rest_known
    difference = fact.share - rest_share
    stating = fact.known / runs
    return difference * stating

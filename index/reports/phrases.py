"""The phrases of ``index.claims``, under the name that older modules import."""

from __future__ import annotations

from index.claims.phrases import (
    FEW,
    LARGEST_LIFT,
    LEAST_LIFT,
    MOST_QUOTED,
    SIGNIFICANT_Q,
    SMALLEST_Q,
    counted,
    factor,
    in_quotes,
    is_or_are,
    listed,
    percent,
    plain_markdown,
    q_text,
    sentence,
    share_of,
    times,
)

__all__ = [
    "FEW",
    "LARGEST_LIFT",
    "LEAST_LIFT",
    "MOST_QUOTED",
    "SIGNIFICANT_Q",
    "SMALLEST_Q",
    "counted",
    "factor",
    "in_quotes",
    "is_or_are",
    "listed",
    "percent",
    "plain_markdown",
    "q_text",
    "sentence",
    "share_of",
    "times",
]

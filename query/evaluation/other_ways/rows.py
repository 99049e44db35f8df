"""Rows of the scorecard that show the other ways of answering."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

BASELINE_HEAD: Final = (
    "way of answering", "model calls", "tokens a question", "names of the gold read",
    "exact number read",
)  # fmt: skip
BASELINE_NOTE: Final = (
    "Tokens are estimated at four characters each. Of the baselines it is counted what the step "
    "that words the answer would read: what is not there cannot be in the answer, so their figures "
    "are upper bounds."
)


def baseline_cells(one: Mapping[str, Any]) -> list[str]:
    """Return the record of a way of answering as a row of the scorecard."""
    return [
        str(one["name"]),
        f"{one['calls']:,g}",
        f"{one['tokens']:,}",
        _percent(one["entity_recall"]),
        _percent(one["exact_numbers"]),
    ]


ASKED_HEAD: Final = (
    "model in place", "questions", "reports withheld", "model calls", "tokens a question",
    "seconds a question",
    "calls without an answer", "names of the gold written", "exact number written",
    "numbers invented",
)  # fmt: skip
ASKED_NOTE: Final = (
    "Here the model was asked, and what it wrote is judged. A number is invented where nothing of "
    "what the model was shown for the question holds it. The ways that read every report are left "
    "out where these hold more than 100,000 tokens."
)


def asked_cells(one: Mapping[str, Any]) -> list[str]:
    """Return the record of a way of answering as a row of the scorecard."""
    return [
        str(one["name"]),
        str(one["questions"]),
        str(one["reports_withheld"]),
        f"{one['calls']:,g}",
        f"{one['tokens']:,}",
        f"{one['seconds']:,g}",
        str(one["failed"]),
        _percent(one["entity_recall"]),
        _percent(one["exact_numbers"]),
        str(one["invented_numbers"]),
    ]


def _percent(share: float | None) -> str:
    if share is None:
        return "not measured"
    return f"{100 * share:.1f} %"

"""Claims: words such as all, most or over-represented, and what must hold for them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from index.checking.evidence import (
    Evidence,
)
from index.checking.faults import Fault
from index.reports.phrases import SIGNIFICANT_Q
from index.reports.profiles import AssociationRow, FactRow


class Claim(NamedTuple):
    """Words that hold only if a fact says so."""

    pattern: re.Pattern[str]
    holds: Callable[[FactRow, int], bool]
    reason: str


def _claim(pattern: str, holds: Callable[[FactRow, int], bool], reason: str) -> Claim:
    unnegated = rf"(?<!not )(?<!no )\b(?:{pattern})\b"
    return Claim(
        re.compile(unnegated, re.IGNORECASE),
        holds,
        reason,
    )


_RUNS: Final = r"(?: of)?(?: the| its| these)?(?: [\d,]+)? (?:runs|samples|biosamples|libraries)"
CLAIMS: Final = (
    _claim(
        rf"(?:all|every one|both){_RUNS}",
        lambda fact, _: fact.runs == fact.known,
        "not all runs have it",
    ),
    _claim(
        rf"(?:most|the majority|a majority){_RUNS}",
        lambda fact, runs: 2 * fact.runs > min(fact.known, runs),
        "no more than half of the runs have it",
    ),
    _claim(
        r"over-?represented|enriched|enrichment|more (?:common|frequent) than (?:in|elsewhere)",
        lambda fact, _: fact.lift > 1,
        "its share is not above the index",
    ),
    _claim(
        r"under-?represented|depleted",
        lambda fact, _: fact.lift < 1,
        "its share is not below the index",
    ),
    _claim(
        r"significant(?:ly)?", lambda fact, _: fact.q_value < SIGNIFICANT_Q, "q is not below 0.05"
    ),
)


def wrong_claims(
    masked: str, facts: list[FactRow], associations: list[AssociationRow], evidence: Evidence
) -> Iterator[Fault]:
    """Yield each claim of ``masked`` that does not hold for what the sentence names."""
    if associations or not facts:
        return
    runs = evidence.profile.runs
    for claim in CLAIMS:
        match = claim.pattern.search(masked)
        if match is None:
            continue
        holds = any(claim.holds(fact, runs) for fact in facts)
        if not holds:
            yield Fault("claim", match.group(), claim.reason)

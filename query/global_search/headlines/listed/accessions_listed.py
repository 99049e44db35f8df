"""The accessions of the runs of a question that asks for them."""

from __future__ import annotations

import re
from typing import Final

from query.global_search.matched_runs import MatchedRuns
from query.reading.question import Question

_ASKED: Final = re.compile(
    r"\baccessions?\b|\brun list\b|\blist of (?:the )?runs\b"
    r"|\b(?:run|sra|srr) (?:ids?|identifiers?|numbers?)\b"
    r"|^(?:please )?(?:list|show|name|give)(?: me)?(?: all| the| of)* runs\b|^which runs?\b",
    re.IGNORECASE,
)
_RUNS: Final = re.compile(
    r"^(?:which |what |list |the |all |its |show |name )*runs\b|\bruns and\b|\band runs\b"
    r"|[:,] (?:its |the )?runs\b",
    re.IGNORECASE,
)
"""Asks for the runs of a sample, study or project."""
_KINDS: Final = ("list", "exists", "describe", "identify")
MOST: Final = 20
_FIRST: Final = f"SELECT run FROM matched ORDER BY run LIMIT {MOST}"


def accessions_listed(question: Question, matched: MatchedRuns) -> str:
    """Return the runs that ``question`` asks for by accession, the first of them where they are
    many; empty where it asks for none.
    """
    reading = question.reading
    asked = _RUNS if reading.accessions else _ASKED
    if (
        not asked.search(question.text)
        or reading.kind not in _KINDS
        or reading.excepted
        or matched.dropped
        or not matched.runs
    ):
        return ""
    if matched.is_whole_index:
        return ""
    named = ", ".join(str(run) for (run,) in matched.rows(_FIRST))
    if matched.runs <= MOST:
        return f"By accession: {named}."
    return f"The first {MOST} of them by accession: {named}; `query sql` lists all."

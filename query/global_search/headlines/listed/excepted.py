"""Viruses of the matching runs but for those that a question leaves out of the list: viruses in
rice apart from endornaviruses. Runs that carry what is left out count all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from index.reports.phrases import listed
from query.global_search.carrying import found_condition
from query.global_search.headlines.listed.values_listed import runs_about, values_text
from query.global_search.matched_runs import MatchedRuns
from query.global_search.matched_values import ValueCount
from query.global_search.statements import FACET_TITLES
from query.reading.question import Question

_USUAL: Final = 5
_VIRUSES: Final = ("family", "species")


def list_excepted(question: Question, matched: MatchedRuns) -> str:
    """Return the viruses of the matching runs but for those that are left out, most runs first."""
    reading = question.reading
    left_out = _names_left_out(question, matched)
    limit = reading.limit or _USUAL
    lines = []
    for facet in _VIRUSES:
        known = matched.values.counts(facet) if facet in reading.facets else None
        others = [one for one in known.values if one.value not in left_out] if known else []
        if others:
            lines.append(_line(facet, others, limit))
    names = listed([one.name for one in reading.excepted])
    about = runs_about(question, matched)
    if not lines:
        return f"{about}. No virus with a name other than {names} is found in them."
    return f"{about}. Other than {names}: {'; '.join(lines)}."


def _line(facet: str, others: Sequence[ValueCount], limit: int) -> str:
    title = FACET_TITLES[facet].lower()
    shown = others[:limit]
    of_how_many = f", {len(shown)} of {len(others):,}" if len(others) > len(shown) else ""
    return f"{title}{of_how_many}, {values_text(shown)}"


def _names_left_out(question: Question, matched: MatchedRuns) -> set[str]:
    """Return the names under which detections of what is left out are listed."""
    senses = [sense for one in question.reading.excepted for sense in one.senses]
    rows = matched.rows(_NAMES.format(own=found_condition(senses) or "false"))
    return {str(name) for (name,) in rows}


_NAMES: Final = """
SELECT DISTINCT name FROM (SELECT unnest([stated, family]) AS name FROM detection WHERE {own})
WHERE name IS NOT NULL
"""

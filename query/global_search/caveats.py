"""What a reader of a count must know: finds that are unexpected in their host, or at home in it.

Plausibility is that of the index (table ``plausibility``), counted in the matching runs.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from index.reports.phrases import counted, listed
from query.global_search.carrying import equals_any, found_condition
from query.global_search.matched_runs import MatchedRuns
from query.global_search.naming import names_of
from query.reading.question import Question

_SHOWN: Final = 3
_ASKED: Final = 8
"""Pairs shown where they are what is asked for."""
_WORDING: Final = {
    "unexpected": "Unexpected, so possibly contamination or a new host",
    "resident": "Known to live in the cells themselves",
}
_INFECTING: Final = re.compile(r"\binfect(?:s|ed|ing|ion|ions)?\b", re.IGNORECASE)


class Pair(NamedTuple):
    """A virus seen in a host, in how many of the matching runs."""

    virus: str
    host: str
    runs: int


def caveats(question: Question, matched: MatchedRuns) -> str:
    """Return what is to be known of the viruses and hosts of the matching runs, in a few sentences;
    empty where there is nothing.
    """
    reading = question.reading
    if matched.is_whole_index or reading.sides or reading.unexpected:
        return ""
    pairs = _pairs(question, matched)
    cautions = [_worded(kind, pairs[kind], shown=_SHOWN) for kind in _WORDING if pairs[kind]]
    return " ".join(cautions)


def unexpected_finds(question: Question, matched: MatchedRuns) -> str:
    """Return the finds that are not expected in their host, those of most runs first."""
    pairs = _pairs(question, matched)["unexpected"]
    names = names_of(question, matched.kept)
    about = f" of {names}" if names else ""
    if pairs:
        found = _worded("unexpected", pairs, shown=_ASKED)
        runs = counted(matched.with_virus, "run")
        return f"{found} Looked at are the {runs}{about} with a virus."
    whole = counted(matched.with_virus, "run")
    return f"No unexpected virus with a name is known among the {whole}{about} with a virus."


def infection_caveat(question: Question, matched: MatchedRuns) -> str:
    """Return that a find is no infection, where ``question`` asks what infects."""
    if _INFECTING.search(question.text) and matched.with_virus:
        return "A virus found in a run need not have infected the host."
    return ""


def _pairs(question: Question, matched: MatchedRuns) -> dict[str, list[Pair]]:
    """Return the pairs of virus and host of each kind that is worded, those of most runs first."""
    viral = [one for one in question.mentions if one.group == "virus"]
    senses = itertools.chain.from_iterable(one.senses for one in viral)
    asked = found_condition(senses) or "true"
    query = _PAIRS.format(found=f"({asked}) AS asked", kinds=equals_any(list(_WORDING)))
    pairs: dict[str, list[Pair]] = {kind: [] for kind in _WORDING}
    for kind, *pair in matched.rows(query):
        pairs[kind].append(Pair(*pair))
    return pairs


def _worded(kind: str, pairs: Sequence[Pair], *, shown: int) -> str:
    """Return the first pairs of one ``kind`` in words, and how many more there are."""
    first = [f"{one.virus} in {one.host} ({counted(one.runs, 'run')})" for one in pairs[:shown]]
    more = ""
    if len(pairs) > shown:
        more = f" and {len(pairs) - shown:,} more"
    return f"{_WORDING[kind]}: {listed(first)}{more}."


_PAIRS: Final = """
WITH judged AS (
    SELECT virus, host, arg_max(plausibility, (runs, plausibility)) AS plausibility
    FROM plausibility
    GROUP BY virus, host
),
seen AS (
    SELECT run, coalesce(stated, family) AS name, {found},
           CASE WHEN species IS NULL AND identity IS NOT NULL THEN taxon
                ELSE coalesce(virus, taxon) END AS meant
    FROM detection SEMI JOIN matched USING (run)
)
SELECT j.plausibility, s.name, a.value, count(DISTINCT s.run) AS runs
FROM seen s JOIN annotation a ON a.run = s.run AND a.facet = 'host'
JOIN judged j ON j.host = a.curie AND j.virus = s.meant
WHERE j.plausibility {kinds} AND s.name IS NOT NULL AND s.asked
GROUP BY j.plausibility, s.name, a.value ORDER BY runs DESC, s.name, a.value
"""

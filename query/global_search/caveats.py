"""What a reader of a count must know: finds that are unexpected in their host, or at home in it.

Plausibility is that of each run (table ``run_plausibility``): what is said of a number of runs is
true of each of them.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from index.reports.phrases import counted, listed, share_of
from index.store.run_pairs import FOUND_IN
from index.store.run_values import WEIGHED_VIRUS
from query.global_search.carrying import equals_any, found_condition
from query.global_search.matched_runs import MatchedRuns
from query.global_search.naming import names_of
from query.reading.question import Question

_SHOWN: Final = 3
_MANY_APART: Final = 0.05
"""Share of the matching runs from which it is said that their host was not sequenced."""
_ASKED: Final = 8
"""Pairs shown where they are what is asked for."""
_WORDING: Final = {
    "unexpected": "Unexpected, so possibly contamination or a new host",
    "resident": "Known to live in the cell line itself",
}
_INFECTING: Final = re.compile(r"\binfect(?:s|ed|ing|ion|ions)?\b", re.IGNORECASE)


class Pair(NamedTuple):
    """A virus seen in a host, or in what was sequenced from it, in how many of the matching
    runs.
    """

    virus: str
    found_in: str
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
    return " ".join([*_sequenced_apart(matched), *cautions])


def _sequenced_apart(matched: MatchedRuns) -> list[str]:
    """Return in how many runs another organism than the host was sequenced, where that is many."""
    rows = matched.rows(_SEQUENCED)
    if not rows:
        return []
    apart = rows[0][-1]
    if apart < _MANY_APART * matched.runs:
        return []
    named = [f"{found_in} ({counted(runs, 'run')})" for found_in, runs, _ in rows[:_SHOWN]]
    others = f" and {len(rows) - _SHOWN:,} more" if len(rows) > _SHOWN else ""
    share = share_of(apart, matched.runs)
    return [
        f"What was sequenced is another organism than the host in {share}: {listed(named)}{others}."
    ]


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
    first = [f"{one.virus} in {one.found_in} ({counted(one.runs, 'run')})" for one in pairs[:shown]]
    more = ""
    if len(pairs) > shown:
        more = f" and {len(pairs) - shown:,} more"
    return f"{_WORDING[kind]}: {listed(first)}{more}."


_PAIRS: Final = f"""
WITH seen AS (
    SELECT DISTINCT run, coalesce(stated, family) AS name, {{found}}, {WEIGHED_VIRUS} AS virus
    FROM detection SEMI JOIN matched USING (run)
),
judged AS (
    SELECT s.run, s.name, p.plausibility, coalesce(h.label, p.host) AS host_name,
           coalesce(o.label, q.organism) AS organism_name
    FROM seen AS s JOIN run_plausibility AS p USING (run, virus)
    LEFT JOIN sequenced AS q ON q.run = p.run AND q.host = p.host
    LEFT JOIN term AS h ON h.curie = p.host LEFT JOIN term AS o ON o.curie = q.organism
    WHERE p.plausibility {{kinds}} AND s.name IS NOT NULL AND s.asked
)
SELECT plausibility, name, {FOUND_IN} AS found_in, count(DISTINCT run) AS runs
FROM judged GROUP BY ALL ORDER BY runs DESC, name, found_in
"""
_SEQUENCED: Final = f"""
WITH apart AS (
    SELECT q.run, coalesce(h.label, q.host) AS host_name,
           coalesce(o.label, q.organism) AS organism_name
    FROM sequenced AS q SEMI JOIN matched USING (run)
    LEFT JOIN term AS h ON h.curie = q.host LEFT JOIN term AS o ON o.curie = q.organism
)
SELECT {FOUND_IN} AS found_in, count(DISTINCT run) AS runs, (SELECT count(DISTINCT run) FROM apart)
FROM apart GROUP BY ALL ORDER BY runs DESC, found_in
"""

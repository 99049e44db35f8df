"""Headlines of values ranked by share: of the searched runs of each value, how large a part has the
virus.

Values of few searched runs are left out: one of one is no share worth a rank.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from index.facets import FACETS
from index.reports.phrases import counted, listed, percent
from index.store.run_values import IS_KNOWN, STATED_VALUES
from query.global_search.headlines.listed.countries import PLACES, asks_countries, is_sea
from query.global_search.headlines.sources import searched_for_it
from query.global_search.matched_runs import JOINED, MatchedRuns
from query.global_search.naming import group_of, names_of
from query.global_search.searched import SearchedFor, searched_for_viruses
from query.global_search.statements import FACET_TITLES
from query.reading.intent import singular
from query.reading.question import Question

_USUAL: Final = 5
_LEAST: Final = 10
"""Searched runs that a value needs."""


def facets_with_shares(question: Question) -> list[str]:
    """Return the facets asked for of whose values a share can be ranked: those of samples."""
    if "share" not in question.reading.order:
        return []
    return [one for one in question.reading.facets if one in (*FACETS, "bioproject")]


def rank_shares(question: Question, matched: MatchedRuns) -> str:
    """Return the values in whose searched runs the virus has the largest share, or the smallest."""
    facet, *_ = facets_with_shares(question)
    rows = _shares(facet, question, matched)
    if facet == PLACES and asks_countries(question):
        rows = [row for row in rows if not is_sea(row[0])]
    smallest = question.reading.order == "smallest share"
    rows.sort(key=lambda row: (_part(row) if smallest else -_part(row), -row[1], row[0]))
    ranked = [row for row in rows if row[2] >= _LEAST]
    few = [row for row in rows if row[2] < _LEAST and row[1]]
    virus = [key for key in question.groups if group_of(key) == "virus"]
    names = names_of(question, virus) or "any virus"
    title = FACET_TITLES[facet].lower()
    if facet == PLACES and asks_countries(question):
        title = "countries"
    if facet == "bioproject":
        title = "projects or studies of runs without one"
    among = counted(len(ranked), singular(title), title)
    finders = _searched_for(question, matched)
    looked = f"runs {searched_for_it(finders.sources)}" if finders else "searched runs"
    ranking = f"{among} with at least {_LEAST} {'such' if finders else 'searched'} runs"
    carrying = sum(1 for row in ranked if row[1])
    limit = question.reading.limit or _USUAL
    where = _where(question)
    if not ranked or not (carrying or smallest):
        none = f"{names} is found in none of the {ranking}{where}"
        such = f" Such are {looked}." if finders else ""
        return f"{none}{_of_fewer(few[:limit])}.{such}"
    shown = _with_ties(ranked if smallest else ranked[:carrying], limit)
    kind = "smallest" if smallest else "largest"
    return (
        f"{names}, {kind} share of {looked}{where}: {listed(shown)}. "
        f"Ranked are {ranking}; {carrying:,} of them {_have(carrying)} any."
    )


def _with_ties(rows: Sequence[tuple[str, int, int]], limit: int) -> list[str]:
    """Return the first ``limit`` values in words, and those with as large a share as the last."""
    most = max(limit, _USUAL)
    last = _part(rows[min(limit, len(rows)) - 1])
    tied = [row for row in rows[limit:most] if _part(row) == last]
    return [_worded(row) for row in (*rows[:limit], *tied)]


def _of_fewer(rows: Sequence[tuple[str, int, int]]) -> str:
    """Return the values that have the virus in too few searched runs to be ranked."""
    if not rows:
        return ""
    shown = [_worded(row) for row in rows]
    return f"; of fewer searched runs, {listed(shown)}"


def _have(number: int) -> str:
    return "has" if number == 1 else "have"


def _part(row: tuple[str, int, int]) -> float:
    _, found, searched = row
    return found / searched


def _worded(row: tuple[str, int, int]) -> str:
    value, found, searched = row
    return f"{value} ({found:,} of {searched:,}, {percent(found / searched)})"


def _where(question: Question) -> str:
    others = _others(question)
    return f" of {names_of(question, others)}" if others else ""


def _others(question: Question) -> Sequence[str]:
    """Return the keys of what all counted runs have in common, whatever they carry."""
    return [key for key in question.groups if group_of(key) != "virus"]


def _shares(facet: str, question: Question, matched: MatchedRuns) -> list[tuple[str, int, int]]:
    """Return each value with the runs that have the virus, and the searched runs."""
    others = _others(question)
    viral = len(others) < len(question.groups)
    finders = _searched_for(question, matched)
    query = _SHARES.format(
        among=f"({JOINED})" if others else "run",
        looked=f"({finders.runs})" if finders else matched.looked(others),
        found="SELECT run FROM matched" if viral else "SELECT run FROM detection",
    )
    asked: dict[str, object] = {"facet": facet}
    if others:
        asked |= {"groups": list(others), "n": len(set(others))}
    rows = matched.rows(query, asked)
    return [(str(value), int(found), int(searched)) for value, found, searched in rows]


def _searched_for(question: Question, matched: MatchedRuns) -> SearchedFor | None:
    """Return which runs were searched for the virus asked for; None where all were, or no virus
    is.
    """
    virus = searched_for_viruses(question, matched.connection)
    return None if virus is None or virus.by_all else virus


_STUDIES: Final = """
UNION ALL SELECT run, 'bioproject', study, NULL FROM run WHERE bioproject IS NULL
"""
"""Studies stand in for the projects that their runs do not state."""
_SHARES: Final = f"""
WITH among AS (SELECT run FROM {{among}} SEMI JOIN {{looked}} USING (run)),
stated AS (
    SELECT DISTINCT run, value FROM ({STATED_VALUES} {_STUDIES}) SEMI JOIN among USING (run)
    WHERE facet = $facet AND {IS_KNOWN} AND NOT (facet = 'geography' AND contains(value, ':'))
)
SELECT value, count(*) FILTER (run IN ({{found}})) AS found, count(*) AS searched
FROM stated GROUP BY value
"""

"""Figures of single hits: how alike they are to their references, how many reads they have.

Each source measures hits in its own way (of nucleotides or of amino acids), so its figures are
given by themselves and never pooled.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Final, NamedTuple

from index.reports.phrases import counted, listed
from query.global_search.carrying import found_condition
from query.global_search.matched_runs import MatchedRuns, joined_with
from query.global_search.matching import match_runs
from query.global_search.naming import group_of, names_of, of_names
from query.reading.held.unlike import LEAST_ALIKE
from query.reading.measured.figures import HitFigure
from query.reading.question import Question


class _OfSource(NamedTuple):
    """What one source says of hits: how many there are, how many are ``stating`` the measure in how
    many runs, and where its least and its most are.
    """

    source: str
    stating: int
    hits: int
    runs: int
    mean: float
    median: float
    least: float
    most: float
    in_least: str
    in_most: str
    at_least: int
    at_most: int


def figures_of_hits(question: Question, matched: MatchedRuns, figure: HitFigure) -> str:
    """Return ``figure`` over the hits of the virus asked for in the matching runs, source by
    source; of all hits in these runs where no virus is named.
    """
    viral = [key for key in matched.kept if key.split(":")[0] == "virus"]
    others = [key for key in matched.kept if key not in viral]
    opening = "Hits" if matched.kept else "All hits"
    hits = f"{opening}{of_names(question, viral)}{_in_runs(question, others)}"
    condition = _is_asked_for(question) if viral else ""
    query = _FIGURES.format(measure=figure.measure, hits=_MATCHED, condition=condition or "true")
    found = [_OfSource(*row) for row in matched.rows(query)]
    stating = [one for one in found if one.stating]
    if not stating:
        return f"{hits} state no {figure.measure}."
    said = "; ".join(_said(figure, one) for one in stating)
    silent = [f"{one.hits - one.stating:,} of {one.source}" for one in found
              if one.hits > one.stating]  # fmt: skip
    unstated = f" Not stated for {listed(silent)}." if silent else ""
    apart = _APART if len(stating) > 1 else ""
    every = _of_all_hits(question, matched, figure, found) if viral else ""
    return f"{hits}: {said}.{unstated}{every}{apart}"


def _of_all_hits(
    question: Question, matched: MatchedRuns, figure: HitFigure, found: Sequence[_OfSource]
) -> str:
    """Return the figure over all hits that are reported as a species asked for, in any run of the
    index or among those of what else is asked; empty where the matching hits are all of them.
    """
    if not _names_species(question):
        return ""
    others = [key for key in question.groups if group_of(key) != "virus"]
    among, asked = joined_with(others)
    of_virus = f"SELECT virus FROM detection WHERE {_is_asked_for(question)}"
    query = _FIGURES.format(
        measure=figure.measure, hits=f"detection {among}", condition=f"virus IN ({of_virus})"
    )
    known = {one.source: one.stating for one in found}
    sentences = []
    for one in (_OfSource(*row) for row in matched.rows(query, asked)):
        more = one.stating - known.get(one.source, 0)
        if more > 0:
            left_out = counted(more, "more hit")
            sentences.append(f" With {left_out} that {_ARE_NOT_IT}: {_said(figure, one)}.")
    return "".join(sentences)


def figures_of_sides(question: Question, matched: MatchedRuns, figure: HitFigure) -> str:
    """Return ``figure`` for each of the groups compared, one after the other; a difference of these
    is not tested.
    """
    sides = question.reading.sides
    shared = [one for one in question.mentions if one not in sides]
    reading = replace(question.reading, kind="describe", each=(), sides=())
    said = []
    for one in sides:
        own = replace(question, mentions=(*shared, one), reading=reading)
        runs = match_runs(matched.connection, own)
        none = f"No run is {names_of(own, own.groups)} at once."
        said.append(none if runs.dropped else figures_of_hits(own, runs, figure))
    return f"{' '.join(said)} Whether these differ is not tested."


def _in_runs(question: Question, others: Sequence[str]) -> str:
    return f" in runs of {names_of(question, others)}" if others else ""


def _is_asked_for(question: Question) -> str:
    """Return the condition that a hit is of the viruses asked for."""
    viral = [one for one in question.mentions if one.group == "virus"]
    return found_condition(chain.from_iterable(one.senses for one in viral))


def _names_species(question: Question) -> bool:
    """Return whether a species is asked for, which is stated of alike hits only."""
    viral = [one for one in question.mentions if one.group == "virus"]
    return any(sense.facet == "species" for one in viral for sense in one.senses)


def _said(figure: HitFigure, one: _OfSource) -> str:
    """Return the figure of one source, with what tells how far it goes for all hits."""
    over = f"over {counted(one.stating, 'hit')} in {counted(one.runs, 'run')} by {one.source}"
    if figure.statistic == "highest":
        return f"{_end(figure, 'highest', one.most)} in {_held(one.in_most, one.at_most)}, {over}"
    if figure.statistic == "lowest":
        return f"{_end(figure, 'lowest', one.least)} in {_held(one.in_least, one.at_least)}, {over}"
    unit = _UNITS[figure.measure]
    spread = f"{_number(one.least)} to {_number(one.most)}"
    averages = {"mean": _number(one.mean), "median": _number(one.median)}
    if figure.statistic == "range":
        return f"{spread}{unit} (mean {averages['mean']}, median {averages['median']}), {over}"
    asked = averages.pop(figure.statistic)
    ((other, value),) = averages.items()
    return f"{figure.statistic} {asked}{unit} ({other} {value}; {spread}), {over}"


def _end(figure: HitFigure, end: str, value: float) -> str:
    """Return the highest or lowest value of a hit in words: highest 100 % identity."""
    return f"{end} {_number(value)}{_UNITS[figure.measure]}"


def _held(run: str, hits: int) -> str:
    """Return in which run a hit at the end is, and how many more there are."""
    return run if hits == 1 else f"{run} and {counted(hits - 1, 'other hit')}"


def _number(value: float) -> str:
    """Return ``value`` as it is written: one decimal, thousands apart."""
    return f"{value:,.1f}".removesuffix(".0")


_UNITS: Final = {"identity": " % identity", "reads": " reads", "coverage": "-fold coverage",
                "score": " score points"}  # fmt: skip
_APART: Final = " Sources measure hits in ways of their own, so these are not to be pooled."
_ARE_NOT_IT: Final = f"are below {LEAST_ALIKE} % or explained by a congener, so of no species"
_FIGURES: Final = """
WITH hit AS (
    SELECT source, run, {measure} AS measured FROM {hits} WHERE {condition}
), ends AS (
    SELECT source, min(measured) AS least, max(measured) AS most FROM hit GROUP BY source
)
SELECT source, count(measured), count(*), count(DISTINCT run) FILTER (measured IS NOT NULL),
       avg(measured), median(measured), least, most,
       min(run) FILTER (measured = least), min(run) FILTER (measured = most),
       count(*) FILTER (measured = least), count(*) FILTER (measured = most)
FROM hit JOIN ends USING (source) GROUP BY source, least, most ORDER BY source
"""
_MATCHED: Final = "detection SEMI JOIN matched USING (run)"

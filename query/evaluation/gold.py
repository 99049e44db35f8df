"""The right answer to a question, counted from an index by SQL of its own."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal

import duckdb

from query.evaluation.conditions import (
    Alternatives,
    Conditions,
    both,
    carrying,
    count_runs,
    is_viral,
    known_without,
    quoted,
    searched_for,
    stating,
)
from query.evaluation.questions import Asked, Asks, GoldQuestion
from query.evaluation.ranked_values import Ranked, annotated_values, as_asked, ranked_values
from query.evaluation.sides import Contrast, compare_sides

Truth = Literal["yes", "no", "unknown"]
ACCESSION: Final = re.compile(r"\b(?:[SED]RR|SYNR|SAM[NED][A-Z]?|SYNS|PRJ[A-Z]{2}|SYNP)\d+\b")
_HELD: Final = 0.05
"""Largest q of an association that holds."""
_FEWEST_SEARCHED: Final = 10
"""Searched runs that a value needs before its share is ranked."""


@dataclass(frozen=True, slots=True)
class Gold:
    """What is true of a question.

    ``runs``      runs that the answer counts, ``whole`` among how many
    ``truth``     of a yes-or-no question; unknown where no run with the virus states what is asked
    ``values``    facet -> values with their runs
    ``shares``    values with their runs and their searched runs, largest share first
    ``others``    values that would be wrong in the answer
    ``contrast``  of a comparison
    ``names``     names of which the answer has to give at least one
    ``matching``  SELECT of the runs that the question is about
    """

    runs: int = 0
    whole: int = 0
    truth: Truth | None = None
    values: Mapping[str, Ranked] = field(default_factory=dict)
    shares: tuple[tuple[str, int, int], ...] = ()
    others: frozenset[str] = frozenset()
    contrast: Contrast | None = None
    names: tuple[str, ...] = ()
    matching: str = ""


def gold_of(con: duckdb.DuckDBPyConnection, question: GoldQuestion) -> Gold:
    """Return the right answer to ``question`` in the index behind ``con``.

    What was planted is taken as it was planted, not as the index counts it.
    """
    asked = question.asked
    counted = _COUNTED[asked.asks](con, question)
    if asked.planted_names:
        return replace(counted, names=asked.planted_names)
    if asked.planted_runs is not None:
        return replace(counted, runs=asked.planted_runs)
    return counted


def _found(con: duckdb.DuckDBPyConnection, question: GoldQuestion) -> Gold:
    """Return in how many of the runs searched for it the virus is."""
    asked = question.asked
    viral, other = _split(asked.without)
    looked = both(_about(asked.among, other), searched_for((*asked.find, *viral)))
    matching = both(looked, _about(asked.find, viral))
    runs, whole = count_runs(con, matching), count_runs(con, looked)
    truth: Truth = "unknown"
    if runs:
        truth = "yes"
    elif whole:
        truth = _denied(con, asked)
    return Gold(runs, whole, truth, matching=matching)


def _denied(con: duckdb.DuckDBPyConnection, asked: Asked) -> Truth:
    """Return no only where some run with the virus states another value of what is asked; of a
    virus in no run, where it was searched for.
    """
    carriers = carrying(asked.find)
    if not count_runs(con, carriers):
        return "no"
    for alternatives in asked.among:
        states_some = stating(alternatives[0])
        if not count_runs(con, both(carriers, states_some)):
            return "unknown"
    looked = both(carrying(asked.among), searched_for(asked.find))
    return "no" if count_runs(con, looked) else "unknown"


def _runs(con: duckdb.DuckDBPyConnection, question: GoldQuestion) -> Gold:
    """Return how many runs there are, searched or not."""
    matching = _matching(question.asked)
    runs = count_runs(con, matching)
    whole = count_runs(con, "SELECT run FROM run")
    return Gold(runs, whole, matching=matching)


def _values(con: duckdb.DuckDBPyConnection, question: GoldQuestion) -> Gold:
    """Return the values of the facets asked for among the runs in question, most runs first."""
    asked = question.asked
    matching = _matching(asked)
    values = {}
    for facet in asked.facets:
        ranked = ranked_values(con, facet, matching, asked.find)
        values[facet] = as_asked(ranked, facet, question.text)
    runs = count_runs(con, matching)
    return Gold(runs, values=values, matching=matching)


def _fewest(con: duckdb.DuckDBPyConnection, question: GoldQuestion) -> Gold:
    """Return the values of the facets asked for, fewest runs first."""
    gold = _values(con, question)
    rising = {
        facet: tuple(sorted(values, key=lambda one: one[1]))
        for facet, values in gold.values.items()
    }
    return replace(gold, values=rising)


def _shares(con: duckdb.DuckDBPyConnection, question: GoldQuestion) -> Gold:
    """Return of how large a part of the searched runs of each value the virus is found."""
    asked = question.asked
    (facet,) = asked.facets
    among = f"({carrying(asked.among)}) INTERSECT ({searched_for(asked.find)})"
    query = _SHARES.format(
        source=annotated_values(facet),
        looked=among,
        found=carrying(asked.find),
        least=_FEWEST_SEARCHED,
    )
    rows = con.execute(query).fetchall()
    shares = tuple((str(value), int(runs), int(whole)) for value, runs, whole in rows)
    return Gold(len(shares), shares=shares, matching=carrying(asked.find))


def _common(con: duckdb.DuckDBPyConnection, question: GoldQuestion) -> Gold:
    """Return the values that runs of both groups have, by the runs of the group with fewer."""
    asked = question.asked
    left, right = carrying(asked.among), carrying(asked.against)
    values, others = {}, set()
    for facet in asked.facets:
        lefts = dict(ranked_values(con, facet, left, asked.find))
        rights = dict(ranked_values(con, facet, right, asked.find))
        both = [(one, min(lefts[one], rights[one])) for one in lefts.keys() & rights.keys()]
        values[facet] = tuple(sorted(both, key=lambda one: (-one[1], one[0])))
        others |= lefts.keys() ^ rights.keys()
    return Gold(values=values, others=frozenset(others), matching=f"({left}) UNION ({right})")


def _unexpected(con: duckdb.DuckDBPyConnection, question: GoldQuestion) -> Gold:
    """Return the names of the viruses that are found and not expected in the hosts asked about."""
    hosts = [one.value for group in question.asked.among for one in group]
    rows = con.execute(_UNEXPECTED, {"hosts": hosts}).fetchall()
    names = tuple(str(name) for (name,) in rows)
    return Gold(len(names), names=names, matching=carrying(question.asked.among))


def _distinct(con: duckdb.DuckDBPyConnection, question: GoldQuestion) -> Gold:
    """Return how many values of the facet there are."""
    listed = _values(con, question)
    (values,) = listed.values.values()
    return replace(listed, runs=len(values), whole=listed.runs)


def _sides(con: duckdb.DuckDBPyConnection, question: GoldQuestion) -> Gold:
    asked = question.asked
    one, other = carrying(asked.among), carrying(asked.against)
    either = f"({one}) UNION ({other})"
    contrast = compare_sides(con, asked)
    return Gold(contrast=contrast, matching=either)


def _holds(con: duckdb.DuckDBPyConnection, question: GoldQuestion) -> Gold:
    """Return the runs of the accession that the question names, and the viruses found in them."""
    found = ACCESSION.search(question.text.upper())
    accession = quoted(found.group() if found else "")
    matching = f"SELECT run FROM run WHERE {accession} IN (run, biosample, bioproject)"
    values = {}
    for facet in ("family", "species"):
        values[facet] = ranked_values(con, facet, matching, ())
    runs = count_runs(con, matching)
    return Gold(runs, values=values, matching=matching)


def _effects(con: duckdb.DuckDBPyConnection, question: GoldQuestion) -> Gold:
    """Return the values of the associations of the family that hold and that no flag puts in
    doubt; ``whole`` counts those in doubt as well.
    """
    find = question.asked.find
    families = []
    for alternatives in find:
        families += [one.value for one in alternatives]
    wanted = {"families": families, "q": _HELD}
    rows = con.execute(_ASSOCIATIONS, wanted).fetchall()
    sound = [str(value) for value, flag in rows if not flag]
    names = tuple(dict.fromkeys(sound))
    matching = carrying(find)
    return Gold(len(names), len(rows), names=names, matching=matching)


def _nothing(_: duckdb.DuckDBPyConnection, __: GoldQuestion) -> Gold:
    """Return the gold of a question to which no count is the answer."""
    return Gold()


_COUNTED: Final[Mapping[Asks, Callable[[duckdb.DuckDBPyConnection, GoldQuestion], Gold]]] = {
    "found": _found,
    "runs": _runs,
    "distinct": _distinct,
    "values": _values,
    "fewest": _fewest,
    "shares": _shares,
    "common": _common,
    "unexpected": _unexpected,
    "sides": _sides,
    "holds": _holds,
    "effects": _effects,
    "none": _nothing,
    "propose": _nothing,
    "refuse": _nothing,
}


def _matching(asked: Asked) -> str:
    """Return a SELECT of the runs that a question is about, searched or not."""
    return _about((*asked.find, *asked.among), asked.without)


def _about(having: Conditions, without: Conditions) -> str:
    """Return a SELECT of the runs that have ``having`` and are known to be without ``without``."""
    if not without:
        return carrying(having)
    return both(carrying(having), known_without(without))


def _split(conditions: Conditions) -> tuple[Conditions, Conditions]:
    """Return those of ``conditions`` that ask for a virus, and the others."""
    viral: list[Alternatives] = []
    other: list[Alternatives] = []
    for alternatives in conditions:
        chosen = viral if is_viral((alternatives,)) else other
        chosen.append(alternatives)
    return tuple(viral), tuple(other)


_ASSOCIATIONS: Final = """
SELECT value, flag FROM association
WHERE list_contains($families::VARCHAR[], family) AND q_value <= $q AND value IS NOT NULL
ORDER BY q_value, value
"""
_SHARES: Final = """
WITH looked AS ({looked}), found AS ({found})
SELECT value, count(DISTINCT run) FILTER (run IN (FROM found)) AS runs, count(DISTINCT run) AS whole
FROM ({source}) SEMI JOIN looked USING (run) WHERE value IS NOT NULL
GROUP BY value HAVING whole >= {least} ORDER BY runs / whole DESC, runs DESC, value
"""
_UNEXPECTED: Final = """
SELECT DISTINCT unnest([name, label]) FROM run_plausibility
JOIN virus USING (virus) JOIN term ON term.curie = virus.virus
WHERE plausibility = 'unexpected' AND host IN (
    SELECT descendant FROM closure WHERE list_contains($hosts::VARCHAR[], ancestor)
    UNION SELECT unnest($hosts::VARCHAR[]))
ORDER BY 1
"""

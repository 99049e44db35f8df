"""Two groups of runs compared, as gold: how many of the searched runs of each carry what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import duckdb

from query.evaluation.conditions import (
    SEARCHED,
    Conditions,
    both,
    carrying,
    count_runs,
    is_viral,
    searched_for,
)
from query.evaluation.questions import Asked

_LEAST: Final = 3
"""Searched runs that each side needs for a test."""
_SIGNIFICANT: Final = 0.05


@dataclass(frozen=True, slots=True)
class Contrast:
    """Runs with the virus and searched runs of either side; ``name`` the family that differs most.

    ``holds`` is None where a side is too small to be tested.
    """

    left: int
    left_whole: int
    right: int
    right_whole: int
    name: str | None = None
    holds: bool | None = None


def compare_sides(con: duckdb.DuckDBPyConnection, asked: Asked) -> Contrast:
    """Return the two sides that ``asked`` compares.

    Two viruses are compared among the runs that were searched for both. Two groups of runs are
    compared for the virus asked about, else for the family that differs most, among the runs in
    which it was looked for. Runs of both groups count in neither.
    """
    if is_viral(asked.against):
        return _two_viruses(con, asked)
    left = _only(asked.among, asked.against)
    right = _only(asked.against, asked.among)
    if not asked.find:
        return _most_different(con, left, right)
    found = carrying(asked.find)
    looked = searched_for(asked.find)
    return _contrast(con, (both(left, looked), both(right, looked)), found, found)


def _two_viruses(con: duckdb.DuckDBPyConnection, asked: Asked) -> Contrast:
    of_both = searched_for((*asked.find, *asked.against))
    looked = both(carrying(asked.among), of_both)
    left, right = carrying(asked.find), carrying(asked.against)
    return _contrast(con, (looked, looked), left, right)


def _only(these: Conditions, others: Conditions) -> str:
    """Return a SELECT of the searched runs of ``these`` that are not of ``others``."""
    own, other = carrying(these), carrying(others)
    without = f"({own}) EXCEPT ({other})"
    return both(without, SEARCHED)


def _contrast(
    con: duckdb.DuckDBPyConnection, sides: tuple[str, str], left: str, right: str
) -> Contrast:
    left_side, right_side = sides
    return Contrast(
        left=count_runs(con, both(left_side, left)),
        left_whole=count_runs(con, left_side),
        right=count_runs(con, both(right_side, right)),
        right_whole=count_runs(con, right_side),
    )


def _most_different(con: duckdb.DuckDBPyConnection, left: str, right: str) -> Contrast:
    """Return the family whose shares differ most by Fisher's exact test, and whether it holds."""
    rows = con.execute(_FAMILIES.format(left=left, right=right)).fetchall()
    families = [row for row in rows if min(row[3:]) >= _LEAST]
    if not families:
        return Contrast(0, count_runs(con, left), 0, count_runs(con, right))
    from scipy.stats import false_discovery_control, fisher_exact

    p_values = []
    for _, in_left, in_right, left_whole, right_whole in families:
        table = [[in_left, left_whole - in_left], [in_right, right_whole - in_right]]
        tested = fisher_exact(table)
        p_values.append(float(tested.pvalue))
    best = p_values.index(min(p_values))
    q_values = false_discovery_control(p_values)
    name, in_left, in_right, left_whole, right_whole = families[best]
    return Contrast(
        left=int(in_left),
        left_whole=int(left_whole),
        right=int(in_right),
        right_whole=int(right_whole),
        name=str(name),
        holds=bool(q_values[best] <= _SIGNIFICANT),
    )


_FAMILIES: Final = """
WITH lefts AS ({left}), rights AS ({right}),
found AS (
    SELECT family, count(DISTINCT run) FILTER (run IN (FROM lefts)) AS in_left,
           count(DISTINCT run) FILTER (run IN (FROM rights)) AS in_right
    FROM detection WHERE family IS NOT NULL AND run IN (FROM lefts UNION FROM rights)
    GROUP BY family
),
named AS (SELECT DISTINCT family, coalesce(taxon, virus) AS taxon FROM detection),
finds AS (
    SELECT DISTINCT family, source, search FROM source_scope WHERE family IS NOT NULL
    UNION SELECT n.family, s.source, s.search FROM named n JOIN closure c ON c.descendant = n.taxon
    JOIN source_scope s ON s.virus = c.ancestor WHERE s.below
),
looked AS (
    SELECT family, count(DISTINCT run) FILTER (run IN (FROM lefts)) AS left_whole,
           count(DISTINCT run) FILTER (run IN (FROM rights)) AS right_whole
    FROM searched JOIN finds USING (source, search)
    GROUP BY family
)
SELECT family, in_left, in_right, left_whole, right_whole
FROM found JOIN looked USING (family) ORDER BY family
"""

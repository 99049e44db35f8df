"""Two groups of runs compared, as gold: how many of the searched runs of each carry what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import duckdb

from query.evaluation.conditions import (
    SEARCHED,
    Conditions,
    carrying,
    is_viral,
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

    Two viruses are compared among the same runs. Two groups of runs are compared for the virus
    asked about, else for the family that differs most. Runs of both groups count in neither.
    """
    if is_viral(asked.against):
        return _two_viruses(con, asked)
    left, right = _only(asked.among, asked.against), _only(asked.against, asked.among)
    if asked.find:
        return _contrast(con, (left, right), carrying(asked.find), carrying(asked.find))
    return _most_different(con, left, right)


def _two_viruses(con: duckdb.DuckDBPyConnection, asked: Asked) -> Contrast:
    looked = f"({carrying(asked.among)}) INTERSECT ({SEARCHED})"
    return _contrast(con, (looked, looked), carrying(asked.find), carrying(asked.against))


def _only(these: Conditions, others: Conditions) -> str:
    """Return a SELECT of the searched runs of ``these`` that are not of ``others``."""
    own = f"({carrying(these)}) EXCEPT ({carrying(others)})"
    return f"({own}) INTERSECT ({SEARCHED})"


def _contrast(
    con: duckdb.DuckDBPyConnection, sides: tuple[str, str], left: str, right: str
) -> Contrast:
    return Contrast(
        left=_count(con, f"({sides[0]}) INTERSECT ({left})"),
        left_whole=_count(con, sides[0]),
        right=_count(con, f"({sides[1]}) INTERSECT ({right})"),
        right_whole=_count(con, sides[1]),
    )


def _most_different(con: duckdb.DuckDBPyConnection, left: str, right: str) -> Contrast:
    """Return the family whose shares differ most by Fisher's exact test, and whether it holds."""
    whole = (_count(con, left), _count(con, right))
    rows = con.execute(_FAMILIES.format(left=left, right=right)).fetchall()
    if not rows or min(whole) < _LEAST:
        return Contrast(0, whole[0], 0, whole[1])
    from scipy.stats import false_discovery_control, fisher_exact

    p_values = []
    for _, with_left, with_right in rows:
        table = [[with_left, whole[0] - with_left], [with_right, whole[1] - with_right]]
        p_values.append(float(fisher_exact(table).pvalue))
    best = min(range(len(rows)), key=lambda place: (p_values[place], rows[place][0]))
    holds = bool(false_discovery_control(p_values)[best] <= _SIGNIFICANT)
    name, in_left, in_right = rows[best]
    return Contrast(int(in_left), whole[0], int(in_right), whole[1], str(name), holds)


def _count(con: duckdb.DuckDBPyConnection, select: str) -> int:
    query = f"SELECT count(DISTINCT run) FROM ({select}) SEMI JOIN run USING (run)"
    ((runs,),) = con.execute(query).fetchall()
    return int(runs)


_FAMILIES: Final = """
WITH lefts AS ({left}), rights AS ({right})
SELECT family, count(DISTINCT run) FILTER (run IN (FROM lefts)),
       count(DISTINCT run) FILTER (run IN (FROM rights))
FROM detection WHERE family IS NOT NULL AND run IN (FROM lefts UNION FROM rights)
GROUP BY family ORDER BY family
"""

"""Which runs a question is about, matched into temporary tables of a connection of its own.

A run matches when it carries, for every group that the question names (virus, organism, tissue, …),
at least one of the terms of that group. Where no run does, the most telling group alone counts and
the answer says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import duckdb

from index.store.same_for_all import sees_a_part
from query.global_search.carrying import (
    OF_SOURCES,
    found_condition,
    of_source,
    runs_carrying,
    runs_known_without,
)
from query.global_search.matched_runs import JOINED, MatchedRuns
from query.global_search.matched_values import MatchedValues
from query.reading.mentions import Mention
from query.reading.question import WITHOUT, Question
from query.reading.senses import FOUND_FACETS, Sense


def match_runs(con: duckdb.DuckDBPyConnection, question: Question) -> MatchedRuns:
    """Return the runs that ``question`` is about, matched on a new connection to the index."""
    own = con.cursor()
    if question.reading.source:
        see_only(own, question.reading.source)
    own.execute(_GROUP_RUNS)
    for key, select in group_selects(question).items():
        own.execute(_INSERT_GROUP.format(select=select), [key])
    kept, dropped = _joinable(own, question.groups)
    asked = {"groups": list(kept), "n": len(kept)}
    own.execute(_MATCHED if kept else _MATCHED_ALL, asked if kept else None)
    ((runs, index_runs),) = own.execute(_COUNTS).fetchall()
    return MatchedRuns(own, runs, index_runs, kept, dropped, _values(own, question, kept))


def see_only(con: duckdb.DuckDBPyConnection, source: str) -> None:
    """Let ``con`` see only what ``source`` searched and found, by views before the tables."""
    ((index,),) = con.execute("SELECT current_database()").fetchall()
    for table in OF_SOURCES:
        rows = of_source(f'"{index}".main.{table}', source)
        con.execute(f"CREATE TEMP VIEW {table} AS {rows}")
    sees_a_part(con)


def _values(
    own: duckdb.DuckDBPyConnection, question: Question, kept: Sequence[str]
) -> MatchedValues:
    """Return the values of the matching runs that an answer to ``question`` may list.

    Organisms that k-mers show are half of all values, and are listed only where they are asked for.
    """
    asked = {*question.reading.facets, *question.intent.facets}
    unlisted = {"statOrganism"} - asked
    viral = [one for one in question.mentions if one.group == "virus"]
    of_virus = ""
    if "virus" in kept:
        of_virus = found_condition(sense for one in viral for sense in one.senses)
    return MatchedValues(own, of_virus, unlisted)


def group_selects(question: Question) -> dict[str, str]:
    """Return for each key of ``question.groups`` a SELECT of the runs that it means."""
    senses: dict[str, list[Sense]] = {}
    for one in question.mentions:
        key = question.key(one)
        senses.setdefault(key, []).extend(senses_counted(one, libraries=question.reading.libraries))
    selects = {key: runs_carrying(named) for key, named in senses.items()}
    ruled: dict[str, list[Sense]] = {}
    for one in question.reading.without:
        ruled.setdefault(one.group, []).extend(senses_counted(one))
    for group, named in ruled.items():
        selects[f"{WITHOUT}{group}"] = runs_known_without(group, named)
    return selects


def senses_counted(one: Mention, *, libraries: bool = False) -> tuple[Sense, ...]:
    """Return the senses of a name that count: of a virus those in which it is found, and its
    ``libraries`` only where they are asked for.
    """
    if one.group != "virus":
        return one.senses
    found = tuple(sense for sense in one.senses if sense.facet in FOUND_FACETS)
    if not libraries:
        return found
    return tuple(sense for sense in one.senses if sense not in found)


def _joinable(
    own: duckdb.DuckDBPyConnection, groups: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the longest run of ``groups``, most telling first, that some run carries together, and
    the others.
    """
    kept: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    query = f"SELECT count(*) FROM ({JOINED})"
    for group in groups:
        wider = (*kept, group)
        asked = {"groups": list(wider), "n": len(wider)}
        ((runs,),) = own.execute(query, asked).fetchall()
        if runs:
            kept = wider
        else:
            dropped = (*dropped, group)
    return kept, dropped


_GROUP_RUNS: Final = "CREATE TEMP TABLE group_run (grp VARCHAR, run VARCHAR)"
_INSERT_GROUP: Final = """
INSERT INTO group_run SELECT $1, run FROM ({select}) SEMI JOIN run USING (run)
"""

_MATCHED: Final = f"CREATE TEMP TABLE matched AS {JOINED}"
_MATCHED_ALL: Final = "CREATE TEMP TABLE matched AS SELECT run FROM run"

_COUNTS: Final = "SELECT (SELECT count(*) FROM matched), (SELECT count(*) FROM run)"

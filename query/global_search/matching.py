"""Which runs a question is about, matched into temporary tables of a connection of its own.

A run matches when it carries, for every group that the question names (virus, organism, tissue, …),
at least one of the terms of that group. Where no run does, the most telling group alone counts and
the answer says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import duckdb

from index.store.run_values import IS_KNOWN, STATED_VALUES
from query.global_search.carrying import (
    LOOKED,
    found_condition,
    runs_carrying,
    runs_known_without,
)
from query.global_search.matched_runs import JOINED, MatchedRuns
from query.reading.mentions import Mention
from query.reading.question import WITHOUT, Question
from query.reading.senses import FOUND_FACETS, Sense

COMPANY: Final = "company"
"""Facet of the virus families that are seen in the same runs as the virus asked for."""


def match_runs(con: duckdb.DuckDBPyConnection, question: Question) -> MatchedRuns:
    """Return the runs that ``question`` is about, matched on a new connection to the index."""
    own = con.cursor()
    own.execute(_LOOKED)
    own.execute(_GROUP_RUNS)
    for key, select in group_selects(question).items():
        own.execute(_INSERT_GROUP.format(select=select), [key])
    group_runs = dict(own.execute(_RUNS_PER_GROUP).fetchall())
    kept, dropped = _joinable(own, question.groups)
    asked = {"groups": list(kept), "n": len(kept)}
    own.execute(_MATCHED if kept else _MATCHED_ALL, asked if kept else None)
    own.execute(_MATCHED_VALUE.format(listed=_listed(question)))
    viral = [one for one in question.mentions if one.group == "virus"]
    of_virus = found_condition(sense for one in viral for sense in one.senses)
    if "virus" in kept and of_virus:
        own.execute(_SEPARATE_COMPANY.format(of_virus=of_virus))
    ((runs, index_runs, with_virus),) = own.execute(_COUNTS).fetchall()
    return MatchedRuns(own, runs, index_runs, with_virus, kept, dropped, group_runs)


def _listed(question: Question) -> str:
    """Return the condition on the facets that an answer to ``question`` may list.

    Organisms that k-mers show are half of all values, and are listed only where they are asked for.
    """
    asked = {*question.reading.facets, *question.intent.facets}
    return "true" if "statOrganism" in asked else "facet <> 'statOrganism'"


def group_selects(question: Question) -> dict[str, str]:
    """Return for each key of ``question.groups`` a SELECT of the runs that it means."""
    senses: dict[str, list[Sense]] = {}
    for one in question.mentions:
        key = question.key(one)
        senses.setdefault(key, []).extend(_counted(one, libraries=question.reading.libraries))
    selects = {key: runs_carrying(named) for key, named in senses.items()}
    ruled: dict[str, list[Sense]] = {}
    for one in question.reading.without:
        ruled.setdefault(one.group, []).extend(_counted(one, libraries=False))
    for group, named in ruled.items():
        selects[f"{WITHOUT}{group}"] = runs_known_without(group, named)
    return selects


def _counted(one: Mention, *, libraries: bool) -> tuple[Sense, ...]:
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
_LOOKED: Final = f"CREATE TEMP TABLE looked AS {LOOKED}"
_RUNS_PER_GROUP: Final = "SELECT grp, count(*) FROM group_run GROUP BY grp"

_MATCHED: Final = f"CREATE TEMP TABLE matched AS {JOINED}"
_MATCHED_ALL: Final = "CREATE TEMP TABLE matched AS SELECT run FROM run"

# A place is listed by country only: "USA: Houston" counts as "USA", which its runs state as well.
_MATCHED_VALUE: Final = f"""
CREATE TEMP TABLE matched_value AS
SELECT DISTINCT run, facet, value, curie FROM ({STATED_VALUES}) SEMI JOIN matched USING (run)
WHERE {{listed}} AND {IS_KNOWN} AND NOT (facet = 'geography' AND contains(value, ':'))
"""

# Of a virus that is asked for, its own species and families are listed; others in the same runs are
# company.
_SEPARATE_COMPANY: Final = f"""
CREATE OR REPLACE TEMP TABLE matched_value AS
WITH
asked AS (SELECT DISTINCT stated, family FROM detection WHERE {{of_virus}}),
own_family AS (SELECT DISTINCT family FROM asked WHERE family IS NOT NULL),
own_species AS (SELECT DISTINCT stated FROM asked WHERE stated IS NOT NULL)
SELECT run, value, curie,
       CASE WHEN facet = 'family' AND value NOT IN (FROM own_family) THEN '{COMPANY}'
            ELSE facet END AS facet
FROM matched_value
WHERE facet <> 'species' OR value IN (FROM own_species)
"""

_COUNTS: Final = """
SELECT (SELECT count(*) FROM matched), (SELECT count(*) FROM run),
       (SELECT count(DISTINCT run) FROM detection SEMI JOIN matched USING (run))
"""

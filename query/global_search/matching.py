"""The runs that a question is about, and what is known of them: exact counts of distinct runs.

A run matches when it carries, for every group that the question names (virus, organism, tissue, …),
at least one of the terms of that group. Where no run does, the most telling group alone counts and
the answer says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import duckdb

from index.facets import FACETS
from index.store.run_values import IS_KNOWN, STATED_VALUES
from query.global_search.carrying import (
    LOOKED,
    found_condition,
    runs_carrying,
    runs_known_without,
)
from query.reading.mentions import Mention
from query.reading.question import WITHOUT, Question
from query.reading.senses import FOUND_FACETS, Sense

COMPANY: Final = "company"
"""Facet of the virus families that are seen in the same runs as the virus asked for."""


@dataclass(frozen=True, slots=True)
class ValueCount:
    """A value of a facet among the matching runs; ``index_runs`` is how many runs of the whole
    index have it.
    """

    value: str
    runs: int
    index_runs: int


@dataclass(frozen=True)
class MatchedRuns:
    """The matching runs of one question, and how many they are.

    They are kept in temporary tables of a connection of their own, so that two questions never
    share them and the index is not written to: ``matched(run)`` and ``matched_value(run, facet,
    value, curie)``. Queries given to ``rows`` may read these beside the tables of the index.

    ``kept`` are the groups that count, ``dropped`` those that no run joins with them.
    """

    connection: duckdb.DuckDBPyConnection
    runs: int
    index_runs: int
    with_virus: int
    kept: tuple[str, ...]
    dropped: tuple[str, ...]
    group_runs: Mapping[str, int]

    @property
    def is_whole_index(self) -> bool:
        """True where the question names nothing, so that every run counts."""
        return not self.kept

    def rows(self, query: str, parameters: object = None) -> list[tuple[Any, ...]]:
        """Return the rows of ``query`` over the index and the matching runs."""
        return self.connection.execute(query, parameters).fetchall()

    def runs_with(self, keys: Sequence[str]) -> int:
        """Return how many runs carry all of ``keys`` (groups of the question)."""
        return self._joined(keys, "")

    def searched_with(self, keys: Sequence[str]) -> int:
        """Return how many runs that carry all of ``keys`` were searched; no key is all of them."""
        return self._joined(keys, "SEMI JOIN looked USING (run)")

    def stating(self, keys: Sequence[str], facets: Sequence[str]) -> int:
        """Return how many runs that carry all of ``keys`` state one of ``facets``."""
        if not set(facets) <= set(FACETS):
            facets = [facet for facet in facets if facet in FACETS]
        stating = (
            f"SEMI JOIN (SELECT run FROM annotation WHERE facet IN {_literals(facets)}) USING (run)"
        )
        return self._joined(keys, stating)

    def virus_libraries(self) -> int:
        """Return how many matching runs are libraries of a virus."""
        query = (
            "SELECT count(*) FROM matched SEMI JOIN (SELECT run FROM annotation WHERE facet = "
            "'virus') USING (run)"
        )
        ((runs,),) = self.rows(query)
        return int(runs)

    def _joined(self, keys: Sequence[str], filtered: str) -> int:
        source = "run"
        asked: dict[str, object] | None = None
        if keys:
            source = f"({_JOINED})"
            asked = {"groups": list(keys), "n": len(set(keys))}
        query = f"SELECT count(*) FROM {source} {filtered}"
        ((runs,),) = self.rows(query, asked)
        return int(runs)

    def value_counts(self, facets: Sequence[str], *, limit: int) -> dict[str, list[ValueCount]]:
        """Return the values that most matching runs have, per facet, at most ``limit`` each; empty
        facets are left out.
        """
        if not facets:
            return {}
        asked = {"facets": list(facets), "limit": limit}
        counts: dict[str, list[ValueCount]] = {}
        for facet, *row in self.rows(_VALUE_COUNTS, asked):
            values = counts.setdefault(facet, [])
            values.append(ValueCount(*row))
        held = [facet for facet in facets if facet in counts]
        return {facet: counts[facet] for facet in held}

    def distinct_values(self, facets: Sequence[str]) -> dict[str, tuple[int, int]]:
        """Return per facet how many values the matching runs have, and how many matching runs have
        any.
        """
        distinct = {}
        for facet, values, runs in self.rows(_DISTINCT_VALUES, {"facets": list(facets)}):
            distinct[facet] = (values, runs)
        return distinct

    def unnamed_viruses(self) -> int:
        """Return how many sOTUs the matching runs have where none of them has a named species or
        family, else 0.
        """
        ((sotus, named),) = self.rows(_UNNAMED)
        return 0 if named else int(sotus)

    def families(self) -> list[str]:
        """Return the virus families of the matching runs, most frequent first."""
        families = self.rows(_FAMILIES)
        return [str(family) for (family,) in families]

    def covered_by(self, communities: Sequence[str]) -> int:
        """Return how many matching runs are in ``communities``."""
        ((covered,),) = self.rows(_COVERED, {"communities": list(communities)})
        return int(covered)


def _literals(values: Sequence[str]) -> str:
    """Return names of facets, which are our own constants, as a list of SQL."""
    quoted = [repr(value) for value in values]
    listed = ", ".join(quoted)
    return f"({listed or 'NULL'})"


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
    own.execute(_MATCHED_VALUE)
    viral = [one for one in question.mentions if one.group == "virus"]
    of_virus = found_condition(sense for one in viral for sense in one.senses)
    if "virus" in kept and of_virus:
        own.execute(_SEPARATE_COMPANY.format(of_virus=of_virus))
    ((runs, index_runs, with_virus),) = own.execute(_COUNTS).fetchall()
    return MatchedRuns(own, runs, index_runs, with_virus, kept, dropped, group_runs)


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
    query = f"SELECT count(*) FROM ({_JOINED})"
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

_JOINED: Final = """
SELECT run FROM group_run WHERE grp IN (SELECT unnest($groups::VARCHAR[]))
GROUP BY run HAVING count(*) = $n
"""
_MATCHED: Final = f"CREATE TEMP TABLE matched AS {_JOINED}"
_MATCHED_ALL: Final = "CREATE TEMP TABLE matched AS SELECT run FROM run"

# A place is listed by country only: "USA: Houston" counts as "USA", which its runs state as well.
_MATCHED_VALUE: Final = f"""
CREATE TEMP TABLE matched_value AS
SELECT DISTINCT run, facet, value, curie FROM ({STATED_VALUES}) SEMI JOIN matched USING (run)
WHERE {IS_KNOWN} AND NOT (facet = 'geography' AND contains(value, ':'))
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

_VALUE_COUNTS: Final = f"""
WITH counted AS (
    SELECT facet, value, count(DISTINCT run) AS runs FROM matched_value
    WHERE facet IN (SELECT unnest($facets::VARCHAR[])) GROUP BY facet, value
),
best AS (
    FROM counted
    QUALIFY row_number() OVER (PARTITION BY facet ORDER BY runs DESC, value) <= $limit
),
background AS (
    SELECT facet, value, count(DISTINCT run) AS index_runs
    FROM ({STATED_VALUES}) SEMI JOIN best USING (facet, value) GROUP BY facet, value
)
SELECT facet, value, runs, coalesce(index_runs, 0)
FROM best LEFT JOIN background USING (facet, value)
ORDER BY facet, runs DESC, value
"""

_UNNAMED: Final = """
SELECT count(DISTINCT sotu),
       coalesce(bool_or(stated IS NOT NULL OR family IS NOT NULL), false)
FROM detection SEMI JOIN matched USING (run)
"""

_DISTINCT_VALUES: Final = """
SELECT facet, count(DISTINCT value), count(DISTINCT run) FROM matched_value
WHERE facet IN (SELECT unnest($facets::VARCHAR[])) GROUP BY facet
"""

_FAMILIES: Final = """
SELECT value FROM matched_value WHERE facet = 'family'
GROUP BY value ORDER BY count(*) DESC, value
"""

_COVERED: Final = """
SELECT count(DISTINCT entity) FROM community_member m JOIN matched ON matched.run = m.entity
WHERE m.community IN (SELECT unnest($communities::VARCHAR[]))
"""

"""The runs that a question is about, and what is known of them: exact counts of distinct runs.

A run matches when it carries, for every group that the question names (virus, organism, tissue, …),
at least one of the terms of that group. Where no run does, the most telling group alone counts and
the answer says so.

Matching is kept in temporary tables of the (read-only) connection: ``matched(run)`` and
``matched_value(run, facet, value)``; nothing is written to the index.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import duckdb

from index.store.run_values import RUN_VALUES
from query.reading.question import GROUP_OF_FACET, TITLE_WORDS, Question

VIRUS_FACETS: Final = ("species", "family", "phylum")
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


@dataclass(frozen=True, slots=True)
class Matching:
    """How many runs match. ``kept`` are the groups that count; ``dropped`` those that no run joins
    with them.
    """

    runs: int
    index_runs: int
    with_virus: int
    kept: tuple[str, ...]
    dropped: tuple[str, ...] = ()
    group_runs: Mapping[str, int] = field(default_factory=dict)

    @property
    def is_whole_index(self) -> bool:
        """True where the question names nothing, so that every run counts."""
        return not self.kept


def match_runs(con: duckdb.DuckDBPyConnection, question: Question) -> Matching:
    """Fill ``matched`` and ``matched_value`` with the runs of ``question`` and return their counts."""
    senses = [
        (mention.group, sense.facet, sense.curie, sense.value)
        for mention in question.mentions
        for sense in mention.senses
    ]
    columns = [list(column) for column in zip(*senses, strict=True)] or [[], [], [], []]
    con.execute(_SENSES, dict(zip(("groups", "facets", "curies", "values"), columns, strict=True)))
    con.execute(_GROUP_RUNS)
    group_runs = dict(con.execute("SELECT grp, count(*) FROM group_run GROUP BY grp").fetchall())
    kept, dropped = _joinable(con, question.groups)
    con.execute(
        _MATCHED if kept else _MATCHED_ALL, {"groups": list(kept), "n": len(kept)} if kept else None
    )
    con.execute(_MATCHED_VALUE)
    if any(facet in VIRUS_FACETS for _, facet, _, _ in senses) and "virus" in kept:
        con.execute(_SEPARATE_COMPANY)
    ((runs, index_runs, with_virus),) = con.execute(_COUNTS).fetchall()
    return Matching(runs, index_runs, with_virus, kept, dropped, group_runs)


def value_counts(
    con: duckdb.DuckDBPyConnection, facets: Sequence[str], *, limit: int
) -> dict[str, list[ValueCount]]:
    """Return the values that most matching runs have, per facet, at most ``limit`` each; empty
    facets are left out.
    """
    rows = con.execute(_VALUE_COUNTS, {"facets": list(facets), "limit": limit}).fetchall()
    counts: dict[str, list[ValueCount]] = {}
    for facet, value, runs, index_runs in rows:
        counts.setdefault(facet, []).append(ValueCount(value, runs, index_runs))
    return {facet: counts[facet] for facet in facets if facet in counts}


def distinct_values(
    con: duckdb.DuckDBPyConnection, facets: Sequence[str]
) -> dict[str, tuple[int, int]]:
    """Return per facet how many values the matching runs have, and how many matching runs have any."""
    rows = con.execute(_DISTINCT_VALUES, {"facets": list(facets)}).fetchall()
    return {facet: (values, runs) for facet, values, runs in rows}


def unnamed_viruses(con: duckdb.DuckDBPyConnection) -> int:
    """Return how many sOTUs the matching runs have where none of them has a named species or
    family, else 0.
    """
    ((sotus, named),) = con.execute(_UNNAMED).fetchall()
    return 0 if named else int(sotus)


def facets_of_group(group: str) -> tuple[str, ...]:
    """Return the facets that belong to ``group``."""
    return tuple(facet for facet, owner in GROUP_OF_FACET.items() if owner == group)


def _joinable(
    con: duckdb.DuckDBPyConnection, groups: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the longest run of ``groups``, most telling first, that some run carries together, and
    the others.
    """
    kept: tuple[str, ...] = ()
    for group in groups:
        wider = (*kept, group)
        ((runs,),) = con.execute(
            f"SELECT count(*) FROM ({_JOINED})", {"groups": list(wider), "n": len(wider)}
        ).fetchall()
        if runs:
            kept = wider
    return kept, tuple(group for group in groups if group not in kept)


_SENSES: Final = """
CREATE OR REPLACE TEMP TABLE sense AS SELECT
    unnest($groups::VARCHAR[]) AS grp, unnest($facets::VARCHAR[]) AS facet,
    unnest($curies::VARCHAR[]) AS curie, unnest($values::VARCHAR[]) AS value
"""

_GROUP_RUNS: Final = f"""
CREATE OR REPLACE TEMP TABLE group_run AS
WITH below AS (
    SELECT s.grp, s.facet, c.descendant AS curie FROM sense s JOIN closure c ON c.ancestor = s.curie
    UNION SELECT grp, facet, curie FROM sense WHERE curie IS NOT NULL
)
SELECT DISTINCT grp, run FROM (
    SELECT b.grp, a.run FROM below b JOIN annotation a ON a.facet = b.facet AND a.curie = b.curie
    UNION ALL SELECT s.grp, a.run FROM sense s JOIN annotation a ON a.facet = s.facet AND a.value = s.value
    UNION ALL SELECT s.grp, d.run FROM sense s JOIN detection d ON s.facet = 'species' AND d.species = s.value
    UNION ALL SELECT s.grp, d.run FROM sense s JOIN detection d ON s.facet = 'family' AND d.family = s.value
    UNION ALL SELECT s.grp, d.run FROM sense s JOIN detection d ON s.facet = 'phylum' AND d.phylum = s.value
    UNION ALL SELECT s.grp, r.run FROM sense s JOIN run r ON s.facet = 'bioproject' AND r.bioproject = s.value
    UNION ALL SELECT s.grp, r.run FROM sense s JOIN run r ON s.facet = 'biosample' AND r.biosample = s.value
    UNION ALL SELECT s.grp, r.run FROM sense s JOIN run r ON s.facet = 'runId' AND r.run = s.value
    UNION ALL SELECT s.grp, t.run FROM sense s JOIN ({TITLE_WORDS}) t ON s.facet = 'title' AND t.word = s.value
) SEMI JOIN run USING (run)
"""

_JOINED: Final = """
SELECT run FROM group_run WHERE grp IN (SELECT unnest($groups::VARCHAR[])) GROUP BY run HAVING count(*) = $n
"""
_MATCHED: Final = f"CREATE OR REPLACE TEMP TABLE matched AS {_JOINED}"
_MATCHED_ALL: Final = "CREATE OR REPLACE TEMP TABLE matched AS SELECT run FROM run"

# A place is listed by country only: "USA: Houston" counts as "USA", which its runs state as well.
_MATCHED_VALUE: Final = f"""
CREATE OR REPLACE TEMP TABLE matched_value AS
FROM ({RUN_VALUES}) SEMI JOIN matched USING (run) WHERE NOT (facet = 'geography' AND contains(value, ':'))
"""

# Of a virus that is asked for, its own species and families are listed; others in the same runs are
# company.
_SEPARATE_COMPANY: Final = f"""
CREATE OR REPLACE TEMP TABLE matched_value AS
WITH asked AS (
    SELECT DISTINCT d.species, d.family FROM detection d JOIN sense s
    ON (s.facet = 'species' AND s.value = d.species) OR (s.facet = 'family' AND s.value = d.family)
    OR (s.facet = 'phylum' AND s.value = d.phylum)
)
SELECT run, CASE WHEN facet = 'family' AND value NOT IN (SELECT family FROM asked WHERE family IS NOT NULL)
                 THEN '{COMPANY}' ELSE facet END AS facet, value, curie
FROM matched_value
WHERE facet <> 'species' OR value IN (SELECT species FROM asked WHERE species IS NOT NULL)
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
    FROM counted QUALIFY row_number() OVER (PARTITION BY facet ORDER BY runs DESC, value) <= $limit
),
background AS (
    SELECT facet, value, count(DISTINCT run) AS index_runs
    FROM ({RUN_VALUES}) SEMI JOIN best USING (facet, value) GROUP BY facet, value
)
SELECT facet, value, runs, coalesce(index_runs, 0) FROM best LEFT JOIN background USING (facet, value)
ORDER BY facet, runs DESC, value
"""

_UNNAMED: Final = """
SELECT count(DISTINCT sotu), coalesce(bool_or(species IS NOT NULL OR family IS NOT NULL), false)
FROM detection SEMI JOIN matched USING (run)
"""

_DISTINCT_VALUES: Final = """
SELECT facet, count(DISTINCT value), count(DISTINCT run) FROM matched_value
WHERE facet IN (SELECT unnest($facets::VARCHAR[])) GROUP BY facet
"""

"""Describe a list of runs: what is known about them, and how they differ from all others.

Everything is counted over the distinct runs of the list that the index has. A value or a virus sets
them apart if its share here differs from its share elsewhere by Fisher's exact test, with
Benjamini-Hochberg correction over all values and viruses that these runs have. A share is of the
runs that state the facet, or were searched for the virus: what is unknown counts for neither side.
Runs of one study are alike for many reasons, so a list of several studies is tested by studies:
each has a value or not, compared with the studies that have no listed run.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import duckdb
import numpy as np

from index.claims.exact_tests import fisher_p
from index.facets import REGISTRY
from index.false_discovery import benjamini_hochberg
from index.store.scopes import SEARCHES_OF_VIRUSES
from query.browsing.pasted import Pasted
from query.compiler.held import SPECIES_IDENTITY

VIRUS: Final = "virus"
LEAST_KNOWN: Final = 3
"""Minimum number of listed studies (or runs) with a known facet for its values to be tested."""
LEAST_STUDIES: Final = 5
"""Minimum number of studies in a list for studies to be tested; with fewer, their runs are."""
HOLDS: Final = 0.05
"""q-value up to which a value sets the runs apart."""


@dataclass(frozen=True, slots=True)
class ListedValue:
    """A value of some of the runs: of ``known`` of them the facet is stated, or the virus was
    searched for; ``at_90`` counts runs with a hit of 90 % identity, of viruses only.
    """

    facet: str
    value: str
    code: str | None
    runs: int
    known: int
    studies: int
    at_90: int | None = None


@dataclass(frozen=True, slots=True)
class SetApart:
    """A value whose share here differs from that elsewhere, of studies or of runs."""

    facet: str
    value: str
    code: str | None
    here: int
    known_here: int
    elsewhere: int
    known_elsewhere: int
    p_value: float
    q_value: float

    @property
    def is_more_frequent(self) -> bool:
        """Whether the share here is the larger one."""
        return self.here * self.known_elsewhere > self.elsewhere * self.known_here


@dataclass(frozen=True, slots=True)
class ListedCommunity:
    """A community that holds some of the runs, with its title where it has a report."""

    community: str
    level: int
    title: str | None
    runs: int
    of_runs: int


@dataclass(frozen=True, slots=True)
class RunList:
    """What an index knows about a list of runs.

    ``unknown``   accessions it does not have; ``withdrawn`` those its inputs say are withdrawn
    ``unread``    lines without an accession or a known name of one's own
    ``unit``      what was tested: studies or runs
    ``without``   runs that do not state a facet, or that no source searched, by facet
    """

    given: int
    runs: tuple[str, ...]
    unknown: tuple[str, ...]
    withdrawn: tuple[str, ...]
    unread: tuple[str, ...]
    of_runs: int
    studies: int
    samples: int
    positive: int
    values: tuple[ListedValue, ...]
    apart: tuple[SetApart, ...]
    tested: int
    unit: str
    communities: tuple[ListedCommunity, ...]
    without: dict[str, int]


def describe_runs(con: duckdb.DuckDBPyConnection, pasted: Pasted) -> RunList:
    """Return what the index behind ``con`` knows of the runs that ``pasted`` names.

    A sample, a study or a project means its runs; a name of one's own the run that has it.
    """
    wanted = pasted.accessions
    parameters = [[accession for accession, _ in wanted], [kind for _, kind in wanted]]
    named = con.execute(_RUNS, parameters).fetchall()
    own = dict(con.execute(_OWN_NAMES, [list(pasted.others)]).fetchall())
    runs = sorted({str(run) for run, _ in named} | set(own.values()))
    con.execute(
        "CREATE OR REPLACE TEMP TABLE listed AS SELECT unnest($1::VARCHAR[]) AS run", [runs]
    )
    found = {str(accession) for _, accession in named}
    missing = [accession for accession, _ in wanted if accession not in found]
    withdrawn = _withdrawn(con, missing)
    values = [*_rows(con, _VALUES, ListedValue), *_rows(con, _VIRUSES, ListedValue)]
    (of_runs, studies, samples, positive), *_ = con.execute(_TALLY).fetchall()
    unit = "studies" if studies >= LEAST_STUDIES else "runs"
    apart, tested = _set_apart(con, unit)
    return RunList(
        given=len(wanted) + len(own),
        runs=tuple(runs),
        unknown=tuple(one for one in missing if one not in withdrawn),
        withdrawn=tuple(one for one in missing if one in withdrawn),
        unread=tuple(name for name in pasted.others if name not in own),
        of_runs=of_runs,
        studies=studies,
        samples=samples,
        positive=positive,
        values=tuple(sorted(values, key=_order)),
        apart=apart,
        tested=tested,
        unit=unit,
        communities=tuple(_rows(con, _COMMUNITIES, ListedCommunity)),
        without=_without(con),
    )


def _withdrawn(con: duckdb.DuckDBPyConnection, accessions: Sequence[str]) -> frozenset[str]:
    """Return those of ``accessions`` that the inputs of the index list as withdrawn."""
    noted = con.execute("SELECT value FROM build WHERE key = 'withdrawn.runs'").fetchall()
    withdrawn = {run for (listed,) in noted for run in str(listed).split()}
    return frozenset(withdrawn.intersection(accessions))


def _set_apart(con: duckdb.DuckDBPyConnection, unit: str) -> tuple[tuple[SetApart, ...], int]:
    """Return the values that set the listed runs apart, clearest first, and how many were tested.

    If a term and its ancestors occur in the same listed runs, only the narrowest is tested; of
    terms in one lineage only the clearest is returned.
    """
    counted = _of_unit(unit)
    rows = con.execute(_TERMS.format(**counted)).fetchall()
    rows += con.execute(_FOUND.format(**counted)).fetchall()
    tested = [row for row in rows if row[4] >= LEAST_KNOWN and row[6]]
    p_values = [
        fisher_p(with_it=here, of=known, others_with_it=elsewhere, of_others=known_elsewhere)
        for *_, here, known, elsewhere, known_elsewhere in tested
    ]
    q_values = benjamini_hochberg(np.array(p_values)).tolist()
    corrected = zip(tested, p_values, q_values, strict=True)
    apart = [SetApart(*(*row, p, q)) for row, p, q in corrected if q <= HOLDS]
    apart.sort(key=lambda value: (value.p_value, value.facet, value.value))
    return _one_of_each_lineage(con, apart), len(tested)


def _one_of_each_lineage(
    con: duckdb.DuckDBPyConnection, apart: Sequence[SetApart]
) -> tuple[SetApart, ...]:
    """Return ``apart`` without terms above or below that of an earlier value of the facet."""
    pairs = con.execute(_LINEAGE, [[value.code for value in apart]]).fetchall()
    related = set(pairs) | {(above, below) for below, above in pairs}
    clearest: list[SetApart] = []
    for value in apart:
        if not any(
            value.facet == other.facet and (value.code, other.code) in related for other in clearest
        ):
            clearest.append(value)
    return tuple(clearest)


def _of_unit(unit: str) -> dict[str, str]:
    """Return what is counted of the rows here, and of those elsewhere, in SQL."""
    if unit == "runs":
        return {"thing": "r.run", "elsewhere": "l.run IS NULL"}
    listed = f"SELECT {_STUDY} FROM listed JOIN run r USING (run)"
    return {"thing": _STUDY, "elsewhere": f"{_STUDY} NOT IN ({listed})"}


def _without(con: duckdb.DuckDBPyConnection) -> dict[str, int]:
    """Return how many listed runs do not state each facet, and how many no source searched."""
    stated = dict(con.execute(_STATING).fetchall())
    ((runs,),) = con.execute("SELECT count(*) FROM listed").fetchall()
    facets = [
        facet.name for facet in REGISTRY if facet.origin == "annotation" and facet.name != VIRUS
    ]
    missing = {facet: runs - stated.get(facet, 0) for facet in facets}
    missing["searched"] = runs - stated["searched"]
    return {facet: count for facet, count in missing.items() if count}


def _rows(con: duckdb.DuckDBPyConnection, query: str, kind: type[Any]) -> list[Any]:
    return [kind(*row) for row in con.execute(query).fetchall()]


def _order(value: ListedValue) -> tuple[int, int, str]:
    """Return the sort key: viruses, then facets in their order; the most frequent values first."""
    names = [VIRUS, *(facet.name for facet in REGISTRY)]
    return names.index(value.facet), -value.runs, value.value


_NAMED: Final = " UNION ".join(
    f"SELECT run, accession FROM asked JOIN run ON kind = '{kind}' AND {kind} = accession"
    for kind in ("run", "biosample", "study", "bioproject")
)
_RUNS: Final = f"""
WITH asked AS (SELECT unnest($1::VARCHAR[]) AS accession, unnest($2::VARCHAR[]) AS kind) {_NAMED}
"""
_OWN_NAMES: Final = """
SELECT value, min(run) FROM stated_attribute
WHERE attribute = 'sample name' AND value IN (SELECT unnest($1::VARCHAR[]))
GROUP BY value HAVING count(DISTINCT run) = 1
"""
_STUDY: Final = "coalesce(r.study, r.bioproject, r.biosample, r.run)"
_TALLY: Final = f"""
SELECT (SELECT count(*) FROM run), count(DISTINCT {_STUDY}), count(DISTINCT r.biosample),
       count(DISTINCT r.run) FILTER (WHERE r.run IN (SELECT run FROM detection))
FROM listed JOIN run r USING (run)
"""
_STATING: Final = """
SELECT facet, count(DISTINCT run) FROM annotation SEMI JOIN listed USING (run) GROUP BY facet
UNION ALL SELECT 'searched', count(DISTINCT run) FROM searched SEMI JOIN listed USING (run)
"""
_VALUES: Final = f"""
SELECT a.facet, a.value, min(a.curie), count(DISTINCT a.run),
       (SELECT count(DISTINCT s.run) FROM annotation s SEMI JOIN listed USING (run)
        WHERE s.facet = a.facet),
       count(DISTINCT {_STUDY})
FROM annotation a SEMI JOIN listed USING (run) JOIN run r USING (run)
WHERE a.facet <> 'virus'
GROUP BY a.facet, a.value
"""
_TERMS: Final = """
WITH here AS (
    SELECT DISTINCT facet, value, curie FROM annotation SEMI JOIN listed USING (run)
    WHERE facet <> 'virus'
),
-- A term is tested, and each term above it.
candidate AS (
    SELECT h.facet, h.curie AS term, t.label AS value, h.curie
    FROM (SELECT DISTINCT h.facet, c.ancestor AS curie
          FROM here h JOIN closure c ON c.descendant = h.curie) h
    JOIN term t USING (curie)
    UNION SELECT facet, value, value, curie FROM here WHERE curie IS NULL
),
own AS (
    SELECT a.facet, coalesce(a.curie, a.value) AS term, {thing} AS thing,
           l.run IS NOT NULL AS here, {elsewhere} AS elsewhere
    FROM annotation a JOIN run r USING (run) LEFT JOIN listed l USING (run)
    WHERE a.facet IN (SELECT facet FROM here)
),
meaning AS (
    SELECT facet, term, coalesce(c.descendant, term) AS means
    FROM candidate LEFT JOIN closure c ON c.ancestor = term
),
counted AS (
    SELECT m.facet, m.term,
           count(DISTINCT thing) FILTER (WHERE here) AS here,
           count(DISTINCT thing) FILTER (WHERE elsewhere) AS elsewhere
    FROM meaning m JOIN own o ON o.facet = m.facet AND o.term = m.means
    GROUP BY m.facet, m.term
),
known AS (
    SELECT facet, count(DISTINCT thing) FILTER (WHERE here) AS known_here,
           count(DISTINCT thing) FILTER (WHERE elsewhere) AS known_elsewhere
    FROM own GROUP BY facet
)
SELECT facet, value, curie, c.here, k.known_here, c.elsewhere, k.known_elsewhere
FROM counted c JOIN candidate USING (facet, term) JOIN known k USING (facet)
WHERE NOT EXISTS (
    SELECT 1 FROM closure d JOIN counted n ON n.term = d.descendant
    WHERE d.ancestor = c.term AND d.distance > 0 AND n.facet = c.facet AND n.here = c.here
)
-- A label that is stated as host or environment, too, is tested there.
AND NOT (facet = 'label' AND curie IN (
    SELECT ancestor FROM closure JOIN here ON descendant = curie WHERE facet <> 'label'))
ORDER BY ALL
"""
_HITS: Final = f"""
WITH hits AS (
    SELECT stated, run, max(identity) AS identity, min(virus) AS virus
    FROM detection WHERE stated IS NOT NULL AND stated IN (
        SELECT stated FROM detection SEMI JOIN listed USING (run))
    GROUP BY stated, run
),
looked AS (
    SELECT s.stated, r.run FROM ({SEARCHES_OF_VIRUSES}) s JOIN searched r USING (source, search)
    WHERE s.stated IN (SELECT stated FROM hits)
    UNION SELECT stated, run FROM hits
)
"""
"""Viruses of the listed runs: the runs that have them, and those that were searched for them."""
_VIRUSES: Final = f"""{_HITS}
SELECT 'virus', stated, min(h.virus), count(h.run), count(*),
       count(DISTINCT {_STUDY}) FILTER (WHERE h.run IS NOT NULL),
       count(*) FILTER (WHERE h.identity >= {SPECIES_IDENTITY})
FROM looked SEMI JOIN listed USING (run) JOIN run r USING (run) LEFT JOIN hits h USING (stated, run)
GROUP BY stated
"""
_FOUND: Final = f"""{_HITS},
own AS (
    SELECT stated, h.virus, {{thing}} AS thing, h.run IS NOT NULL AS found,
           l.run IS NOT NULL AS here, {{elsewhere}} AS elsewhere
    FROM looked JOIN run r USING (run)
    LEFT JOIN hits h USING (stated, run) LEFT JOIN listed l USING (run)
)
SELECT 'virus', stated, min(virus),
       count(DISTINCT thing) FILTER (WHERE here AND found),
       count(DISTINCT thing) FILTER (WHERE here),
       count(DISTINCT thing) FILTER (WHERE elsewhere AND found),
       count(DISTINCT thing) FILTER (WHERE elsewhere)
FROM own GROUP BY stated ORDER BY stated
"""
_LINEAGE: Final = """
SELECT descendant, ancestor FROM closure
WHERE distance > 0 AND descendant IN (SELECT unnest($1::VARCHAR[]))
  AND ancestor IN (SELECT unnest($1::VARCHAR[]))
"""
_COMMUNITIES: Final = """
SELECT c.community, c.level, t.title, count(*), c.runs
FROM listed l JOIN community_member m ON m.entity = l.run
JOIN distinct_community c USING (community) LEFT JOIN report t USING (community)
WHERE t.community IS NOT NULL OR c.level = 0
GROUP BY ALL ORDER BY c.level, count(*) DESC, c.community
"""

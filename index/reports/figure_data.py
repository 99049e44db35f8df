"""What the figure of a report draws: shares against the parent, pairs of virus and host, place.

Read-only; every frame has a fixed order, so equal input gives an equal figure.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import duckdb
import polars as pl

from index.reports.contrast import wilson_interval
from index.reports.findings.evidence import PATTERN
from index.reports.findings.write import SELDOM
from index.store.run_pairs import FOUND_IN, community_pairs

FACETS: Final = ("species", "family", "host", "tissue", "disease", "geography")
VALUES_SHOWN: Final = 3
PAIRS_SHOWN: Final = 6
CHILDREN_SHOWN: Final = 6


@dataclass(frozen=True)
class FigureData:
    """The numbers behind a figure.

    ``facts`` [facet, value, runs, known, share, reference, low, high, of_parent, background_share,
    lift]: ``reference`` is the share of the parent (``of_parent``) or of the index; ``low`` and
    ``high`` are the 95 % interval of ``share``
    ``pairs`` [virus, host, plausibility, runs], most runs first; ``host`` names what was sequenced
    where that is another organism
    ``parts`` [place, label, runs]: the parent, the community and its children, largest first
    """

    community: str
    title: str
    runs: int
    facts: pl.DataFrame
    pairs: pl.DataFrame
    parts: pl.DataFrame


def read_figure_data(con: duckdb.DuckDBPyConnection, community: str) -> FigureData:
    """Return what the figure of ``community`` draws; reads facts, detections and the hierarchy."""
    ((runs, title),) = con.execute(_TITLE, [community]).fetchall()
    least_known = SELDOM * runs
    parameters = [community, list(FACETS), VALUES_SHOWN, least_known, PATTERN]

    return FigureData(
        community=community,
        title=title,
        runs=runs,
        facts=_with_intervals(con.sql(_FACTS, params=parameters).pl()),
        pairs=con.sql(_PAIRS, params=[community, PAIRS_SHOWN]).pl(),
        parts=con.sql(_PARTS, params=[community, CHILDREN_SHOWN]).pl(),
    )


def _with_intervals(facts: pl.DataFrame) -> pl.DataFrame:
    counts = facts.select("runs", "known").iter_rows()
    bounds = [wilson_interval(part, whole) for part, whole in counts]
    schema = {"low": pl.Float64, "high": pl.Float64}
    intervals = pl.DataFrame(bounds, schema=schema, orient="row")
    return facts.hstack(intervals)


_TITLE: Final = (
    "SELECT c.runs, r.title FROM community c JOIN report r USING (community) WHERE community = $1"
)

_FACTS: Final = """
WITH own AS (
    SELECT facet, value, runs, round(runs / share)::BIGINT AS known, share, background_share, lift,
           round(share * log2(1 + lift), 6) AS salience
    FROM fact WHERE community = $1 AND list_contains($2::VARCHAR[], facet)
),
above AS (
    SELECT facet, value, share AS parent_share FROM fact
    WHERE community = (SELECT parent FROM distinct_community WHERE community = $1)
)
SELECT facet, value, runs, known, share, coalesce(parent_share, background_share) AS reference,
       parent_share IS NOT NULL AS of_parent, background_share, lift
FROM own LEFT JOIN above USING (facet, value)
WHERE share >= 0.02 AND runs >= $5
QUALIFY row_number() OVER (PARTITION BY facet ORDER BY salience DESC, value) <= $3
    AND max(known) OVER (PARTITION BY facet) >= $4
ORDER BY list_position($2::VARCHAR[], facet), salience DESC, value
"""

_PAIRS: Final = f"""
SELECT virus_name AS virus, {FOUND_IN} AS host, plausibility, runs
FROM ({community_pairs("(SELECT $1 AS community)")})
WHERE facet = 'named' AND plausibility <> 'library'
ORDER BY runs DESC, virus, host, plausibility LIMIT $2
"""

_PARTS: Final = """
WITH own AS (SELECT * FROM distinct_community WHERE community = $1),
part AS (
    SELECT 0 AS place, c.community, c.runs FROM distinct_community AS c, own
    WHERE c.community = own.parent
    UNION ALL SELECT 1, community, runs FROM own
    UNION ALL (
        SELECT 2, c.community, c.runs FROM distinct_community AS c, own
        WHERE c.parent = own.community ORDER BY c.runs DESC, c.community LIMIT $2
    )
)
SELECT place, coalesce(r.label, p.community) AS label, p.runs
FROM part AS p LEFT JOIN report AS r USING (community)
ORDER BY place, p.runs DESC, p.community
"""

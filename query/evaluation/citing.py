"""Whether the citations of an answer hold: each value counted again in its community."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import duckdb

from query.answer import Point

_COLUMNS: Final = ("communities", "keys", "values", "runs")


@dataclass(frozen=True, slots=True)
class CitationCheck:
    """Citations of an answer: how many, how many name a value of their community, and how many
    count its runs exactly.
    """

    cited: int = 0
    valid: int = 0
    exact: int = 0


def check_citations(con: duckdb.DuckDBPyConnection, points: Sequence[Point]) -> CitationCheck:
    """Return how the citations of ``points`` hold in the index behind ``con``."""
    columns: dict[str, list[object]] = {name: [] for name in _COLUMNS}
    for point in points:
        for one in point.citations:
            columns["communities"].append(point.community)
            columns["keys"].append(one.key)
            columns["values"].append(one.value)
            columns["runs"].append(one.runs)
    cited = len(columns["runs"])
    if not cited:
        return CitationCheck()
    ((valid, exact),) = con.execute(_COUNTED, columns).fetchall()
    return CitationCheck(cited, int(valid), int(exact))


_COUNTED: Final = """
WITH cited AS (
    SELECT unnest($communities::VARCHAR[]) AS community, unnest($keys::VARCHAR[]) AS key,
           unnest($values::VARCHAR[]) AS value, unnest($runs::BIGINT[]) AS runs,
           generate_subscripts($runs::BIGINT[], 1) AS place
),
inside AS (
    SELECT c.place, c.key, c.value, c.community, m.entity AS run
    FROM cited c JOIN community_member m USING (community)
),
held AS (
    SELECT i.place, i.run FROM inside i JOIN annotation a
    ON a.run = i.run AND a.facet = i.key AND a.value = i.value
    UNION SELECT i.place, i.run FROM inside i JOIN detection d ON d.run = i.run
    AND ((i.key = 'species' AND d.stated = i.value) OR (i.key = 'family' AND d.family = i.value))
    UNION SELECT i.place, i.run FROM inside i JOIN run r ON r.run = i.run
    AND i.value = CASE i.key WHEN 'runId' THEN r.run WHEN 'biosample' THEN r.biosample
                             WHEN 'bioproject' THEN r.bioproject
                             WHEN 'community' THEN i.community END
),
counted AS (SELECT place, count(DISTINCT run) AS runs FROM held GROUP BY place)
SELECT count(*), count(*) FILTER (n.runs = c.runs) FROM counted n JOIN cited c USING (place)
"""

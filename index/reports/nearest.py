"""The virus that a name ending in "-like" is near to.

One reference gives two names: its species from 90 % identity, its genus and "-like" below. A reader
takes these for two viruses unless a report says which reference it is and how alike.
"""

from __future__ import annotations

from typing import Final

import duckdb
import polars as pl

from index.stated import LIKE
from index.store.run_values import COMMUNITY_RUNS

MOSTLY: Final = 0.8
"""Share of the runs of a "-like" name that are nearest to one virus, before it is named."""
LEAST_IDENTITY: Final = 80
"""Percent identity of all of them from which that virus is named: what is less alike is another."""


def nearest_viruses(con: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    """Return ``community, facet, value, near, more, low, high, more_low, more_high`` of each
    "-like" name.

    ``near`` is the virus that most of its runs are near to, "" where no virus has nearly all of
    them; ``more`` counts the runs near it that do not carry it at 90 %; ``low`` and ``high`` are
    the identities of all its runs, ``more_low`` and ``more_high`` those of these, percent. Reads
    ``detection, virus, run, community_member, distinct_community``.
    """
    found: pl.DataFrame = con.sql(_NEAREST).pl()
    return found


_IS_NEAR: Final = f"n.runs >= {MOSTLY} * w.runs AND n.low >= {LEAST_IDENTITY}"
_NEAREST: Final = f"""
WITH hit AS (
    SELECT d.run, d.stated AS value, v.name AS near, max(d.identity) AS identity
    FROM detection AS d JOIN virus AS v USING (virus)
    WHERE ends_with(d.stated, '{LIKE}') GROUP BY ALL
),
of_run AS (
    FROM hit
    QUALIFY row_number() OVER (PARTITION BY run, value ORDER BY identity DESC, near) = 1
),
own AS (SELECT DISTINCT run, stated AS near, true AS is_own FROM detection),
here AS (
    SELECT m.community, h.*, coalesce(o.is_own, false) AS is_own
    FROM ({COMMUNITY_RUNS}) AS m SEMI JOIN distinct_community USING (community)
    JOIN of_run AS h USING (run) LEFT JOIN own AS o USING (run, near)
),
whole AS (
    SELECT community, value, count(*) AS runs, min(identity) AS low, max(identity) AS high
    FROM here GROUP BY ALL
),
of_virus AS (
    SELECT community, value, near, count(*) AS runs, count(*) FILTER (NOT is_own) AS more,
           min(identity) AS low, max(identity) AS high,
           min(identity) FILTER (NOT is_own) AS more_low,
           max(identity) FILTER (NOT is_own) AS more_high
    FROM here GROUP BY ALL
),
nearest AS (
    FROM of_virus
    QUALIFY row_number() OVER (PARTITION BY community, value ORDER BY runs DESC, near) = 1
)
SELECT w.community, 'species' AS facet, w.value,
       if({_IS_NEAR}, n.near, '') AS near, if({_IS_NEAR}, n.more, 0) AS more,
       if({_IS_NEAR}, n.low, w.low) AS low, if({_IS_NEAR}, n.high, w.high) AS high,
       coalesce(n.more_low, n.low) AS more_low, coalesce(n.more_high, n.high) AS more_high
FROM whole AS w JOIN nearest AS n USING (community, value) ORDER BY ALL
"""

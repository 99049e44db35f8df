"""K-mer shares of taxa that a profile does not list itself, in SQL.

NCBI STAT counts the k-mers of a taxon and of all below it. Where a profile lists a taxon, its share
is the one listed. Where it lists only what is below (a table of species, asked for a genus), the
shares of the topmost listed taxa are added, so that no k-mer counts twice.
"""

from __future__ import annotations

from typing import Final


def shares_of(pairs: str, lineage: str) -> str:
    """Return a SELECT of ``run, taxon, share`` (0-1), one row per run and taxon.

    ``pairs`` is a SELECT of ``run, taxon, curie, share``: the listed taxa at or below each taxon.
    ``lineage`` is a relation with ``descendant, ancestor, distance`` that covers ``curie``.
    """
    return _SHARES.format(pairs=pairs, lineage=lineage)


_SHARES: Final = """
WITH pair AS ({pairs}),
listed AS (SELECT run, taxon, max(share) AS share FROM pair WHERE curie = taxon GROUP BY ALL),
part AS (FROM pair ANTI JOIN listed USING (run, taxon)),
nested AS (
    SELECT DISTINCT lower.run, lower.taxon, lower.curie
    FROM part AS lower
    JOIN {lineage} AS line ON line.descendant = lower.curie AND line.distance > 0
    JOIN part AS upper
    ON upper.run = lower.run AND upper.taxon = lower.taxon AND upper.curie = line.ancestor
)
FROM listed
UNION ALL
SELECT run, taxon, least(sum(share), 1.0) AS share
FROM part ANTI JOIN nested USING (run, taxon, curie)
GROUP BY run, taxon
"""

"""What a reader must know of the matching runs of a community before trusting a count."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from index.reports.phrases import counted
from index.store.run_pairs import FOUND_IN
from index.store.run_values import WEIGHED_VIRUS
from query.communities.matched import MatchedRuns

_MANY: Final = 0.05
"""Share of the matching runs of a community from which a caution is worth a sentence."""


def cautions_of(matched: MatchedRuns, read: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the cautions of each community that has any, the gravest first."""
    found: dict[str, list[str]] = {}
    for query, worded in _CAUTIONS:
        for community, *row in matched.rows(query, [list(read), _MANY]):
            found.setdefault(community, []).append(worded(*row))
    return {community: tuple(texts) for community, texts in found.items()}


def _unexpected(virus: str, host: str, runs: int) -> str:
    return (
        f"{virus} is not expected in {host} ({counted(runs, 'run')}): possibly contamination or a "
        f"new host."
    )


def _resident(virus: str, host: str, runs: int) -> str:
    return f"{virus} is known to live in {host} itself ({counted(runs, 'run')})."


def _closest(virus: str, runs: int) -> str:
    return (
        f"In {counted(runs, 'run')} reads closest to {virus} may come from a relative with many "
        f"more reads."
    )


def _libraries(runs: int, whole: int) -> str:
    which = f"{runs:,} of them" if runs < whole else "They all" if whole > 1 else "It"
    return f"{which} sequenced a virus itself, so that it says nothing of a host."


def _reported(runs: int, whole: int) -> str:
    which = f"In {runs:,} of them" if runs < whole else "In all of them" if whole > 1 else "In it"
    return f"{which} the virus is only as the source reports it, without an identity."


_JUDGED: Final = f"""
WITH judged AS (
    SELECT DISTINCT m.community, h.run, coalesce(h.stated, h.family) AS name, p.plausibility,
           coalesce(n.label, p.host) AS host_name, coalesce(o.label, q.organism) AS organism_name
    FROM member m
    JOIN (SELECT run, stated, family, {WEIGHED_VIRUS} AS virus FROM matched_hit) h USING (run)
    JOIN run_plausibility p USING (run, virus)
    LEFT JOIN sequenced q ON q.run = p.run AND q.host = p.host
    LEFT JOIN term n ON n.curie = p.host LEFT JOIN term o ON o.curie = q.organism
    WHERE list_contains($1::VARCHAR[], m.community) AND p.plausibility = '{{kind}}'
),
size AS (SELECT community, count(*) AS whole FROM member GROUP BY community)
SELECT j.community, j.name, {FOUND_IN} AS found_in, count(DISTINCT j.run) AS runs
FROM judged j JOIN size USING (community) WHERE j.name IS NOT NULL
GROUP BY j.community, j.name, found_in HAVING count(DISTINCT j.run) >= $2 * any_value(whole)
QUALIFY row_number() OVER (PARTITION BY j.community ORDER BY runs DESC, j.name, found_in) = 1
"""
_CLOSEST: Final = """
SELECT m.community, v.name, count(DISTINCT m.run) AS runs
FROM member m JOIN matched_hit h USING (run) JOIN virus v ON v.virus = h.virus
WHERE list_contains($1::VARCHAR[], m.community) AND h.closest IS NOT NULL AND $2 > 0
GROUP BY m.community, v.name
QUALIFY row_number() OVER (PARTITION BY m.community ORDER BY runs DESC, v.name) = 1
"""
_LIBRARIES: Final = """
SELECT m.community, count(DISTINCT a.run) AS runs, count(DISTINCT m.run) AS whole
FROM member m LEFT JOIN (SELECT run FROM annotation WHERE facet = 'virus') a USING (run)
WHERE list_contains($1::VARCHAR[], m.community)
GROUP BY m.community HAVING runs > 0 AND runs >= $2 * whole
"""
_REPORTED: Final = """
SELECT community, count(*) FILTER (reported) AS runs, count(*) AS whole
FROM (
    SELECT m.community, m.run,
           bool_and(h.identity IS NULL AND h.stated LIKE 'reported as %') AS reported
    FROM member m JOIN matched_hit h USING (run)
    WHERE list_contains($1::VARCHAR[], m.community) GROUP BY ALL
)
GROUP BY community HAVING runs > 0 AND runs >= greatest($2, 0.2) * whole
"""
_CAUTIONS: Final[tuple[tuple[str, Callable[..., str]], ...]] = (
    (_JUDGED.format(kind="unexpected"), _unexpected),
    (_JUDGED.format(kind="resident"), _resident),
    (_CLOSEST, _closest),
    (_REPORTED, _reported),
    (_LIBRARIES, _libraries),
)
"""Each caution: the SELECT of its community and numbers, and its words; the gravest first."""

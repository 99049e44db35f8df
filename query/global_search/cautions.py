"""What a reader must know about the matching runs of a community before trusting a count."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import Final

from index.claims import DoubtfulHost, OtherOrganism, Outweighed
from index.store.run_pairs import mostly_other, sequenced_from
from index.store.run_values import WEIGHED_VIRUS
from index.store.sorted_rows import rows_near
from query.global_search.matched import MatchedRuns

_MANY: Final = 0.05
"""Share of the matching runs of a community from which a caution is worth a sentence."""


def cautions_of(matched: MatchedRuns) -> dict[str, tuple[str, ...]]:
    """Return the cautions of each community of ``here`` that has any, the most serious first."""
    found: dict[str, list[str]] = {}
    for community, *row in matched.rows(_CONGENERS, [_MANY]):
        found.setdefault(community, []).append(_congener(*row))
    judged = matched.rows(_JUDGED, [_MANY])
    labels = _labels(matched, {curie for row in judged for curie in row[3:5] if curie})
    for community, kind, virus, host, organism, runs in judged:
        found_in = sequenced_from(labels.get(host, host), labels.get(organism, organism))
        found.setdefault(community, []).append(
            DoubtfulHost(kind=kind, pairs=((virus, found_in, runs),)).sentence()
        )
    for query, worded in ((_REPORTED, _reported), (_LIBRARIES, _libraries)):
        for community, *row in matched.rows(query, [_MANY]):
            found.setdefault(community, []).append(worded(*row))
    for community, claim in _other_by_kmers(matched):
        found.setdefault(community, []).append(claim.sentence())
    return {community: tuple(texts) for community, texts in found.items()}


def _other_by_kmers(matched: MatchedRuns) -> Iterator[tuple[str, OtherOrganism]]:
    """Return the communities with matching runs that are mostly of another organism, by k-mers."""
    rows = matched.rows(mostly_other("SELECT community, run FROM here"))
    for community, own in groupby(rows, key=itemgetter(0)):
        yield community, OtherOrganism.of_rows([row[1:] for row in own])


def _labels(matched: MatchedRuns, curies: Iterable[str]) -> dict[str, str]:
    """Return the labels of ``curies`` that are terms."""
    wanted = sorted(curies)
    if not wanted:
        return {}
    near = rows_near(matched.connection, "term", "curie", wanted)
    return dict(matched.rows(_LABELS.format(term=near), [wanted]))


def _congener(virus: str, congener: str, explained: int, runs: int, whole: int) -> str:
    """Return that a relative has more reads in the same runs."""
    claim = Outweighed(
        virus=virus, congener=congener, which=_which(runs, whole), explains=explained == runs
    )
    return claim.sentence()


def _reported(runs: int, whole: int) -> str:
    which = _which(runs, whole)
    return f"In {which} the virus is only what the source calls it; no identity supports the name."


def _libraries(runs: int, whole: int) -> str:
    return f"In {_which(runs, whole)} the virus itself was sequenced, which says nothing of a host."


def _which(runs: int, whole: int) -> str:
    """Return examples of the matching runs, in words."""
    if runs < whole:
        return f"{runs:,} of them"
    return "all of them" if whole > 1 else "it"


_JUDGED: Final = f"""
WITH judged AS (
    SELECT DISTINCT m.community, h.run, coalesce(h.stated, h.family) AS name, p.plausibility,
           p.host, q.organism
    FROM here m
    JOIN (SELECT run, stated, family, {WEIGHED_VIRUS} AS virus FROM matched_hit) h USING (run)
    JOIN run_plausibility p USING (run, virus)
    LEFT JOIN sequenced q ON q.run = p.run AND q.host = p.host
    WHERE p.plausibility IN ('unexpected', 'resident') AND name IS NOT NULL
),
counted AS (
    SELECT community, plausibility, name, host, organism, count(DISTINCT run) AS runs
    FROM judged GROUP BY community, plausibility, name, host, organism
    QUALIFY row_number() OVER (
        PARTITION BY community, plausibility ORDER BY runs DESC, name, host) = 1
),
size AS (SELECT community, count(*) AS whole FROM here GROUP BY community)
SELECT community, plausibility, name, host, organism, runs FROM counted JOIN size USING (community)
WHERE runs >= $1 * whole ORDER BY community, plausibility = 'resident'
"""
_LABELS: Final = "SELECT curie, label FROM {term} WHERE list_contains($1::VARCHAR[], curie)"
_CONGENERS: Final = """
WITH size AS (SELECT community, count(*) AS whole FROM here GROUP BY community),
counted AS (
    SELECT m.community, h.virus, h.congener, count(DISTINCT m.run) AS runs,
           count(DISTINCT m.run) FILTER (h.closest IS NOT NULL) AS explained
    FROM here m JOIN matched_hit h USING (run) WHERE h.congener IS NOT NULL
    GROUP BY m.community, h.virus, h.congener
    QUALIFY row_number() OVER (PARTITION BY m.community ORDER BY runs DESC, h.virus) = 1
)
SELECT community, v.name, coalesce(o.name, congener), explained, runs, whole
FROM counted c JOIN size USING (community)
JOIN virus v ON v.virus = c.virus LEFT JOIN virus o ON o.virus = c.congener
WHERE runs >= $1 * whole
"""
_LIBRARIES: Final = """
SELECT m.community, count(a.run) AS runs, count(*) AS whole
FROM here m
LEFT JOIN (SELECT DISTINCT run FROM annotation WHERE facet = 'virus') a USING (run)
GROUP BY m.community HAVING runs > 0 AND runs >= $1 * whole
"""
_REPORTED: Final = """
SELECT community, count(*) FILTER (reported) AS runs, count(*) AS whole
FROM (
    SELECT m.community, m.run, bool_and(h.stated LIKE 'reported as %') AS reported
    FROM here m JOIN matched_hit h USING (run) GROUP BY m.community, m.run
)
GROUP BY community HAVING runs > 0 AND runs >= $1 * whole
"""

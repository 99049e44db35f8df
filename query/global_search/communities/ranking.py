"""Communities in the order that a question asks for: by size, by rating, or by how much of what it
names they hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from query.global_search.carrying import runs_carrying
from query.global_search.matched_runs import MatchedRuns
from query.reading.asked.communities import CommunitiesAsked, Level
from query.reading.senses import Sense

By = Literal["most", "share", "nearest", "mostly"]


@dataclass(frozen=True, slots=True)
class Ranked:
    """A community with its place in the hierarchy, and how many ``matching`` runs are in it."""

    community: str
    level: int
    runs: int
    title: str | None
    rating: float | None
    risk_group: str | None
    matching: int = 0

    @property
    def name(self) -> str:
        """Its identifier with the title of its report, where it has one."""
        return f"{self.community} “{self.title}”" if self.title else self.community


def levels_of(matched: MatchedRuns) -> list[int]:
    """Return the levels of the hierarchy, the coarsest first."""
    rows = matched.rows("SELECT DISTINCT level FROM community ORDER BY level")
    return [int(level) for (level,) in rows]


def level_asked(matched: MatchedRuns, level: Level) -> int | None:
    """Return the number of the ``level`` that is asked for, None where any will do."""
    if level == "finest":
        return max(levels_of(matched), default=None)
    return level


def ranked_by_size(matched: MatchedRuns, asked: CommunitiesAsked) -> list[Ranked]:
    """Return the communities of the level that is asked for, largest first or smallest first; of
    the coarsest level where none is.

    The smallest are those that have a report: without one they are single runs.
    """
    level = level_asked(matched, asked.level)
    parameters = {"level": 0 if level is None and not asked.smallest else level}
    order = "runs, level" if asked.smallest else "runs DESC, level"
    reported = "AND title IS NOT NULL" if asked.smallest else ""
    query = f"{_EVERY} {reported} ORDER BY {order}, community"
    return _read(matched.rows(query, parameters))


def ranked_by_rating(matched: MatchedRuns, asked: CommunitiesAsked) -> list[Ranked]:
    """Return the communities with a report, best rated first, or worst."""
    parameters = {"level": level_asked(matched, asked.level)}
    order = "rating, runs DESC" if asked.smallest else "rating DESC, runs DESC"
    query = f"{_EVERY} AND rating IS NOT NULL ORDER BY {order}, community"
    return _read(matched.rows(query, parameters))


def of_risk_groups(matched: MatchedRuns, asked: CommunitiesAsked) -> list[Ranked]:
    """Return the communities of the risk groups that are asked for, the coarsest and largest
    first.
    """
    parameters = {
        "level": level_asked(matched, asked.level),
        "groups": list(asked.groups),
    }
    query = (
        f"{_EVERY} AND list_contains($groups::VARCHAR[], risk_group) "
        "ORDER BY level, runs DESC, community"
    )
    return _read(matched.rows(query, parameters))


def parts_of_community(matched: MatchedRuns, community: str) -> list[Ranked]:
    """Return the communities one step below ``community``, the largest first."""
    query = (
        f"{_EVERY} AND community IN (SELECT community FROM distinct_community "
        "WHERE lower(parent) = lower($parent)) ORDER BY runs DESC, community"
    )
    return _read(matched.rows(query, {"level": None, "parent": community}))


def parents_of_community(matched: MatchedRuns, community: str) -> list[Ranked]:
    """Return the communities that hold ``community``, the nearest first."""
    return _read(matched.rows(_PARENTS, {"level": None, "community": community}))


def about_matching(matched: MatchedRuns, asked: CommunitiesAsked, *, by: By) -> list[Ranked]:
    """Return the communities that hold matching runs: those with ``most`` of them first, those with
    the largest ``share`` of them among their own runs, those made up of them ``mostly``, or the
    ``nearest``.

    Nearest is where twice the shared runs over the runs of both is largest (Dice, 1945), so that
    neither a large community with a few of them nor a single run of it comes first. A share is
    ranked of communities of ten runs and more.
    """
    matched.join_communities()
    level = level_asked(matched, asked.level)
    parameters = {"level": 0 if by == "most" and level is None else level}
    query = f"{_MATCHING} ORDER BY {_ORDERS[by]}, level, runs DESC, community"
    return _read(matched.rows(query, parameters))


def holding_each(
    matched: MatchedRuns, asked: CommunitiesAsked, keys: Sequence[str]
) -> list[Ranked]:
    """Return the communities that hold runs of each of ``keys``, though no run need be of all:
    those first where the rarest of them has most, with its runs as ``matching``.
    """
    level = level_asked(matched, asked.level)
    parameters = {"level": 0 if level is None else level, "keys": len(set(keys))}
    query = f"{_EACH} ORDER BY matching DESC, level, runs DESC, community"
    return _read(matched.rows(query, parameters))


def home_communities(matched: MatchedRuns, senses: Sequence[Sense]) -> list[Ranked]:
    """Return the community of each level that holds most runs of ``senses``, the coarsest first;
    what a level repeats comes once.
    """
    query = _HOMES.format(runs=runs_carrying(senses))
    return _read(matched.rows(query))


def _read(rows: list[tuple[Any, ...]]) -> list[Ranked]:
    return [Ranked(*row) for row in rows]


_COLUMNS: Final = "c.community, c.level, c.runs, r.title, r.rating, k.risk_group"
_JOINED: Final = """
FROM distinct_community c LEFT JOIN report r USING (community)
    LEFT JOIN community_risk k USING (community)
"""
_OF_LEVEL: Final = "($level::INTEGER IS NULL OR $level BETWEEN c.level AND c.last_level)"
_EVERY: Final = f"SELECT * FROM (SELECT {_COLUMNS} {_JOINED} WHERE {_OF_LEVEL}) WHERE true"
_PARENTS: Final = f"""
WITH RECURSIVE up AS (
    SELECT community, parent, 0 AS steps FROM distinct_community
    WHERE lower(community) = lower($community)
    UNION ALL
    SELECT d.community, d.parent, u.steps + 1
    FROM up u JOIN distinct_community d ON d.community = u.parent
)
SELECT {_COLUMNS} {_JOINED} JOIN up ON up.community = c.community
WHERE up.steps > 0 AND {_OF_LEVEL} ORDER BY up.steps
"""
_MATCHING: Final = f"""
SELECT {_COLUMNS}, m.matching {_JOINED}
JOIN (SELECT community, count(*) AS matching FROM member GROUP BY community) m USING (community)
WHERE {_OF_LEVEL} AND (r.title IS NOT NULL OR c.level = 0)
"""
_EACH: Final = f"""
SELECT {_COLUMNS}, m.matching {_JOINED}
JOIN (
    SELECT community, min(held) AS matching FROM (
        SELECT m.community, g.grp, count(DISTINCT g.run) AS held
        FROM community_member m JOIN group_run g ON g.run = m.entity GROUP BY m.community, g.grp
    )
    GROUP BY community HAVING count(*) = $keys
) m USING (community)
WHERE {_OF_LEVEL} AND (r.title IS NOT NULL OR c.level = 0)
"""
_HOMES: Final = f"""
SELECT {_COLUMNS}, m.matching {_JOINED}
JOIN (
    SELECT c.community, c.level, count(*) AS matching
    FROM community_member m JOIN ({{runs}}) r ON r.run = m.entity JOIN community c USING (community)
    GROUP BY c.community, c.level
    QUALIFY row_number() OVER (PARTITION BY c.level ORDER BY count(*) DESC, c.community) = 1
) m USING (community)
ORDER BY c.level, c.community
"""
_ORDERS: Final[dict[By, str]] = {
    "most": "matching DESC",
    "share": "runs < 10, matching / runs DESC",
    "mostly": "(runs > 1 AND 2 * matching >= runs) DESC, matching DESC, runs",
    "nearest": "2 * matching / (runs + (SELECT count(*) FROM matched)) DESC",
}
"""In which order -> how communities are ordered."""

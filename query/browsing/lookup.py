"""The community that a reader means: by identifier, the beginning of it, or words of its title."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import duckdb

from query.errors import (
    AmbiguousCommunityError,
    QueryError,
    UnknownCommunityError,
    UnreportedCommunityError,
)

_NAMED: Final = 5
"""Communities that an error names at most."""


@dataclass(frozen=True, slots=True)
class CommunityLookup:
    """The community meant, and the finer communities that the same words match.

    The coarsest are first, and of a level the largest.
    """

    community: str
    others: tuple[str, ...] = ()


def find_community(con: duckdb.DuckDBPyConnection, text: str) -> CommunityLookup:
    """Return the reported community that ``text`` identifies.

    ``text`` is an identifier, the beginning of one, or words of a title or label. Words that
    several communities have mean that at the coarsest level.

    Raises ``UnknownCommunityError`` where nothing matches, ``UnreportedCommunityError`` where a
    community has no report, ``AmbiguousCommunityError`` where several of one level match.
    """
    for query in (_EXACT, _PREFIX, _NAMES):
        rows = con.execute(query, [text]).fetchall()
        if rows:
            return _coarsest(text, rows)
    raise no_report(con, text)


def no_report(con: duckdb.DuckDBPyConnection, text: str) -> QueryError:
    """Return the error for a text that matches no report; for a community without a report it names
    the nearest one above that has one.
    """
    found = con.execute(_ABOVE, [text]).fetchall()
    known = con.execute(_KNOWN, [text]).fetchall()
    for (above,) in found or [(None,)] * len(known):
        return UnreportedCommunityError(text, above=above)
    communities = "SELECT community AS name FROM community"
    return UnknownCommunityError(text, nearest=nearest_names(con, communities, text, most=3))


def nearest_names(con: duckdb.DuckDBPyConnection, names: str, text: str, *, most: int) -> list[str]:
    """Return those of ``names``, a SELECT of the column ``name``, spelled most like ``text``."""
    query = f"""
        SELECT name FROM ({names})
        ORDER BY jaro_winkler_similarity(lower(name), lower($1)) DESC, name LIMIT {most}
    """
    return [str(name) for (name,) in con.execute(query, [text]).fetchall()]


def _coarsest(text: str, rows: list[tuple[str, int, str]]) -> CommunityLookup:
    first, *others = [community for community, _, _ in rows]
    level = rows[0][1]
    alike = [f"{community} ({label})" for community, at, label in rows if at == level]
    if len(alike) > 1:
        raise AmbiguousCommunityError(
            text, candidates=alike[:_NAMED], total=len(alike), level=level
        )
    return CommunityLookup(first, tuple(others))


_REPORTED: Final = (
    "SELECT r.community, c.level, r.label FROM report r JOIN community c USING (community)"
)
_ORDER: Final = "ORDER BY c.level, c.runs DESC, r.community"

_ABOVE: Final = """
WITH RECURSIVE up AS (
    SELECT parent, 1 AS steps FROM community WHERE lower(community) = lower(trim($1))
    UNION ALL
    SELECT c.parent, steps + 1 FROM up JOIN community c ON c.community = up.parent
)
SELECT parent FROM up WHERE parent IN (SELECT community FROM report) ORDER BY steps LIMIT 1
"""
_KNOWN: Final = "SELECT 1 FROM community WHERE lower(community) = lower(trim($1))"
_EXACT: Final = f"{_REPORTED} WHERE lower(r.community) = lower(trim($1))"
_PREFIX: Final = f"""
{_REPORTED} WHERE trim($1) <> ''
AND starts_with(lower(r.community), lower(trim($1))) {_ORDER}
"""
_NAMES: Final = f"""
{_REPORTED} WHERE trim($1) <> ''
AND contains(lower(concat_ws(chr(10), r.title, r.label)), lower(trim($1))) {_ORDER}
"""

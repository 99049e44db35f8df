"""The community that a reader means: by its identifier, the beginning of it, or words of its title."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import duckdb

from query.errors import AmbiguousCommunityError, UnknownCommunityError
from query.reading.nearest import nearest_communities

_NAMED: Final = 5
"""Communities that an error names at most."""


@dataclass(frozen=True, slots=True)
class Found:
    """The community meant, and the finer ones that the same words match, coarsest and largest
    first.
    """

    community: str
    others: tuple[str, ...] = ()


def find_community(con: duckdb.DuckDBPyConnection, text: str) -> Found:
    """Return the reported community that ``text`` identifies, begins the identifier of, or is in
    the title or label of.

    Words that several have mean the one at the coarsest level that has them.

    Raises ``UnknownCommunityError`` where nothing matches, ``AmbiguousCommunityError`` where
    several of one level do.
    """
    for query in (_EXACT, _PREFIX, _NAMES):
        rows = con.execute(query, [text]).fetchall()
        if rows:
            return _coarsest(text, rows)
    raise UnknownCommunityError(text, nearest=nearest_communities(con, text))


def _coarsest(text: str, rows: list[tuple[str, int, str]]) -> Found:
    level = rows[0][1]
    alike = [f"{community} ({label})" for community, at, label in rows if at == level]
    if len(alike) > 1:
        raise AmbiguousCommunityError(
            text, candidates=alike[:_NAMED], total=len(alike), level=level
        )
    return Found(rows[0][0], tuple(community for community, _, _ in rows[1:]))


_REPORTED: Final = (
    "SELECT r.community, c.level, r.label FROM report r JOIN community c USING (community)"
)
_ORDER: Final = "ORDER BY c.level, c.runs DESC, r.community"

_EXACT: Final = f"{_REPORTED} WHERE lower(r.community) = lower(trim($1))"
_PREFIX: Final = f"{_REPORTED} WHERE trim($1) <> '' AND starts_with(lower(r.community), lower(trim($1))) {_ORDER}"
_NAMES: Final = f"""
{_REPORTED} WHERE trim($1) <> '' AND contains(lower(concat_ws(chr(10), r.title, r.label)), lower(trim($1))) {_ORDER}
"""

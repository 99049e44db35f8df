"""Builds of an index: the one published, those before it, and what two of them differ in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import duckdb

from query.errors import UnknownBuildError

CURRENT: Final = "current"
PREVIOUS: Final = "previous"
"""Names of the published build and of the newest before it in a comparison."""
SHOWN_COUNTS: Final = ("run", "detection", "community", "report", "association")
COMPARED: Final = (
    "counts.", "input.", "parameter.", "version.", "seconds.", "cpu.", "memory.", "rows.", "bytes.",
)  # fmt: skip
"""Beginnings of the keys that a comparison lists."""
_KNOWN_SHOWN: Final = 5
"""Builds that an error about an unknown one lists."""
_PUBLISHED: Final = """
SELECT coalesce((SELECT value FROM build WHERE key = 'run_at.published'), 'unknown') AS published,
       key, value
FROM build
"""
_ALL: Final = f"""
SELECT published, key, value FROM past_build
UNION ALL
({_PUBLISHED})
"""


@dataclass(frozen=True, slots=True)
class BuildListing:
    """A build: when it was published, its content, its rows, what it took."""

    published: str
    content_hash: str
    current: bool
    run: int | None
    detection: int | None
    community: int | None
    report: int | None
    association: int | None
    seconds: float | None
    peak_mb: int | None


@dataclass(frozen=True, slots=True)
class BuildDifference:
    """A value of the table ``build`` in which two builds differ; None if a build lacks it."""

    key: str
    before: str | None
    after: str | None


def list_builds(con: duckdb.DuckDBPyConnection) -> tuple[BuildListing, ...]:
    """Return the builds that the index remembers, the newest first."""
    noted, current = _noted(con), _current(con)
    return tuple(
        _build(name, noted[name], current=name == current) for name in sorted(noted, reverse=True)
    )


def compare_builds(
    con: duckdb.DuckDBPyConnection, before: str, after: str = CURRENT
) -> tuple[BuildDifference, ...]:
    """Return the values of the table ``build`` in which two builds differ, sorted by key.

    A build is named by the beginning of its publishing time or of its content hash; ``current`` is
    the published one, ``previous`` the newest before it.

    Raises ``UnknownBuildError`` if no build is named so, or several are.
    """
    noted, current = _noted(con), _current(con)
    old, new = (noted[_find(noted, name, current=current)] for name in (before, after))
    return tuple(
        BuildDifference(key, old.get(key), new.get(key))
        for key in sorted({*old, *new})
        if key.startswith(COMPARED) and old.get(key) != new.get(key)
    )


def _noted(con: duckdb.DuckDBPyConnection) -> dict[str, dict[str, str]]:
    """Return what each build noted, by its time of publishing."""
    noted: dict[str, dict[str, str]] = {}
    for published, key, value in con.execute(_ALL).fetchall():
        noted.setdefault(published, {})[key] = value
    return noted


def _current(con: duckdb.DuckDBPyConnection) -> str:
    return str(con.execute(_PUBLISHED).fetchall()[0][0])


def _build(published: str, noted: dict[str, str], *, current: bool) -> BuildListing:
    seconds = noted.get("seconds.total")
    return BuildListing(
        published=published,
        content_hash=noted.get("content_hash", ""),
        current=current,
        seconds=None if seconds is None else round(float(seconds), 1),
        peak_mb=_count(noted, "memory.peak_mb"),
        **{name: _count(noted, f"counts.{name}") for name in SHOWN_COUNTS},
    )


def _count(noted: dict[str, str], key: str) -> int | None:
    return int(float(noted[key])) if key in noted else None


def _find(noted: dict[str, dict[str, str]], text: str, *, current: str) -> str:
    """Return the time of publishing of the build that ``text`` names."""
    if text == CURRENT:
        return current
    if text == PREVIOUS:
        named = sorted(name for name in noted if name != current)[-1:]
    else:
        named = [
            name
            for name in noted
            if name.startswith(text) or noted[name].get("content_hash", "").startswith(text)
        ]
    if len(named) != 1:
        newest = sorted(noted, reverse=True)[:_KNOWN_SHOWN]
        raise UnknownBuildError(text, found=named, known=newest)
    return named[0]

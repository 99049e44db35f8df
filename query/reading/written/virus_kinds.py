"""Hosts that only say which kind of viruses is meant: plant viruses in grapevine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import duckdb

from query.reading.mentions import Mention

_VIRUSES: Final = frozenset({"virus", "viruses"})
_APART: Final = frozenset(
    {"and", "or", "vs", "versus", "than", "with", "without", "not", "except", "compared", "also"}
)
"""Words that set two hosts side by side, so that each is asked for by itself."""
_WITHIN: Final = """
SELECT 1 FROM closure WHERE descendant IN (SELECT unnest($lower::VARCHAR[]))
  AND ancestor IN (SELECT unnest($upper::VARCHAR[])) LIMIT 1
"""


def without_virus_kinds(
    con: duckdb.DuckDBPyConnection, words: Sequence[str], found: Sequence[Mention]
) -> tuple[list[Mention], tuple[str, ...]]:
    """Return ``found`` without hosts that only say of which kind the viruses are, and those of them
    that no other host is part of: which viruses are human, no count of runs tells.

    Plant viruses in grapevine are viruses in grapevine; human viruses in wastewater are not
    understood.
    """
    kept = []
    unknown = []
    for one in found:
        others = _found_in(words, one, found)
        if not others:
            kept.append(one)
        elif not all(_is_within(con, other, one) for other in others):
            unknown.append(" ".join(words[one.start : one.end + 1]))
    return kept, tuple(unknown)


def _found_in(words: Sequence[str], one: Mention, found: Sequence[Mention]) -> list[Mention]:
    """Return the hosts behind "``one`` viruses" in which these are asked for."""
    following = "".join(words[one.end : one.end + 1]).lower()
    if one.group != "organism" or following not in _VIRUSES:
        return []
    others = [two for two in found if two.group == "organism" and two.start > one.end]
    if not others:
        return []
    between = {word.lower() for word in words[one.end + 1 : others[0].start]}
    return [] if between & _APART or not between else others


def _is_within(con: duckdb.DuckDBPyConnection, lower: Mention, upper: Mention) -> bool:
    """Return whether a taxon of ``lower`` is one of ``upper`` or below it."""
    curies = {"lower": list(lower.curies), "upper": list(upper.curies)}
    return bool(con.execute(_WITHIN, curies).fetchall())

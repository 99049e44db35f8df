"""Hosts that only say which kind of viruses is meant: plant viruses in grapevine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import duckdb

from query.reading.intent import is_stop_word
from query.reading.mentions import Mention
from query.reading.names.spans import positions
from query.reading.written.recorded import of_kingdom

_VIRUSES: Final = frozenset({"virus", "viruses"})
_APART: Final = frozenset(
    {"and", "or", "vs", "versus", "than", "without", "not", "except", "compared", "also"}
)
"""Words that set two hosts side by side, so that each is asked for by itself."""
_COMPARING: Final = frozenset({"compare", "comparing", "contrast", "contrasting"})
_WITHIN: Final = """
SELECT 1 FROM closure WHERE descendant IN (SELECT unnest($lower::VARCHAR[]))
  AND ancestor IN (SELECT unnest($upper::VARCHAR[])) LIMIT 1
"""


def without_virus_kinds(
    con: duckdb.DuckDBPyConnection, words: Sequence[str], found: Sequence[Mention]
) -> tuple[list[Mention], tuple[str, ...]]:
    """Return ``found`` without hosts that only say of which kind the viruses are, and those of them
    that no other host is part of: which viruses are human, no count of runs tells.

    Plant viruses in grapevine are viruses in grapevine; plant viruses in mammals are those that
    ICTV records in plants; human viruses in wastewater are not understood.
    """
    kept = []
    unknown = []
    for one in found:
        others = _found_in(words, one, found)
        proper = _proper_name(words, one, found) if others else ""
        if not others:
            kept.append(one)
        elif proper:
            unknown.append(proper)
        elif not all(_is_within(con, other, one) for other in others):
            recorded = of_kingdom(con, one)
            if recorded:
                kept.append(recorded)
            else:
                unknown.append(" ".join(words[one.start : one.end + 1]))
    return kept, tuple(unknown)


def _proper_name(words: Sequence[str], one: Mention, found: Sequence[Mention]) -> str:
    """Return the name of a virus that ends with ``one`` and virus, empty where none is meant: a
    word with a capital that names nothing else opens it (Zandrel pig virus).
    """
    place = one.start - 1
    opening = "".join(words[max(0, place) : one.start])
    proper = opening[:1].isupper() and opening[1:].islower() and not is_stop_word(opening)
    single = "".join(words[one.end : one.end + 1]).lower() == "virus"
    if not (proper and single) or place in positions(found):
        return ""
    return " ".join(words[place : one.end + 1])


def _found_in(words: Sequence[str], one: Mention, found: Sequence[Mention]) -> list[Mention]:
    """Return the hosts in which "``one`` viruses" are asked for."""
    if one.group != "organism" or not _of_viruses(words, one):
        return []
    others = [two for two in found if two.group == "organism" and not _of_viruses(words, two)]
    return [two for two in others if not _are_apart(words, one, two)]


def _of_viruses(words: Sequence[str], one: Mention) -> bool:
    """Return whether the word virus follows ``one``."""
    return "".join(words[one.end : one.end + 1]).lower() in _VIRUSES


def _are_apart(words: Sequence[str], one: Mention, two: Mention) -> bool:
    """Return whether a word between two hosts sets them side by side."""
    first, second = sorted((one, two), key=lambda mention: mention.start)
    between = {word.lower() for word in words[first.end : second.start]}
    before = {word.lower() for word in words[: first.start]}
    compared = "with" in between and not before.isdisjoint(_COMPARING)
    return not between or compared or not between.isdisjoint(_APART)


def _is_within(con: duckdb.DuckDBPyConnection, lower: Mention, upper: Mention) -> bool:
    """Return whether a taxon of ``lower`` is one of ``upper`` or below it."""
    curies = {"lower": list(lower.curies), "upper": list(upper.curies)}
    return bool(con.execute(_WITHIN, curies).fetchall())

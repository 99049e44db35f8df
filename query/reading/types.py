"""Types named without their virus: HHV-6A and 6B, rotavirus A or B."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from query.reading.tokens import tokens_of
from query.words import singular

if TYPE_CHECKING:
    from query.reading.found_name import FoundName
    from query.reading.tokens import Token

_TYPE: Final = re.compile(r"-?(\d{1,3}[A-Z]?|[A-H])$")
_JOINS: Final = frozenset({"and", "or", "/", "&", "vs", "vs.", "versus"})


def with_types(
    names: Sequence[FoundName],
    tokens: Sequence[Token],
    find: Callable[[Sequence[Token]], Sequence[FoundName]],
) -> list[FoundName]:
    """Return ``names`` with the types that follow a type of the same virus; ``find`` finds names.

    A number that counts something is not a type: HHV-6 and 7 studies.
    """
    used = {place for name in names for place in range(name.first, name.last)}
    found = list(names)
    for name in names:
        place = name.last + 1
        if name.kind != "virus" or place in used or not _may_be_type(tokens, place):
            continue
        stem, kind = _stem_and_type(tokens[name.last - 1].text)
        if not kind:
            continue
        opening = " ".join(token.text for token in tokens[name.first : name.last - 1])
        whole = tokens_of(f"{opening} {stem}{tokens[place].text.lstrip('-')}".strip())
        match = find(whole)
        if len(match) == 1 and (match[0].kind, match[0].last) == ("virus", len(whole)):
            found.append(replace(match[0], first=place, last=place + 1))
    return sorted(found, key=lambda name: name.first)


def _may_be_type(tokens: Sequence[Token], place: int) -> bool:
    """Return whether a type is at ``place``, joined to what is before it."""
    if place >= len(tokens) or tokens[place - 1].lower not in _JOINS:
        return False
    behind = tokens[place + 1].lower if place + 1 < len(tokens) else ""
    counts = tokens[place].text.isdecimal() and singular(behind) != behind
    return _TYPE.match(tokens[place].text) is not None and not counts


def _stem_and_type(word: str) -> tuple[str, str]:
    """Return a word without the type at its end, and that type: HHV-, 6A."""
    found = re.search(r"(?:\d{1,3}[A-Z]?|(?<![A-Za-z])[A-H])$", word)
    return (word[: found.start()], found[0]) if found else (word, "")

"""What a reading leaves out: names that no request uses, and words that nothing explains.

A name or an uncommon word may restrict what is asked, so it is never dropped in silence. Common
words ("please", "interesting") do not; they are said to be ignored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from string import ascii_lowercase
from typing import Final

from query.compiler.held import SPECIES_IDENTITY
from query.reading.items import Item
from query.reading.lexicon import cues, stems_of
from query.reading.meanings import is_common
from query.request import Request, to_json
from query.request.records import TABLES

_FEWEST: Final = 6
"""Letters of the shortest word that may be a usual one misspelt."""
_RECORDED: Final = frozenset({"community", *TABLES})
"""What requests for communities, reports and other stored rows have."""


@dataclass(frozen=True, slots=True)
class Leftovers:
    """Words of a question that its requests do not use.

    ``names``    names, values and numbers that none of the requests has: they may restrict
    ``fields``   fields and stored tables that are named and that none of the requests has
    ``unknown``  uncommon words that nothing explains: they may restrict, too
    ``ignored``  common words, which change nothing
    """

    names: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()

    @property
    def may_restrict(self) -> tuple[str, ...]:
        """All words that may change the answer."""
        return (*self.names, *self.unknown)


def leftovers(items: Sequence[Item], requests: Sequence[Request]) -> Leftovers:
    """Return what of ``items`` is in none of ``requests``."""
    used = set(_texts([to_json(request) for request in requests]))
    meant = {item.name.curie for item in items
             if item.name is not None and item.name.curie and _is_used(item, used)}  # fmt: skip
    names: list[str] = []
    fields: list[str] = []
    unknown: list[str] = []
    ignored: list[str] = []
    for item in items:
        if item.name is not None and not _is_used(item, used) and item.name.curie not in meant:
            names.append(item.text)
        if item.value.startswith("record:") and used.isdisjoint(_RECORDED):
            fields.append(item.text)
        if item.kind == "number" and item.number is not None and not _has_number(item, used):
            names.append(item.text)
        if item.kind == "field" and not _is_part(item.value, used):
            fields.append(item.text)
        if item.kind == "word" and not _is_part(item.text, used) and not _is_cut(item.text):
            is_plain = is_common(item.text.lower()) or _is_misspelt(item.text)
            (ignored if is_plain else unknown).append(item.text)
    listed = (names, fields, unknown, ignored)
    return Leftovers(*(tuple(dict.fromkeys(words)) for words in listed))


def _is_misspelt(word: str) -> bool:
    """Return whether a word in small letters is a usual one with a letter too few or too many, or
    two swapped: collegue, diferent.
    """
    if len(word) < _FEWEST or not (word.isascii() and word.isalpha() and word.islower()):
        return False
    cuts = [(word[:place], word[place:]) for place in range(1, len(word) + 1)]
    slips = {before + behind[1:] for before, behind in cuts}
    slips |= {before + behind[1::-1] + behind[2:] for before, behind in cuts}
    slips |= {before + letter + behind for before, behind in cuts for letter in ascii_lowercase}
    return any(len(slip) >= _FEWEST and is_common(slip) for slip in slips)


def _is_cut(text: str) -> bool:
    """Return whether a word is a cue that is cut short (vs.), or letters with dots (i.e.)."""
    is_cue = text.endswith(".") and stems_of(text.rstrip(".")) in cues()
    return is_cue or all(len(part) == 1 for part in text.rstrip(".").split("."))


def _is_used(item: Item, used: set[str]) -> bool:
    """Return whether a name is in a request, with the kind it was found with or another."""
    if item.name is None:
        return True
    meant = [item.name.name, item.text, *(name for _, name in item.name.also)]
    return any(_is_part(name, used) for name in meant)


def _is_part(text: str, used: set[str]) -> bool:
    """Return whether ``text`` is one of the texts of a request, or part of one."""
    lower = text.lower()
    return any(lower in other for other in used)


def _has_number(item: Item, used: set[str]) -> bool:
    """Return whether a number is a bound, a limit or part of a name; "one" counts nothing."""
    number = item.number or 0.0
    spelled = {f"{number:g}", f"{number + 1:g}", str(int(number))}
    is_small = not item.text[:1].isdigit()
    is_said = number == SPECIES_IDENTITY and "species" in used
    return is_small or is_said or bool(spelled & used) or _is_part(item.text, used)


def _texts(value: object) -> list[str]:
    """Return the texts and numbers of a request, in small letters."""
    if isinstance(value, dict):
        return [text for inner in value.values() for text in _texts(inner)]
    if isinstance(value, list):
        return [text for inner in value for text in _texts(inner)]
    return [f"{value:g}" if isinstance(value, float | int) else str(value).lower()]

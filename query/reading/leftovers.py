"""Find what a reading leaves out: names and fields without a request, unexplained words.

A name, a field, or a word that is in no known question with an answer may change what is asked, so
it is never dropped without a message. Words that such questions have ("please", "interesting") are
ignored.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_lowercase
from typing import Any, Final

from query.compiler.held import SPECIES_IDENTITY
from query.reading.items import Item
from query.reading.lexicon import cues, stems_of
from query.reading.meanings import is_common
from query.reading.pairs import words_of_answered
from query.request import Evidence, Request, to_json
from query.request.fields import ATTRIBUTE, FIELDS, field_named, fields_of, key_of
from query.request.records import TABLES

_FEWEST: Final = 6
"""Shortest word, in letters, that may be a misspelt common word."""
_SEVERAL: Final = 3
"""Minimum number of known questions with an uncommon word for it to change nothing."""
_QUALIFYING: Final = frozenset({
    "adapted", "associated", "borne", "derived", "infecting", "restricted", "specific",
    "transmitted",
})  # fmt: skip
"""Last parts of words that say which viruses or samples are meant: insect-specific, tick-borne."""
_PEOPLE: Final = frozenset({"people", "person", "persons", "patient", "patients"})
"""Hosts that may also be the person asking, or somebody they mention: "my patient"."""
_RECORDED: Final = frozenset({"community", *TABLES})
"""Words for what requests for communities, reports and other stored rows contain."""
_OF_HITS: Final = ("virus", "reads")
"""Fields whose names are also words for hits."""
_SAID_BY: Final[Mapping[str, tuple[str, ...]]] = {
    "carries": _OF_HITS,
    "detection": _OF_HITS,
    "evidence": (*fields_of("hit"), "host"),
    "describe": tuple(FIELDS),
    "mentions": ("study", "project"),
    "searched": ("source", "virus"),
    "species": ("identity",),
    "like": ("virus",),
    "predicted": ("virus", "host"),
}
"""Fields that a part of a request implies, by its type or value."""
_ALIKE: Final = (
    {"released", "year", "month"},
    {"collected", "collection_year", "season"},
    {"month", "season"},
    {"country", "place"},
    {"sea", "place"},
    {"tissue", "cell_line"},
    {"risk", "virus"},
    {"host", "species"},
    {"source", "library_source"},
    {"year", "collection_year"},
)
"""Fields that may replace each other."""


@dataclass(frozen=True, slots=True)
class Leftovers:
    """Words of a question that its requests do not use.

    ``names``    names, values and numbers that none of the requests has: they may restrict
    ``fields``   fields and stored tables that are named and that none of the requests has
    ``unknown``  words that no known question with an answer has: they may restrict, too
    ``ignored``  words that such questions have, which change nothing
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
    """Return the ``items`` that are in none of ``requests``."""
    records = [to_json(request) for request in requests]
    used = set(_texts(records))
    meant = {item.name.curie for item in items
             if item.name is not None and item.name.curie and _is_used(item, used)}  # fmt: skip
    said = fields_said(records)
    # "or just vaccinia?": the evidence says which relative explains the reads
    asks_if_real = all(isinstance(request.measure, Evidence) for request in requests)
    names: list[str] = []
    fields: list[str] = []
    unknown: list[str] = []
    ignored: list[str] = []
    for place, item in enumerate(items):
        if item.name is not None and not _is_used(item, used) and item.name.curie not in meant:
            is_rival = asks_if_real and item.value == "virus"
            (ignored if item.text.lower() in _PEOPLE or is_rival else names).append(item.text)
        if _is_unused_table(items, place, used):
            fields.append(item.text)
        if item.kind == "number" and item.number is not None and not _has_number(item, used):
            names.append(item.text)
        is_any = any(before.value == "any" for before in items[max(0, place - 1) : place])
        if item.kind == "field" and item.value not in said and not is_any:
            fields.append(item.text)
        if item.kind == "word" and not _is_part(item.text, used) and not _is_cut(item.text):
            (ignored if _is_known(item.text) else unknown).append(item.text)
    kinds = Counter(item.value for item in items if item.name is not None)
    is_pair = max(kinds.values(), default=0) > 1
    names += [item.text for item in items if item.text.lower() == "both" and not is_pair]
    listed = (names, fields, unknown, ignored)
    return Leftovers(*(tuple(dict.fromkeys(words)) for words in listed))


def _is_unused_table(items: Sequence[Item], place: int, used: set[str]) -> bool:
    """Return whether an item names stored rows that no request asks for; "report" may be a verb.

    "Communities that have a report" are fewer than the communities.
    """
    item = items[place]
    if not item.value.startswith("record:"):
        return False
    if item.text.lower() == "report" and not (place and items[place - 1].value == "a"):
        return False
    is_of_reports = item.value == "record:reports" and "communities" in used
    return used.isdisjoint({"reports"} if is_of_reports else _RECORDED)


def _is_known(word: str) -> bool:
    """Return whether each part of a word is in known questions, perhaps misspelt.

    An uncommon word (reactivation) must be in several of them; what qualifies is never known.
    """
    parts = [part for part in re.split(r"[-/']", word.lower()) if not part.isdecimal()]
    if len(parts) > 1 and parts[-1] in _QUALIFYING:
        return False
    known_words = words_of_answered()
    least = {part: 1 if is_common(part) else _SEVERAL for part in parts}
    return all(known_words.get(part, 0) >= least[part] or _is_misspelt(part) for part in parts)


def _is_misspelt(word: str) -> bool:
    """Return whether an uncommon word in small letters is a misspelt word of known questions.

    One letter may be missing, added or wrong, or two swapped: collegue, diferent, seperate.
    """
    if len(word) < _FEWEST or not (word.isascii() and word.isalpha()) or is_common(word):
        return False
    cuts = [(word[:place], word[place:]) for place in range(1, len(word) + 1)]
    slips = {before + behind[1:] for before, behind in cuts}
    slips |= {before + behind[1::-1] + behind[2:] for before, behind in cuts}
    slips |= {before + letter + behind for before, behind in cuts for letter in ascii_lowercase}
    slips |= {before + letter + behind[1:] for before, behind in cuts for letter in ascii_lowercase}
    known = slips.intersection(words_of_answered()) - {word}
    return any(len(slip) >= _FEWEST for slip in known)


def fields_said(records: Sequence[Any]) -> set[str]:
    """Return the fields that requests in JSON name, or whose values they give in other words.

    "Samples" are runs, and "reads" are hits if the request has hits.
    """
    said = {"biosample"}
    for key, value in _pairs(records):
        said.add(key)
        said.update(_SAID_BY.get(str(value), ()))
        if key in ("hit", "hits"):
            said.update(_OF_HITS)
        if key == "table":
            columns = " ".join(TABLES[str(value)].columns)
            said.update(name for name in FIELDS if name in columns)
        if key in ("by", "columns", "field", "number", "unit"):
            said.update(value if isinstance(value, list) else [value])
    attributes = [name.removeprefix(ATTRIBUTE) for name in said if name.startswith(ATTRIBUTE)]
    said.update(filter(None, map(key_of, attributes)))
    if any(name in FIELDS and field_named(name).of == "hit" for name in said):
        said.update(_OF_HITS)
    for alike in _ALIKE:
        said |= alike if said & alike else set()
    return said


def _pairs(part: Any) -> Iterator[tuple[str, Any]]:
    """Yield the keys of a part of a request in JSON with their values, also nested ones."""
    if isinstance(part, dict):
        yield from part.items()
        part = list(part.values())
    if isinstance(part, list):
        for inner in part:
            yield from _pairs(inner)


def _is_cut(text: str) -> bool:
    """Return whether a word is a cue that is cut short (vs.), or letters with dots (i.e.)."""
    is_cue = text.endswith(".") and stems_of(text.rstrip(".")) in cues()
    return is_cue or all(len(part) == 1 for part in text.rstrip(".").split("."))


def _is_used(item: Item, used: set[str]) -> bool:
    """Return whether a name is in a request, as the kind that was found or as another."""
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

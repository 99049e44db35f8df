"""A question as a row of items: names, fields, cues, numbers, dates, and the words between."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from query.reading.found_name import FoundName
from query.reading.lexicon import (
    Cue,
    cue_of,
    everyday_names,
    field_words,
    longest_phrase,
)
from query.reading.tokens import Token, stem
from query.words import STOP_WORDS, singular

_NUMBER: Final = re.compile(r"(\d[\d,]*(?:\.\d+)?)\s?(%)?$")
_YEAR: Final = re.compile(r"(?:19|20)\d\d$")
_DATE: Final = re.compile(r"(?:19|20)\d\d-\d\d(?:-\d\d)?$")
_NUMBER_WORDS: Final = (
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve",
)  # fmt: skip
_WORDED: Final = {word: number for number, word in enumerate(_NUMBER_WORDS, 1)} | {
    "fifteen": 15, "twenty": 20, "thirty": 30, "fifty": 50, "hundred": 100,
}  # fmt: skip
_SCALE: Final = {"million": 1_000_000, "thousand": 1_000, "k": 1_000, "m": 1_000_000}
_MONTHS: Final = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
_SHORTENED: Final = frozenset(
    ["i", "we", "you", "they", "it", "he", "she", "what", "where", "who", "which", "how", "there",
     "that", "don", "doesn", "didn", "isn", "aren", "wasn", "weren", "haven", "hasn", "w/"]
)  # fmt: skip
"""Words that are joined to another word: what's, I'd, don't."""
_KMERS: Final = "k_mers"
_CELLULAR: Final = ("host", "environment", "label")
"""Kinds of names that k-mers may belong to."""
_UNITS: Final = frozenset({"run", "librar", "sample", "dataset", "specimen"})
"""Stems of the words for runs."""
_SIGNS: Final = {">": "above", ">=": "at_least", "≥": "at_least", "=>": "at_least",
                 "<": "below", "<=": "at_most", "≤": "at_most", "=<": "at_most"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Item:
    """One thing in a question, at the tokens ``first`` to ``last`` (exclusive).

    ``kind`` is name, field, cue, number, date, bound, word or stop; ``value`` is the field, the tag
    of a cue, or the text; ``number`` is of numbers; ``cue`` of cues; ``name`` of names.
    """

    kind: str
    first: int
    last: int
    text: str
    value: str = ""
    number: float | None = None
    percent: bool = False
    name: FoundName | None = None
    also: tuple[str, ...] = ()


def items_of(tokens: Sequence[Token], names: Sequence[FoundName]) -> list[Item]:
    """Return ``tokens`` as items, in order."""
    starts = {name.first: name for name in names}
    items: list[Item] = []
    place = 0
    while place < len(tokens):
        item = _item_at(tokens, place, starts, items)
        items.append(_in_context(item, items))
        place = item.last
    return _with_kmers(items)


def _with_kmers(items: Sequence[Item]) -> list[Item]:
    """Return ``items`` with names of k-mers marked.

    Examples: "k-mers of Diptera", "Diptera by k-mers", "runs that are mostly Diptera".
    """
    made: list[Item] = []
    for item in items:
        before = next((other for other in reversed(made) if other.kind != "stop"), None)
        is_taxon = item.kind == "name" and item.value in _CELLULAR
        if is_taxon and before is not None and before.value == "mostly":
            made.append(replace(item, value=_KMERS))
        elif is_taxon and before is not None and before.value == _KMERS and made[-1] is not before:
            made.remove(before)
            made.append(replace(item, value=_KMERS))
        elif item.value == _KMERS and _is_said_of(made):
            made[-2:] = [replace(made[-2], value=_KMERS)]
        else:
            made.append(item)
    return made


def _is_said_of(before: Sequence[Item]) -> bool:
    """Return whether a taxon and "by" come just before."""
    named = before[-2] if len(before) > 1 else None
    is_taxon = named is not None and named.kind == "name" and named.value in (*_CELLULAR, _KMERS)
    return is_taxon and before[-1].text.lower() == "by"


def _in_context(item: Item, before: Sequence[Item]) -> Item:
    """Return ``item`` as its neighbours change it: "runs which …" asks nothing."""
    if not before:
        return item
    is_noun = before[-1].kind in ("unit", "name", "field") or before[-1].value == "hit"
    if item.value == "wh" and is_noun:
        return replace(item, kind="stop", value=item.text.lower())
    return item


def _asks_for_field(before: Sequence[Item]) -> bool:
    """Return whether the words before it ask for values: "which plants", "per insect"."""
    for item in reversed(before[-2:]):
        if item.kind in ("stop", "number") and item.value != "the":
            continue
        tag = item.value.partition(":")[0]
        return tag in ("wh", "per", "top", "fewest", "count", "list")
    return False


def _item_at(
    tokens: Sequence[Token], place: int, starts: dict[int, FoundName], before: Sequence[Item]
) -> Item:
    name = starts.get(place)
    phrase = _phrase_at(tokens, place)
    is_field = phrase is not None and phrase.kind == "field" and _asks_for_field(before)
    longer = name is not None and phrase is not None and name.last > phrase.last
    if name is not None and phrase is not None and phrase.kind != "field":
        longer = longer or _is_everyday(phrase.text)  # rats are not a rate
    if name is not None and (phrase is None or longer or not (is_field or phrase.kind != "field")):
        text = " ".join(token.text for token in tokens[name.first : name.last])
        return Item("name", name.first, name.last, text, name.kind, name=name)
    is_whole = name is not None and phrase is not None and name.last == phrase.last
    if is_field and phrase and name and is_whole and name.kind == phrase.value:
        return replace(phrase, name=name)  # "which birds": hosts that are birds
    return phrase or _number_at(tokens, place) or _word_at(tokens, place)


def _is_everyday(text: str) -> bool:
    """Return whether ``text`` is an everyday name, in the singular or plural."""
    names = everyday_names()
    return text.lower() in names or singular(text) in names


def _phrase_at(tokens: Sequence[Token], place: int) -> Item | None:
    """Return the longest cue or field that begins at ``place``."""
    for length in range(min(longest_phrase(), len(tokens) - place), 0, -1):
        words = tokens[place : place + length]
        stems = tuple(stem(word.lower) for word in words)
        text = " ".join(word.text for word in words)
        cue, named = cue_of(text), field_words().get(stems)
        if cue is not None:
            also = (named,) if named else ()
            kind = "bound" if cue.tag in ("bound", "bound_after", "date", "between") else "cue"
            return Item(kind, place, place + length, text, _tag(cue), also=also)
        if named is not None:
            return Item("field", place, place + length, text, named)
    return None


def _tag(cue: Cue) -> str:
    return f"{cue.tag}:{cue.value}" if cue.value else cue.tag


def _number_at(tokens: Sequence[Token], place: int) -> Item | None:
    token = tokens[place]
    lower = token.lower
    if _DATE.match(lower):
        return Item("date", place, place + 1, token.text, lower)
    following = tokens[place + 1].lower if place + 1 < len(tokens) else ""
    if lower in _MONTHS and _YEAR.match(following):
        month = f"{following}-{_MONTHS.index(lower) + 1:02}"
        return Item("date", place, place + 2, f"{token.text} {following}", month)
    found = _NUMBER.match(lower)
    if found:
        number = float(found[1].replace(",", ""))
        if following in _SCALE:
            return Item("number", place, place + 2, token.text, "", number * _SCALE[following])
        if _YEAR.match(lower) and not found[2]:
            return Item("date", place, place + 1, token.text, lower, number)
        percent = bool(found[2]) or following in ("%", "percent")
        last = place + 1 + (following in ("%", "percent"))
        return Item("number", place, last, token.text, "", number, percent)
    if lower in _WORDED:
        scale = _SCALE.get(following, 1)
        last = place + 1 + (following in _SCALE)
        return Item("number", place, last, token.text, "", float(_WORDED[lower] * scale))
    if re.fullmatch(r"\d+(?:\.\d+)?[kmx]", lower):
        number = float(lower[:-1]) * _SCALE.get(lower[-1], 1)
        return Item("number", place, place + 1, token.text, "", number)
    if token.text in _SIGNS:
        return Item("bound", place, place + 1, token.text, f"bound:{_SIGNS[token.text]}")
    return None


def _word_at(tokens: Sequence[Token], place: int) -> Item:
    token = tokens[place]
    if not token.is_word:
        return Item("sign", place, place + 1, token.text, token.text)
    if stem(token.lower) in _UNITS:
        return Item("unit", place, place + 1, token.text, "run")
    is_stop = token.lower in STOP_WORDS or token.lower.partition("'")[0] in _SHORTENED
    kind = "stop" if is_stop else "word"
    return Item(kind, place, place + 1, token.text, token.lower)

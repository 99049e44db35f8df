"""Words for the stored tables: tables, columns, classes of rows and orders, found in items."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from query.reading.items import Item
from query.reading.lexicon import rows_of

_WORD: Final = re.compile(r"[^\W_]+")
Phrase = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StoredMeaning:
    """What a phrase says: its role, the column or condition, and the tables that it points to."""

    role: str
    value: str
    weight: int
    tables: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StoredPhrase:
    """A phrase at the items ``first`` to ``last`` (exclusive), with all that it may say."""

    first: int
    last: int
    text: str
    meanings: tuple[StoredMeaning, ...]

    def of(self, role: str) -> StoredMeaning | None:
        """Return what it says in ``role``."""
        return next((meaning for meaning in self.meanings if meaning.role == role), None)


@functools.cache
def stored_words() -> Mapping[Phrase, tuple[StoredMeaning, ...]]:
    """Return what each phrase of the word table says."""
    found: dict[Phrase, tuple[StoredMeaning, ...]] = {}
    for row in rows_of("stored.tsv"):
        meaning = StoredMeaning(
            row["role"], row["value"], int(row["weight"]), tuple(row["tables"].split())
        )
        phrase = words_in(row["phrase"])
        found[phrase] = (*found.get(phrase, ()), meaning)
    return found


def words_in(text: str) -> Phrase:
    """Return the words of ``text`` in small letters; hyphens split words.

    >>> words_in("Virus-host pairs")
    ('virus', 'host', 'pairs')
    """
    return tuple(_WORD.findall(text.lower()))


def said_in(items: Sequence[Item]) -> list[StoredPhrase]:
    """Return the phrases of the word table in ``items``, longest first where they overlap."""
    flat = [(word, place) for place, item in enumerate(items) for word in words_in(item.text)]
    longest = max(map(len, stored_words()))
    found = []
    start = 0
    while start < len(flat):
        for length in range(min(longest, len(flat) - start), 0, -1):
            words = tuple(word for word, _ in flat[start : start + length])
            places = [place for _, place in flat[start : start + length]]
            if words in stored_words() and not _splits_name(items, places, flat, start, length):
                said = StoredPhrase(
                    places[0], places[-1] + 1, " ".join(words), stored_words()[words]
                )
                found.append(said)
                start += length
                break
        else:
            start += 1
    return found


def _splits_name(
    items: Sequence[Item],
    places: Sequence[int],
    flat: Sequence[tuple[str, int]],
    start: int,
    length: int,
) -> bool:
    """Return whether only a part of a name would be used, or a sign is between the words."""
    inner = items[places[0] : places[-1]]
    if any(
        item.kind == "sign" and item.text in (",", ";", ":", ".", "?", "(", "&") for item in inner
    ):
        return True
    before = flat[start - 1][1] if start else -1
    after = flat[start + length][1] if start + length < len(flat) else -1
    ends = {place for place in (before, after) if place in (places[0], places[-1])}
    return any(items[place].kind == "name" for place in ends)

"""Stretches of the words of a question: those that can name something, and those still free."""

from __future__ import annotations

import csv
import functools
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from query.reading.intent import is_asking_word, is_stop_word, singular
from query.reading.mentions import Mention
from query.reading.names.named_terms import NamedTerm

MAX_WORDS: Final = 7
"""Words of the longest verbatim value looked for."""

_LETTERS: Final = frozenset({"A", "I"})
"""Letters that end names (influenza A, HTLV type I), though they are plain words as well."""
_BEGIN: Final = frozenset({"common"})
"""Plain words that names begin with: common bean."""
_NAMING: Final = frozenset({"plant", "animal"})
"""Words that ask for hosts, and name them as well."""

Span = tuple[int, int]
"""First word and the word after the last one."""
Spellings = dict[Span, tuple[str, ...]]
"""The ways to look up each stretch of words."""
Terms = tuple[tuple[str, str], ...]
"""CURIEs with their labels."""


def stretches_of(
    words: Sequence[str], *, blocked: frozenset[int], pauses: Collection[int] = ()
) -> Spellings:
    """Return the spellings to look up per stretch of words that can name something and holds no
    ``blocked`` word; ``pauses`` are the words that a comma or the like follows, where none goes on.
    """
    stretches = {}
    for start in range(len(words)):
        pause = next((one for one in range(start, len(words)) if one in pauses), len(words))
        furthest = min(start + MAX_WORDS, len(words), pause + 1)
        for end in range(start + 1, furthest + 1):
            stretch = words[start:end]
            free = blocked.isdisjoint(range(start, end))
            if free and is_a_name(stretch):
                stretches[start, end] = _spellings(stretch)
    return stretches


def _spellings(words: Sequence[str]) -> tuple[str, ...]:
    """Return ``words`` in lower case with the last word as written, in the singular and in the
    plural; an adjective of a country as the country, too.
    """
    *head, written = [word.lower() for word in words]
    last = written.removesuffix("'s").removesuffix("’s")
    one = singular(last)
    spellings = []
    for word in (written, last, one, f"{one}s", f"{one}es"):
        text = " ".join([*head, word])
        spellings.append(text)
    country = demonyms().get(written)
    if country and not head:
        spellings.append(country.lower())
    return tuple(dict.fromkeys(spellings))


@functools.cache
def demonyms() -> Mapping[str, str]:
    """Return the country of each adjective that is made of one: canadian, Canada."""
    path = Path(__file__).with_name("demonyms.tsv")
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t")
        return {row["adjective"]: row["country"] for row in rows}


def is_a_name(words: Sequence[str]) -> bool:
    """Return whether ``words`` can name something: no stop word at either end, not only asking."""
    *opening, last = words
    if not opening:
        return _names_alone(last)
    ends = last in _LETTERS or not is_stop_word(last)
    begins = words[0].lower() in _BEGIN or not is_stop_word(words[0])
    return begins and ends and not all(is_asking_word(word) for word in words)


def _names_alone(word: str) -> bool:
    if is_stop_word(word):
        return False
    return singular(word) in _NAMING or not is_asking_word(word)


def positions(named: Iterable[Mention | NamedTerm]) -> frozenset[int]:
    """Return the positions of the words that ``named`` cover."""
    taken: set[int] = set()
    for one in named:
        covered = range(one.start, one.end)
        taken.update(covered)
    return frozenset(taken)


def outside(stretches: Spellings, named: Iterable[Mention | NamedTerm]) -> Spellings:
    """Return the stretches that share no word with ``named``."""
    taken = positions(named)
    free = [span for span in stretches if taken.isdisjoint(range(*span))]
    return {span: stretches[span] for span in free}


def beside(mentions: Iterable[Mention], named: Sequence[Mention]) -> list[Mention]:
    """Return the ``mentions`` that share no word with ``named``."""
    taken = positions(named)
    free = []
    for one in mentions:
        covered = range(one.start, one.end)
        if taken.isdisjoint(covered):
            free.append(one)
    return free


def longest(mentions: Iterable[Mention]) -> list[Mention]:
    """Return the mentions that stay when longer ones, then those with more runs, take their words
    first.
    """
    ranked = sorted(mentions, key=_longest_first)
    taken: set[int] = set()
    kept = []
    for mention in ranked:
        covered = range(mention.start, mention.end)
        if taken.isdisjoint(covered):
            taken.update(covered)
            kept.append(mention)
    return sorted(kept, key=lambda mention: mention.start)


def _longest_first(mention: Mention) -> tuple[int, int, int, str]:
    words = mention.end - mention.start
    return (-words, -mention.runs, mention.start, mention.label)

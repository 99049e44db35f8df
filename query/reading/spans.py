"""Stretches of the words of a question: those that can name something, and those still free."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from query.reading.intent import is_asking_word, is_stop_word, singular
from query.reading.mentions import Mention
from query.reading.names import NamedTerm

MAX_WORDS: Final = 7
"""Words of the longest verbatim value looked for."""

Span = tuple[int, int]
"""First word and the word after the last one."""
Spellings = dict[Span, tuple[str, ...]]
"""The ways to look up each stretch of words."""
Terms = tuple[tuple[str, str], ...]
"""CURIEs with their labels."""


def stretches_of(words: Sequence[str], *, blocked: frozenset[int]) -> Spellings:
    """Return the spellings to look up per stretch of words that can name something and holds no
    ``blocked`` word.
    """
    spans = (
        (start, end)
        for start in range(len(words))
        for end in range(start + 1, min(start + MAX_WORDS, len(words)) + 1)
    )
    free = (span for span in spans if blocked.isdisjoint(range(*span)))
    return {
        (start, end): _spellings(words[start:end])
        for start, end in free
        if is_a_name(words[start:end])
    }


def _spellings(words: Sequence[str]) -> tuple[str, ...]:
    """Return ``words`` in lower case with the last word as written, in the singular and in the
    plural.
    """
    head = [word.lower() for word in words[:-1]]
    last = words[-1].lower().removesuffix("'s").removesuffix("’s")
    one = singular(last)
    lasts = (words[-1].lower(), last, one, f"{one}s", f"{one}es")
    return tuple(dict.fromkeys(" ".join([*head, word]) for word in lasts))


def is_a_name(words: Sequence[str]) -> bool:
    """Return whether ``words`` can name something: no stop word at either end, not only asking."""
    if is_stop_word(words[0]) or is_stop_word(words[-1]):
        return False
    return not all(is_asking_word(word) for word in words)


def positions(named: Iterable[Mention | NamedTerm]) -> frozenset[int]:
    """Return the positions of the words that ``named`` cover."""
    return frozenset(position for one in named for position in range(one.start, one.end))


def outside(stretches: Spellings, named: Iterable[Mention | NamedTerm]) -> Spellings:
    """Return the stretches that share no word with ``named``."""
    taken = positions(named)
    return {span: names for span, names in stretches.items() if taken.isdisjoint(range(*span))}


def beside(mentions: Iterable[Mention], named: Sequence[Mention]) -> list[Mention]:
    """Return the ``mentions`` that share no word with ``named``."""
    taken = positions(named)
    return [one for one in mentions if taken.isdisjoint(range(one.start, one.end))]


def longest(mentions: Iterable[Mention]) -> list[Mention]:
    """Return the mentions that stay when longer ones, then those with more runs, take their words
    first.
    """
    ranked = sorted(
        mentions, key=lambda one: (one.start - one.end, -one.runs, one.start, one.label)
    )
    taken: set[int] = set()
    kept = []
    for mention in ranked:
        if taken.isdisjoint(range(mention.start, mention.end)):
            taken.update(range(mention.start, mention.end))
            kept.append(mention)
    return sorted(kept, key=lambda mention: mention.start)

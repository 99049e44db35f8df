"""Words that grounding knows and an answer does not count, with the reason."""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from query.reading.intent import is_stop_word
from query.reading.mentions import Mention
from query.reading.names.named_terms import NamedTerm
from query.reading.names.spans import is_a_name, positions
from query.reading.nearest import is_common
from query.reading.scope.clauses import BESIDE

_LONGEST_REST: Final = 4
_SAID_TO_BE: Final = re.compile(
    r"(?:\b(?:it|that|this|which)(?:'s| is| was)(?: \w+)?|\b(?:they|these|those)(?:'re| are))"
    r" ?(?:an?|the|some)?$|\b(?:should|must|may|might|to) be an?$"
)
"""Words from the beginning of a virus's name to the word virus."""
Reason = Literal["denied", "part of a virus's name", "no name"]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Words that grounding knows and the answer does not count; ``reason`` is denied, part of a
    virus's name, or no name (of anything).
    """

    text: str
    reason: Reason


def left_out_names(
    named: Iterable[NamedTerm], words: Sequence[str], found: Sequence[Mention]
) -> tuple[LeftOut, ...]:
    """Return the names that are denied or part of a virus's name, and that no mention covers."""
    taken = positions(found)
    left_out = []
    for one in named:
        silent = one.outcome in ("negated", "other")
        covered = range(one.start, one.end)
        if not silent or not taken.isdisjoint(covered):
            continue
        written = words[one.start : one.end]
        if not is_a_name(written):
            continue
        text = " ".join(written)
        left_out.append(LeftOut(text, _reason(one)))
    return tuple(dict.fromkeys(left_out))


def doubtful_names(left_out: Iterable[LeftOut]) -> list[str]:
    """Return the words left out that are not denied: they may be misspelt."""
    return [one.text for one in left_out if one.reason != "denied"]


def unknown_viruses(
    named: Iterable[NamedTerm], words: Sequence[str], mentions: Sequence[Mention]
) -> tuple[str, ...]:
    """Return what is called a virus, begins with a known name, and is none that is known here:
    bovine viral diarrhea virus, where only bovine and diarrhea are names.
    """
    taken = positions(mentions)
    unknown: list[str] = []
    past = 0
    for one in named:
        part = one.outcome == "other" and bool(one.terms)
        if not part or one.start < past or one.start in taken:
            continue
        end = _end_of_virus(words, one.end, several=True)
        stretch = range(one.start, end)
        if end and (taken.isdisjoint(stretch) or _has_a_word_more(words, one, end, taken)):
            unknown.append(" ".join(words[one.start : end]))
            past = end
    return tuple(unknown)


def _has_a_word_more(
    words: Sequence[str], one: NamedTerm, end: int, taken: Collection[int]
) -> bool:
    """Return whether a word that names nothing stands between ``one`` and the word virus before
    ``end``: Pseudolarix glitter mosaic virus is no mosaic virus that is known.
    """
    inside = [place for place in range(one.end, end - 1) if place not in taken]
    return any(not is_stop_word(words[place]) for place in inside)


def described_viruses(words: Sequence[str], unknown: Sequence[str]) -> tuple[str, ...]:
    """Return the viruses that an ``unknown`` word describes: all others are not what is asked for.

    >>> described_viruses(["respiratory", "viruses", "in", "humans"], ["respiratory"])
    ('respiratory viruses',)
    """
    pairs = itertools.pairwise(words)
    described = [pair for pair in pairs if pair[0] in unknown and pair[1].lower() == "viruses"]
    return tuple(" ".join(pair) for pair in described)


def unknown_in_setting(
    words: Sequence[str], start: int, mentions: Sequence[Mention], *, meant: bool
) -> tuple[str, ...]:
    """Return what the words of a setting, from ``start`` on, call a virus by a proper name that is
    none here, or by any name where the question stands for it (``meant``): a virus that does not
    exist is no talk. What a virus that is named is said to be ("it's an insect virus") names none.
    """
    taken = positions(mentions)
    names_virus = any(one.group == "virus" and one.start >= start for one in mentions)
    unknown = []
    for place, word in enumerate(words[start:], start):
        if word.lower().endswith("viruses") and word.lower() != "viruses" and place not in taken:
            unknown.append(word)
            continue
        capital = all(one[:1].isupper() and one[1:].islower() for one in word.split("-"))
        proper = (capital or meant) and not is_stop_word(word)
        end = _end_of_virus(words, place + 1)
        between = words[place + 1 : end]
        plain = any(is_stop_word(one) for one in between)
        says_what = names_virus and _says_what_it_is(words, place)
        if proper and end and not (plain or says_what) and taken.isdisjoint((place, end - 1)):
            unknown.append(" ".join(words[place:end]))
    return tuple(unknown)


def unknown_in_topic(
    words: Sequence[str], start: int, mentions: Sequence[Mention]
) -> tuple[str, ...]:
    """Return the words of a topic, from ``start`` on, that look like a name and are none: without
    them the question behind it is another one. A topic with words of talk tells something.
    """
    taken = positions(mentions)
    first = start + (words[start : start + 1] == [BESIDE])
    topic = [(place, word) for place, word in enumerate(words[first:], first) if len(word) > 1]
    if any(is_stop_word(word) for _, word in topic):
        return ()
    return tuple(word for place, word in topic if place not in taken and not is_common(word))


def _says_what_it_is(words: Sequence[str], place: int) -> bool:
    """Return whether the words before ``place`` go on with what something is: it's a, they are."""
    before = " ".join(words[max(0, place - 3) : place]).lower().replace("’", "'")
    return _SAID_TO_BE.search(before) is not None


def _end_of_virus(words: Sequence[str], start: int, *, several: bool = False) -> int:
    """Return the place behind the word virus, or viruses where ``several`` may be meant, that soon
    follows ``start``; 0 where none does.
    """
    for place, word in enumerate(words[start : start + _LONGEST_REST], start):
        if word.lower() == "virus" or (several and word.lower() == "viruses"):
            return place + 1
    return 0


def _reason(name: NamedTerm) -> Reason:
    if name.outcome == "negated":
        return "denied"
    return "part of a virus's name" if name.terms else "no name"

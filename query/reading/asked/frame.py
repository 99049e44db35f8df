"""The frame of a question: its words with each name as one sign, and the words left over."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from query.reading.asked.in_runs import in_runs_of
from query.reading.intent import is_asking_word
from query.reading.kinds import NAME, NUMBERS, limit_of, rule_words
from query.reading.mentions import Mention
from query.reading.names.mentions_found import MentionsFound
from query.reading.names.spans import positions
from query.reading.predicates import Token
from query.reading.roles import ROLE_WORDS, role_words

ACCESSION: Final = re.compile(r"(?:[SED]R[RP]|SAM[NED][A-Z]?|PRJ[A-Z]{2})\d+|C\d-[0-9a-f]{8}")
"""A run, study, sample, project or community as it is written."""

_JOINING: Final = ROLE_WORDS | {
    "and", "or", "with", "but", "in", "of", "from", "more", "less", "fewer", "runs", "samples",
}  # fmt: skip
"""Words of a story that say what part its names play."""


def accessions_of(said: Sequence[str], words: Sequence[str]) -> tuple[str, ...]:
    """Return the accessions that a question names in what is ``said``, else in any of its
    ``words``.
    """
    written = [word for word in words if ACCESSION.fullmatch(word)]
    asked = [word for word in said if ACCESSION.fullmatch(word)]
    return tuple(asked or written)


def frame_of(words: Sequence[str], named: Sequence[Mention]) -> str:
    """Return the words in lower case with each name as ``_``."""
    starts = {one.start for one in named}
    taken = positions(named)
    frame = []
    for place, word in enumerate(words):
        if place in starts:
            frame.append(NAME)
        elif place not in taken:
            frame.append(word.lower())
    return " ".join(frame)


def without_story(words: Sequence[str], story: int, named: Sequence[Mention]) -> list[str]:
    """Return ``words`` with a harmless one for each of the first ``story`` that neither is of a
    name nor joins names: what a story says is not asked.

    >>> without_story("We love bats and mice Which of them".split(), 5, [])
    ['about', 'about', 'about', 'and', 'about', 'Which', 'of', 'them']
    """
    kept = positions(named)
    return [
        word if place >= story or place in kept or word.lower() in _JOINING else "about"
        for place, word in enumerate(words)
    ]


def only_in_story(words: Sequence[str], said: Sequence[str], story: int) -> list[str]:
    """Return those of ``words`` that only the first ``story`` words of what is ``said`` have."""
    return [word for word in words if word in said[:story] and word not in said[story:]]


def unexplained_words(
    names: MentionsFound, frame: str, accessions: Sequence[str]
) -> tuple[str, ...]:
    """Return the words that no name and no rule explains."""
    taken = positions(names.found)
    understood = {*rule_words(frame), *role_words(frame)}
    understood.update(one.lower() for one in accessions)
    in_runs, _ = in_runs_of(frame)
    if in_runs:
        understood.update(in_runs.words)
    limit = limit_of(frame)
    understood.update(word for word, number in NUMBERS.items() if number == limit)
    unexplained = []
    for start, _ in names.alone:
        word = names.words[start]
        read = word.lower() in understood or is_asking_word(word)
        if start not in taken and not read:
            unexplained.append(word)
    return tuple(unexplained)


def tokens_of(words: Sequence[str], names: MentionsFound, unknown: Sequence[str]) -> list[Token]:
    """Return the ``words`` of a question, each name as one token."""
    starts = {one.start: one.end for one in names.all}
    tokens = []
    place = 0
    while place < len(words):
        word = words[place]
        end = starts.get(place)
        if end:
            tokens.append(Token(word, "name"))
        else:
            tokens.append(Token(word, "unknown" if word in unknown else "plain"))
        place = end or place + 1
    return tokens


def only_accessions(names: MentionsFound, accessions: Sequence[str]) -> bool:
    """Return whether all that is named are the ``accessions`` that are written."""
    if not accessions:
        return False
    written = {one.lower() for one in accessions}
    return all(one.text.lower() in written for one in names.all)

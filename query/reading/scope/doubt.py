"""Words that mean nothing here, told apart: those that only word the question, and those that ask
for something else.

A verb or noun that no list holds (noticed, plague, haul) is taken for wording where the whole
sentence is like those that counts can answer. A rare word never is: it may be a name. Nor is a word
of the subject (variety, donor, genome): who writes it asks for it (``telling_words.txt``).
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from index.errors import ModelUnavailableError
from query.reading.kinds import Kind
from query.reading.mentions import Mention
from query.reading.scope.likeness import Likeness, likeness_of
from query.reading.scope.wording import wording_of

ADMITTED: Final = 0.15
"""Least likeness to questions that counts can answer: keeps 90 % of such wordings and refuses 95 %
of the others, where neither was seen while learning.
"""
FOR_EACH_MORE: Final = 0.1
"""How much more likeness each further unknown word needs."""
REFUSED: Final = -0.3
"""Likeness below which a question asks for something else, whatever its rules say."""
SUSPECTED: Final = 0.2
"""Likeness to wordings that rule something out: 78 % of those, 1 % of the others."""
SALAD: Final = 3
"""So many unknown words, and more of them than words of names, ask for nothing that is known."""
DECIDED: Final = 0.3
"""By how much a kind of answer must lead the others: right for 92 % of those that do."""

_TELLING: Final = frozenset(
    Path(__file__).with_name("telling_words.txt").read_text(encoding="utf-8").split()
)
_LOG: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Unknown:
    """Words that mean nothing here: all, those that do more than describe a name, and those of
    which it asks which or how many, or which say of which runs.
    """

    words: tuple[str, ...]
    asked: tuple[str, ...]
    things: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Doubt:
    """Unknown words told apart, and the ``kind`` of answer that the sentence is most like, None
    where it is like several; ``likeness`` to what counts can answer, None where it is not weighed
    or the sentence may rule something out.
    """

    only_wording: tuple[str, ...]
    unanswerable: tuple[str, ...]
    kind: Kind | None = None
    likeness: float | None = None


def doubt_of(
    unknown: Unknown, words: Sequence[str], named: Sequence[Mention], *, ruled: bool
) -> Doubt:
    """Return which of the ``unknown`` words only word the question, and which it cannot do without.

    ``words`` is the question and ``named`` what it names; ``ruled``: it rules something out in
    words that are understood. Without a sentence model all that are asked are unanswerable.
    """
    settled = Doubt((), unknown.asked)
    if not unknown.words or not named:
        return settled
    known = sum(one.end - one.start for one in named)
    if len(unknown.words) >= SALAD and len(unknown.words) > known:
        return Doubt((), unknown.words)
    try:
        likeness = likeness_of(wording_of(words, named))
    except ModelUnavailableError as error:
        _LOG.debug("unknown words are not weighed: %s", error)
        return settled
    if unknown.asked and likeness.rules_out >= SUSPECTED and not ruled:
        return Doubt((), unknown.words)
    return _weighed(unknown, likeness)


def is_telling(word: str) -> bool:
    """Return whether ``word`` is one of the subject, so that a question cannot do without it.

    >>> is_telling("Donors"), is_telling("haul")
    (True, False)
    """
    return word.lower() in _TELLING


def _names_something(word: str) -> bool:
    """Return whether a question cannot do without ``word``: one of the subject, an abbreviation."""
    return is_telling(word) or (word.isupper() and len(word) > 1)


def usual_words(words: Sequence[str]) -> frozenset[str]:
    """Return, in lower case, those of ``words`` that are neither rare nor in capitals, which may be
    names; none without a sentence model, where all may be.
    """
    if not words:
        return frozenset()
    from index.models.embeddings import is_common

    try:
        return frozenset(word.lower() for word in words if is_common(word) and not word.isupper())
    except ModelUnavailableError as error:
        _LOG.debug("unknown words are not weighed: %s", error)
        return frozenset()


def _weighed(unknown: Unknown, likeness: Likeness) -> Doubt:
    kind = likeness.kind if likeness.lead >= DECIDED else None
    if likeness.answerable < REFUSED:
        return Doubt((), unknown.words)
    needed = ADMITTED + FOR_EACH_MORE * (len(unknown.words) - 1)
    if likeness.answerable < needed:
        return Doubt((), unknown.asked, kind, likeness.answerable)
    from index.models.embeddings import is_common

    wording = tuple(
        word
        for word in unknown.asked
        if is_common(word) and word not in unknown.things and not _names_something(word)
    )
    rest = tuple(word for word in unknown.asked if word not in wording)
    return Doubt(wording, rest, kind, likeness.answerable)

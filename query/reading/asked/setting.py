"""Which names of the setting of a question it asks about, too."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from query.reading.asked.stories import ACCESSIONS, telling_names
from query.reading.mentions import GROUP_OF_FACET, Mention
from query.reading.names.mentions_found import MentionsFound
from query.reading.names.named_terms import name_words
from query.reading.scope.clauses import Clauses
from query.reading.scope.pointers import POINTS_TO_A_PLACE
from query.reading.scope.talk import is_expectation
from query.reading.wanted import read_wanted

_SURROUNDINGS: Final = ("biome", "environment")
_LONGEST_TOPIC: Final = 5
"""Words of a topic; more of them tell a story."""
_OF_THESE: Final = re.compile(r"\bwhich (?:ones? )?of (?:these|those|them)\b", re.IGNORECASE)
_BETWEEN: Final = frozenset({"the", "from", "in", "of", "any"})
"""Words between what leaves a name out and the name."""
_WORK: Final = ("strategy", "source", "several")
"""Facets of how libraries were made, and of how many viruses a run has."""


def is_topic(words: Sequence[str], said: Sequence[str]) -> bool:
    """Return whether what is beside the question ``said`` only says what it is about: chikungunya
    virus: which hosts?
    """
    return len(words) - len(said) <= _LONGEST_TOPIC


def names_asked_about(names: MentionsFound, clauses: Clauses) -> MentionsFound:
    """Return ``names`` without those that only belong to the setting of a question."""
    if not clauses.setting:
        return names
    said, _ = name_words(clauses.asked)
    end = len(said)
    pointers = _pointing_words(names.words, said)
    asked = [one for one in names.all if one.start < end and one.end - 1 not in pointers]
    named = names.all if clauses.points or not asked else names.found
    wanted = _values_wanted(said, asked)
    if (not asked and is_topic(names.words, said)) or _OF_THESE.search(clauses.asked):
        wanted.clear()
    if POINTS_TO_A_PLACE.search(clauses.asked):
        wanted.discard("geography")
    beside = [one for one in named if one.start >= end]
    setting = [one for one in beside if one.group not in wanted and not _of_work(one)]
    setting = telling_names(setting, clauses, asks_viruses="virus" in _groups_asked(said, asked))
    if not (clauses.points or clauses.restricts) and _named_again(asked, setting):
        setting = []
    meant = [*asked, *_whole_names(clauses.meant(asked, setting), beside)]
    leaving = _leaving_out(clauses)
    meant += [one for one in beside if one not in meant and _is_excepted(names.words, one, leaving)]
    if not any(one.group in ACCESSIONS for one in asked):
        meant += [one for one in beside if one.group in ACCESSIONS and one not in meant]
    return replace(
        names,
        named=[one for one in names.named if one.start < end],
        found=[one for one in names.found if one in meant],
        absent=[one for one in names.absent if one in meant],
        alone={
            span: spelled
            for span, spelled in names.alone.items()
            if span[0] < end and span[0] not in pointers
        },
    )


def _pointing_words(words: Sequence[str], said: Sequence[str]) -> frozenset[int]:
    """Return the places of nouns that only point to what is named beside the question: what these
    animals carry. Pointers stand in their place in what is ``said``.
    """
    places = enumerate(zip(words, said, strict=False))
    return frozenset(place for place, (word, now) in places if now == "one" != word.lower())


def _leaving_out(clauses: Clauses) -> frozenset[str]:
    """Return the words that leave the name behind them out of what is asked about; what somebody
    only expects denies it (I think it is not in pigs).
    """
    expects = any(is_expectation(one) for one in clauses.clauses[1:])
    return frozenset({"except"} if expects else {"except", "not"})


def _is_excepted(words: Sequence[str], one: Mention, leaving: frozenset[str]) -> bool:
    """Return whether the setting leaves ``one`` out, by one of the words ``leaving`` before it: if
    we leave out human, runs not from human.
    """
    before = [word.lower() for word in words[max(0, one.start - 3) : one.start]]
    while before and before[-1] in _BETWEEN:
        before.pop()
    return bool(before) and before[-1] in leaving


def _of_work(one: Mention) -> bool:
    """Return whether ``one`` is how libraries were made, or that viruses are many: in a setting
    these tell what somebody does or knows, and not which runs are meant.
    """
    return any(sense.facet in _WORK for sense in one.senses)


def _named_again(asked: Sequence[Mention], setting: Sequence[Mention]) -> bool:
    """Return whether the question names itself what its setting is about, so that it needs nothing
    else of it.
    """
    labels = {one.label for one in asked if one.group != "virus"}
    return any(one.label in labels for one in setting)


def _whole_names(meant: Sequence[Mention], named: Sequence[Mention]) -> list[Mention]:
    """Return those ``meant`` but for surroundings that go on from a name that is not: soybean
    plants are in no treatment plant.
    """
    others = {one.end for one in named if one not in meant}
    return [one for one in meant if one.group not in _SURROUNDINGS or one.start not in others]


def _values_wanted(said: Sequence[str], asked: Sequence[Mention]) -> set[str]:
    """Return the groups whose values a question asks for, so that the setting cannot say of which;
    viruses are of many ranks, and one may be within the other.
    """
    return _groups_asked(said, asked) - {"virus"}


def _groups_asked(said: Sequence[str], asked: Sequence[Mention]) -> set[str]:
    """Return the groups whose values a question asks for in words of its own."""
    intent = read_wanted(said, asked, asked)
    if not intent.explicit:
        return set()
    return {GROUP_OF_FACET.get(facet, facet) for facet in intent.facets}

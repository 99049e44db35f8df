"""Questions of what the index has computed and stored, and not of runs: tests, communities.

Words of such a question that happen to be in titles or biomes name neither: "which field is
significant", "communities of level 2".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import duckdb

from query.reading.asked.associations import (
    AssociationsAsked,
    is_of_tests,
    only_adds,
)
from query.reading.asked.communities import CommunitiesAsked, is_of_communities, read_communities
from query.reading.asked.flags import flag_asked, flag_words
from query.reading.asked.frame import accessions_of, frame_of
from query.reading.asked.tested import VALUES, read_associations
from query.reading.intent import read_intent
from query.reading.kinds import Kind, kind_of
from query.reading.mentions import Mention
from query.reading.names.mentions_found import MentionsFound
from query.reading.names.named_terms import name_words
from query.reading.roles import without_negations

_RECORDS: Final = ("run", "biosample", "bioproject")
_LISTED: Final = ("list", "rank")


@dataclass(frozen=True, slots=True)
class Stored:
    """What is asked of what is stored, with the ``names`` that are left to the question.

    ``kind`` is None where the question is of the kind that its own words say.
    """

    names: MentionsFound
    associations: AssociationsAsked | None = None
    communities: CommunitiesAsked | None = None
    kind: Kind | None = None

    @property
    def words(self) -> frozenset[str]:
        """Words of the question that are explained by it, in lower case."""
        words: frozenset[str] = frozenset()
        for asked in (self.associations, self.communities):
            if asked is not None:
                words |= asked.words
        return words


def read_stored(con: duckdb.DuckDBPyConnection, asked: str, names: MentionsFound) -> Stored:
    """Return what the question ``asked`` is asking of tests or of communities.

    ``names`` is what it names, and what is said beside it.
    """
    words, _ = name_words(without_negations(asked))
    telling = [one for one in names.all if one.group != "title"]
    frame = frame_of(words, telling)
    communities = _communities(frame, telling)
    if communities is not None:
        left = _without_talk(names, is_of_communities)
        compares = kind_of(frame, explicit=False) == "compare"
        return Stored(left, communities=communities, kind="describe" if compares else None)
    return _of_associations(con, words, names, frame, asked.lower())


def _communities(frame: str, named: Sequence[Mention]) -> CommunitiesAsked | None:
    groups = {one.group for one in named}
    return read_communities(
        frame,
        kind=kind_of(frame, explicit=False),
        named=bool(groups - {*_RECORDS, "community"}),
        accession=not groups.isdisjoint(_RECORDS),
        community="community" in groups,
    )


def _of_associations(
    con: duckdb.DuckDBPyConnection,
    words: Sequence[str],
    names: MentionsFound,
    frame: str,
    text: str,
) -> Stored:
    """Return the tests asked for, with the flag that ``text`` names, in small letters; where a list
    of what is found is asked for, they only add to it, unless no run carries the virus.
    """
    telling = [one for one in names.all if one.group != "title"]
    explicit = read_intent(frame).explicit
    kind = kind_of(frame, explicit=explicit)
    accessions = accessions_of(words, names.words)
    tests = read_associations(con, frame, words, telling, kind=kind, accessions=accessions)
    if tests is None:
        return Stored(names)
    talk = frozenset(word.lower() for word in words if is_of_tests(word))
    talk |= flag_words(text)
    tests = replace(tests, flag=flag_asked(text), words=tests.words | talk)
    lists_values = kind in _LISTED or (kind == "associate" and tests.listed == "value")
    carried = not tests.families or any(one.group == "virus" for one in names.found)
    if lists_values and only_adds(tests) and carried:
        return Stored(names, associations=tests, kind="list" if kind == "associate" else None)
    left = _without_talk(names, is_of_tests)
    return Stored(left, associations=tests, kind="associate")


def _without_talk(names: MentionsFound, asks: Callable[[str], bool]) -> MentionsFound:
    """Return ``names`` without words of titles, and without those of words that only ``ask``."""
    kept = [one for one in names.found if not _is_talk(one, asks)]
    dropped = [one for one in names.found if one not in kept]
    left = dict(names.alone)
    for one in dropped:
        left.update({(place, place + 1): () for place in range(one.start, one.end)})
    absent = [one for one in names.absent if not _is_talk(one, asks)]
    return replace(names, found=kept, absent=absent, alone=left)


def _is_talk(one: Mention, asks: Callable[[str], bool]) -> bool:
    if one.group == "title":
        return True
    spoken = all(asks(word) for word in one.text.split())
    return spoken and one.group in (*VALUES, "virus")

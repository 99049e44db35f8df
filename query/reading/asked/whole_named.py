"""The names of the whole of a share: the runs with a virus of which a share is from the liver."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from query.reading.asked.answer_kind import KindAsked
from query.reading.asked.parts import Parts
from query.reading.asked.whole import whole_of
from query.reading.mentions import Mention
from query.reading.names.mentions_found import MentionsFound

_ARE_FROM: Final = re.compile(r"\b(?:is|are|was|were|comes?|came|derives?) (?:from|of|in)\b")
"""Says where a part of the runs is from, and not what runs carry."""


def whole_named(
    asked: KindAsked, names: MentionsFound, parts: Parts, end: int
) -> tuple[Mention, ...]:
    """Return the names of the runs of which a share is asked in the question, which has the words
    before ``end``; else viruses named beside it; none where neither is said.
    """
    return _named_within(asked, names, parts) or _virus_beside(asked, names, end)


def apart_from_whole(
    whole: Sequence[Mention], each: Sequence[Mention], parts: Parts
) -> tuple[Mention, ...]:
    """Return ``each`` with the names of the whole of a share that are of the group of its part:
    the part is counted among the runs of the whole, and is no alternative to it.
    """
    others = {one.group for one in parts.kept if one not in whole}
    shared = {one.group for one in whole if one in parts.kept} & others
    return (*each, *(one for one in parts.kept if one.group in shared and one not in each))


def _named_within(asked: KindAsked, names: MentionsFound, parts: Parts) -> tuple[Mention, ...]:
    counted = {*parts.kept, *parts.ruled}
    within = [names.all[place] for place in whole_of(asked.frame, asked.kind)]
    whole = tuple(one for one in within if one in counted)
    return whole if {*parts.kept} - {*whole} else ()


def _virus_beside(asked: KindAsked, names: MentionsFound, end: int) -> tuple[Mention, ...]:
    """Return the viruses named beside a question for a share of other names: BK virus: what share
    is from kidney?
    """
    named = [one for one in names.found if one.start < end]
    part = asked.kind == "share" and _ARE_FROM.search(asked.frame) is not None
    if not part or not named or any(one.group == "virus" for one in named):
        return ()
    return tuple(one for one in names.found if one.start >= end and one.group == "virus")

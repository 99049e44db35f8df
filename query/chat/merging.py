"""Two readings made one: that of the conversation, and that of a follow-up."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final

from query.chat.cues import Move
from query.reading.mentions import Mention
from query.reading.reading import Reading

Mentions = tuple[Mention, ...]
_ABOUT_RUNS: Final = ("count", "share", "exists", "describe")
"""Kinds that count runs where no facet is asked for."""


def merge(before: Reading, after: Reading, move: Move) -> Reading:
    """Return ``before`` changed by ``after``, as ``move`` says.

    The kind, the facets and the number that a follow-up states replace those of before. What it
    asks beyond counts, and what it has that is not understood, is its own.
    """
    asked = _asked(before, after)
    if move == "compare":
        return _compared(asked, after)
    if move == "rule out":
        return _ruled_out(asked, (*after.subjects, *after.absent, *after.without))
    merged = _with_names(asked, after, adding=move == "add")

    return replace(merged, limit=None) if move == "all" else merged


def drop(reading: Reading, word: str) -> Reading | None:
    """Return ``reading`` without the names that ``word`` is part of, None where it is part of none.

    A word that is no name may be a number of values, ``compared`` or a facet.
    """
    lowered = word.strip().lower()
    kept = _without_word(reading, lowered)
    if kept != reading:
        return kept

    if lowered in reading.facets:
        left = tuple(one for one in reading.facets if one != lowered)
        return replace(reading, facets=left, explicit=bool(left))
    if reading.limit and lowered in (str(reading.limit), "limit"):
        return replace(reading, limit=None)
    return None


def _asked(before: Reading, after: Reading) -> Reading:
    """Return ``before`` with what ``after`` states of kind, facets and number.

    A kind that is stated without facets is about runs: how many runs, what share. A comparison
    stays one until another kind or a facet is asked for.
    """
    says_kind = after.kind != "describe" and not _only_a_number(before, after)
    facets, explicit = before.facets, before.explicit
    if after.explicit or (says_kind and after.kind in _ABOUT_RUNS):
        facets, explicit = after.facets, after.explicit
    kind = after.kind if says_kind else before.kind
    return replace(
        before,
        kind=kind,
        facets=facets,
        explicit=explicit,
        sides=before.sides if kind == "compare" else (),
        against_rest=before.against_rest and kind == "compare",
        limit=after.limit or (None if kind in _ABOUT_RUNS else before.limit),
        accessions=after.accessions,
        not_understood=after.not_understood,
        proposals=after.proposals,
        beyond=after.beyond,
    )


def _only_a_number(before: Reading, after: Reading) -> bool:
    """Return whether ``after`` says how many values and no more, of what is listed already."""
    if after.explicit:
        return False
    listed = before.kind in ("list", "rank", "compare")
    return listed and after.kind in ("list", "rank")


def _with_names(reading: Reading, after: Reading, *, adding: bool) -> Reading:
    """Return ``reading`` with the names of ``after``, each in the place of those of its group, or
    beside them.
    """
    named = (*after.subjects, *after.absent)
    groups = set() if adding else {one.group for one in named}
    subjects = (*_outside(reading.subjects, groups), *after.subjects)
    absent = (*_outside(reading.absent, groups), *after.absent)
    without = (*_not_named(reading.without, named), *after.without)
    still_against_rest = reading.against_rest and not after.sides
    merged = replace(
        reading,
        subjects=_distinct(subjects),
        absent=_distinct(absent),
        each=after.each or _outside(reading.each, groups),
        without=_distinct(without),
        sides=after.sides or _outside(reading.sides, groups),
        against_rest=after.against_rest or still_against_rest,
    )

    return _settled(merged)


def _compared(reading: Reading, after: Reading) -> Reading:
    """Return ``reading`` with the first name of ``after`` set beside that of its group."""
    for other in (*after.subjects, *after.absent):
        named = (*reading.sides, *reading.subjects)
        others = [one for one in named if _is_another_of_its_group(one, other)]
        if not others:
            continue
        group = [other.group]
        kept = _outside(reading.subjects, group)
        rest = _outside(after.subjects, group)
        sides = (others[0], other)
        subjects = _distinct((*kept, *sides, *rest))
        compared = replace(reading, kind="compare", subjects=subjects, sides=sides, each=())
        return replace(compared, against_rest=False)
    return replace(_with_names(reading, after, adding=True), kind="compare", sides=())


def _is_another_of_its_group(one: Mention, other: Mention) -> bool:
    if one.group != other.group:
        return False
    return one.label != other.label


def _ruled_out(reading: Reading, ruled: Mentions) -> Reading:
    """Return ``reading`` with ``ruled`` among what must not be carried."""
    kept = _keeping(reading, lambda names: _not_named(names, ruled))
    without = _distinct((*reading.without, *ruled))
    return _settled(replace(kept, without=without))


def _settled(reading: Reading) -> Reading:
    """Return ``reading`` with no half of a comparison, and nothing alone that holds at once."""
    kind, sides, each = reading.kind, reading.sides, reading.each
    least = 1 if reading.against_rest else 2
    if len(sides) < least:
        sides = ()

    if len(each) < 2:
        each = ()
    if kind == "compare" and not sides:
        kind = "describe"
    against_rest = reading.against_rest and bool(sides)
    return replace(reading, sides=sides, against_rest=against_rest, each=each, kind=kind)


def _without_word(reading: Reading, word: str) -> Reading:
    def others(mentions: Mentions) -> Mentions:
        kept = (one for one in mentions if not _is_called(one, word))
        return tuple(kept)

    return _settled(_keeping(reading, others))


def _keeping(reading: Reading, keep: Callable[[Mentions], Mentions]) -> Reading:
    """Return ``reading`` with what ``keep`` leaves of each of its lists of names."""
    return replace(
        reading,
        subjects=keep(reading.subjects),
        absent=keep(reading.absent),
        each=keep(reading.each),
        sides=keep(reading.sides),
        without=keep(reading.without),
    )


def _is_called(mention: Mention, word: str) -> bool:
    text = mention.text.lower()
    label = mention.label.lower()
    return bool(word) and word in (text, label, mention.group)


def _outside(mentions: Mentions, groups: Iterable[str]) -> Mentions:
    taken = set(groups)
    kept = (one for one in mentions if one.group not in taken)
    return tuple(kept)


def _not_named(mentions: Mentions, named: Iterable[Mention]) -> Mentions:
    labels = {_key(one) for one in named}
    kept = (one for one in mentions if _key(one) not in labels)
    return tuple(kept)


def _distinct(mentions: Iterable[Mention]) -> Mentions:
    """Return ``mentions`` with each name once, the latest spelling of it."""
    named = {_key(one): one for one in mentions}
    return tuple(named.values())


def _key(mention: Mention) -> tuple[str, str]:
    """Return what makes two mentions the same name."""
    return mention.group, mention.label

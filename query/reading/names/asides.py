"""Names in parentheses that say the name before them again, wider, narrower or in full."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Final

import duckdb

from query.reading.held.terms import is_below
from query.reading.intent import is_counted
from query.reading.mentions import Mention
from query.reading.names.named_terms import NamedTerm

_WHOLE: Final = "whole"
"""What is left of a rank before a taxon in parentheses: cattle (genus Bos)."""


def without_asides(
    con: duckdb.DuckDBPyConnection,
    words: Sequence[str],
    mentions: Sequence[Mention],
    asides: Collection[int],
    pauses: Collection[int],
) -> list[Mention]:
    """Return ``mentions`` without names in parentheses that say the name before them again, which
    has their words as well: human pegivirus (GBV-C). A narrower one is meant itself: coronavirus
    (MERS).
    """
    kept: list[Mention] = []
    for mention in mentions:
        one = replace(mention, text=_said_before(words, mention, asides))
        before = kept[-1] if kept else None
        again = before and _is_right_before(before, one.start, words) and before.group == one.group
        opens = one.start in asides and one.start - 1 not in {*asides, *pauses}
        if not (before and again and opens):
            kept.append(one)
        elif is_below(con, one.curies, before.curies):
            kept[-1] = replace(one, start=before.start)
        else:
            kept[-1] = replace(before, end=one.end)
    return kept


def _said_before(words: Sequence[str], mention: Mention, asides: Collection[int]) -> str:
    """Return the words of ``mention`` before those in parentheses, where it has both."""
    first = next((place for place in range(mention.start, mention.end) if place in asides), None)
    if first is None or first == mention.start:
        return _without_whole(mention.text)
    before = itertools.takewhile(lambda word: not is_counted(word), words[mention.start : first])
    return " ".join(before).lower()


def _without_whole(text: str) -> str:
    """Return ``text`` without the whole that it is said to mean, and nouns for runs before that.

    >>> _without_whole("honey bee runs whole Apis"), _without_whole("Apis")
    ('honey bee', 'Apis')
    """
    narrower, whole, _ = text.partition(f" {_WHOLE} ")
    if not whole:
        return text
    return " ".join(itertools.takewhile(lambda word: not is_counted(word), narrower.split()))


def of_ranks_said(
    words: Sequence[str], named: Sequence[NamedTerm], asides: Collection[int]
) -> list[NamedTerm]:
    """Return ``named`` with the whole taxon that parentheses behind a narrower name say is meant,
    in place of that: cattle (genus Bos), honey bee runs (genus Apis), apple trees (Malus).
    """
    wider = [one for one in named if one.outcome == "implied" and one.start]
    kept = [*named]
    for one in wider:
        said = words[one.start - 1].lower() == _WHOLE
        if not said and not (one.start in asides and _is_scientific(one, words)):
            continue
        end = one.start - 1 if said else one.start
        before = [two for two in kept if two != one and _is_right_before(two, end, words)]
        kept = [two for two in kept if two != one and two not in before]
        start = min((two.start for two in before), default=one.start)
        kept.append(replace(one, start=start, outcome="grounded"))
    return kept


def _is_scientific(one: NamedTerm, words: Sequence[str]) -> bool:
    """Return whether ``one`` is written as the one word that its taxon is called by."""
    return any(words[one.start : one.end] == [label] for _, label in one.terms)


def _is_right_before(one: NamedTerm | Mention, end: int, words: Sequence[str]) -> bool:
    """Return whether nothing but a noun for runs is between ``one`` and the word at ``end``."""
    return one.end <= end and all(is_counted(word) for word in words[one.end : end])


def said_once(absent: Sequence[Mention], asides: Collection[int]) -> list[Mention]:
    """Return ``absent`` with the words of a name in parentheses as words of the same name before
    them.
    """
    kept: list[Mention] = []
    for one in absent:
        again = one.start in asides and kept and kept[-1].label == one.label
        if again:
            kept[-1] = replace(kept[-1], end=one.end)
        else:
            kept.append(one)
    return kept


def spelled_out(
    words: Sequence[str],
    mentions: Sequence[Mention],
    absent: Sequence[Mention],
    asides: Collection[int],
) -> tuple[list[Mention], list[Mention]]:
    """Return both with a virus that parentheses behind it say again by words of its name, which
    name nothing else: vesicular stomatitis virus (VSV Indiana) is of no place.
    """
    from ontology_etl.folding import fold_one, spellings

    if not asides:
        return [*mentions], [*absent]
    ends: dict[Mention, int] = {}
    for one in (*mentions, *absent):
        aside = list(itertools.takewhile(asides.__contains__, range(one.end, len(words))))
        spelled = {spelling for word in fold_one(one.label).split() for spelling in spellings(word)}
        if aside and one.group == "virus" and one.start not in asides:
            said = {words[place].lower() for place in aside}
            if said <= spelled | {"virus"}:
                ends[one] = aside[-1] + 1
    within = {place for one, end in ends.items() for place in range(one.end, end)}

    def without(listed: Sequence[Mention]) -> list[Mention]:
        return [
            replace(one, end=ends.get(one, one.end)) for one in listed if one.start not in within
        ]

    return without(mentions), without(absent)

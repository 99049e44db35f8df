"""What the words outside of all names ask, whatever the names are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from query.reading.asked.besides import asks_company, asks_only_there, asks_unexpected
from query.reading.asked.frame import frame_of
from query.reading.kinds import (
    NAME,
    asks_rate,
    beyond_counts,
    compares_runs,
    counts_runs,
    limit_of,
    order_of,
    wants_table,
)
from query.reading.limits import COLLECTION_DATES
from query.reading.mentions import Mention
from query.reading.names.mentions_found import MentionsFound
from query.reading.names.named_terms import name_words
from query.reading.reading import Reading
from query.reading.roles import without_negations

_LIBRARIES: Final = re.compile(r"\blibrar(?:y|ies) (?:are |is |made )?of (?:the )?_|_ librar")
"""Asks for libraries of a virus, which are no finds."""
_COLLECTED: Final = re.compile(r"\b(?:collected|sampled|isolated|obtained) _")
"""Dates samples where the name is a year."""


def frames_of(heard: Sequence[str], names: MentionsFound) -> tuple[str, str]:
    """Return the frame of the words ``heard``, and the same with words of titles as written."""
    allowed, _ = name_words(without_negations(" ".join(heard)))
    untitled = [one for one in names.all if one.group != "title"]
    return frame_of(allowed, names.all), frame_of(allowed, untitled)


def _says_of(pattern: re.Pattern[str], group: str, frame: str, named: Sequence[Mention]) -> bool:
    """Return whether ``pattern`` ends at a name of ``group`` in ``frame``, in which ``named`` are
    left out: libraries of a virus, and not those of a host or a tissue (pig libraries with a
    virus).
    """
    groups = {one.start: one.group for one in named}
    in_order = [groups[start] for start in sorted(groups)]
    for found in pattern.finditer(frame):
        place = frame[: found.end()].count(NAME) - 1
        if place < len(in_order) and in_order[place] == group:
            return True
    return False


def asked_by_frame(frame: str, untitled: str, names: MentionsFound) -> Reading:
    """Return what the words outside of all names ask, whatever these are; ``untitled`` has words of
    titles as they are written.
    """
    return Reading(
        unexpected=asks_unexpected(frame),
        only_there=asks_only_there(frame),
        company=asks_company(frame),
        rate=asks_rate(frame),
        order=order_of(frame),
        limit=limit_of(frame),
        of_runs=counts_runs(frame) or compares_runs(frame),
        libraries=_says_of(_LIBRARIES, "virus", frame, names.all),
        beyond=COLLECTION_DATES
        if _says_of(_COLLECTED, "year", frame, names.all)
        else beyond_counts(untitled),
        of_tables=wants_table(untitled),
    )

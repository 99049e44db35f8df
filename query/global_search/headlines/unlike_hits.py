"""Beside the runs with a species: those with hits that are reported as it and too unlike it."""

from __future__ import annotations

from typing import Final

from query.global_search.matched_runs import JOINED, MatchedRuns
from query.global_search.naming import group_of
from query.reading.held.unlike import species_named, unlike_hits
from query.reading.question import WITHOUT, Question

_MOST_NAMES: Final = 2
"""Species named, of which this is said."""


def besides_unlike_hits(question: Question, matched: MatchedRuns) -> str:
    """Return how many more of the runs asked about have hits that are reported as the species asked
    for and are not like it; nothing where there are none, or no species is asked for.
    """
    named = species_named([*question.mentions, *question.absent])
    reading = question.reading
    joins = reading.sides or len(reading.each) > 1 or reading.libraries
    missing = any(one.group != "virus" for one in question.absent)
    if not named or len(named) > _MOST_NAMES or joins or missing:
        return ""
    others = [key for key in question.groups if key.startswith(WITHOUT) or group_of(key) != "virus"]
    among, asked = "", {}
    if others:
        among = f"SEMI JOIN ({JOINED}) USING (run)"
        asked = {"groups": others, "n": len(others)}
    found = unlike_hits(matched.connection, named, among=among, asked=asked)
    return found.text(" or ".join(one.name for one in named)) if found.runs else ""

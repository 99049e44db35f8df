"""Beside the runs with a species: those with hits that are reported as it and too unlike it.

They count neither as runs with it nor, without a word, as runs that lack it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from index.reports.phrases import counted, listed
from query.global_search.matched_runs import MatchedRuns, joined_with
from query.global_search.naming import group_of
from query.reading.held.unlike import (
    LEAST_ALIKE,
    beside_congener,
    of_itself,
    runs_reporting_all,
    species_named,
    unlike_hits,
)
from query.reading.mentions import Mention
from query.reading.question import WITHOUT, Question

_MOST_NAMES: Final = 3
"""Species named, of which this is said."""


def besides_unlike_hits(question: Question, matched: MatchedRuns) -> str:
    """Return how many of the runs asked about have hits that are reported as a species asked for,
    or ruled out, and are not like it; nothing where there are none, or no species is named.
    """
    reading = question.reading
    missing = any(one.group != "virus" for one in question.absent)
    if reading.libraries or missing:
        return ""
    asked_for = species_named([*question.mentions, *question.absent])
    ruled_out = species_named(reading.without)
    sentences = [_lacking(matched, ruled_out)] if ruled_out else []
    viral = [one for one in question.mentions if one.group == "virus"]
    if len(reading.each) > 1 and len(asked_for) == len(viral) > 1:
        sentences.append(_together(question, matched, asked_for))
    elif len(reading.each) <= 1 and 0 < len(asked_for) <= _MOST_NAMES:
        apart = reading.kind == "compare" and {*asked_for} <= {*reading.sides}
        named = [[one] for one in asked_for] if apart else [asked_for]
        sentences += [_reported(question, matched, species) for species in named]
    return " ".join(one for one in sentences if one)


def _reported(question: Question, matched: MatchedRuns, species: Sequence[Mention]) -> str:
    """Return how many more runs have hits that are reported as one of ``species``."""
    among, asked = _others(question)
    names = " or ".join(one.name for one in species)
    more = "more " if any(one in question.mentions for one in species) else ""
    sentences = [_itself(matched, one, among, asked) for one in species] if more else []
    sentences += [_beside(matched, species, names, among, asked)] if more else []
    for found in unlike_hits(matched.connection, species, among=among, asked=asked):
        have = counted(found.runs, f"{more}run has", f"{more}runs have")
        sentences.append(found.text(names, have))
    return " ".join(one for one in sentences if one)


def _itself(matched: MatchedRuns, virus: Mention, among: str, asked: Mapping[str, object]) -> str:
    """Return how many of the runs are of a virus itself, where its species is counted."""
    counts = of_itself(matched.connection, virus, among=among, asked=asked)
    if counts is None:
        return ""
    runs, own = counts
    hits = f"{own:,} of {counted(runs, 'run')} have hits of {virus.label} itself"
    return f"{hits}; the others have hits of its species or of other viruses of it."


def _beside(
    matched: MatchedRuns,
    species: Sequence[Mention],
    names: str,
    among: str,
    asked: Mapping[str, object],
) -> str:
    """Return in how many of the runs with one of ``species`` a congener has more reads."""
    runs, congeners = beside_congener(matched.connection, species, among=among, asked=asked)
    have = counted(runs, "run has", "runs have")
    return f"{have} more reads of {listed(congeners)} than of {names}." if runs else ""


def _lacking(matched: MatchedRuns, species: Sequence[Mention]) -> str:
    """Return how many of the matching runs, which lack ``species``, have hits reported as it."""
    among = "SEMI JOIN matched USING (run)"
    names = " or ".join(one.name for one in species)
    sentences = []
    for found in unlike_hits(matched.connection, species, among=among):
        have = counted(found.runs, "of them has", "of them have")
        sentences.append(found.text(names, have))
    return " ".join(sentences)


def _together(question: Question, matched: MatchedRuns, species: Sequence[Mention]) -> str:
    """Return how many more runs have hits that are reported as each of ``species``."""
    among, asked = _others(question)
    reporting = runs_reporting_all(matched.connection, species, among=among, asked=asked)
    together = 0 if matched.dropped else matched.runs
    runs = reporting - together
    if runs <= 0:
        return ""
    more = "more " if together else ""
    have = counted(runs, f"{more}run has", f"{more}runs have")
    return (
        f"{have} hits reported as each of them, of which some are less than {LEAST_ALIKE}% "
        f"identical to it."
    )


def _others(question: Question) -> tuple[str, dict[str, object]]:
    """Return a join with the runs of all that is asked for but viruses, and its parameters; where a
    share of the runs with a virus is asked, with the runs of that whole.
    """
    whole = {question.key(one) for one in question.reading.whole}
    of_virus = any(group_of(key) == "virus" for key in whole)
    keys = [key for key in question.groups if key in whole] if of_virus else question.groups
    return joined_with([key for key in keys if key.startswith(WITHOUT) or group_of(key) != "virus"])

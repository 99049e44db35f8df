"""Headline of several counts that one question asks: how many runs have measles and how many have
mumps.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from query.global_search.headlines.found_in_runs import virus_found
from query.global_search.headlines.share_of_whole import asks_share_of_whole
from query.global_search.matched_runs import MatchedRuns
from query.global_search.matching import match_runs
from query.global_search.naming import are_names
from query.reading.mentions import Mention
from query.reading.question import Question

_ASKS: Final = r"(?:how many|numbers? of|count of)"
_TWICE: Final = re.compile(rf"\b{_ASKS}\b.+?(?:\b{_ASKS}\b|\?\s*(?:and|or) [^?]+\?)", re.IGNORECASE)
"""Asks for a number twice."""
_EACH: Final = re.compile(
    r"\b(?:numbers|counts) of\b|\b(?:each|respectively|apiece|individually|separately)\b",
    re.IGNORECASE,
)
"""Asks for a number of each thing that is named."""
_AND_BOTH: Final = re.compile(
    rf"\b{_ASKS}\b(?P<either>.+?)\b{_ASKS}\b(?P<both>.+)", re.IGNORECASE | re.DOTALL
)
_BOTH: Final = re.compile(r"\b(?:both|together|all (?:two|three|of them))\b", re.IGNORECASE)
"""Counts the runs that have all that is named, after those that have any of it."""
_OF_THEM: Final = re.compile(r"\bof (?:them|those|these)\b", re.IGNORECASE)
"""Counts again, among what was counted before."""


def counts_apart(question: Question, matched: MatchedRuns) -> str:
    """Return each count that ``question`` asks for in a sentence of its own; empty where it asks
    for one.
    """
    reading = question.reading
    if reading.kind != "count":
        return ""
    twice = _TWICE.search(question.text) is not None
    if twice and _asks_for_both(question):
        return _any_and_both(question, matched)
    if twice and _OF_THEM.search(question.text):
        return _first_and_part(question, matched)
    if reading.whole or not (twice or _EACH.search(question.text)):
        return ""
    names = _alternatives(question)
    sentences = [_alone(question, matched, one, names) for one in names]
    return " ".join(sentences)


def _asks_for_both(question: Question) -> bool:
    """Return whether the second number is of runs that have all names of the first."""
    parts = _AND_BOTH.search(question.text)
    if parts is None or not question.reading.each:
        return False
    return bool(_BOTH.search(parts["both"])) and not _BOTH.search(parts["either"])


def _any_and_both(question: Question, matched: MatchedRuns) -> str:
    """Return how many runs have any of the names, then how many have all of them."""
    either = replace(question, reading=replace(question.reading, each=()))
    some = virus_found(either, match_runs(matched.connection, either))
    return f"{some} {virus_found(question, matched)}"


def _first_and_part(question: Question, matched: MatchedRuns) -> str:
    """Return how many runs there are of the whole, then how many of them have the virus; empty
    where the share of the whole says both.
    """
    if asks_share_of_whole(question) or matched.dropped:
        return ""
    whole = {question.key(one) for one in question.reading.whole}
    keys = [key for key in question.groups if key in whole]
    runs = matched.runs_with(keys)
    first = f"{runs:,} runs of {matched.index_runs:,} {are_names(question, keys, runs)}."
    return f"{first} {virus_found(question, matched)}" if keys else ""


def _alternatives(question: Question) -> list[Mention]:
    """Return the names of the first group with several; none where they hold at once."""
    by_key: dict[str, dict[str, Mention]] = {}
    for one in question.mentions:
        if not one.is_condition:
            by_key.setdefault(question.key(one), {}).setdefault(one.label, one)
    several = [list(named.values()) for named in by_key.values() if len(named) > 1]
    return several[0] if several else []


def _alone(question: Question, matched: MatchedRuns, one: Mention, names: list[Mention]) -> str:
    """Return the count of ``one``, without the other names."""
    labels = {other.label for other in names} - {one.label}
    mentions = tuple(other for other in question.mentions if other.label not in labels)
    asked = replace(question, mentions=mentions)
    return virus_found(asked, match_runs(matched.connection, asked))

"""Headline of the viruses of one group of runs that another has not: in mice, but not in humans.

A run has one host as a rule, so that leaving out the runs of the other leaves out nothing; what is
meant is what no run of the other carries.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Final

from index.reports.phrases import counted
from query.global_search.headlines.compared.shared import (
    RUNS_BY_VIRUS,
    TITLE_OF_ONE,
    VIRUS_TITLES,
    first_values,
)
from query.global_search.headlines.found_in_runs import virus_found
from query.global_search.headlines.listed.values_listed import list_values
from query.global_search.matched_runs import MatchedRuns
from query.global_search.matching import match_runs
from query.global_search.naming import group_of, names_of
from query.reading.question import WITHOUT, Question

_NOWHERE_ELSE: Final = re.compile(
    r"\b(?:only|exclusively|solely|uniquely?|specific|restricted|confined|limited)\b"
    r"(?: (?:to be|found|seen|present|detected|known|occurring|ones?))* (?:in|to|from|among|of)\b"
    r"|\b(?:in|among) (?:no|none of the) other\b|\bnowhere else\b",
    re.IGNORECASE,
)
"""Asks for what no other run carries: viruses only found in tomato."""
_ASKING: Final = ("list", "rank", "describe")
NOT_FOUND: Final = re.compile(
    r"(?:\b(?:not|never)\b|n['’]t\b)(?: \w+){0,2} (?:found|seen|detected|present|known|occur\w*"
    r"|appear\w*)\b|\babsent from\b|\b(?:not|never)(?: once)? in\b",
    re.IGNORECASE,
)
"""Says that what is asked for is found in none of what is ruled out."""
_IN_NONE: Final = re.compile(
    r"\bin (?:no|none)\b|\bonly (?:\w+ )?outside\b|\beverywhere (?:but|except)\b", re.IGNORECASE
)
"""The same of the whole index. Runs not from humans are those from other hosts."""
_LIBRARIES: Final = ("library", "source", "year")
_LISTED: Final = {
    "organism": "host", "tissue": "tissue", "disease": "disease", "geography": "geography",
    "environment": "environment", "biome": "biome",
}  # fmt: skip
"""Group of a name -> the facet of the values that are elsewhere."""
_NOUN: Final = {"geography": "place"}


@dataclass(frozen=True, slots=True)
class OnlyThere:
    """Kinds of viruses that are asked for, the runs ``there`` that must not carry them, and those
    ``here`` that do.
    """

    facets: tuple[str, ...]
    there: MatchedRuns
    here: MatchedRuns


def asked_only_there(question: Question, matched: MatchedRuns) -> OnlyThere | None:
    """Return what is meant by viruses of one group and not of another; None where no viruses are
    asked for, or where the group ruled out is a part of the other.
    """
    facets = [one for one in question.reading.facets if one in RUNS_BY_VIRUS]
    kinds = (*_ASKING, "count") if in_none_of(question) else _ASKING
    asked = question.reading.explicit and question.reading.kind in kinds
    if not (facets and asked) or matched.dropped:
        return None
    there = _ruled_out(question, matched)
    if in_none_of(question):
        every = match_runs(matched.connection, without_names(question))
        return OnlyThere(tuple(facets), there, every)
    if not _rules_out_an_equal(question):
        return None
    of_both = matched.runs_with(_here(question)) - matched.runs
    if 2 * of_both > there.runs:
        return None
    return OnlyThere(tuple(facets), there, matched)


def in_none_of(question: Question) -> bool:
    """Return whether viruses of the whole index are asked for that no run of what is ruled out
    carries: which families are not found in humans. Outside humans they may be found in both.
    """
    ruled = {one.group for one in question.reading.without}
    alone = not question.mentions and len(ruled) == 1 and not ruled & {"virus", *_LIBRARIES}
    said = NOT_FOUND.search(question.text) or _IN_NONE.search(question.text)
    return alone and said is not None


def without_names(question: Question) -> Question:
    """Return ``question`` of the whole index, with nothing named or ruled out."""
    plain = replace(question.reading, without=(), subjects=(), each=(), sides=())
    return replace(question, mentions=(), reading=plain)


def found_only_there(question: Question, matched: MatchedRuns) -> str:
    """Return the viruses that runs of one group carry and none of the group ruled out; empty where
    that is not asked.
    """
    if _asked_nowhere_else(question, matched):
        return _nowhere_else(question, matched)
    asked = asked_only_there(question, matched)
    if asked is None:
        return ""
    parts = [_only(facet, asked.here, asked.there) for facet in asked.facets]
    ruled = " or ".join(dict.fromkeys(one.name for one in question.reading.without))
    names = names_of(question, _here(question)) or "the index"
    return f"Found in {names} and in no run of {ruled}: {'; '.join(parts)}."


def whether_only_there(question: Question, matched: MatchedRuns) -> str:
    """Return whether a virus is found in no run that states another value than the one named, and
    in which else it is; empty where that is not asked.
    """
    reading = question.reading
    viruses = tuple(one for one in reading.subjects if one.group == "virus")
    named = tuple(one for one in reading.subjects if one.group != "virus")
    groups = {one.group for one in named}
    facet = _LISTED.get(next(iter(groups), ""))
    asked = reading.only_there and reading.kind == "exists" and not reading.without
    if not (asked and viruses and facet and len(groups) == 1):
        return ""
    others = replace(
        reading, kind="list", facets=(facet,), explicit=True, subjects=viruses, without=named
    )
    elsewhere = replace(question, mentions=viruses, reading=others)
    there = match_runs(matched.connection, elsewhere)
    here = virus_found(question, matched)
    found = here.removeprefix("Yes: ").removeprefix("No: ")
    if there.dropped or not there.runs:
        return f"{here} No run of it states another {_NOUN.get(facet, facet)}."
    return f"No: {list_values(elsewhere, there)} {found[:1].upper()}{found[1:]}"


def _asked_nowhere_else(question: Question, matched: MatchedRuns) -> bool:
    """Return whether viruses are asked for that no other run of the index carries."""
    reading = question.reading
    viral = any(one in RUNS_BY_VIRUS for one in reading.facets) and reading.kind in _ASKING
    named = bool(question.groups) and "virus" not in {group_of(key) for key in question.groups}
    positive = named and not reading.without and not matched.dropped
    return viral and positive and _NOWHERE_ELSE.search(question.text) is not None


def _nowhere_else(question: Question, matched: MatchedRuns) -> str:
    """Return the viruses that the matching runs carry and no other run of the index."""
    parts = []
    for facet in [one for one in question.reading.facets if one in RUNS_BY_VIRUS]:
        elsewhere = {str(value) for (value,) in matched.rows(_ELSEWHERE[facet])}
        parts.append(_listed_only(facet, matched, elsewhere))
    names = names_of(question, question.groups)
    return f"Found in {names} and in no other run of the index: {'; '.join(parts)}."


def _here(question: Question) -> list[str]:
    return [key for key in question.groups if not key.startswith(WITHOUT)]


def _rules_out_an_equal(question: Question) -> bool:
    """Return whether what is ruled out is of one group, and that is asked for, too."""
    ruled = {one.group for one in question.reading.without}
    asked = {group_of(key) for key in _here(question)}
    return len(ruled) == 1 and ruled <= asked and "virus" not in asked


def _ruled_out(question: Question, matched: MatchedRuns) -> MatchedRuns:
    """Return the runs of what the question rules out."""
    reading = replace(question.reading, without=(), each=(), sides=())
    alone = replace(question, mentions=question.reading.without, reading=reading)
    return match_runs(matched.connection, alone)


def _only(facet: str, here: MatchedRuns, there: MatchedRuns) -> str:
    """Return how many values of ``facet`` are here and not there, and those of most runs."""
    elsewhere = {str(value) for value, _ in there.rows(RUNS_BY_VIRUS[facet])}
    return _listed_only(facet, here, elsewhere)


def _listed_only(facet: str, here: MatchedRuns, elsewhere: Collection[str]) -> str:
    """Return how many values of ``facet`` are here and not ``elsewhere``, most runs first."""
    counts = {str(value): int(runs) for value, runs in here.rows(RUNS_BY_VIRUS[facet])}
    only = [value for value in counts if value not in elsewhere]
    ranked = sorted(only, key=lambda value: (-counts[value], value))
    if not ranked:
        return f"no {VIRUS_TITLES[facet]}"

    named = counted(len(ranked), TITLE_OF_ONE[facet], VIRUS_TITLES[facet])
    return f"{named}, {first_values(ranked, [counts])}"


_ELSEWHERE: Final = {
    "family": "SELECT DISTINCT family FROM detection ANTI JOIN matched USING (run)",
    "species": "SELECT DISTINCT stated FROM detection ANTI JOIN matched USING (run)",
}

"""Headline of the share of some runs that are of something: how many of the runs with a virus come
from the liver.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from index.reports.phrases import counted, percent
from query.global_search.carrying import facets_of_group, found_condition, runs_carrying
from query.global_search.headlines.each_name import each_name
from query.global_search.headlines.found_in_runs import holds_of_part
from query.global_search.matched_runs import JOINED, MatchedRuns, joined_with
from query.global_search.naming import (
    GROUP_WORDS,
    are_names,
    group_of,
    names_of,
    of_names,
)
from query.reading.held.unlike import runs_reporting, runs_unlike, species_named, unlike_hits
from query.reading.measured.selects import QUALITIES
from query.reading.mentions import Mention
from query.reading.question import WITHOUT, Question

_ONLY: Final = re.compile(r"\b(?:only|solely|exclusively|nothing but)\b", re.IGNORECASE)
"""Asks for runs of which all hits are like that."""


def asks_share_of_whole(question: Question) -> bool:
    """Return whether a share of the runs with a virus is asked, or one in which no virus is named.

    Of other runs, those with a virus are counted among the searched ones.
    """
    whole = _whole(question)
    if not whole:
        return False
    part = [key for key in question.groups if key not in whole]
    of_virus = any(group_of(key) == "virus" for key in whole)
    return bool(part) and (of_virus or all(group_of(key) != "virus" for key in part))


def share_of_whole(question: Question, matched: MatchedRuns) -> str:
    """Return how many runs of the whole are of what is asked, and how many of them state any."""
    whole = _whole(question)
    part = [key for key in question.groups if key not in whole]
    runs = matched.runs_with(whole)
    named = f"{counted(runs, 'run')}{_of(question, whole)}"
    unknown = _unknown(matched, whole, part)
    if unknown:
        names = names_of(question, part)
        none = f"no {unknown} is stated for any of {named}"
        return f"This cannot be said: {none}, so that the share of {names} is not known."

    hits = _with_such_hits(question, matched, whole, part)
    if hits is not None:
        names = names_of(question, part).removeprefix("any virus ")
        unlike = _unlike(question, matched, whole)
        others = [key for key in whole if group_of(key) != "virus"]
        virus = names_of(question, [key for key in whole if group_of(key) == "virus"])
        where = of_names(question, others)
        if not runs + unlike:
            return f"No run{where} has a hit reported as {virus}."
        reported = f"{counted(runs + unlike, 'run')}{where} with hits reported as {virus}"
        of_all = reported if unlike else named
        only = "only " if _asks_for_all_hits(question, part) else ""
        return f"{hits:,} of {of_all} ({percent(hits / (runs + unlike))}) have it {only}{names}."
    both = matched.runs_with([*whole, *part])
    of_all = f" ({percent(both / runs)})" if both else ""
    opening = _verdict(question, matched, whole, part, both)
    share = f"{opening}{both:,} of {named}{of_all} {_are(question, part, both)}."
    each = each_name(question, matched, [*part, *whole], searched=False)
    return f"{share}{each}{_stated(matched, whole, part, both)}"


def _verdict(
    question: Question,
    matched: MatchedRuns,
    whole: Sequence[str],
    part: Sequence[str],
    both: int,
) -> str:
    """Return whether the share is as large as asked, as far as what is not stated leaves that open;
    empty where the question does not say how large.
    """
    if question.reading.part is None:
        return ""
    runs = matched.runs_with(whole)
    answer = holds_of_part(question, both, runs)
    kinds = [group_of(key) for key in part if not key.startswith(WITHOUT)]
    stated = [matched.stating(whole, facets_of_group(one)) for one in kinds if one in GROUP_WORDS]
    unknown = sum(runs - one for one in stated)
    possible = min(runs, both + unknown)
    if answer != holds_of_part(question, possible, runs):
        return "That cannot be said of all of them: "
    return answer


def _with_such_hits(
    question: Question, matched: MatchedRuns, whole: Sequence[str], part: Sequence[str]
) -> int | None:
    """Return how many runs of the whole have a hit of its virus that is like what the part says
    (with at least 95 % identity); None where the part says nothing of hits.
    """
    said = [one for one in question.mentions if question.key(one) in part]
    of_hits = [one for one in said if all(sense.facet in QUALITIES for sense in one.senses)]
    viral = [one for one in question.reading.whole if one.group == "virus"]
    if not viral or not of_hits or of_hits != said:
        return None
    species = _species_unlike(question, said)
    if species is not None:
        among, asked = _others(whole)
        quality = found_condition([sense for one in said for sense in one.senses])
        every = _asks_for_all_hits(question, part)
        return runs_reporting(
            matched.connection, species, quality=quality, every=every, among=among, asked=asked
        )
    senses = [sense for one in (*viral, *said) for sense in one.senses]
    of_whole = {"groups": list(whole), "n": len(whole)}
    query = f"SELECT count(*) FROM ({runs_carrying(senses)}) SEMI JOIN ({JOINED}) USING (run)"
    ((runs,),) = matched.rows(query, of_whole)
    return int(runs)


def _species_unlike(question: Question, said: Sequence[Mention]) -> Mention | None:
    """Return the one species of the whole where hits are asked for that may be too unlike it to be
    called so: of these none is stated.
    """
    viral = [one for one in question.reading.whole if one.group == "virus"]
    values = [sense.value or "" for one in said for sense in one.senses]
    bounded = any(one.startswith("identity <") for one in values)
    species = species_named(viral)
    return species[0] if bounded and len(species) == len(viral) == 1 else None


def _asks_for_all_hits(question: Question, part: Sequence[str]) -> bool:
    """Return whether runs are asked for of which no hit is other than the part says."""
    said = [one for one in question.mentions if question.key(one) in part]
    return _species_unlike(question, said) is not None and _ONLY.search(question.text) is not None


def _others(whole: Sequence[str]) -> tuple[str, dict[str, object]]:
    """Return a join with the runs of what the whole names beside viruses, and its parameters."""
    return joined_with([key for key in whole if group_of(key) != "virus"])


def _unlike(question: Question, matched: MatchedRuns, whole: Sequence[str]) -> int:
    """Return how many more runs have hits reported as the species of the whole that are too unlike
    it to count.
    """
    species = species_named([one for one in question.reading.whole if one.group == "virus"])
    if not species:
        return 0
    among, asked = _others(whole)
    return runs_unlike(unlike_hits(matched.connection, species, among=among, asked=asked))


def _whole(question: Question) -> list[str]:
    """Return the keys of the runs of which a share is asked, in the order of the question's."""
    reading = question.reading
    ruled = {f"{WITHOUT}{one.group}" for one in reading.whole if one in reading.without}
    kept = {question.key(one) for one in reading.whole if one not in reading.without}
    return [key for key in question.groups if key in ruled | kept]


def _of(question: Question, keys: Sequence[str]) -> str:
    """Return what runs of the whole are of, or with which virus."""
    if group_of(keys[0]) == "virus":
        return f" with {names_of(question, keys)}"
    return of_names(question, keys)


def _are(question: Question, part: Sequence[str], runs: int) -> str:
    if group_of(part[0]) == "virus":
        return f"{'carries' if runs == 1 else 'carry'} {names_of(question, part)}"
    return are_names(question, part, runs)


def _stated(matched: MatchedRuns, whole: Sequence[str], part: Sequence[str], both: int) -> str:
    """Return how many runs of the whole state anything of the kind, group by group, and how large
    a part of those ``both`` are.
    """
    sentences = ""
    for key in part:
        if key.startswith(WITHOUT) or group_of(key) not in GROUP_WORDS:
            continue
        stated = matched.stating(whole, facets_of_group(group_of(key)))
        kind = GROUP_WORDS[group_of(key)]
        state = "states" if stated == 1 else "state"
        of_those = f", and {percent(both / stated)} of those are" if 0 < both < stated else ""
        sentences += f" {stated:,} of these runs {state} a {kind}{of_those}."
    return sentences


def _unknown(matched: MatchedRuns, whole: Sequence[str], part: Sequence[str]) -> str:
    """Return what is stated for none of the runs of the whole, so that no share is known; empty
    where all of it is stated for some.
    """
    for key in part:
        facets = facets_of_group(group_of(key))
        is_stated = key.startswith(WITHOUT) or group_of(key) not in GROUP_WORDS
        if not is_stated and not matched.stating(whole, facets):
            return GROUP_WORDS[group_of(key)]
    return ""

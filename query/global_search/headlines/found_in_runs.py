"""Headlines of what is asked for among runs: in how many of those searched it is found."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from index.reports.phrases import counted, is_or_are, percent
from query.global_search.headlines.each_name import each_name
from query.global_search.headlines.listed.values_listed import named_part, values_text
from query.global_search.headlines.not_found import doubt, not_found, not_together
from query.global_search.headlines.sources import LookedFor, looked_for
from query.global_search.matched_runs import JOINED, MatchedRuns
from query.global_search.naming import (
    are_names,
    group_of,
    names_of,
    of_names,
)
from query.reading.question import WITHOUT, Question

_SEARCHED: Final = "searched"
_FEW: Final = 10
"""Searched runs; fewer say nothing of what their sources list."""
_HARDLY_ALL: Final = 0.95
"""Share of searched runs with a virus from which on runs without one are hardly listed."""
_OF_A_NAME: Final = re.compile(
    r"\b(?:identified|named|known|recogni[sz]ed)\b|\bwith an? (?:\w+ )?name\b", re.IGNORECASE
)
"""Asks for viruses that have a name."""
_ANY_VIRUS: Final = """
SELECT count(DISTINCT run) FROM (
    FROM group_run WHERE grp IN (SELECT unnest($virus::VARCHAR[]))
)
"""
_NO_RATE: Final = "listed for them, so a share of them is no detection rate."


def virus_found(question: Question, matched: MatchedRuns) -> str:
    """Return in how many of the searched runs that are asked about the virus is found."""
    keys = question.groups
    virus = [key for key in keys if group_of(key) == "virus"]
    others = [key for key in keys if group_of(key) != "virus"]
    if not keys:
        return _whole_index(question, matched)
    if not virus:
        return _any_virus(question, matched, others)
    looked = looked_for(question, matched, others)
    searched = looked.runs
    found = matched.searched_with([*others, *virus])
    names = names_of(question, virus)
    where = of_names(question, others)
    if not looked.searched and not matched.runs_with(others):
        return not_together(question, matched)
    if not looked.searched:
        return f"{doubt(question)}none of the runs{where} was searched for viruses."
    if not searched:
        return f"{doubt(question)}{names}: none of the runs{where} {looked.none}."
    absent = all(key.startswith(WITHOUT) for key in virus)
    if not found and not absent:
        return not_found(question, matched, virus, others, looked)
    opening = holds_of_part(question, found, searched)
    if question.reading.kind == "exists":
        opening = "Yes: " if _is_enough(question, found) else "No: "
    kind = f"{_SEARCHED} for it" if looked.text else _SEARCHED
    share = _share(found, searched, where, kind=kind)
    ruled_out = any(key.startswith(WITHOUT) for key in virus)
    together = " together" if len(virus) > 1 and not ruled_out else ""
    found_in = f"{names} {is_or_are(names)} found{together} in {share}"
    finding = f"{share} carry {names}" if absent else found_in
    either = _either(matched, virus, others)
    each = "" if absent else each_name(question, matched, [*virus, *others], searched=True)
    libraries = _libraries(matched, virus)
    rate = _no_prevalence(matched, others, looked)
    return f"{opening}{finding}.{either}{each}{libraries}{looked.text}{rate}"


def _either(matched: MatchedRuns, virus: Sequence[str], others: Sequence[str]) -> str:
    """Return how many runs carry at least one of several viruses that are asked for at once."""
    if len(virus) < 2 or any(key.startswith(WITHOUT) for key in virus):
        return ""
    asked = {"virus": list(virus), "groups": list(others), "n": len(others)}
    query = f"{_ANY_VIRUS} SEMI JOIN ({JOINED}) USING (run)" if others else _ANY_VIRUS
    ((runs,),) = matched.rows(query, asked if others else {"virus": list(virus)})
    return f" At least one of them is in {int(runs):,}."


def _no_prevalence(matched: MatchedRuns, others: Sequence[str], looked: LookedFor) -> str:
    """Return that a share of the searched runs is no prevalence, where hardly any of them is
    without a virus: their sources list what was found.
    """
    if not others and not looked.text:
        return ""
    carrying = matched.searched_with(others, carrying=True, looked_at=looked.select)
    return no_rate(carrying, looked.runs)


def no_rate(carrying: int, searched: int) -> str:
    """Return that a share of ``searched`` runs is no detection rate, where hardly any of them is
    without a virus.
    """
    if searched < _FEW or carrying < _HARDLY_ALL * searched:
        return ""
    runs = "No run" if carrying == searched else "Hardly any run"
    return f" {runs} without a virus is {_NO_RATE}"


def _share(part: int, whole: int, where: str, *, kind: str = _SEARCHED) -> str:
    """Return ``part`` of the ``whole`` runs, which are ``kind``: searched, or for what."""
    for_it = kind.removeprefix(_SEARCHED)
    if part == whole:
        runs = counted(whole, "searched run")
        return f"all {runs}{where}{for_it}"
    share = percent(part / whole)
    if for_it:
        return f"{part:,} of {whole:,} runs{where} {kind} ({share})"
    return f"{part:,} of {whole:,} searched runs{where} ({share})"


def _libraries(matched: MatchedRuns, virus: Sequence[str]) -> str:
    """Return how many of the runs are libraries of a virus: finding it there says nothing of a
    host.
    """
    libraries = matched.virus_libraries()
    if not libraries:
        return ""
    if any(key.startswith(WITHOUT) for key in virus):
        return ""
    are = "is a library" if libraries == 1 else "are libraries"
    return f" {libraries:,} of them {are} of a virus, sequenced for itself."


def _any_virus(question: Question, matched: MatchedRuns, others: Sequence[str]) -> str:
    """Return how many runs there are of what is asked for, and how many of them carry a virus."""
    if matched.dropped:
        return not_together(question, matched)
    searched = matched.searched_with(others)
    runs = matched.runs_with(others)
    opening = _yes_or_no(question, matched, runs)
    are = are_names(question, others, runs)
    of_all = f" ({percent(runs / matched.index_runs)})" if question.reading.kind == "share" else ""
    whole = f"{counted(runs, 'run')} of {matched.index_runs:,}{of_all} {are}"
    if not searched:
        return f"{whole}; none of them was searched for viruses."
    top = _top_families(matched)
    share = f"{matched.with_virus:,} of {searched:,} searched"
    if question.reading.kind == "share":
        share = f"{share} ({percent(matched.with_virus / searched)})"
    if matched.with_virus == searched:
        share = f"all {searched:,} searched"
    carrying = f"{share} carry a virus{top}"
    if searched == matched.with_virus == 1:
        carrying = f"the one searched carries a virus{top}"
    each = each_name(question, matched, others, searched=False)
    return f"{opening}{whole}; {carrying}.{each}{no_rate(matched.with_virus, searched)}"


def holds_of_part(question: Question, part: int, whole: int) -> str:
    """Return whether ``part`` of ``whole`` runs is as large a share as asked, as the opening of an
    answer; empty where the question does not say.
    """
    asked = question.reading.part
    if asked is None:
        return ""
    return "Yes: " if asked.holds(part, whole) else "No: "


def _is_enough(question: Question, runs: int) -> bool:
    """Return whether there are so many ``runs`` as asked: any, where the question does not say."""
    in_runs = question.reading.in_runs
    return in_runs.holds(runs) if in_runs else runs > 0


def _yes_or_no(question: Question, matched: MatchedRuns, runs: int) -> str:
    """Return the answer to a question that asks whether there are such ``runs``, or any of them
    with a virus.
    """
    if question.reading.kind != "exists":
        return ""
    if question.reading.in_runs:
        return "Yes: " if _is_enough(question, runs) else "No: "
    named = matched.distinct_values(["family", "species"])
    if _OF_A_NAME.search(question.text) and matched.with_virus and not named:
        return "No: "
    return "Yes: " if matched.with_virus else ""


def _top_families(matched: MatchedRuns) -> str:
    """Return the families of most runs; where few runs have a named one, in how many it is."""
    counts = matched.value_counts(["family"], limit=3)
    families = counts.get("family", [])
    if not families:
        return ", none of a named family" if matched.with_virus else ""
    part = named_part(matched)
    opening = f"{part}: " if part else ", most often "
    return f"{opening}{values_text(families)}"


def _whole_index(question: Question, matched: MatchedRuns) -> str:
    source = question.reading.source
    runs = counted(matched.runs, "run")
    carriers = f"{matched.with_virus:,}"
    top = _top_families(matched)
    if question.reading.kind == "share":
        share = _share(matched.with_virus, matched.searched, " of the index")
        return f"{share} carry a virus{top}."
    if source:
        whole = f"{source} searched {matched.searched:,} of {runs} of the index"
        return f"{whole}; {carriers} of them carry a virus{top}."
    return f"The index has {runs}; {carriers} of them carry a virus{top}."

"""The answer where a virus that is asked about is found in no run of the index: in how many runs it
was searched for, or that it was in none.
"""

from __future__ import annotations

from index.reports.phrases import counted, is_or_are, listed
from query.global_search.matched_runs import MatchedRuns
from query.global_search.naming import group_of, names_of, of_names
from query.global_search.searched import searched_for_any
from query.reading.held.unlike import species_named, unlike_hits
from query.reading.question import Question


def _looked_for(question: Question, matched: MatchedRuns, others: list[str], it: str) -> str:
    """Return in how many runs the missing viruses were searched for."""
    curies = [curie for one in question.missing for curie in one.curies]
    senses = [sense for one in question.missing for sense in one.senses]
    virus = searched_for_any(matched.connection, senses, curies)
    runs = matched.searched_with(others, looked_at=virus.runs) if virus else 0
    if not runs:
        return f"no run of the index was searched for {it}"
    return f"{counted(runs, 'run')}{of_names(question, others)} {_were(runs)} searched for {it}"


def _were(runs: int) -> str:
    return "was" if runs == 1 else "were"


def carried_by_none(question: Question, matched: MatchedRuns) -> str:
    """Return that no run carries the viruses which ``question`` names, and how many of the runs
    asked about carry those that it names beside them.
    """
    missing = question.missing
    names = listed([one.name for one in missing])
    are = "are" if len(missing) > 1 else is_or_are(names.replace(" and ", " "))
    it = "them" if len(missing) > 1 else "it"
    no = "No: " if question.reading.kind == "exists" else ""
    virus = [key for key in question.groups if group_of(key) == "virus"]
    others = [key for key in question.groups if group_of(key) != "virus"]
    searched = matched.searched_with(others)
    among = f"{counted(searched, 'searched run')}{of_names(question, others)}"
    so = f", so in none of {among}" if searched and others else ""
    reported = unlike_hits(matched.connection, species_named(missing)).runs
    unknown = "" if reported else f"; {_looked_for(question, matched, others, it)}"
    beside = ""
    if virus and searched:
        held, runs = names_of(question, virus), matched.searched_with([*others, *virus])
        beside = f" {held} {is_or_are(held)} found in {runs:,} of {'these' if so else among}."
    return f"{no}{names} {are} found in no run of the index{so}{unknown}.{beside}"

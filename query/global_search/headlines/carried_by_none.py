"""The answer where a virus that is asked about is found in no run of the index: in how many runs it
was searched for, or that it was in none.
"""

from __future__ import annotations

from index.reports.phrases import counted, is_or_are, listed
from query.global_search.headlines.not_found import doubt
from query.global_search.matched_runs import MatchedRuns
from query.global_search.naming import group_of, names_of, of_names
from query.global_search.searched import searched_for_any
from query.reading.held.unlike import species_named, unlike_hits
from query.reading.question import Question


def carried_by_none(question: Question, matched: MatchedRuns) -> str:
    """Return that no run carries the viruses which ``question`` names, and how many of the runs
    asked about carry those that it names beside them.
    """
    missing = question.missing
    names = listed([one.name for one in missing])
    are = "are" if len(missing) > 1 else is_or_are(names.replace(" and ", " "))
    it = "them" if len(missing) > 1 else "it"
    virus = [key for key in question.groups if group_of(key) == "virus"]
    others = [key for key in question.groups if group_of(key) != "virus"]
    where = of_names(question, others)
    for_it = _searched_for(question, matched, others)
    is_looked_for = for_it or unlike_hits(matched.connection, species_named(missing))
    said = f"{names} {are} found in no run of the index"
    if for_it:
        runs = counted(for_it, "run")
        said += f"; {runs}{where} {'was' if for_it == 1 else 'were'} searched for {it}"
    elif not is_looked_for:
        said += f", and no run{where} was searched for {it}"
    no = "No: " if is_looked_for and question.reading.kind == "exists" else ""
    beside = ""
    searched = matched.searched_with(others)
    if virus and searched:
        held, runs_held = names_of(question, virus), matched.searched_with([*others, *virus])
        among = f"{counted(searched, 'searched run')}{where}"
        beside = f" {held} {is_or_are(held)} found in {runs_held:,} of {among}."
    return f"{no or ('' if is_looked_for else doubt(question))}{said}.{beside}"


def _searched_for(question: Question, matched: MatchedRuns, others: list[str]) -> int:
    """Return how many runs that carry ``others`` were searched for the missing viruses."""
    curies = [curie for one in question.missing for curie in one.curies]
    senses = [sense for one in question.missing for sense in one.senses]
    virus = searched_for_any(matched.connection, senses, curies)
    return matched.searched_with(others, looked_at=virus.runs) if virus else 0

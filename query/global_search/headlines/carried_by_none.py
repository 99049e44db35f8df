"""The answer where a virus that is asked about is found in no run of the index: there is none, and
nothing here tells whether it was looked for.
"""

from __future__ import annotations

from index.reports.phrases import counted, is_or_are, listed
from query.global_search.matched_runs import MatchedRuns
from query.global_search.naming import group_of, names_of, of_names
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
    no = "No: " if question.reading.kind == "exists" else ""
    virus = [key for key in question.groups if group_of(key) == "virus"]
    others = [key for key in question.groups if group_of(key) != "virus"]
    searched = matched.searched_with(others)
    among = f"{counted(searched, 'searched run')}{of_names(question, others)}"
    so = f", so in none of {among}" if searched and others else ""
    reported = unlike_hits(matched.connection, species_named(missing))
    unknown = "" if reported else f"; whether a source of this index would find {it} is not known"
    beside = ""
    if virus and searched:
        held, runs = names_of(question, virus), matched.searched_with([*others, *virus])
        beside = f" {held} {is_or_are(held)} found in {runs:,} of {'these' if so else among}."
    return f"{no}{names} {are} found in no run of the index{so}{unknown}.{beside}"

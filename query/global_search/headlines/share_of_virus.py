"""Headline of the share of a virus's runs that are of something: how many of its runs come from the
liver.
"""

from __future__ import annotations

from index.reports.phrases import counted, percent
from query.global_search.carrying import facets_of_group
from query.global_search.matched_runs import MatchedRuns
from query.global_search.naming import GROUP_WORDS, group_of, names_of
from query.reading.question import WITHOUT, Question


def share_of_virus(question: Question, matched: MatchedRuns) -> str:
    """Return how many of the runs with the virus are of what is asked, and how many state any."""
    virus = [key for key in question.groups if group_of(key) == "virus"]
    others = [key for key in question.groups if key not in virus]
    carriers = matched.runs_with(virus)
    both = matched.runs_with([*virus, *others]) if not matched.dropped else 0
    of_all = f" ({percent(both / carriers)})" if both else ""

    runs = f"{counted(carriers, 'run')} with {names_of(question, virus)}"
    opening = f"{both:,} of {runs}{of_all} {'is' if both == 1 else 'are'}"
    return f"{opening} {names_of(question, others)}.{_stated(matched, virus, others)}"


def _stated(matched: MatchedRuns, virus: list[str], others: list[str]) -> str:
    """Return how many of the runs with the virus state anything of the kind, group by group."""
    sentences = ""
    for key in others:
        if key.startswith(WITHOUT):
            continue
        stated = matched.stating(virus, facets_of_group(group_of(key)))
        kind = GROUP_WORDS.get(group_of(key), group_of(key))
        state = "states" if stated == 1 else "state"
        sentences += f" {stated:,} of these runs {state} a {kind}."
    return sentences

"""The first sentence of an answer: what was asked, counted in SQL.

"Not found" is said of runs that were searched. What no run states is unknown, and said to be.
"""

from __future__ import annotations

import re
from typing import Final

from index.reports.phrases import counted
from query.global_search.caveats import unexpected_finds
from query.global_search.headlines.biosamples import biosamples_counted
from query.global_search.headlines.carried_by_none import carried_by_none
from query.global_search.headlines.compared.comparison import compare_sides
from query.global_search.headlines.compared.comparison_of_runs import compare_runs, values_of_sides
from query.global_search.headlines.compared.comparison_of_values import (
    compare_values,
    compares_values,
)
from query.global_search.headlines.compared.stated_compared import (
    compare_stated,
    compares_stated,
)
from query.global_search.headlines.compared.viruses_compared import compare_viruses
from query.global_search.headlines.contents import (
    accession_contents,
    asks_contents,
    lists_of_one_run,
    title_asked,
)
from query.global_search.headlines.counts_apart import counts_apart
from query.global_search.headlines.exactly_one import exactly_one
from query.global_search.headlines.found_in_runs import virus_found
from query.global_search.headlines.hit_figures import figures_of_hits, figures_of_sides
from query.global_search.headlines.listed.accessions_listed import accessions_listed
from query.global_search.headlines.listed.company import asks_other_viruses, list_company
from query.global_search.headlines.listed.excepted import list_excepted
from query.global_search.headlines.listed.members_absent import members_absent
from query.global_search.headlines.listed.titles import titles_asked
from query.global_search.headlines.listed.values_in_runs import values_in_runs
from query.global_search.headlines.listed.values_listed import (
    count_values,
    list_values,
    members_found,
)
from query.global_search.headlines.listed.with_each import values_with_each
from query.global_search.headlines.not_found import stated_by_none
from query.global_search.headlines.only_there import (
    found_only_there,
    in_none_of,
    whether_only_there,
)
from query.global_search.headlines.share_of_whole import asks_share_of_whole, share_of_whole
from query.global_search.headlines.shares_ranked import facets_with_shares, rank_shares
from query.global_search.headlines.unlike_hits import besides_unlike_hits
from query.global_search.headlines.unstated import unstated_beside
from query.global_search.headlines.which_of import which_of
from query.global_search.matched_runs import MatchedRuns
from query.global_search.naming import names_of
from query.reading.question import Question
from query.reading.refusal import is_answered_by_none

_VERDICTS: Final = {"Yes: ": "The claim does not hold: ", "No: ": "The claim holds here: "}
"""How a claim that there is none is answered, by whether there is one."""

_AND_WHICH: Final = re.compile(
    r"\band,? (?:if so,? )?(?:(?:in|from|of|for)? ?(?:which|what)|where)\b", re.IGNORECASE
)
"""Asks for values after it asked whether there is any: and in which hosts?"""


def headline(question: Question, matched: MatchedRuns) -> str:
    """Return the direct answer to ``question`` in one or two sentences.

    The kind of question chooses the wording. A name that no run carries comes before that, except
    where an accession is identified. Values are listed or counted only where some run is all that
    is asked for (nothing is ``dropped``); every other question is answered with the number of runs.
    """
    figure = question.reading.figure
    if figure and question.reading.sides:
        return figures_of_sides(question, matched, figure)
    if figure and not matched.dropped:
        return figures_of_hits(question, matched, figure)
    said = _direct(question, matched)
    said = _of_denial(said) if question.reading.denied else said
    sentences = (
        title_asked(question, matched),
        said,
        unstated_beside(question, matched),
        values_with_each(question, matched),
        biosamples_counted(question, matched),
        accessions_listed(question, matched),
        besides_unlike_hits(question, matched),
    )
    return " ".join(one for one in sentences if one)


def _of_denial(said: str) -> str:
    """Return a yes or no to whether there is one as an answer to the claim that there is none."""
    for answer, verdict in _VERDICTS.items():
        if said.startswith(answer):
            return verdict + said.removeprefix(answer)
    return said


def _direct(question: Question, matched: MatchedRuns) -> str:
    """Return what ``headline`` does, of a claim whether there is what it denies."""
    reading = question.reading
    if is_answered_by_none(question):
        return carried_by_none(question, matched)
    contents = asks_contents(question) or lists_of_one_run(question, matched)
    if reading.kind == "identify" or contents:
        return accession_contents(question, matched)
    of_these = which_of(question, matched)
    if of_these:
        return of_these
    if question.mentions and question.missing:
        return stated_by_none(question, matched)
    if reading.libraries and "virus" in matched.kept:
        return _libraries_asked(question, matched)
    if compares_values(question) and not matched.dropped:
        return compare_values(question, matched)
    if reading.kind == "compare" and _compares_viruses(question):
        return _with_values(compare_viruses(question, matched), question, matched)
    if reading.sides and reading.of_runs:
        return compare_runs(question, matched)
    if reading.sides and compares_stated(question):
        return compare_stated(question, matched)
    if reading.sides:
        return _with_values(compare_sides(question, matched), question, matched)
    one_alone = exactly_one(question, matched)
    if one_alone:
        return one_alone
    apart = counts_apart(question, matched)
    if apart:
        return apart
    if asks_share_of_whole(question):
        return share_of_whole(question, matched)
    if reading.unexpected and not matched.dropped:
        return unexpected_finds(question, matched)
    absent = members_absent(question, matched)
    if absent:
        return absent
    nowhere_else = whether_only_there(question, matched)
    if nowhere_else:
        return nowhere_else
    only_there = found_only_there(question, matched)
    if only_there and in_none_of(question):
        return only_there
    if only_there:
        return f"{only_there} With those of both: {_counted(question, matched)}"
    return _counted(question, matched)


def _with_values(compared: str, question: Question, matched: MatchedRuns) -> str:
    """Return ``compared`` with the values asked for of each group, behind its table if it has
    one.
    """
    values = values_of_sides(question, matched)
    between = "\n\n" if "\n|" in compared else " "
    return between.join(part for part in (compared, values) if part)


def _counted(question: Question, matched: MatchedRuns) -> str:
    """Return the values asked for, or the number of runs."""
    reading = question.reading
    if reading.excepted and not matched.dropped:
        return list_excepted(question, matched)
    if reading.in_runs and reading.kind != "exists" and not matched.dropped:
        return values_in_runs(question, matched, reading.in_runs)
    if reading.kind == "rank" and facets_with_shares(question) and not matched.dropped:
        return rank_shares(question, matched)
    viruses_of = reading.kind == "describe" and _asks_viruses(question)
    if (reading.kind in ("list", "rank") or viruses_of) and not matched.dropped:
        if asks_other_viruses(question):
            return list_company(question, matched)
        return list_values(question, matched)
    counts_values = reading.explicit and not reading.of_runs
    if titles_asked(reading.facets, question.text) and not matched.dropped:
        return list_values(question, matched)
    if reading.kind == "count" and counts_values and not matched.dropped:
        return count_values(question, matched)
    found = virus_found(question, matched)
    lists_too = reading.kind == "exists" and _AND_WHICH.search(question.text) is not None
    if (reading.kind == "count" or lists_too) and reading.explicit and not matched.dropped:
        return f"{found} {list_values(question, matched, introduced=False)}"
    if reading.kind == "describe" and not reading.without and not matched.dropped:
        return " ".join(part for part in (found, members_found(question, matched)) if part)
    return found


def _asks_viruses(question: Question) -> bool:
    """Return whether the viruses of something else are asked for: viruses in placenta."""
    reading = question.reading
    named = {one.group for one in (*reading.subjects, *reading.without)}
    viral = {"family", "species"}
    return reading.explicit and {*reading.facets} <= viral and bool(named) and "virus" not in named


def _compares_viruses(question: Question) -> bool:
    """Return whether viruses are compared with one another, and not with all others."""
    sides = question.reading.sides
    return len(sides) > 1 and all(one.group == "virus" for one in sides)


def _libraries_asked(question: Question, matched: MatchedRuns) -> str:
    """Return how many runs are libraries of the virus asked for."""
    names = names_of(question, question.groups)
    runs = counted(matched.runs, "run")
    are = "is a library" if matched.runs == 1 else "are libraries"
    return f"{runs} of {matched.index_runs:,} {are} of {names}, sequenced for itself."

"""Viruses compared with one another: in how many of the same searched runs each is found.

Counted are the runs that were searched for all of them, so those that carry one of two and not the
other are tested (McNemar's exact test of paired proportions). Viruses that no run was searched for
together are not compared: each has a share of its own runs. Neither are those of runs that are
listed for what was found in them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from index.reports.phrases import SIGNIFICANT_Q, counted, listed, percent, q_text
from query.global_search.carrying import SEARCHED
from query.global_search.headlines.compared.differences import Side, more_than
from query.global_search.headlines.compared.exact_tests import mcnemar_p
from query.global_search.headlines.compared.shared import shared_values
from query.global_search.headlines.found_in_runs import no_rate
from query.global_search.matched_runs import MatchedRuns
from query.global_search.matching import match_runs
from query.global_search.naming import group_of, names_of
from query.global_search.searched import searched_for_any
from query.reading.mentions import Mention
from query.reading.question import Question


@dataclass(frozen=True, slots=True)
class Carriers:
    """A virus with the searched runs that carry it."""

    name: str
    runs: frozenset[str]


def compare_viruses(question: Question, matched: MatchedRuns) -> str:
    """Return in how many searched runs each virus compared is found, and whether two differ."""
    common = [key for key in question.groups if group_of(key) != "virus"]
    any_search = matched.searched_with(common)
    if question.reading.common and any_search:
        return _in_common(question, matched)
    where = f" of {names_of(question, common)}" if common else ""
    names = listed([one.name for one in question.reading.sides])
    if not any_search:
        return f"{names} cannot be compared: none of the runs{where} was searched for viruses."
    looked = [searched_for_any(matched.connection, one.senses) for one in question.reading.sides]
    wholes = [one.runs if one else SEARCHED for one in looked]
    for_all = " INTERSECT ".join(f"({one})" for one in wholes)
    searched = matched.searched_with(common, looked_at=for_all)
    sides = [_carriers(question, matched, one) for one in question.reading.sides]
    if not searched:
        of_each = [matched.searched_with(common, looked_at=one) for one in wholes]
        return f"{names} cannot be compared: {_apart(sides, of_each, where)}."
    in_all = {str(run) for (run,) in matched.rows(for_all)}
    sides = [Carriers(one.name, one.runs & in_all) for one in sides]
    found = [_found_in(one, searched) for one in sides]
    kind = "searched run" if searched == any_search else "run"
    for_them = "" if searched == any_search else f" searched for {_both(sides)}"
    said = f"{counted(searched, kind)}{where}{for_them}, {listed(found)}."
    carrying = matched.searched_with(common, carrying=True, looked_at=for_all)
    if no_rate(carrying, searched) and searched != any_search:
        return f"Of {said} {_shared(sides)}{no_rate(carrying, searched)}"
    answer = _answer(question, sides)
    opening = f"{answer}of {said}" if answer else f"Of {said}"
    return " ".join(part for part in (opening, _difference(sides), _shared(sides)) if part)


def _both(sides: Sequence[Carriers]) -> str:
    return "both" if len(sides) == 2 else "all of them"


def _apart(sides: Sequence[Carriers], searched: Sequence[int], where: str) -> str:
    """Return that no run was searched for all viruses, and in how many of its own each is found."""
    each = []
    for one, runs in zip(sides, searched, strict=True):
        share = f"{len(one.runs):,} of {counted(runs, 'run')} searched for it"
        each.append(f"{one.name} is found in {share}" if runs else f"none was for {one.name}")
    return f"no run{where} was searched for {_both(sides)}; {listed(each)}"


def _answer(question: Question, sides: Sequence[Carriers]) -> str:
    """Return yes or no, where it is asked whether one of two viruses is found more often."""
    if len(sides) != 2:
        return ""
    first, second = (len(one.runs) for one in sides)
    return more_than(question, first, second, holds=_p_value(sides) <= SIGNIFICANT_Q)


def _in_common(question: Question, matched: MatchedRuns) -> str:
    """Return which values runs of every virus compared state, and how many runs carry all."""
    viruses = question.reading.sides
    sides = [Side(one.name, _runs_with(question, matched, one), 0) for one in viruses]
    carriers = [_carriers(question, matched, one) for one in viruses]
    names = [f"{one.name} ({counted(len(one.runs), 'run')})" for one in carriers]
    values = shared_values(question, sides)
    return f"{listed(names)} have in common {values}. {_shared(carriers)}"


def _runs_with(question: Question, matched: MatchedRuns, one: Mention) -> MatchedRuns:
    """Return the runs that carry ``one`` and all that the viruses have in common."""
    others = tuple(other for other in question.mentions if other.group != "virus")
    reading = replace(question.reading, kind="describe", each=())
    alone = replace(question, mentions=(*others, one), reading=reading)
    return match_runs(matched.connection, alone)


def _carriers(question: Question, matched: MatchedRuns, one: Mention) -> Carriers:
    """Return the runs of ``_runs_with``; none where they do not carry all of it at once."""
    side = _runs_with(question, matched, one)
    if side.dropped:
        return Carriers(one.name, frozenset())
    return Carriers(one.name, frozenset(str(run) for (run,) in side.rows(_MATCHED)))


def _found_in(one: Carriers, searched: int) -> str:
    share = percent(len(one.runs) / searched)
    return f"{len(one.runs):,} carry {one.name} ({share})"


def _shared(sides: Sequence[Carriers]) -> str:
    """Return how many runs carry every virus compared."""
    shared = frozenset.intersection(*(one.runs for one in sides))
    together = _both(sides)
    if not shared:
        return f"No run carries {together}."
    carry = "carries" if len(shared) == 1 else "carry"
    return f"{counted(len(shared), 'run')} {carry} {together}."


def _difference(sides: Sequence[Carriers]) -> str:
    """Return whether two viruses differ; more than two are listed and not tested."""
    if len(sides) != 2:
        return ""
    if sides[0].runs == sides[1].runs:
        return "They are found in the same runs."
    p_value = _p_value(sides)
    if p_value > SIGNIFICANT_Q:
        return f"The difference does not hold ({q_text(p_value)})."
    more = max(sides, key=lambda one: len(one.runs))
    return f"{more.name} is found more often ({q_text(p_value)})."


def _p_value(sides: Sequence[Carriers]) -> float:
    """Return the p value of McNemar's exact test of two viruses; 1 where no run has only one."""
    first, second = sides
    only_first = len(first.runs - second.runs)
    only_second = len(second.runs - first.runs)
    return mcnemar_p(only_first, only_second)


_MATCHED: Final = "SELECT run FROM matched"

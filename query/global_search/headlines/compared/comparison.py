"""Groups of runs compared: how often each virus family is found in each, and whether the difference
holds.

Fisher's exact test of two proportions among searched runs, of the two groups, or of each of several
against the others together; corrected over all tests (Benjamini and Hochberg). Runs of more than
one group count in none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from index.reports.phrases import counted, listed, percent, q_text
from query.global_search.carrying import facets_of_group
from query.global_search.headlines.compared.differences import (
    Difference,
    Side,
    any_virus,
    differences,
    more_than,
)
from query.global_search.headlines.compared.groups import (
    counted_in_none,
    in_common,
    sides_of,
    with_shared,
)
from query.global_search.headlines.compared.shared import shared_by_sides
from query.global_search.headlines.sources import looked_for_in_sides
from query.global_search.matched_runs import MatchedRuns
from query.global_search.naming import GROUP_WORDS, names_of
from query.reading.question import Question

_SHOWN: Final = 5


def compare_sides(question: Question, matched: MatchedRuns) -> str:
    """Return how the groups of ``question`` differ: a sentence, and a table with a column each; or
    what they have in common, where that is asked.
    """
    sides, shared = sides_of(question, matched)
    if not min(side.searched for side in sides):
        return _cannot(question, matched, sides, shared)
    looked = looked_for_in_sides(question, sides)
    if looked and looked.why_not:
        names = listed([side.name for side in sides])
        said = f"{names} cannot be compared: {looked.why_not}. {_in_each(question, sides)}"
        return said.strip()
    if question.reading.common:
        return shared_by_sides(question, sides)
    found = differences(question, sides)
    if found and not any(any(one.carriers) for one in found):
        return _in_none(question, matched, sides)
    said = _said(found, sides, in_common(question))
    viruses = [one for one in question.mentions if one.group == "virus"]
    if viruses and len(found) == 1:
        answer = _answer(question, found[0], sides)
        said = f"{answer}{said.replace('No difference', 'no difference', 1)}" if answer else said
    if not viruses:
        any_virus_said = _any_virus(sides)
        in_order = (any_virus_said, said) if question.reading.rate else (said, any_virus_said)
        said = " ".join(in_order) + _by_finders(found, sides)
    said += counted_in_none(shared, sides) + with_shared(question, matched, shared)
    said += looked.text if looked else ""
    return "\n\n".join((said, _table(found, sides))).strip()


def _by_finders(found: Sequence[Difference], sides: Sequence[Side]) -> str:
    """Return that a search that cannot find a family says nothing of it, where that matters."""
    searched = tuple(side.searched for side in sides)
    if all(one.searched == searched for one in found):
        return ""
    return " Each family is counted among the runs searched for it."


def _in_each(question: Question, sides: Sequence[Side]) -> str:
    """Return in how many runs of each side the virus is found, where it is in any."""
    found = differences(question, sides)
    if not found or not any(found[0].carriers):
        return ""
    pairs = zip(found[0].carriers, sides, strict=True)
    counts = [f"{runs:,} runs of {side.name}" for runs, side in pairs]
    return f"{found[0].name} is found in {listed(counts)}."


def _any_virus(sides: Sequence[Side]) -> str:
    """Return in how many searched runs of each side any virus is found, and whether the difference
    holds, where it can be tested.
    """
    found = any_virus(sides)
    parts = []
    for runs, side in zip(found.carriers, sides, strict=True):
        share = percent(runs / side.searched)
        parts.append(f"{runs:,} of {side.searched:,} searched runs of {side.name} ({share})")
    verdict = "" if found.q_value is None else f": the difference {_verdict(found)}"
    return f"Any virus is found in {listed(parts)}{verdict}."


# --- what cannot be compared ----------------------------------------------------------------------


def _cannot(question: Question, matched: MatchedRuns, sides: Sequence[Side], shared: int) -> str:
    """Return why the groups cannot be compared, and the comparison without what they have in common
    where that one can be made; ``shared`` runs are of several groups.
    """
    among = in_common(question)
    lacking = [_why_not(side, among, shared) for side in sides]
    reasons = ", and ".join(reason for reason in lacking if reason)
    names = listed([side.name for side in sides])
    cannot = f"{names} cannot be compared: {reasons}."
    if not among:
        return cannot
    wider = _without_common(question, matched)
    return f"{cannot} {wider}".strip()


def _why_not(side: Side, among: str, shared: int) -> str:
    """Return why ``side`` has no run to compare: all may be among those ``shared`` with the others;
    nothing where it has.
    """
    where = ""
    if among:
        where = f" of {among}"
    ((runs,),) = side.runs.rows("SELECT count(*) FROM matched")
    if not runs and shared and not side.runs.dropped:
        return f"no run{where} is {side.name} alone ({counted(shared, 'run')} of several)"
    if not runs:
        return f"no run{where} is {side.name}"
    if side.searched:
        return ""
    whole = counted(int(runs), "run")
    return f"none of the {whole}{where} with {side.name} was searched for viruses"


def _without_common(question: Question, matched: MatchedRuns) -> str:
    """Return the comparison with what the groups have in common left aside, and that it is."""
    sides = question.reading.sides
    virus = [one for one in question.mentions if one.group == "virus"]
    kept = dict.fromkeys([*virus, *sides])
    wider = replace(question, mentions=tuple(kept))
    apart, _ = sides_of(wider, matched)
    searched = [side.searched for side in apart]
    if not min(searched):
        return ""
    compared = compare_sides(wider, matched)
    return f"Leaving {in_common(question)} aside: {compared}"


def _in_none(question: Question, matched: MatchedRuns, sides: Sequence[Side]) -> str:
    """Return that the virus is found in no group, and whether its runs could tell."""
    group = question.reading.sides[0].group
    runs = matched.runs_with(["virus"])
    stated = matched.stating(["virus"], facets_of_group(group))
    kind = GROUP_WORDS.get(group, group)
    known = f"{stated:,} state a {kind}" if stated else f"none states a {kind}"
    among = in_common(question)
    where = f" of {among}" if among else ""
    searched = listed([f"{side.searched:,}" for side in sides])
    names = listed([side.name for side in sides])
    return (
        f"{names_of(question, ['virus'])} is found in none of the {searched} searched runs{where} "
        f"of {names}; of its {counted(runs, 'run')}, {known}."
    )


# --- words ----------------------------------------------------------------------------------------


def _said(found: Sequence[Difference], sides: Sequence[Side], common: str) -> str:
    """Return the comparison in a sentence: what differs, or that nothing does."""
    among = f" among runs of {common}" if common else ""
    names = listed([side.name for side in sides])
    if not found:
        runs = listed([f"{side.searched:,}" for side in sides])
        return f"No named virus is found in {names}{among} ({runs} searched runs)."
    if found[0].q_value is None:
        least = min(found[0].searched)
        only = counted(least, "searched run")
        return f"{names}{among} cannot be tested: one side has {only} only."
    holding = [one for one in found if one.holds]
    if not holding:
        nearest = (
            f"{found[0].name} in {' against '.join(_parts(found[0]))}, {q_text(found[0].q_value)}"
        )
        tests = counted(len(found), "virus", "viruses")
        none = f"No difference between {names}{among} holds after correction"
        return f"{none} ({tests} tested; nearest: {nearest})."
    worded = [_difference(one, sides) for one in holding[:3]]
    if len(holding) > 3:
        worded.append(f"{len(holding) - 3:,} more")
    return f"{names} differ{among} in {listed(worded)}."


def _answer(question: Question, found: Difference, sides: Sequence[Side]) -> str:
    """Return yes or no, where it is asked whether the virus is found more often on one side."""
    if len(sides) != 2 or found.q_value is None:
        return ""
    shares = [runs / of for runs, of in zip(found.carriers, found.searched, strict=True)]
    return more_than(question, *shares, holds=found.holds)


def _difference(one: Difference, sides: Sequence[Side]) -> str:
    """Return which side has more or less of a virus, in words."""
    chance = q_text(one.q_value or 0.0)
    parts = " against ".join(_parts(one))
    if len(sides) == 2:
        return f"{one.name} ({parts}, {chance})"
    side = sides[one.apart]
    carriers = one.carriers[one.apart]
    own = one.searched[one.apart]
    share = carriers / own
    rest = (sum(one.carriers) - carriers) / (sum(one.searched) - own)
    more = "less"
    if share > rest:
        more = "more"
    return f"{one.name}, {more} in {side.name} than in the others ({parts}, {chance})"


def _parts(one: Difference) -> list[str]:
    """Return in how many runs of each side a virus is found, of how many searched."""
    return [_part(runs, of) for runs, of in zip(one.carriers, one.searched, strict=True)]


def _part(runs: int, searched: int) -> str:
    if not searched:
        return "not looked for"
    return f"{runs:,} of {searched:,}, {percent(runs / searched)}"


def _table(found: Sequence[Difference], sides: Sequence[Side]) -> str:
    """Return a Markdown table: a row a virus, a column a side."""
    if not found:
        return ""
    head = ["found in", *(side.name for side in sides), "difference"]
    marks = ["---"] * len(head)
    lines = [f"| {' | '.join(head)} |", f"|{'|'.join(marks)}|"]
    for one in found[:_SHOWN]:
        cells = " | ".join([one.name, *_parts(one), _verdict(one)])
        lines.append(f"| {cells} |")
    return "\n".join(lines)


def _verdict(one: Difference) -> str:
    if one.q_value is None:
        return "too few runs to test"
    chance = q_text(one.q_value)
    if one.holds:
        return f"holds ({chance})"
    return f"does not hold ({chance})"

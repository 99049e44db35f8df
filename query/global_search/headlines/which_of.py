"""Headline of which of several names has something, or has it not: which of goat, cattle and pig
have no flavivirus.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from index.reports.phrases import listed
from query.global_search.carrying import SEARCHED, runs_carrying
from query.global_search.headlines.each_name import senses_found
from query.global_search.matched_runs import MatchedRuns
from query.reading.mentions import Mention
from query.reading.question import Question

_WHICH_OF: Final = re.compile(
    r"\bwhich (?:\w+ ){1,3}(?:among|out of)\b"
    r"|\bwhich(?: ones?)? of (?!(?:it|them|those|these|which)\b(?!\s*\w))"
    r"|^(?:of|among) [^?]+?,? (?:which|what)(?: ones?| of (?:them|these|those))? "
    r"(?:have|has|had|carry|carries|are|is|were|never|do|does)\b|:\s*which (?:ones? )?"
    r"(?:have|has|carry|carries|never|do|does)\b",
    re.IGNORECASE,
)
"""Asks for some of the names that it lists."""
_COMPARES: Final = re.compile(
    r"\b(?:more|most|less|least|fewer|fewest|higher|highest|lower|lowest|larger|largest|oftener"
    r"|commoner|commonest|rarer|rarest|better|best)\b",
    re.IGNORECASE,
)
"""Asks for the one that has most, and not for those that have any."""
_MOST_NAMES: Final = 12


@dataclass(frozen=True, slots=True)
class _Counted:
    """A name with the runs that are its own, those of them searched, and those with the rest."""

    name: str
    runs: int
    searched: int
    found: int


def which_of(question: Question, matched: MatchedRuns) -> str:
    """Return which of the names listed have what else is named, or any run where nothing is, each
    with its numbers; empty where that is not asked.
    """
    names = candidates(question)
    if not names:
        return ""
    asked = [one for one in (*question.mentions, *question.reading.without) if one not in names]
    if any(one.group == names[0].group for one in asked):
        return ""
    counts = _counts(matched, names, asked)
    what = listed([*dict.fromkeys(one.name for one in asked)]) or "runs"
    virus = any(one.group == "virus" for one in (*asked, *names))
    of_searched = virus and bool(asked)
    found = [one for one in counts if one.found]
    lacking = [one for one in counts if not one.found]
    have = listed([_in_numbers(one, searched=of_searched) for one in _most_first(found)])
    none = listed([_in_numbers(one, searched=of_searched) for one in lacking])
    sentences = []
    if _asks_for_none(question):
        sentences = [f"Without {what}: {none}." if none else f"None of them is without {what}."]
        sentences += [f"With {what}: {have}."] if have else []
    else:
        sentences = [f"With {what}: {have}." if have else f"None of them has {what}."]
        sentences += [f"Without {what}: {none}."] if none else []
    return " ".join(sentences)


def candidates(question: Question) -> list[Mention]:
    """Return the names among which ``question`` asks which, in its order; none where it does not.

    Names that no run has are among them.
    """
    if not _WHICH_OF.search(question.text) or question.reading.not_understood:
        return []
    if question.reading.sides or _COMPARES.search(question.text):
        return []
    by_group: dict[str, dict[str, Mention]] = {}
    for one in sorted((*question.mentions, *question.absent), key=lambda one: one.start):
        if not one.is_condition:
            by_group.setdefault(one.group, {}).setdefault(one.label, one)
    several = [list(named.values()) for named in by_group.values() if len(named) > 1]
    return several[0] if len(several) == 1 and len(several[0]) <= _MOST_NAMES else []


def _asks_for_none(question: Question) -> bool:
    """Return whether the names without are asked for: which have none, which never occur."""
    denied = re.search(r"\b(?:no|not|never|none|without|lack\w*)\b|n['’]t\b", question.text)
    return bool(question.reading.without) or denied is not None


def _counts(matched: MatchedRuns, names: list[Mention], asked: list[Mention]) -> list[_Counted]:
    """Return the numbers of each of ``names`` in one query; of a virus its finds are counted."""
    rest = "".join(f" SEMI JOIN ({runs_carrying(senses_found(one))}) USING (run)" for one in asked)
    columns = []
    for one in names:
        senses = senses_found(one)
        own = runs_carrying(senses) if senses else "SELECT run FROM run WHERE false"
        columns += [
            f"(SELECT count(*) FROM ({own}))",
            f"(SELECT count(*) FROM ({own}) SEMI JOIN ({SEARCHED}) USING (run))",
            f"(SELECT count(*) FROM ({own}){rest})",
        ]
    (row,) = matched.rows(f"SELECT {', '.join(columns)}", None)
    numbers = [int(one) for one in row]
    return [
        _Counted(one.name, *numbers[3 * place : 3 * place + 3]) for place, one in enumerate(names)
    ]


def _most_first(counts: list[_Counted]) -> list[_Counted]:
    return sorted(counts, key=lambda one: -one.found)


def _in_numbers(one: _Counted, *, searched: bool) -> str:
    """Return a name with its numbers, in parentheses."""
    if not one.runs:
        return f"{one.name} (no run of the index)"
    of = f" of {one.searched:,} searched runs" if searched else f" run{'s' * (one.found != 1)}"
    return f"{one.name} ({one.found:,}{of})"

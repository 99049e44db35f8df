"""Headline of which of several names has something, or has it not: which of goat, cattle and pig
have no flavivirus.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from index.reports.phrases import counted, listed
from query.global_search.carrying import SEARCHED, facets_of_group, runs_carrying
from query.global_search.headlines.sources import searched_for_it
from query.global_search.matched_runs import MatchedRuns, runs_stating
from query.global_search.matching import senses_counted
from query.global_search.naming import GROUP_WORDS
from query.global_search.searched import SearchedFor, searched_for_viruses
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
_STATING: Final = "runs that state a "


@dataclass(frozen=True, slots=True)
class _Counted:
    """A name with the runs that are its own, those of them ``telling`` of what else is asked, and
    those ``found`` with it.
    """

    name: str
    runs: int
    telling: int
    found: int

    @property
    def is_open(self) -> bool:
        """Whether none of the runs of the name tells."""
        return bool(self.runs) and not self.telling


def which_of(question: Question, matched: MatchedRuns) -> str:
    """Return which of the names listed have what else is named, or any run where nothing is, each
    with its numbers; empty where that is not asked.
    """
    names = candidates(question)
    if not names:
        return ""
    asked = [one for one in (*question.mentions, *question.reading.without) if one not in names]
    if not _is_one_thing(question, names, asked):
        return ""
    finding = _finding(question, matched, asked)
    counts = _counts(matched, names, asked, finding)
    what = listed([*dict.fromkeys(one.name for one in asked)]) or "runs"
    whole = _whole(asked)
    found = sorted([one for one in counts if one.found], key=lambda one: -one.found)
    lacking = [one for one in counts if not one.found and not one.is_open]
    have = listed([_in_numbers(one, whole) for one in found])
    none = listed([_in_numbers(one, whole) for one in lacking])
    if _asks_for_none(question):
        sentences = [f"Without {what}: {none}." if none else f"None of them is without {what}."]
        sentences += [f"With {what}: {have}."] if have else []
    else:
        sentences = [f"With {what}: {have}." if have else f"None of them has {what}."]
        sentences += [f"Without {what}: {none}."] if none else []
    sentences += _untold([one for one in counts if one.is_open], whole)
    sentences += [f"Counted are runs {searched_for_it(finding.sources)}."] if finding else []
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


def _is_one_thing(question: Question, names: Sequence[Mention], asked: Sequence[Mention]) -> bool:
    """Return whether what the names are to have is of one kind, which is not theirs, and either
    asked for or ruled out: of a virus in liver, a run may be silent in two ways.
    """
    kinds = {one.group for one in asked}
    ruled = {one in question.reading.without for one in asked}
    return len(kinds) <= 1 and len(ruled) <= 1 and names[0].group not in kinds


def _asks_for_none(question: Question) -> bool:
    """Return whether the names without are asked for: which have none, which never occur."""
    denied = re.search(r"\b(?:no|not|never|none|without|lack\w*)\b|n['’]t\b", question.text)
    return bool(question.reading.without) or denied is not None


def _finding(
    question: Question, matched: MatchedRuns, asked: Sequence[Mention]
) -> SearchedFor | None:
    """Return which runs were searched for the virus ``asked`` for, None where all were."""
    if not any(one.group == "virus" for one in asked):
        return None
    virus = searched_for_viruses(question, matched.connection)
    return None if virus is None or virus.by_all else virus


def _whole(asked: Sequence[Mention]) -> str:
    """Return of which runs of a name the number is one: those searched for a virus, or those that
    state what is asked for; empty where no more than a run is.
    """
    if any(one.group == "virus" for one in asked):
        return "searched runs"
    kinds = [GROUP_WORDS[one.group] for one in asked if one.group in GROUP_WORDS]
    return f"{_STATING}{kinds[0]}" if kinds else ""


def _untold(silent: Sequence[_Counted], whole: str) -> list[str]:
    """Return which names nothing is known of, in a sentence."""
    if not silent:
        return []
    names = listed([f"{one.name} ({counted(one.runs, 'run')})" for one in silent])
    kind = whole.removeprefix(_STATING)
    known = "Not searched for it" if kind == whole else f"No {kind} is stated for"
    return [f"{known}: {names}."]


def _runs_that_tell(asked: Sequence[Mention], finding: SearchedFor | None) -> str:
    """Return a SELECT of the runs that ``_whole`` speaks of."""
    if any(one.group == "virus" for one in asked):
        return finding.runs if finding else SEARCHED
    kinds = [one.group for one in asked if one.group in GROUP_WORDS]
    return runs_stating(facets_of_group(kinds[0])) if kinds else "SELECT run FROM run"


def _counts(
    matched: MatchedRuns, names: list[Mention], asked: list[Mention], finding: SearchedFor | None
) -> list[_Counted]:
    """Return the numbers of each of ``names`` in one query; of a virus its finds are counted."""
    telling = _runs_that_tell(asked, finding)
    rest = "".join(
        f" SEMI JOIN ({runs_carrying(senses_counted(one))}) USING (run)" for one in asked
    )
    rest += f" SEMI JOIN ({telling}) USING (run)"
    columns = []
    for one in names:
        senses = senses_counted(one)
        own = runs_carrying(senses) if senses else "SELECT run FROM run WHERE false"
        columns += [
            f"(SELECT count(*) FROM ({own}))",
            f"(SELECT count(*) FROM ({own}) SEMI JOIN ({telling}) USING (run))",
            f"(SELECT count(*) FROM ({own}){rest})",
        ]
    (row,) = matched.rows(f"SELECT {', '.join(columns)}", None)
    numbers = [int(one) for one in row]
    return [
        _Counted(one.name, *numbers[3 * place : 3 * place + 3]) for place, one in enumerate(names)
    ]


def _in_numbers(one: _Counted, whole: str) -> str:
    """Return a name with its numbers, in parentheses."""
    if not one.runs:
        return f"{one.name} (no run of the index)"
    of = f" of {one.telling:,} {whole}" if whole else f" run{'s' * (one.found != 1)}"
    return f"{one.name} ({one.found:,}{of})"

"""How many runs state nothing of what a question rules out: beside runs of hosts other than
wastewater, those of no known host.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from index.reports.phrases import counted
from query.global_search.carrying import facets_of_group, runs_carrying
from query.global_search.headlines.only_there import in_none_of
from query.global_search.headlines.which_of import candidates
from query.global_search.matched_runs import JOINED, MatchedRuns, runs_stating
from query.global_search.naming import GROUP_WORDS
from query.reading.question import WITHOUT, Question

_NOT_LABELLED: Final = re.compile(r"\bnot (?:labell?ed|annotated|tagged|marked)\b", re.IGNORECASE)
"""Rules out a label: runs without any have not that one either."""
_KINDS: Final = ("count", "share", "exists", "describe")
_SILENT: Final = frozenset(["organism", "tissue", "disease", "geography"])
"""Groups of which a run states another value, or none."""


def unstated_beside(question: Question, matched: MatchedRuns) -> str:
    """Return how many runs are all that is asked for and state nothing of the kind that is ruled
    out, in a sentence; empty where nothing is ruled out so, or where every run states it.
    """
    reading = question.reading
    carried = all(key.startswith(WITHOUT) for key in matched.dropped)
    if reading.kind not in _KINDS or reading.excepted or reading.sides or not carried:
        return ""
    if in_none_of(question) or candidates(question):
        return ""
    kept = [key for key in question.groups if not key.startswith(WITHOUT)]
    sentences = []
    for group in dict.fromkeys(one.group for one in reading.without):
        if group not in _SILENT:
            continue
        runs = _silent_runs(question, matched, kept, group)
        if runs:
            state = "states" if runs == 1 else "state"
            more = counted(runs, "more run", "more runs")
            said = f"{more} {state} no {GROUP_WORDS[group]}"
            if _NOT_LABELLED.search(question.text):
                all_of_them = runs + (0 if matched.dropped else matched.runs)
                sentences.append(f"{said}: with these, {all_of_them:,} are not labelled so.")
            else:
                sentences.append(f"{said}, and are not counted.")
    return " ".join(sentences)


def _silent_runs(question: Question, matched: MatchedRuns, kept: Sequence[str], group: str) -> int:
    """Return how many runs that carry all of ``kept`` state nothing of ``group``, and are not what
    is ruled out either: a wastewater metagenome has no host.
    """
    among = f"({JOINED})" if kept else "run"
    senses = [sense for one in question.reading.without if one.group == group
              for sense in one.senses]  # fmt: skip
    query = (
        f"SELECT count(*) FROM (SELECT run FROM {among}) "
        f"ANTI JOIN ({runs_stating(facets_of_group(group))}) USING (run) "
        f"ANTI JOIN ({runs_carrying(senses)}) USING (run)"
    )
    asked = {"groups": list(kept), "n": len(set(kept))} if kept else None
    ((runs,),) = matched.rows(query, asked)
    return int(runs)

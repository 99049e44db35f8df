"""Headlines of what is found in no run: none that was searched has it, or nothing can be said.

"Not found" is said of runs that were searched. What no run states is unknown, and said to be.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from index.reports.phrases import counted, is_or_are, listed
from query.global_search.carrying import facets_of_group, runs_carrying
from query.global_search.headlines.sources import LookedFor
from query.global_search.matched_runs import MatchedRuns
from query.global_search.naming import GROUP_WORDS, are_names, group_of, name_of, names_of, of_names
from query.reading.question import WITHOUT, Question

_ACCESSIONS: Final = ("run", "biosample", "bioproject")
"""Groups of names whose runs are all known: no other run may be one of theirs."""
_NO_VALUES: Final = ("stated", "searched", "title")
"""Groups of conditions on a run, which states none of them."""


def stated_by_none(question: Question, matched: MatchedRuns) -> str:
    """Return that no run states what is asked, and whether the runs of the others state anything of
    its kind.
    """
    keys = question.groups
    if matched.dropped:
        missing = listed([one.name for one in question.missing])
        return f"No run of the index states {missing}. {not_together(question, matched)}"
    runs = f"{counted(matched.runs_with(keys), 'run')} of {names_of(question, keys)}"
    sentences = []
    for one in question.missing:
        stated = matched.stating(keys, facets_of_group(one.group))
        kind = GROUP_WORDS.get(one.group, one.group)
        if stated:
            sentences.append(
                f"no run of the index is annotated with {one.name}; of {runs}, {stated:,} state "
                f"another {kind}"
            )
        else:
            sentences.append(
                f"no {kind} is stated for any of {runs}, and no run of the index states {one.name}"
            )
    no = "No: " if question.reading.kind == "exists" and "another" in sentences[0] else ""
    return f"{no or doubt(question)}{'; '.join(sentences)}."


def not_found(
    question: Question,
    matched: MatchedRuns,
    virus: Sequence[str],
    others: Sequence[str],
    looked: LookedFor,
) -> str:
    """Return that no run has the virus, or that it cannot be known: where no run with the virus
    states what is asked.
    """
    searched = looked.runs
    names, where = names_of(question, virus), of_names(question, others)
    found = f"{names} {is_or_are(names)} found"
    carriers = matched.runs_with(virus)
    # A place other than one that is ruled out is stated as well. Accessions are known of all runs.
    known = [key for key in others if group_of(key) not in _ACCESSIONS]
    stated = {key: matched.stating(virus, facets_of_group(group_of(key))) for key in known}
    silent = [key for key in known if carriers and not stated[key]]
    either = " or ".join(_called(question, key) for key in silent)
    no = "No: " if question.reading.kind == "exists" else ""
    if not carriers and len(virus) > 1:
        apart = {key: matched.runs_with([*others, key]) for key in virus}
        each = [f"{runs:,} carry {name_of(question, key)}" for key, runs in apart.items()]
        return (
            f"{no}{names} are found together in none of the {searched:,} searched runs{where}. "
            f"By themselves, {listed(each)}."
        )
    if not carriers:
        runs = f"the {searched:,} searched runs{where}"
        if looked.text:
            runs = f"{counted(searched, 'run')}{where} searched for it"
        none = f"{no}{found} in none of {runs}.{looked.text}"
        return f"{none}{_only_libraries(question, matched)}"
    if silent and all(group_of(key) == "stated" for key in silent):
        return f"{no}none of {counted(carriers, 'run')} of {names} {_have(question, silent[0])}."
    if silent:
        whole = counted(carriers, "run")
        return (
            f"{doubt(question)}{found} in {whole}, and no {either} is stated "
            f"for any of them; none of the {searched:,} searched runs{where} is known to "
            f"carry it."
        )
    elsewhere = listed(
        [
            f"{runs:,} {'states' if runs == 1 else 'state'} a {_kind(key)}"
            for key, runs in stated.items()
        ]
    )
    whole = counted(carriers, "run")
    rest = f" Of {whole} with it elsewhere, {elsewhere}." if elsewhere else ""
    runs = f"the {searched:,} searched runs{where}"
    if looked.text:
        runs = f"{counted(searched, 'run')}{where} searched for it"
    return f"{no}{found} in none of {runs}.{looked.text}{rest}"


def not_together(question: Question, matched: MatchedRuns) -> str:
    """Return that no run is all that is asked for, and how many are each of it."""
    exists = question.reading.kind == "exists"
    no = "No: no" if exists else "No"
    first, *others = question.groups
    if not others:
        return f"{no} run {are_names(question, [first], 1)}."
    open_to = _left_open(question, matched) if exists else ""
    if open_to:
        return open_to
    counts = []
    for key in question.groups:
        runs = matched.runs_with([key])
        counts.append(f"{runs:,} {are_names(question, [key], runs)}")
    unknown = ""
    for key in others:
        facets = facets_of_group(group_of(key))
        is_value = group_of(key) not in _NO_VALUES and not key.startswith(WITHOUT)
        if not is_value or matched.stating([first], facets):
            continue
        whose = name_of(question, first)
        unknown += f" No {_kind(key)} is stated for any run of {whose}."
    together = are_names(question, question.groups, 1)
    return f"{no} run {together} at once: {listed(counts)}.{unknown}"


def _left_open(question: Question, matched: MatchedRuns) -> str:
    """Return that a yes or no cannot be given, where runs are all but one thing of what is asked
    for and none of them states the kind of it: diarrhoea in sheep with a virus. Empty elsewhere.
    """
    for key in question.groups:
        rest = [one for one in question.groups if one != key]
        if group_of(key) in _NO_VALUES or key.startswith(WITHOUT):
            continue
        runs = matched.runs_with(rest)
        if runs and not matched.stating(rest, facets_of_group(group_of(key))):
            have = f"{counted(runs, 'run')} {are_names(question, rest, runs)}"
            return f"{doubt(question)}{have}, and no {_kind(key)} is stated for any of them."
    return ""


def doubt(question: Question) -> str:
    """Return how an answer to a yes or no begins that cannot be given."""
    if question.reading.kind != "exists":
        return ""
    return "This cannot be said: "


def _called(question: Question, key: str) -> str:
    """Return what a run would state of ``key``: a metagenome is of an environment."""
    named = [one for one in question.mentions if question.key(one) == key]
    facets = {sense.facet for one in named for sense in one.senses}
    return "environment" if "environment" in facets else _kind(key)


def _have(question: Question, key: str) -> str:
    """Return what a condition says of one run: has a stated host."""
    return f"has {name_of(question, key).removeprefix('with ')}"


def _only_libraries(question: Question, matched: MatchedRuns) -> str:
    """Return how many runs are libraries of a virus that is found in none."""
    viral = [one for one in question.mentions if one.group == "virus"]
    senses = [sense for one in viral for sense in one.senses]
    query = f"SELECT count(*) FROM ({runs_carrying(senses)})"
    ((runs,),) = matched.rows(query)
    if not runs:
        return ""
    are = "is a library" if runs == 1 else "are libraries"
    return f" {counted(int(runs), 'run')} {are} of it, sequenced for itself."


def _kind(key: str) -> str:
    """Return what the values of a group are called: place, host, tissue."""
    group = group_of(key)
    return GROUP_WORDS.get(group, group)

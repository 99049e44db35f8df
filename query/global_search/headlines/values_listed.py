"""Headlines of values: those of most runs first, or how many there are, and what is not stated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from index.reports.phrases import counted, listed
from query.global_search.matched_runs import MatchedRuns
from query.global_search.matched_values import ValueCount
from query.global_search.naming import group_of, names_of
from query.global_search.statements import FACET_TITLES
from query.reading.intent import singular
from query.reading.question import WITHOUT, Question

_USUAL: Final = 5
"""Values listed where the question gives no number."""
_VIRUSES: Final = ("family", "species")
_SHOWN_FACETS: Final = 4


def list_values(question: Question, matched: MatchedRuns) -> str:
    """Return the values asked for, those of most runs first, or of fewest where these are asked
    for.
    """
    reading = question.reading
    known = [one for one in reading.facets if one in FACET_TITLES]
    facets = known[:_SHOWN_FACETS]
    if not reading.explicit:
        facets = _usual_facets(question, facets)
    limit = reading.limit or _USUAL
    fewest = reading.order == "fewest runs"
    values = matched.value_counts(facets, limit=limit, fewest=fewest)
    totals = matched.distinct_values(facets)
    lines = []
    silent = []
    for facet in facets:
        if facet not in values:
            silent.append(facet)
            continue
        title = FACET_TITLES[facet]
        share = _of_how_many(facet, totals[facet], limit, matched)
        order = ", fewest runs first" if fewest else ""
        lines.append(f"{title}{share}{order}: {values_text(values[facet])}")
    if lines:
        lines.insert(0, _runs_about(question, matched))
    unknown = _silent(question, matched, silent)
    if unknown:
        lines.append(unknown)
    return ". ".join(lines) + "."


def _usual_facets(question: Question, facets: Sequence[str]) -> list[str]:
    virus = any(_is_positive(key, "virus") for key in question.groups)
    if not virus:
        return list(_VIRUSES)
    others = [one for one in facets if one not in _VIRUSES]
    return others[:2]


def _is_positive(key: str, group: str) -> bool:
    """Return whether ``key`` asks for something of ``group``, and does not rule it out."""
    return group_of(key) == group and not key.startswith(WITHOUT)


def _of_how_many(facet: str, total: tuple[int, int], limit: int, matched: MatchedRuns) -> str:
    """Return how many of the values are listed, and for how many runs any is stated."""
    values, known = total
    words = ""
    if values > limit:
        words = f", {limit} of {values:,}"
    if facet not in _VIRUSES and known < matched.runs:
        words += f", stated for {known:,} of {matched.runs:,} runs"
    return words


def _value(one: ValueCount) -> str:
    runs = counted(one.runs, "run")
    return f"{one.value} ({runs})"


def values_text(counts: Sequence[ValueCount]) -> str:
    """Return ``counts`` in words, each value with its runs in brackets, in the order given."""
    values = [_value(one) for one in counts]
    return listed(values)


def _runs_about(question: Question, matched: MatchedRuns) -> str:
    keys = question.groups
    runs = counted(matched.runs, "run")
    if not keys:
        return f"{matched.with_virus:,} of {matched.index_runs:,} runs of the index carry a virus"
    about = f"{runs} of {names_of(question, keys)}"
    if any(_is_positive(key, "virus") for key in keys):
        return f"{about}{_library_part(matched)}"
    searched = matched.searched_with(keys)
    if searched == matched.with_virus == matched.runs:
        return f"{about}, all of them with a virus{named_part(matched)}"
    carriers = f"{matched.with_virus:,} of the {searched:,} searched carry a virus"
    return f"{about}; {carriers}{named_part(matched)}"


def named_part(matched: MatchedRuns) -> str:
    """Return in how many of the runs with a virus its family is named, where that is less than
    half: what is counted by family is then hardly any of what they carry.
    """
    totals = matched.distinct_values(["family"])
    _, named = totals.get("family", (0, 0))
    if not named or 2 * named >= matched.with_virus:
        return ""
    return f", its family named in {named:,} of them"


def _library_part(matched: MatchedRuns) -> str:
    libraries = matched.virus_libraries()
    if not libraries:
        return ""
    kind = "a library" if libraries == 1 else "libraries"
    return f", {libraries:,} of them {kind} of a virus"


def _silent(question: Question, matched: MatchedRuns, silent: Sequence[str]) -> str:
    """Return what is asked for and not known of these runs."""
    if not silent:
        return ""
    runs = f"{counted(matched.runs, 'run')} of {names_of(question, question.groups) or 'the index'}"
    viral = [facet for facet in silent if facet in _VIRUSES]
    stated = [FACET_TITLES[facet].lower() for facet in silent if facet not in _VIRUSES]
    sentences = []
    if viral and matched.with_virus:
        sentences.append(_unnamed(question, matched, viral))
    elif viral and matched.searched_with(question.groups):
        sentences.append(f"No virus is found in the searched runs among {runs}")
    elif viral:
        sentences.append(f"None of {runs} was searched for viruses")
    if stated:
        sentences.append(f"Not stated for any of {runs}: {listed(stated)}")
    return ". ".join(sentences)


def _unnamed(question: Question, matched: MatchedRuns, viral: Sequence[str]) -> str:
    """Return that the viruses of the runs have no name, and under which sOTUs they are found."""
    names = names_of(question, question.groups) or "the index"
    runs = counted(matched.with_virus, "run")
    verb = "carries" if matched.with_virus == 1 else "carry"
    none = f"{runs} of {names} {verb} a virus, none of a named {_kinds(viral)}"
    found = matched.rows(_SOTUS)
    if not found:
        return none
    sotus = counted(len(found), "sOTU")
    counts = [f"{sotu} ({counted(held, 'run')})" for sotu, held in found[:_USUAL]]
    first = listed(counts)
    most = first if len(found) <= _USUAL else f"most often {first}"
    return f"{none}: {sotus}, {most}"


def _kinds(facets: Sequence[str]) -> str:
    return " or ".join(facets)


def count_values(question: Question, matched: MatchedRuns) -> str:
    """Return how many values of the facets asked for there are."""
    facets = [one for one in question.reading.facets if one in FACET_TITLES]
    totals = matched.distinct_values(facets)
    values = matched.value_counts(facets, limit=3)
    runs = counted(matched.runs, "run")
    names = names_of(question, question.groups) or "the index"
    shares = []
    silent = []
    for facet in facets:
        if facet not in values:
            silent.append(facet)
            continue
        distinct, known = totals[facet]
        titles = FACET_TITLES[facet].lower()
        *kind, noun = titles.split()
        one = " ".join([*kind, singular(noun)])
        share = f"{counted(distinct, one, titles)} in {known:,} of {runs} of {names}"
        shares.append(f"{share}, most often {values_text(values[facet])}")
    if "bioproject" in facets:
        shares.insert(0, _studies(matched))
    unknown = _silent(question, matched, silent)
    parts = ["; ".join(share for share in shares if share), unknown]
    return ". ".join(part for part in parts if part) + "."


def _studies(matched: MatchedRuns) -> str:
    """Return from how many SRA studies the runs are; more of them state a study than a project."""
    ((studies, stated),) = matched.rows(_STUDIES)
    if not studies:
        return ""
    whole = counted(matched.runs, "run")
    return f"{counted(int(studies), 'study', 'studies')}, stated for {stated:,} of {whole}"


_SOTUS: Final = """
SELECT sotu, count(DISTINCT run) AS runs FROM detection SEMI JOIN matched USING (run)
GROUP BY sotu ORDER BY runs DESC, sotu
"""
_STUDIES: Final = (
    "SELECT count(DISTINCT study), count(study) FROM run SEMI JOIN matched USING (run)"
)

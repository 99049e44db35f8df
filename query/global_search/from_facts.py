"""An answer composed from facts alone: a lead over all matching runs, and one point per community
read.

Every number is a count of distinct runs from SQL; nothing is worded that is not counted.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from index.reports.phrases import counted, factor, listed, sentence
from query.answer_text import bullet_list
from query.config import QueryConfig
from query.global_search.carrying import facets_of_group
from query.global_search.caveats import caveats, infection_caveat
from query.global_search.headlines.headline import headline
from query.global_search.headlines.understanding import understanding
from query.global_search.matched_runs import MatchedRuns
from query.global_search.matched_values import COMPANY, STUDY, ValueCount, with_studies
from query.global_search.naming import group_of, names_of
from query.global_search.statements import COMPARED, FACET_TITLES, Statement
from query.global_search.triage import Candidate
from query.reading.asked.left_out import LeftOut
from query.reading.intent import DEFAULT_FACETS
from query.reading.question import Question
from query.reading.refusal import is_answered_by_none

MAX_CITED: Final = 5
AS_SUBMITTED: Final = "label"
"""The organism as submitted: host, environment and virus say what it means."""


@dataclass(frozen=True, slots=True)
class PointDraft:
    """A point before its citations are resolved."""

    community: str
    score: float
    description: str
    cited: tuple[tuple[str, str], ...]
    answers: bool = True
    """False where the community holds matching runs of which nothing that was asked is known."""


def answer_facets(question: Question) -> tuple[str, ...]:
    """Return the facets to report, what was asked first; a question about associations gets their
    companions, too.
    """
    asked = question.intent.facets
    if not question.intent.associations:
        return asked
    named = {facet for mention in question.mentions for facet in mention.facets}
    return (
        *asked,
        *(facet for facet in DEFAULT_FACETS if facet not in asked and facet not in named),
    )


def subject_of(question: Question, matching: MatchedRuns) -> str:
    """Return what the matching runs are about, in words: ``Chiroptera (bat) and intestine
    (gut)``.
    """
    names = names_of(question, matching.kept)
    return names or "the whole index"


def lead(question: Question, matching: MatchedRuns, *, config: QueryConfig) -> str:
    """Return the opening of an answer: how many runs match, and the values they have, as counts of
    runs.
    """
    if is_answered_by_none(question):
        said = sentence(headline(question, matching)), understanding(question)
        return " ".join(one for one in said if one)
    if question.absent and not matching.kept:
        return _of_no_run(question)
    nothing = finds_nothing(question, matching)
    facets = () if nothing else with_studies(answer_facets(question))
    direct = [
        sentence(headline(question, matching)),
        infection_caveat(question, matching),
        understanding(question),
    ]
    warned = caveats(question, matching)
    lines = [_opening(question, matching)] if matching.dropped and matching.kept else []
    lines += _caveats(question, matching, limit=config.max_values // 2)
    totals = matching.distinct_values(facets)
    values = matching.value_counts(facets, limit=config.max_values)
    compares = not matching.is_whole_index and "virus" not in matching.kept
    telling = COMPARED if compares else ()
    body = [
        _facet_line(facet, values[facet], totals[facet], matching, compared=facet in telling)
        for facet in facets
        if facet in values
    ]
    if not nothing:
        body += _composition(question, matching, facets, limit=config.max_values)
    body += _silence(matching, question, [facet for facet in facets if facet not in values])
    table = "\n|" in direct[0]
    first = ("\n\n" if table else " ").join(part for part in direct if part)
    return "\n\n".join(part for part in (first, warned, " ".join(lines), bullet_list(body)) if part)


def finds_nothing(question: Question, matching: MatchedRuns) -> bool:
    """Return whether no run carries any of what the question names, so that all of them match."""
    names = question.absent or question.groups
    return bool(names) and not matching.kept


def _of_no_run(question: Question) -> str:
    """Return that no run carries what is named, so that nothing of runs can be said of it."""
    names = listed([one.name for one in question.absent])
    return f"{names} itself is named in no run of the index."


def draft_points(
    candidates: Sequence[Candidate], statements: Mapping[str, Sequence[Statement]]
) -> list[PointDraft]:
    """Return one point per candidate that has statements, in their order."""
    return [
        draft_point(one, statements[one.community])
        for one in candidates
        if one.community in statements
    ]


def _silence(matching: MatchedRuns, question: Question, silent: Sequence[str]) -> list[str]:
    """Return what was asked and is not known: viruses without a name, and facets that no run
    states.
    """
    if not question.intent.explicit:
        return []
    sotus = 0
    if not {"family", "species"}.isdisjoint(silent):
        sotus = matching.unnamed_viruses()
    sentences = []
    if sotus:
        viruses = counted(sotus, "virus sOTU")
        sentences.append(f"Of {viruses} found, none has a named family or species.")
        silent = [facet for facet in silent if facet not in COMPARED]
    stated = matching.distinct_values([STUDY]) if "bioproject" in silent else {}
    stand_ins = ("bioproject", STUDY) if stated else (STUDY,)
    titles = [FACET_TITLES[facet].lower() for facet in silent if facet not in stand_ins]
    if titles:
        sentences.append(f"Not stated for any of these runs: {listed(titles)}.")
    return sentences


def _composition(
    question: Question,
    matching: MatchedRuns,
    facets: Sequence[str],
    *,
    limit: int,
) -> list[str]:
    """Return what the named terms mean among the matching runs: the species of an order, the
    organs of a tract.
    """
    hidden = _hidden(question, matching, facets)
    values = matching.value_counts(hidden, limit=limit)
    totals = matching.distinct_values(hidden)
    telling = [facet for facet in hidden if totals.get(facet, (0, 0))[0] > (facet != COMPANY)]
    return [
        _facet_line(facet, values[facet], totals[facet], matching, compared=False)
        for facet in telling
    ]


def facets_of_answer(question: Question, matching: MatchedRuns) -> list[str]:
    """Return the facets whose values an answer may tell, so that they can be read at once."""
    asked = with_studies(answer_facets(question))
    return [*asked, *_hidden(question, matching, asked)]


def _hidden(question: Question, matching: MatchedRuns, facets: Sequence[str]) -> list[str]:
    """Return the facets of what is named that are not among ``facets``, and of the company of a
    virus.
    """
    named = {COMPANY}
    for mention in question.mentions:
        if mention.group in matching.kept:
            named.update(mention.facets)
    shown = (*facets, AS_SUBMITTED)
    return [facet for facet in FACET_TITLES if facet in named and facet not in shown]


def _opening(question: Question, matching: MatchedRuns) -> str:
    """Return what the rest of the answer is about where no run joins all that is asked."""
    runs = counted(matching.runs, "run")
    subject = subject_of(question, matching)
    return f"What follows is about {subject} alone ({runs})."


def _caveats(question: Question, matching: MatchedRuns, *, limit: int) -> list[str]:
    """Return what a reader must know: terms no run carries, terms no run combines, and what there
    is instead.
    """
    lines = [_not_counted(one) for one in question.left_out]
    if not matching.kept:
        return lines

    absent = [mention.group for mention in question.absent]
    missing = dict.fromkeys([*matching.dropped, *absent])
    # A run states its metadata; the viruses in it are found.
    for group in [one for one in missing if group_of(one) != "virus"]:
        facets = [one for one in facets_of_group(group_of(group)) if one != "label"]
        instead = matching.value_counts(facets, limit=limit)
        named = []
        for one in itertools.chain.from_iterable(instead.values()):
            runs = counted(one.runs, "run")
            named.append(f"{one.value} ({runs})")
        if named:
            lines.append(f"They state: {listed(named)}.")
    return lines


def _not_counted(name: LeftOut) -> str:
    """Return why a name of the question makes no difference to the counts."""
    if name.reason == "denied":
        return f"The question excludes {name.text}; these counts do not."
    if name.reason == "no name":
        return f"“{name.text}” names no term and is not searched for."
    return f"“{name.text}” is read as part of a virus's name."


def _facet_line(
    facet: str,
    values: Sequence[ValueCount],
    total: tuple[int, int],
    matching: MatchedRuns,
    *,
    compared: bool,
) -> str:
    distinct, known = total
    counts = []
    in_index = matching.in_index(facet, [one.value for one in values]) if compared else {}
    for one in values:
        count = _count_and_lift(one, matching, in_index.get(one.value))
        counts.append(f"{one.value} ({count})")
    more = ""
    if distinct > len(values):
        more = f", and {distinct - len(values):,} more"
    title = FACET_TITLES[facet]
    stated = _stated(facet, known, matching)
    shown = ", ".join(counts)
    return f"{title} ({distinct:,}{stated}): {shown}{more}"


def _stated(facet: str, known: int, matching: MatchedRuns) -> str:
    """Return for how many runs the facet is known, where it is not known for all."""
    if facet in ("family", "species"):
        whole = matching.with_virus
        return "" if known == whole else f" named, in {known:,} of the {whole:,} runs with a virus"
    return (
        ""
        if known == matching.runs or facet == COMPANY
        else f", stated for {counted(known, 'run')}"
    )


def _count_and_lift(one: ValueCount, matching: MatchedRuns, in_index: int | None) -> str:
    """Return the count, and how over-represented the value is where that is telling; it is not
    compared where no runs ``in_index`` are given.
    """
    runs = counted(one.runs, "run")
    if not in_index:
        return runs
    expected = in_index * matching.runs / matching.index_runs
    ratio = one.runs / expected
    if ratio < 2 or one.runs < 3:
        return runs
    return f"{runs}, {factor(ratio)}x expected"


def draft_point(candidate: Candidate, statements: Sequence[Statement]) -> PointDraft:
    """Return the point that the statements of a community make, one sentence each."""
    description = " ".join(one.text for one in statements)
    values = dict.fromkeys(pair for one in statements if one.kind != "runs" for pair in one.cited)
    cited = (*tuple(values)[: MAX_CITED - 1], ("community", candidate.community))
    return PointDraft(
        candidate.community,
        candidate.score,
        f"{candidate.title}. {description}",
        cited,
        answers=bool(values),
    )

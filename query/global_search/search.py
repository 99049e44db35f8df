"""Answer a question from the whole index: ground, triage, map, verify, rank, reduce, attach
evidence, keep the ledger.

Without a model every step still runs: points and text are composed from facts
(``query.global_search.from_facts``).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import duckdb

from index.checking.sentences import split_sentences
from index.reports.citations import CitedValue, format_reference, is_citable, resolve_citations
from index.reports.phrases import counted, sentence
from query.answer import MODE_GLOBAL, Answer, Association, Citation, Coverage, Point
from query.answer_text import bullet_list
from query.config import QueryConfig
from query.errors import NoEvidenceError, QueryError, UnknownLevelError
from query.global_search.associations.saying import describe_associations
from query.global_search.communities.answering import describe_communities
from query.global_search.communities.described import Described
from query.global_search.evidence import related_associations
from query.global_search.from_facts import (
    PointDraft,
    answer_facets,
    draft_points,
    facets_of_answer,
    finds_nothing,
    lead,
)
from query.global_search.headlines.headline import headline
from query.global_search.headlines.understanding import understanding
from query.global_search.matched_runs import MatchedRuns
from query.global_search.matching import match_runs
from query.global_search.statements import Statement, gather_statements
from query.global_search.triage import Candidate, Triage, rank_communities
from query.mode import UNEDITED, ReadingEdit, edited
from query.reading.asked.associations import AssociationsAsked
from query.reading.asked.tested import VALUES
from query.reading.limits import ANSWERED_HERE, OF_ALL_SOURCES
from query.reading.question import Question, clean_question
from query.reading.refusal import check_answerable, is_answered_by_none, nearest_question
from query.reading.several import read_questions

Embed = Callable[[str], Sequence[float]]


@dataclass(frozen=True)
class Selection:
    """A question with the runs it is about and the communities to read for it."""

    question: Question
    matching: MatchedRuns
    triage: Triage
    read: tuple[Candidate, ...]
    further: str = ""
    """The answer to a second question in the same sentence, empty where there is none."""

    @property
    def skipped(self) -> int:
        """Relevant communities left out because of the limit."""
        relevant = len(self.triage.candidates)
        return relevant - len(self.read)

    @cached_property
    def tested(self) -> tuple[str, tuple[Association, ...]] | None:
        """What holds of the tests that are asked for, with these tests; None where none are."""
        asked = tests_asked(self.question)
        if asked is None:
            return None
        return describe_associations(self.matching, asked, limit=self.question.reading.limit)

    @cached_property
    def described(self) -> Described | None:
        """What is said of communities, None where nothing is asked of them."""
        asked = self.question.reading.communities
        if asked is None:
            return None
        return describe_communities(self.question, self.matching, asked)


def select_for(
    con: duckdb.DuckDBPyConnection,
    text: str,
    *,
    config: QueryConfig,
    level: int | None = None,
    embed: Embed | None = None,
    edit: ReadingEdit = UNEDITED,
) -> Selection:
    """Return which runs ``text`` is about and which communities to read for it.

    ``embed`` makes the vector of the question, for an index that holds vectors of its reports;
    ``edit`` is what was changed of how the question is read.

    Raises:
        EmptyQuestionError: no word in it.
        QuestionTooLongError: more than a question.
        BeyondCountsError: it asks for what counts cannot tell.
        UnknownLevelError: the hierarchy has no ``level``.
        NoEvidenceError: no run carries what it names, or it names nothing that the index knows.
    """
    asked = clean_question(text)
    first, *others = read_questions(con, asked)
    question = replace(edited(first, edit), text=asked)
    selection = select_read(con, question, config=config, level=level, embed=embed)
    return replace(selection, further=further_answers(con, others))


def further_answers(con: duckdb.DuckDBPyConnection, others: Sequence[Question]) -> str:
    """Return the headlines of the ``others``, questions asked behind the first."""
    return " ".join(_further(con, one) for one in others)


def _further(con: duckdb.DuckDBPyConnection, question: Question) -> str:
    """Return the headline of a second ``question``, or that it has no answer, and why."""
    try:
        check_answerable(con, question, none_answers=True)
        return sentence(headline(question, match_runs(con, question)))
    except NoEvidenceError as error:
        return f"What is asked behind that has no answer: {error.reason}."
    except QueryError as error:
        return f"What is asked behind that has no answer: {error}."


def select_read(
    con: duckdb.DuckDBPyConnection,
    question: Question,
    *,
    config: QueryConfig,
    level: int | None = None,
    embed: Embed | None = None,
) -> Selection:
    """Return what ``select_for`` returns, for a question that is read already."""
    _check_level(con, level)
    _check_countable(question)
    check_answerable(con, question, none_answers=True)
    matched = match_runs(con, question)
    if not matched.runs:
        raise NoEvidenceError(question.text, "the index holds no run", nearest=())
    words = [*question.keywords]
    for mention in question.mentions:
        words += mention.text.split()
    vector = None
    if embed is not None and _has_vectors(con):
        vector = embed(question.text)
    triage = rank_communities(
        matched, words, config=config.triage, question_vector=vector, level=level
    )
    if is_answered_by_none(question):
        triage = replace(triage, candidates=(), unreported=0)
    read = triage.candidates[: config.max_communities]
    return Selection(question, matched, triage, read)


def answer_from_facts(
    con: duckdb.DuckDBPyConnection, selection: Selection, *, config: QueryConfig
) -> Answer:
    """Return the extractive answer to ``selection``: exact counts and citations, no model."""
    points = extract_points(con, selection, config=config)
    matching, most = selection.matching, config.max_associations
    if selection.tested is None:
        families = _families_of(selection)
        evidence = related_associations(matching, points, families, limit=most)
    else:
        _, tests = selection.tested
        evidence = tests[:most]
    coverage = coverage_of(selection)
    answer = Answer(selection.question.text, MODE_GLOBAL, "", points, evidence, coverage)
    return replace(answer, answer=compose_answer(selection, answer, config=config))


def compose_answer(
    selection: Selection, answer: Answer, *, config: QueryConfig, listed: Collection[str] = ()
) -> str:
    """Return the text of ``answer``: what is counted over all matching runs, and its best
    points, with those of the communities ``listed`` whatever their place.
    """
    if selection.described is not None:
        return selection.described.text
    opening = _with_further(_opening(selection, config=config), selection.further)
    speaking = {point.community for point in answer.points}
    silent = len(selection.read) - len(speaking)
    if not answer.points and _is_of_tests_alone(selection):
        silent = 0
    most = config.max_points
    shown = [*answer.points[:most]]
    shown += [point for point in answer.points[most:] if point.community in listed]
    return compose(opening, shown, silent=silent, rest=len(answer.points) - len(shown))


def _with_further(opening: str, further: str) -> str:
    """Return ``opening`` with the answer to a second question behind its first paragraph."""
    first, *others = opening.split("\n\n")
    new = [one for one in split_sentences(further) if one not in first]
    return "\n\n".join([" ".join([first, *new]).strip(), *others])


def _opening(selection: Selection, *, config: QueryConfig) -> str:
    """Return what the runs say, and what tests say: first where these are asked for."""
    question, matching = selection.question, selection.matching
    counts = lead(question, matching, config=config)
    if selection.tested is None:
        return counts
    tested, tests = selection.tested
    facets = question.reading.facets
    if question.reading.kind != "associate" and not matching.values.states_none(facets):
        return f"{counts}\n\nAs tests have it: {tested}" if tests else counts
    if finds_nothing(question, matching):
        return f"{tested} {counts}"
    if matching.is_whole_index:
        return " ".join(part for part in (tested, understanding(question)) if part)
    return f"{tested}\n\n{counts}"


def tests_asked(question: Question) -> AssociationsAsked | None:
    """Return which tests ``question`` asks for, None where it asks for none.

    Where its kind was changed to ask for them, they are those of what it names.
    """
    reading = question.reading
    if reading.associations is not None or reading.kind != "associate":
        return reading.associations
    viral = [one for one in question.mentions if "family" in one.facets]
    values = [one for one in question.mentions if one.group in VALUES]
    families = [one.label for one in viral]
    return AssociationsAsked(families=tuple(families), values=tuple(values))


def _is_of_tests_alone(selection: Selection) -> bool:
    """Return whether only tests answer the question: it names nothing that runs carry."""
    question, matching = selection.question, selection.matching
    nothing = finds_nothing(question, matching)
    alone = question.reading.kind == "associate" and matching.is_whole_index
    return nothing or alone or is_answered_by_none(question)


def extract_points(
    con: duckdb.DuckDBPyConnection, selection: Selection, *, config: QueryConfig
) -> tuple[Point, ...]:
    """Return the points of the communities read, best first.

    Communities that know nothing that was asked give no point, unless none of them knows more: then
    they say at least where the runs are. Of what no run carries there is none.
    """
    if selection.described is not None:
        return cite_points(con, selection.described.drafts)
    if _is_of_tests_alone(selection):
        return ()
    statements = statements_for(selection, config=config)
    drafts = draft_points(selection.read, statements)
    telling = [draft for draft in drafts if draft.answers]
    return cite_points(con, telling or drafts)


def statements_for(
    selection: Selection, *, config: QueryConfig
) -> dict[str, tuple[Statement, ...]]:
    """Return what may be said of each community read, for the facets that the question asks for."""
    question, matching = selection.question, selection.matching
    facets = answer_facets(question)
    most = max(2, config.max_values // 2)
    matching.values.read(facets_of_answer(question, matching))
    return gather_statements(matching, selection.read, facets, max_values=most)


def cite_points(con: duckdb.DuckDBPyConnection, drafts: Sequence[PointDraft]) -> tuple[Point, ...]:
    """Return ``drafts`` with their citations resolved and written out, best first; unverified ones
    are left out.
    """
    resolved = _resolved(con, drafts)
    points = [_cited_point(draft, resolved) for draft in drafts]
    points.sort(key=lambda point: (-point.score, point.community))
    return tuple(points)


def _resolved(
    con: duckdb.DuckDBPyConnection, drafts: Sequence[PointDraft]
) -> dict[tuple[str, str, str], int]:
    """Return the runs of each (community, key, value) that ``drafts`` cite, where there are any."""
    import polars as pl

    wanted = {
        (draft.community, key, value)
        for draft in drafts
        for key, value in draft.cited
        if is_citable(key, value)
    }
    schema = {"community": pl.String, "key": pl.String, "value": pl.String}
    citations = pl.DataFrame(sorted(wanted), schema=schema, orient="row")
    columns = ("community", "key", "value", "runs", "verified")
    rows = resolve_citations(con, citations).select(columns).iter_rows()
    return {(community, key, value): runs for community, key, value, runs, good in rows if good}


def _cited_point(draft: PointDraft, resolved: Mapping[tuple[str, str, str], int]) -> Point:
    """Return ``draft`` with the citations that resolve, written out behind it."""
    citations = []
    for key, value in draft.cited:
        runs = resolved.get((draft.community, key, value), 0)
        if runs:
            citations.append(Citation(key, value, runs, True))
    description = draft.description
    if citations:
        cited = [CitedValue(one.key, one.value) for one in citations]
        reference = format_reference(cited)
        description = f"{description} {reference}"
    return Point(draft.community, draft.score, description.strip(), tuple(citations))


def compose(opening: str, points: Sequence[Point], *, silent: int, rest: int) -> str:
    """Return the opening followed by the points as a list, and what the list leaves out: ``rest``
    communities with points, and ``silent`` ones.
    """
    shown = bullet_list(f"{point.community}: {point.description}" for point in points)
    left = (
        [
            f"{counted(rest, 'more community', 'more communities')} with such runs: --full and "
            f"the JSON have them."
        ]
        if rest
        else []
    )
    if silent:
        left.append(
            f"In {counted(silent, 'other community', 'other communities')} read, none of this is "
            f"known."
        )
    where = f"Where they are\n{shown}" if shown else ""
    return "\n\n".join(part for part in (opening, where, " ".join(left)) if part)


def coverage_of(selection: Selection) -> Coverage:
    """Return the ledger of ``selection``, before a model is asked."""
    matching, question, triage = selection.matching, selection.question, selection.triage
    read = [one.community for one in selection.read]
    return Coverage(
        runs_index=matching.index_runs,
        runs_matching=0 if is_answered_by_none(question) else matching.runs,
        runs_covered=matching.covered_by(read),
        communities=triage.communities,
        relevant=len(triage.candidates),
        read=len(read),
        skipped=selection.skipped,
        unreported=triage.unreported,
        terms=tuple(mention.name for mention in question.mentions),
        absent=tuple(mention.name for mention in question.absent),
        not_joined=matching.dropped,
    )


def _families_of(selection: Selection) -> list[str]:
    """Return the virus families the question names, else those of the matching runs."""
    named = []
    held = []
    question = selection.question
    for mention in (*question.mentions, *question.absent):
        for sense in mention.senses:
            if sense.facet != "family" and mention not in question.absent:
                continue
            named.append(sense.label)
            if sense.value:
                held.append(sense.value)
    distinct = dict.fromkeys([*named, *held])
    return list(distinct) or selection.matching.families()


def _has_vectors(con: duckdb.DuckDBPyConnection) -> bool:
    query = "SELECT 1 FROM embedding WHERE kind = 'report' LIMIT 1"
    found = con.execute(query)
    return bool(found.fetchall())


def _check_countable(question: Question) -> None:
    """Raise ``NoEvidenceError`` where only a table of SQL answers ``question``."""
    reading = question.reading
    limit = reading.of_tables
    if limit is None or limit.topic in ANSWERED_HERE:
        return
    if reading.kind == "associate" and limit is not OF_ALL_SOURCES:
        return
    ask = nearest_question(question)
    raise NoEvidenceError(question.text, limit.why, nearest=(), ask=ask)


def _check_level(con: duckdb.DuckDBPyConnection, level: int | None) -> None:
    if level is None:
        return
    levels = [
        row[0]
        for row in con.execute("SELECT DISTINCT level FROM community ORDER BY level").fetchall()
    ]
    if level not in levels:
        raise UnknownLevelError(level, levels=levels)

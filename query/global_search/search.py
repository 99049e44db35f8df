"""Answer a question from the whole index: ground, triage, map, verify, rank, reduce, attach
evidence, keep the ledger.

Without a model every step still runs: points and text are composed from facts
(``query.global_search.from_facts``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import duckdb

from index.reports.citations import Citation as Cited
from index.reports.citations import format_reference, is_citable
from index.reports.phrases import counted
from query.answer import MODE_GLOBAL, Answer, Coverage, Point, bullet_list
from query.config import QueryConfig
from query.errors import EmptyQuestionError, NoEvidenceError, UnknownLevelError
from query.global_search.evidence import related_associations, resolve_citations
from query.global_search.from_facts import Draft, answer_facets, draft_points, lead
from query.global_search.matching import Matching, match_runs
from query.global_search.statements import Statement, gather_statements
from query.global_search.triage import Candidate, Triage, rank_communities
from query.reading.nearest import nearest_terms
from query.reading.question import Question, read_question

_FAMILIES: Final = "SELECT value FROM matched_value WHERE facet = 'family' GROUP BY value ORDER BY count(*) DESC, value"


Embed = Callable[[str], Sequence[float]]


@dataclass(frozen=True, slots=True)
class Reading:
    """A question with the runs it is about and the communities to read for it."""

    question: Question
    matching: Matching
    triage: Triage
    read: tuple[Candidate, ...]

    @property
    def skipped(self) -> int:
        """Relevant communities left out because of the limit."""
        return len(self.triage.candidates) - len(self.read)


def read_for(
    con: duckdb.DuckDBPyConnection,
    text: str,
    *,
    config: QueryConfig,
    level: int | None = None,
    embed: Embed | None = None,
) -> Reading:
    """Return which runs ``text`` is about and which communities to read for it.

    ``embed`` makes the vector of the question, for an index that holds vectors of its reports.

    Raises:
        EmptyQuestionError: no word in it.
        UnknownLevelError: the hierarchy has no ``level``.
        NoEvidenceError: no run carries what it names, or it names nothing that the index knows.
    """
    if not any(character.isalnum() for character in text):
        raise EmptyQuestionError
    _check_level(con, level)
    question = read_question(con, text.strip())
    _check_evidence(con, question)
    matching = match_runs(con, question)
    if not matching.runs:
        raise NoEvidenceError(question.text, "the index holds no run", nearest=())
    words = [
        *question.keywords,
        *(word for mention in question.mentions for word in mention.text.split()),
    ]
    vector = embed(question.text) if embed is not None and _has_vectors(con) else None
    triage = rank_communities(con, words, config=config.triage, question_vector=vector, level=level)
    return Reading(question, matching, triage, triage.candidates[: config.max_communities])


def answer_from_facts(
    con: duckdb.DuckDBPyConnection, reading: Reading, *, config: QueryConfig
) -> Answer:
    """Return the extractive answer to ``reading``: exact counts and citations, no model."""
    points, silent = extract_points(con, reading, config=config)
    opening = lead(con, reading.question, reading.matching, config=config)
    text = compose(opening, points, silent=silent, limit=config.max_points)
    evidence = related_associations(
        con, points, families_asked(con, reading.question), limit=config.max_associations
    )
    return Answer(
        reading.question.text, MODE_GLOBAL, text, points, evidence, coverage_of(con, reading)
    )


def extract_points(
    con: duckdb.DuckDBPyConnection, reading: Reading, *, config: QueryConfig
) -> tuple[tuple[Point, ...], int]:
    """Return the points of the communities read, best first, and how many communities know nothing
    that was asked.

    Those give no point, unless none of the communities knows more: then they say at least where the
    runs are.
    """
    drafts = draft_points(reading.read, statements_for(con, reading, config=config))
    telling = [draft for draft in drafts if draft.answers]
    return cite_points(con, telling or drafts), len(drafts) - len(telling) if telling else 0


def statements_for(
    con: duckdb.DuckDBPyConnection, reading: Reading, *, config: QueryConfig
) -> dict[str, tuple[Statement, ...]]:
    """Return what may be said of each community read, for the facets that the question asks for."""
    facets = answer_facets(reading.question)
    return gather_statements(con, reading.read, facets, max_values=max(2, config.max_values // 2))


def cite_points(con: duckdb.DuckDBPyConnection, drafts: Sequence[Draft]) -> tuple[Point, ...]:
    """Return ``drafts`` with their citations resolved and written out, best first; unverified ones
    are left out.
    """
    wanted = [
        (draft.community, key, value)
        for draft in drafts
        for key, value in draft.cited
        if is_citable(key, value)
    ]
    resolved = resolve_citations(con, wanted)
    points = []
    for draft in drafts:
        found = [resolved.get((draft.community, key, value)) for key, value in draft.cited]
        citations = tuple(
            citation for citation in found if citation is not None and citation.verified
        )
        reference = (
            format_reference([Cited(one.key, one.value) for one in citations]) if citations else ""
        )
        points.append(
            Point(
                draft.community, draft.score, f"{draft.description} {reference}".strip(), citations
            )
        )
    return tuple(sorted(points, key=lambda point: (-point.score, point.community)))


def compose(opening: str, points: Sequence[Point], *, silent: int, limit: int) -> str:
    """Return the opening followed by the best points as a list, and what the list leaves out."""
    shown = bullet_list(f"{point.community}: {point.description}" for point in points[:limit])
    rest = max(0, len(points) - limit)
    left = (
        [f"{counted(rest, 'more community', 'more communities')} with such runs: see the JSON."]
        if rest
        else []
    )
    if silent:
        left.append(
            f"In {counted(silent, 'other community', 'other communities')} read, none of this is known."
        )
    where = f"Where they are\n{shown}" if shown else ""
    return "\n\n".join(part for part in (opening, where, " ".join(left)) if part)


def coverage_of(
    con: duckdb.DuckDBPyConnection,
    reading: Reading,
    *,
    failed: int = 0,
    gated: int = 0,
    points_dropped: int = 0,
    sentences_dropped: int = 0,
    notes: tuple[str, ...] = (),
) -> Coverage:
    """Return the ledger of ``reading``."""
    read = [one.community for one in reading.read]
    ((covered,),) = con.execute(_COVERED, {"communities": read}).fetchall()
    matching, question, triage = reading.matching, reading.question, reading.triage
    return Coverage(
        runs_index=matching.index_runs,
        runs_matching=matching.runs,
        runs_covered=covered,
        communities=triage.communities,
        relevant=len(triage.candidates),
        read=len(read),
        skipped=reading.skipped,
        unreported=triage.unreported,
        failed=failed,
        gated=gated,
        points_dropped=points_dropped,
        sentences_dropped=sentences_dropped,
        terms=tuple(mention.name for mention in question.mentions),
        absent=tuple(mention.name for mention in question.absent),
        not_joined=matching.dropped,
        notes=notes,
    )


def families_asked(con: duckdb.DuckDBPyConnection, question: Question) -> list[str]:
    """Return the virus families the question names, else those of the matching runs."""
    senses = [sense for mention in question.mentions for sense in mention.senses]
    named = [sense.label for sense in senses if sense.facet == "family"]
    named += [sense.value for sense in senses if sense.facet == "family" and sense.value]
    return list(dict.fromkeys(named)) or [str(row[0]) for row in con.execute(_FAMILIES).fetchall()]


def _has_vectors(con: duckdb.DuckDBPyConnection) -> bool:
    return bool(con.execute("SELECT 1 FROM embedding WHERE kind = 'report' LIMIT 1").fetchall())


def _check_level(con: duckdb.DuckDBPyConnection, level: int | None) -> None:
    if level is None:
        return
    levels = [
        row[0]
        for row in con.execute("SELECT DISTINCT level FROM community ORDER BY level").fetchall()
    ]
    if level not in levels:
        raise UnknownLevelError(level, levels=levels)


def _check_evidence(con: duckdb.DuckDBPyConnection, question: Question) -> None:
    """Raise ``NoEvidenceError`` where the virus or organism asked about is absent, or every telling
    word is.
    """
    subjects = [mention for mention in question.absent if mention.group not in question.groups]
    missing = [
        mention
        for mention in subjects
        if mention.group in ("virus", "organism") or not question.mentions
    ]
    if missing:
        names = ", ".join(mention.name for mention in missing)
        raise NoEvidenceError(
            question.text, f"no run carries {names}", nearest=nearest_terms(con, question)
        )
    if not question.mentions and question.keywords:
        words = ", ".join(question.keywords)
        reason = f"the index knows no {words}"
        raise NoEvidenceError(question.text, reason, nearest=nearest_terms(con, question))
    if not question.mentions and not question.intent.explicit:
        raise NoEvidenceError(question.text, "it names nothing to look for", nearest=())


_COVERED: Final = """
SELECT count(DISTINCT entity) FROM community_member m JOIN matched ON matched.run = m.entity
WHERE m.community IN (SELECT unnest($communities::VARCHAR[]))
"""

"""The communities with the runs of a request, ranked and described from facts, by no model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import duckdb

from index.errors import ModelUnavailableError
from query.answer import Association, Coverage, Point, StatementGroup, Usage
from query.config import QueryConfig
from query.global_search.associations import related_associations
from query.global_search.citing import PointDraft, cite_points
from query.global_search.describing import describe
from query.global_search.facts import CommunityFacts, gather_facts
from query.global_search.matched import MatchedRuns, match_request, names_in
from query.global_search.triage import Candidate, Triage, rank_communities
from query.levels import checked_levels
from query.request import Compare, Count, Request, Rows, Values
from query.request.fields import field_named
from query.words import rare_words, words_of

_NOT_LISTED: Final = frozenset({"run", "detection", "community", "study", "project", "biosample"})
"""Fields whose values a community is not described by."""
_ADDS: Final = 0.01
_FEW: Final = 3


@dataclass(frozen=True, slots=True)
class CommunityEvidence:
    """What communities say about a request: points best first, associations, and the ledger.

    ``facts`` belong to the points, in the same order; ``by_text`` if reports were ranked by their
    text because every run matches; ``groups`` are statements that the model in ``usage`` chose,
    ``interpretation`` is its own sentences, in which nothing was counted.
    """

    request: Request
    points: tuple[Point, ...]
    associations: tuple[Association, ...]
    coverage: Coverage
    facts: tuple[CommunityFacts, ...] = ()
    by_text: bool = False
    groups: tuple[StatementGroup, ...] = ()
    interpretation: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)


def communities_of(
    con: duckdb.DuckDBPyConnection,
    request: Request,
    *,
    text: str,
    config: QueryConfig,
    level: int | None = None,
) -> CommunityEvidence:
    """Return the communities that hold the runs of ``request``, best first, without a model.

    ``text`` is what the user wrote: where every run of the index matches, reports are ranked by
    what they say of it. It decides nothing that is counted.

    Raises:
        UnknownNameError, AmbiguousNameError: of names in the request.
        UnknownLevelError: the hierarchy has no ``level``.
    """
    level = _level_of(request) if level is None else level
    checked_levels(con, level)
    matched = match_request(con, request)
    triage = _ranked(matched, text, level)
    is_cut = level is None and not matched.is_open
    ranked = communities_that_add(triage.candidates) if is_cut else triage.candidates
    read = ranked[: config.max_communities]
    fields = fields_listed(request)
    facts = _telling_first(gather_facts(matched, read, fields), fields)
    drafts = [_draft(community, matched, fields) for community in facts]
    names = [community.community for community in facts]
    return CommunityEvidence(
        request=request,
        points=cite_points(matched.connection, drafts),
        associations=related_associations(matched, names, limit=config.max_associations),
        coverage=_coverage(matched, triage, names),
        facts=facts,
        by_text=matched.is_open,
    )


def communities_that_add(candidates: Sequence[Candidate]) -> Sequence[Candidate]:
    """Return the communities with enough of the matching runs to add something.

    They share no runs, so each adds the runs that it has. Enough is one per cent of all and at
    least three runs, or fewer if there are few in all.
    """
    runs = sum(candidate.matching for candidate in candidates)
    enough = max(_ADDS * runs, min(_FEW, runs / 20))
    return [candidate for candidate in candidates if candidate.matching >= enough] or candidates


def _telling_first(
    facts: Sequence[CommunityFacts], fields: Sequence[str]
) -> tuple[CommunityFacts, ...]:
    """Return ``facts`` with communities last whose runs state nothing of ``fields``.

    For viruses, only what may be stated of a hit counts: a phylum alone says little.
    """
    if not fields:
        return tuple(facts)
    first = "stated" if fields[0] == "virus" else fields[0]
    return tuple(sorted(facts, key=lambda community: first not in community.values))


def fields_listed(request: Request) -> tuple[str, ...]:
    """Return the fields whose values ``request`` lists or counts.

    >>> fields_listed(Request(Values(by=("host", "tissue"))))
    ('host', 'tissue')
    """
    measure = request.measure
    if isinstance(measure, Compare):
        measure = measure.measure
    names: tuple[str, ...] = ()
    match measure:
        case Values():
            names = measure.by
        case Rows():
            names = measure.columns
        case Count(unit, _):
            names = (unit,)
    return tuple(
        name for name in names if name not in _NOT_LISTED and not field_named(name).is_number
    )


def _level_of(request: Request) -> int | None:
    """Return the level of the communities that ``request`` lists."""
    measure = request.measure
    if isinstance(measure, Values) and "community" in measure.by:
        return measure.level if isinstance(measure.level, int) else 0
    return None


def _ranked(matched: MatchedRuns, text: str, level: int | None) -> Triage:
    """Return the communities to read: by the runs they contain, or by what their reports say."""
    if not matched.runs:
        return Triage((), 0, 0)
    if not matched.is_open:
        named = names_in(matched.about.whole).values()
        parts = [word for names in named for name in names for word in words_of(name)]
        return rank_communities(matched, parts, level=level)
    words = rare_words(words_of(text))
    vector = _vector(matched.connection, text) if words else None
    return rank_communities(matched, words, vector=vector, level=level)


def _vector(con: duckdb.DuckDBPyConnection, text: str) -> Sequence[float] | None:
    """Return the vector of ``text``; None if the index or this machine has no vectors."""
    if not con.execute("SELECT 1 FROM embedding WHERE kind = 'report' LIMIT 1").fetchall():
        return None
    from index.models.embeddings import embed

    try:
        return [float(value) for value in embed([text])[0]]
    except ModelUnavailableError:
        return None


def _draft(facts: CommunityFacts, matched: MatchedRuns, fields: Sequence[str]) -> PointDraft:
    cited = [(value.field, value.value) for name in fields for value in facts.values.get(name, ())]
    studies = [(study.key, study.accession) for study in facts.studies[:1]]
    return PointDraft(
        community=facts.community,
        score=facts.candidate.score,
        description=describe(facts, matched, fields),
        cited=(*cited[:3], *studies),
    )


def _coverage(matched: MatchedRuns, triage: Triage, read: Sequence[str]) -> Coverage:
    """Return the ledger, before a model is asked."""
    return Coverage(
        runs_index=matched.index_runs,
        runs_matching=matched.runs,
        runs_covered=matched.covered_by(read),
        communities=triage.communities,
        relevant=len(triage.candidates),
        read=len(read),
        skipped=len(triage.candidates) - len(read),
        unreported=triage.unreported,
    )

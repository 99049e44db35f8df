"""A question asked, its answer judged, and everything measured about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import duckdb

from query.config import QueryConfig
from query.evaluation.citing import CitationCheck, check_citations
from query.evaluation.gold import Gold, gold_of
from query.evaluation.judging import Verdict, judge
from query.evaluation.observing import Observation, observe
from query.evaluation.questions import GoldQuestion
from query.evaluation.triage_units import RankedUnits, rank_units
from query.evaluation.understanding import lost_conditions

_RECALLED = 10
"""Values of the gold that an answer is searched for."""
Report = Callable[[int, int], None]
"""Called with how many questions are done, and of how many."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A question with its gold, what the product said, and what that is worth.

    ``entities``  names that the gold holds, ``found`` of them in the answer
    ``units``     what triage reached, where some run matches
    ``lost``      names that the reading dropped without a word
    """

    question: GoldQuestion
    gold: Gold
    seen: Observation
    verdict: Verdict
    kind_right: bool
    entities: tuple[str, ...]
    found: int
    citations: CitationCheck
    units: RankedUnits | None
    lost: tuple[str, ...]


def score_questions(
    con: duckdb.DuckDBPyConnection,
    questions: Sequence[GoldQuestion],
    *,
    config: QueryConfig,
    report: Report,
) -> tuple[Scored, ...]:
    """Return every question of ``questions`` asked and judged; ``report`` hears of each."""
    scored = []
    for done, question in enumerate(questions, 1):
        scored.append(score(con, question, config=config))
        report(done, len(questions))
    return tuple(scored)


def score(con: duckdb.DuckDBPyConnection, question: GoldQuestion, *, config: QueryConfig) -> Scored:
    """Return ``question`` asked and judged."""
    gold = gold_of(con, question)
    seen = observe(con, question.text, config=config)
    entities = entities_of(gold)
    chosen = [community for community, _ in seen.communities]
    units = None
    if gold.matching and chosen:
        units = rank_units(con, gold.matching, chosen)
    lost: tuple[str, ...] = ()
    if not seen.refused:
        lost = lost_conditions(con, question.asked, seen.reading)
    return Scored(
        question=question,
        gold=gold,
        seen=seen,
        verdict=judge(question, gold, seen),
        kind_right=is_kind_right(question, seen),
        entities=entities,
        found=count_named(entities, seen.text),
        citations=check_citations(con, seen.points),
        units=units,
        lost=lost,
    )


def is_kind_right(question: GoldQuestion, seen: Observation) -> bool:
    """Return whether the kind of answer is one that would do; what is to be refused has none."""
    if question.kinds == ("beyond",):
        return bool(seen.refused)
    return seen.reading.kind in question.kinds


def entities_of(gold: Gold) -> tuple[str, ...]:
    """Return the names that a full answer holds: the first values of each facet, or of a
    comparison or association.
    """
    named: list[str] = []
    for values in gold.values.values():
        named += [value for value, _ in values[:_RECALLED]]
    if gold.contrast and gold.contrast.name:
        named.append(gold.contrast.name)
    named += gold.names[:_RECALLED]
    distinct = dict.fromkeys(named)
    return tuple(distinct)


def count_named(names: Sequence[str], text: str) -> int:
    """Return how many of ``names`` are in ``text``, in either case."""
    lowered = text.lower()
    held = [name for name in names if name.lower() in lowered]
    return len(held)

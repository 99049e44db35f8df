"""A question answered from what surrounds its names: the direct answer, then triples by relevance.

Entities by dictionary, else by meaning; triples of one and two hops with counts, p and q; pruned by
cosine; what joins two entities; associations; all with provenance (KG-RAG).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import duckdb

from index.reports.phrases import counted, listed
from query.answer import Answer, Association, Point, Usage
from query.answer_text import bullet_list
from query.errors import NoEvidenceError
from query.global_search.headlines.headline import headline
from query.global_search.headlines.understanding import understanding
from query.global_search.matching import match_runs
from query.local_search.beside import Known, known_of
from query.local_search.chains import chain_of, chain_sentence
from query.local_search.gathering import gather_triples
from query.local_search.paths import Joint, join_pairs
from query.local_search.pruning import CONTEXT_VOLUME, PERCENTILE, ScoredTriple, prune
from query.local_search.seed import Seed
from query.local_search.seeds import as_asked_of_graph, named_seeds, nearest_seeds
from query.local_search.surroundings import associations_of, points_of
from query.local_search.vectors import Embed, Vectors, cosines
from query.reading.question import Question, clean_question
from query.reading.refusal import check_answerable

if TYPE_CHECKING:
    from query.mode import Asking

MODE_LOCAL: Final = "local"
_SHOWN: Final = 8
"""Statements that an answer shows; all kept ones are its points."""


@dataclass(frozen=True, slots=True)
class Context:
    """What was found around the entities of a question, before it is put into words."""

    question: Question
    seeds: tuple[Seed, ...]
    candidates: int
    kept: tuple[ScoredTriple, ...]
    joints: tuple[Joint, ...]
    known: tuple[Known, ...]
    evidence: tuple[Association, ...]
    along: str = ""
    """What the values on the way to those asked for have, where two hops are asked for."""


_OF_ALL_SOURCES: Final = "statements of the graph are made of what all sources found together"
_OF_RUNS: Final = "statements of the graph count runs, and have no figures of single hits"


def answer_locally(
    asking: Asking,
    *,
    embed: Embed | None = None,
    volume: int = CONTEXT_VOLUME,
    percentile: float = PERCENTILE,
) -> Answer:
    """Return the answer from the surroundings of the entities in the question of ``asking``.

    Raises:
        BeyondCountsError: it asks for what counts cannot tell.
        NoEvidenceError: no run carries what it names.
    """
    started = time.perf_counter()
    own = asking.con.cursor()
    question = as_asked_of_graph(asking.read(clean_question(asking.question)))
    context = gather_context(
        own, question, embed=embed or _embed, volume=volume, percentile=percentile
    )
    points = points_of(own, context.kept)
    seconds = time.perf_counter() - started
    shown = max(_SHOWN, _limit(asking))
    return Answer(
        question=question.text,
        mode=MODE_LOCAL,
        answer=_text(asking.con, context, points, shown=shown),
        points=points,
        evidence=context.evidence,
        usage=Usage(seconds=round(seconds, 3)),
        steps=_steps(context),
    )


def gather_context(
    con: duckdb.DuckDBPyConnection,
    question: Question,
    *,
    embed: Embed,
    volume: int = CONTEXT_VOLUME,
    percentile: float = PERCENTILE,
) -> Context:
    """Return what surrounds the entities of ``question``; raises as ``answer_locally``.

    ``con`` is a connection of its own: temporary tables are made on it.
    """
    seeds = _seeds(con, question, embed)
    chain = chain_of(question)
    reading = question.reading
    asked = reading.facets if reading.explicit else ()
    triples = gather_triples(con, seeds, asked=asked, chain=chain)
    texts = [one.text for one in triples]
    scores = cosines(embed, question.text, texts)
    scored = [ScoredTriple(*pair) for pair in zip(triples, scores, strict=True)]
    first = asked or _usual(question)
    kept = prune(scored, volume=volume, percentile=percentile, asked=first, chain=chain)
    return Context(
        question=question,
        seeds=tuple(seeds),
        candidates=len(triples),
        kept=tuple(kept),
        joints=tuple(join_pairs(con, seeds)),
        known=tuple(known_of(con, seeds)),
        evidence=associations_of(con, seeds),
        along=chain_sentence(chain, triples) if chain else "",
    )


def _usual(question: Question) -> tuple[str, ...]:
    """Return the facets that come first where one name is asked about and no facet: the usual ones,
    viruses of a host, hosts and places of a virus.
    """
    if len(question.mentions) == 1:
        return question.reading.facets
    return ()


def _seeds(con: duckdb.DuckDBPyConnection, question: Question, embed: Embed) -> list[Seed]:
    """Return the entities named, else the nearest; raises as ``answer_locally``."""
    if question.reading.source:
        raise NoEvidenceError(question.text, _OF_ALL_SOURCES, nearest=())
    if question.reading.figure:
        raise NoEvidenceError(question.text, _OF_RUNS, nearest=())
    named = named_seeds(question)
    if named or question.absent or question.reading.beyond or question.reading.accessions:
        check_answerable(con, question, none_answers=True)
        if named:
            return named
    nearest = nearest_seeds(con, question.text, embed)
    if not nearest:
        raise NoEvidenceError(question.text, "the index holds no run", nearest=())
    return nearest


def _embed(texts: Sequence[str]) -> Vectors:
    from index.models.embeddings import embed

    return embed(texts)


# --- text -----------------------------------------------------------------------------------------


def _text(
    con: duckdb.DuckDBPyConnection,
    context: Context,
    points: Sequence[Point],
    *,
    shown: int,
) -> str:
    opening = _opening(con, context)
    joints = [" ".join(joint.sentences) for joint in context.joints]
    around = _around(context, points[:shown])
    parts = [context.along, opening, *joints, around]
    hidden = len(points) - shown
    if hidden > 0:
        more = counted(hidden, "more statement")
        parts.append(f"{more}: --full and the JSON.")
    unusual = bullet_list(one.sentence for one in context.known)
    if unusual:
        parts.append(f"Not expected from recorded hosts\n{unusual}")
    return "\n\n".join(part for part in parts if part)


def _around(context: Context, points: Sequence[Point]) -> str:
    """Return the statements of ``points`` as a list."""
    about = _names_listed(context)
    if not points:
        return f"Of the runs of {about} nothing else is stated."
    statements = bullet_list(point.description for point in points)
    return f"Around {about}\n{statements}"


def _names_listed(context: Context) -> str:
    names = [seed.name for seed in context.seeds]
    return listed(names)


def _opening(con: duckdb.DuckDBPyConnection, context: Context) -> str:
    """Return the direct answer, counted; where nothing is named, which entities are nearest."""
    question = context.question
    if question.mentions:
        matched = match_runs(con, question)
        counts = headline(question, matched)
        sentences = (counts, understanding(question))
        return " ".join(part for part in sentences if part)
    near = _names_listed(context)
    return f"The question names nothing that the index knows; the nearest entities are {near}."


def _steps(context: Context) -> tuple[str, ...]:
    first = context.seeds[0]
    how = "nearest by meaning" if first.nearest else "named"
    names = ", ".join(seed.name for seed in context.seeds)
    kept = len(context.kept)
    return (
        f"entities ({how}): {names}",
        f"{kept:,} of {context.candidates:,} triples kept by relevance",
    )


def _limit(asking: Asking) -> int:
    """Return how many statements are asked for: all with --full."""
    config = asking.config
    usual = type(config)()
    if config.max_points <= usual.max_points:
        return 0
    return config.max_points

"""A question answered from what surrounds its names: the direct answer, then triples by relevance.

Entities by dictionary, else by meaning; triples of one and two hops with counts, p and q; pruned by
cosine; what joins two entities; associations; all with provenance (KG-RAG).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import duckdb

from index.reports.citations import CitedValue, format_reference, is_citable
from index.reports.phrases import counted, listed
from query.answer import Answer, Association, Citation, Point, bullet_list
from query.errors import NoEvidenceError
from query.global_search.evidence import ASSOCIATION_COLUMNS, WITH_COMBINED, read_association
from query.global_search.headline import headline, understanding
from query.global_search.matching import match_runs
from query.local_search.beside import Known, known_of
from query.local_search.paths import Joint, join_pairs
from query.local_search.pruning import CONTEXT_VOLUME, PERCENTILE, Scored, prune
from query.local_search.seeds import Seed, named_seeds, nearest_seeds
from query.local_search.triples import cited_pairs, gather_triples
from query.local_search.vectors import Embed, Vectors, cosines
from query.local_search.wording import Worded, word_triples
from query.reading.question import Question, clean_question, read_question
from query.reading.refusal import check_answerable

if TYPE_CHECKING:
    from query.mode import Asking

MODE_LOCAL: Final = "local"
_SHOWN: Final = 8
"""Statements that an answer shows; all kept ones are its points."""
_ASSOCIATIONS: Final = 5


@dataclass(frozen=True, slots=True)
class Context:
    """What was found around the entities of a question, before it is put into words."""

    question: Question
    seeds: tuple[Seed, ...]
    candidates: int
    kept: tuple[Scored, ...]
    joints: tuple[Joint, ...]
    known: tuple[Known, ...]
    evidence: tuple[Association, ...]


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
    question = read_question(asking.con, clean_question(asking.question))
    context = gather_context(
        own, question, embed=embed or _embed, volume=volume, percentile=percentile
    )
    triples = [one.triple for one in context.kept]
    worded = word_triples(asking, own, question.text, triples)
    points = _points(own, context.kept)
    usage = replace(worded.usage, seconds=round(time.perf_counter() - started, 3))
    return Answer(
        question=question.text,
        mode=MODE_LOCAL,
        answer=_text(asking.con, context, worded, points, shown=max(_SHOWN, _limit(asking))),
        points=points,
        evidence=context.evidence,
        usage=usage,
        steps=_steps(context, worded),
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
    triples = gather_triples(con, seeds)
    scores = cosines(embed, question.text, [one.text for one in triples])
    scored = [Scored(one, cosine) for one, cosine in zip(triples, scores, strict=True)]
    asked = question.reading.facets if question.reading.explicit else ()
    kept = prune(scored, volume=volume, percentile=percentile, asked=asked)
    return Context(
        question=question,
        seeds=tuple(seeds),
        candidates=len(triples),
        kept=tuple(kept),
        joints=tuple(join_pairs(con, seeds)),
        known=tuple(known_of(con, seeds)),
        evidence=_associations(con, seeds),
    )


def _seeds(con: duckdb.DuckDBPyConnection, question: Question, embed: Embed) -> list[Seed]:
    """Return the entities named, else the nearest; raises as ``answer_locally``."""
    named = named_seeds(question)
    if named or question.absent or question.reading.beyond or question.reading.accessions:
        check_answerable(con, question)
        if named:
            return named
    nearest = nearest_seeds(con, question.text, embed)
    if not nearest:
        raise NoEvidenceError(question.text, "the index holds no run", nearest=())
    return nearest


def _embed(texts: Sequence[str]) -> Vectors:
    from index.models.embeddings import embed

    return embed(texts)


def _associations(con: duckdb.DuckDBPyConnection, seeds: Sequence[Seed]) -> tuple[Association, ...]:
    """Return the strongest associations of the families of the viruses among ``seeds``, in projects
    whose runs carry the virus.
    """
    viral = [one for one in seeds if one.own]
    if not viral:
        return ()
    own = " OR ".join(f"({one.own})" for one in viral)
    runs = "\nUNION ".join(f"({one.runs})" for one in viral)
    rows = con.execute(_TESTS.format(own=own, runs=runs), [_ASSOCIATIONS]).fetchall()
    return tuple(read_association(row) for row in rows)


def _points(con: duckdb.DuckDBPyConnection, kept: Sequence[Scored]) -> tuple[Point, ...]:
    """Return the triples kept as points, each with the citations that resolve to runs."""
    pairs = sorted(cited_pairs(one.triple for one in kept))
    asked = {"facets": [facet for facet, _ in pairs], "values": [value for _, value in pairs]}
    resolved = {
        (facet, value): runs for facet, value, runs in con.execute(_RESOLVED, asked).fetchall()
    }
    return tuple(_point(one, resolved) for one in kept)


def _point(one: Scored, resolved: dict[tuple[str, str], int]) -> Point:
    triple = one.triple
    pairs = [(triple.subject_facet, triple.subject), (triple.facet, triple.value)]
    citations = tuple(
        Citation(facet, value, resolved[facet, value], True)
        for facet, value in pairs
        if (facet, value) in resolved and is_citable(facet, value)
    )
    reference = format_reference([CitedValue(cited.key, cited.value) for cited in citations])
    score = round(100 * max(one.cosine, 0.0), 1)
    return Point("", score, f"{triple.sentence} {reference}", citations)


# --- text -----------------------------------------------------------------------------------------


def _text(
    con: duckdb.DuckDBPyConnection,
    context: Context,
    worded: Worded,
    points: Sequence[Point],
    *,
    shown: int,
) -> str:
    parts = [_opening(con, context), " ".join(worded.sentences)]
    parts += [" ".join(joint.sentences) for joint in context.joints]
    listed_points = bullet_list(point.description for point in points[:shown])
    about = listed([seed.name for seed in context.seeds])
    nothing = f"Of the runs of {about} nothing else is stated."
    parts.append(f"Around {about}\n{listed_points}" if points else nothing)
    if len(points) > shown:
        parts.append(f"{counted(len(points) - shown, 'more statement')}: --full and the JSON.")
    unusual = bullet_list(one.sentence for one in context.known)
    parts.append(f"Not expected from recorded hosts\n{unusual}" if unusual else "")
    return "\n\n".join(part for part in parts if part)


def _opening(con: duckdb.DuckDBPyConnection, context: Context) -> str:
    """Return the direct answer, counted; where nothing is named, which entities are nearest."""
    question = context.question
    if question.mentions:
        told = (headline(question, match_runs(con, question)), understanding(question))
        return " ".join(part for part in told if part)
    near = listed([seed.name for seed in context.seeds])
    return f"The question names nothing that the index knows; the nearest entities are {near}."


def _steps(context: Context, worded: Worded) -> tuple[str, ...]:
    how = "nearest by meaning" if context.seeds[0].nearest else "named"
    names = ", ".join(seed.name for seed in context.seeds)
    kept = f"{len(context.kept):,} of {context.candidates:,} triples kept by relevance"
    dropped = (
        [f"{counted(worded.dropped, 'sentence')} of the model dropped"] if worded.dropped else []
    )
    return (f"entities ({how}): {names}", kept, *dropped, *worded.notes)


def _limit(asking: Asking) -> int:
    """Return how many statements are asked for: all with --full."""
    usual = type(asking.config)().max_points
    return 0 if asking.config.max_points <= usual else asking.config.max_points


_TESTS: Final = f"""
SELECT {ASSOCIATION_COLUMNS} FROM ({WITH_COMBINED})
WHERE family IN (SELECT family FROM detection WHERE {{own}}) AND q_value <= 0.05
  AND bioproject IN (SELECT bioproject FROM run SEMI JOIN ({{runs}}) USING (run))
QUALIFY row_number() OVER (PARTITION BY bioproject, family, coalesce(split, value)
                           ORDER BY fold_change DESC, attribute, value) = 1
ORDER BY flag IS NOT NULL, q_value, abs(fold_change) DESC, bioproject, attribute, value
LIMIT $1
"""
_RESOLVED: Final = """
SELECT facet, value, index_runs FROM background
JOIN (SELECT unnest($facets::VARCHAR[]) AS facet, unnest($values::VARCHAR[]) AS value)
USING (facet, value)
"""

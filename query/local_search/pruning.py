"""Which triples a question needs: by cosine, within a context shared by its entities (KG-RAG)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from index.reports.phrases import SIGNIFICANT_Q
from query.local_search.triples import Triple

CONTEXT_VOLUME: Final = 150
"""Triples of a context, shared by the entities of the question."""
PERCENTILE: Final = 75.0
LEAST_COSINE: Final = 0.5


@dataclass(frozen=True, slots=True)
class ScoredTriple:
    """A triple and its cosine with the question."""

    triple: Triple
    cosine: float


def prune(
    scored: Sequence[ScoredTriple],
    *,
    volume: int = CONTEXT_VOLUME,
    percentile: float = PERCENTILE,
    least_cosine: float = LEAST_COSINE,
    asked: Collection[str] = (),
) -> list[ScoredTriple]:
    """Return the triples to state, best first.

    Of each entity those above its percentile of cosines and above ``least_cosine`` are kept, at
    most
    its part of ``volume``. Where none is (all cosines tie, or all are low), its best is kept.
    Values
    around an entity whose facet the question asks for are kept and come first: the reading knows
    that better than a vector. What chance alone may explain comes last.
    """
    by_seed = _by_seed(scored)
    if not by_seed:
        return []
    part = max(1, volume // len(by_seed))
    kept: list[ScoredTriple] = []
    for own in by_seed.values():
        wanted, rest = _split_asked(own, asked)
        relevant = _relevant(own, percentile, least_cosine)
        others = [one for one in rest if one in relevant]
        chosen = [*wanted, *others]
        kept += chosen[:part]
    first, others = _split_asked(_distinct(kept), asked)
    return [*first, *_by_chance_last(others)]


def _by_chance_last(scored: Sequence[ScoredTriple]) -> list[ScoredTriple]:
    """Return ``scored`` with those last that chance alone may explain."""
    telling: list[ScoredTriple] = []
    by_chance: list[ScoredTriple] = []
    for one in scored:
        q = one.triple.q
        group = telling if q <= SIGNIFICANT_Q else by_chance
        group.append(one)
    return [*telling, *by_chance]


def _by_seed(scored: Sequence[ScoredTriple]) -> dict[str, list[ScoredTriple]]:
    """Return the triples around each entity."""
    by_seed: dict[str, list[ScoredTriple]] = {}
    for one in scored:
        seed = one.triple.seed
        own = by_seed.setdefault(seed, [])
        own.append(one)
    return by_seed


def _split_asked(
    scored: Sequence[ScoredTriple], asked: Collection[str]
) -> tuple[list[ScoredTriple], list[ScoredTriple]]:
    """Return triples of the facets ``asked`` for by their runs, and the others by relevance."""
    wanted: list[ScoredTriple] = []
    others: list[ScoredTriple] = []
    for one in sorted(scored, key=_rank):
        group = wanted if _is_asked(one, asked) else others
        group.append(one)
    return sorted(wanted, key=_by_runs), others


def _relevant(
    own: Sequence[ScoredTriple], percentile: float, least_cosine: float
) -> list[ScoredTriple]:
    """Return the triples of an entity above its percentile, else those that tie as its best."""
    cosines = [one.cosine for one in own]
    at_percentile = float(np.percentile(cosines, percentile))
    bar = max(at_percentile, least_cosine)
    above = [one for one in own if one.cosine > bar]
    if above:
        return above
    best = max(cosines)
    return [one for one in own if one.cosine == best]


def _is_asked(one: ScoredTriple, asked: Collection[str]) -> bool:
    triple = one.triple
    return triple.hops == 1 and triple.facet in asked


def _by_runs(one: ScoredTriple) -> tuple[int, str]:
    triple = one.triple
    return -triple.runs, triple.value


def _distinct(scored: Sequence[ScoredTriple]) -> list[ScoredTriple]:
    """Return ``scored`` without triples that two entities share on their second hop."""
    first: dict[tuple[str, str, str], ScoredTriple] = {}
    for one in scored:
        triple = one.triple
        named = (triple.subject, triple.facet, triple.value)
        if named not in first:
            first[named] = one
    return list(first.values())


def _rank(one: ScoredTriple) -> tuple[float, int, float, int, str]:
    triple = one.triple
    return (
        -one.cosine,
        triple.hops,
        triple.q,
        -triple.runs,
        triple.value,
    )

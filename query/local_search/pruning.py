"""Which triples a question needs: by cosine, within a context shared by its entities (KG-RAG)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from index.reports.phrases import SIGNIFICANT_Q
from query.local_search.chains import HopChain
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
    chain: HopChain | None = None,
) -> list[ScoredTriple]:
    """Return the triples to state, best first.

    Of each entity those above its percentile of cosines and above ``least_cosine`` are kept, at
    most
    its part of ``volume``. Where none is (all cosines tie, or all are low), its best is kept.
    Values
    around an entity whose facet the question asks for are kept and come first: the reading knows
    that better than a vector. Where a ``chain`` is asked for, it is the values on it, and others of
    these facets are left out: they answer another question. What chance alone may explain comes
    last.
    """
    wanted = _wanted(asked, chain)
    by_seed = _by_seed(_on_chain(scored, chain))
    if not by_seed:
        return []
    part = max(1, volume // len(by_seed))
    kept: list[ScoredTriple] = []
    for own in by_seed.values():
        first, rest = _split(own, wanted)
        relevant = _relevant(own, percentile, least_cosine)
        others = [one for one in rest if one in relevant]
        chosen = [*first, *others]
        kept += chosen[:part]
    first, others = _split(_distinct(kept), wanted)
    return [*first, *_by_chance_last(others)]


def _wanted(asked: Collection[str], chain: HopChain | None) -> Callable[[Triple], bool]:
    """Return what says whether a triple is of what the question asks for."""
    if chain is not None:
        return chain.holds
    return lambda triple: triple.hops == 1 and triple.facet in asked


def _on_chain(scored: Sequence[ScoredTriple], chain: HopChain | None) -> Sequence[ScoredTriple]:
    """Return ``scored`` without values that are asked for of a bridge, and are of something else;
    all where the chain leads nowhere.
    """
    if chain is None or not any(chain.holds(one.triple) for one in scored):
        return scored
    others = [one for one in scored if one.triple.facet not in chain.asked]
    held = [one for one in scored if chain.holds(one.triple)]
    return [*held, *others]


def _by_chance_last(scored: Sequence[ScoredTriple]) -> list[ScoredTriple]:
    """Return ``scored`` with those last that chance alone may explain, that rest on one run, or
    whose share follows from a name.
    """
    telling: list[ScoredTriple] = []
    by_chance: list[ScoredTriple] = []
    for one in scored:
        triple = one.triple
        several = triple.runs > 1 and not triple.within
        is_telling = several and triple.q <= SIGNIFICANT_Q
        group = telling if is_telling else by_chance
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


def _split(
    scored: Sequence[ScoredTriple], wanted: Callable[[Triple], bool]
) -> tuple[list[ScoredTriple], list[ScoredTriple]]:
    """Return the triples ``wanted`` by their runs, and the others by relevance."""
    first: list[ScoredTriple] = []
    others: list[ScoredTriple] = []
    for one in sorted(scored, key=_rank):
        group = first if wanted(one.triple) else others
        group.append(one)
    return sorted(first, key=_by_runs), others


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

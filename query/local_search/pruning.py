"""Choose the triples that a question needs, by cosine, within a shared context (KG-RAG)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Final

import numpy as np

from index.claims.phrases import SIGNIFICANT_Q
from query.local_search.chains import HopChain
from query.local_search.triples import Triple

CONTEXT_VOLUME: Final = 150
"""Triples of a context, shared by the entities of the question."""
PERCENTILE: Final = 75.0
LEAST_COSINE: Final = 0.5


def prune(
    scored: Sequence[Triple], *, asked: Collection[str] = (), chain: HopChain | None = None
) -> list[Triple]:
    """Return the triples to state, best first.

    For each entity, keep those above its percentile of cosines and above the least cosine, at most
    its part of the volume; its best if there is none (all cosines tie, or all are low). Values in a
    facet that the question names are all included, and come first: the reading knows that better
    than a vector. With a ``chain``, these are the values along it; others of their facets answer
    another question and are left out. What may be chance alone comes last.
    """
    wanted = _wanted(asked, chain)
    by_seed: dict[str, list[Triple]] = {}
    for triple in _on_chain(scored, chain):
        by_seed.setdefault(triple.seed, []).append(triple)
    if not by_seed:
        return []
    part = max(1, CONTEXT_VOLUME // len(by_seed))
    chosen: list[Triple] = []
    for own in by_seed.values():
        first, rest = _split(own, wanted)
        relevant = _relevant(own)
        chosen += [*first, *(triple for triple in rest if triple in relevant)][:part]
    first, others = _split(_distinct(chosen), wanted)
    return [*first, *sorted(others, key=_is_by_chance)]


def _wanted(asked: Collection[str], chain: HopChain | None) -> Callable[[Triple], bool]:
    """Return a predicate: whether a triple has what the question asks for."""
    if chain is not None:
        return chain.holds
    return lambda triple: triple.hops == 1 and triple.facet in asked


def _on_chain(scored: Sequence[Triple], chain: HopChain | None) -> Sequence[Triple]:
    """Return ``scored`` without asked-for values that belong to something other than a bridge; all
    of it if the chain leads nowhere.
    """
    if chain is None or not any(chain.holds(triple) for triple in scored):
        return scored
    others = [triple for triple in scored if triple.facet not in chain.asked]
    on_chain = [triple for triple in scored if chain.holds(triple)]
    return [*on_chain, *others]


def _is_by_chance(triple: Triple) -> bool:
    """Return whether a triple may be chance, rests on one run, or follows from a name."""
    return triple.runs <= 1 or triple.within or triple.q > SIGNIFICANT_Q


def _split(
    scored: Sequence[Triple], wanted: Callable[[Triple], bool]
) -> tuple[list[Triple], list[Triple]]:
    """Return the triples ``wanted`` by their runs, and the others by relevance."""
    ranked = sorted(scored, key=_rank)
    first = [triple for triple in ranked if wanted(triple)]
    others = [triple for triple in ranked if not wanted(triple)]
    return sorted(first, key=lambda triple: (-triple.runs, triple.value)), others


def _relevant(own: Sequence[Triple]) -> list[Triple]:
    """Return the triples of an entity above its percentile, else those that tie as its best."""
    cosines = [triple.cosine for triple in own]
    bar = max(float(np.percentile(cosines, PERCENTILE)), LEAST_COSINE)
    above = [triple for triple in own if triple.cosine > bar]
    return above or [triple for triple in own if triple.cosine == max(cosines)]


def _distinct(scored: Sequence[Triple]) -> list[Triple]:
    """Return ``scored`` without triples that two entities share on their second hop."""
    first: dict[tuple[str, str, str], Triple] = {}
    for triple in scored:
        first.setdefault((triple.subject, triple.facet, triple.value), triple)
    return list(first.values())


def _rank(one: Triple) -> tuple[float, int, float, int, str]:
    return -one.cosine, one.hops, one.q, -one.runs, one.value

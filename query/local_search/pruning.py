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
class Scored:
    """A triple and its cosine with the question."""

    triple: Triple
    cosine: float


def prune(
    scored: Sequence[Scored],
    *,
    volume: int = CONTEXT_VOLUME,
    percentile: float = PERCENTILE,
    least_cosine: float = LEAST_COSINE,
    asked: Collection[str] = (),
) -> list[Scored]:
    """Return the triples to tell, best first.

    Of each entity those above its percentile of cosines and above ``least_cosine`` are kept, at
    most
    its part of ``volume``. Where none is (all cosines tie, or all are low), its best is kept.
    Values
    around an entity whose facet the question asks for are kept and come first: the reading knows
    that better than a vector. What chance alone may explain comes last.
    """
    seeds = list(dict.fromkeys(one.triple.seed for one in scored))
    if not seeds:
        return []
    part = max(1, volume // len(seeds))
    kept: list[Scored] = []
    for seed in seeds:
        own = sorted((one for one in scored if one.triple.seed == seed), key=_rank)
        wanted = [one for one in own if _is_asked(one, asked)]
        bar = float(np.percentile([one.cosine for one in own], percentile))
        above = [one for one in own if one.cosine > bar and one.cosine > least_cosine]
        others = [one for one in above or _best(own) if one not in wanted]
        kept += [*sorted(wanted, key=_by_runs), *others][:part]
    ranked = sorted(_distinct(kept), key=_rank)
    first = [one for one in ranked if _is_asked(one, asked)]
    others = [one for one in ranked if one not in first]
    telling = [one for one in others if one.triple.q <= SIGNIFICANT_Q]
    return [*sorted(first, key=_by_runs), *telling, *(one for one in others if one not in telling)]


def _is_asked(one: Scored, asked: Collection[str]) -> bool:
    return one.triple.hops == 1 and one.triple.facet in asked


def _by_runs(one: Scored) -> tuple[int, str]:
    return -one.triple.runs, one.triple.value


def _best(ranked: Sequence[Scored]) -> list[Scored]:
    """Return the triples that tie with the best cosine."""
    return [one for one in ranked if one.cosine == ranked[0].cosine]


def _distinct(scored: Sequence[Scored]) -> list[Scored]:
    """Return ``scored`` without triples that two entities share on their second hop."""
    first: dict[tuple[str, str, str], Scored] = {}
    for one in scored:
        triple = one.triple
        first.setdefault((triple.subject, triple.facet, triple.value), one)
    return list(first.values())


def _rank(one: Scored) -> tuple[float, int, float, int, str]:
    triple = one.triple
    return -one.cosine, triple.hops, triple.q, -triple.runs, triple.value

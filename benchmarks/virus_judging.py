"""How well a score finds what was hidden: whole studies, the hosts of viruses, recorded pairs.

Negatives are drawn within what was searched: a virus that nobody looked for in a group, or in any
group of a host, says nothing. They are drawn by how often a virus (a host) is found, so that no
score gains by knowing what is common; relatives of what is found there are no negatives, since
reads of one are reported as another.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.stats import rankdata

from benchmarks.virus_baselines import same_rank
from index.vectors.factors import Array, Score, found_in
from index.vectors.sightings import Sightings, direct

NEGATIVES: Final = 5
"""Negatives drawn for each positive."""
AMONG: Final = 100
"""Negatives that a positive has to be among the first ``TOP`` of."""
HIDDEN_PART: Final = 0.2
TOP: Final = 10

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Verdict:
    """What a score is worth.

    ``auc``   chance that a positive is above a negative
    ``ap``    average precision, with ``NEGATIVES`` negatives to a positive
    ``hits``  share of positives that are among the first ten of themselves and 100 negatives
    """

    auc: float
    ap: float
    hits: float
    positives: int


def hidden_studies(sightings: Sightings, *, seed: int) -> Mask:
    """Return the groups of a fifth of the studies that hold a virus or none."""
    studies = np.unique(sightings.study)
    drawn = np.random.default_rng(seed).random(len(studies)) < HIDDEN_PART
    return drawn[np.searchsorted(studies, sightings.study)]


def hidden_viruses(sightings: Sightings, *, seed: int) -> Mask:
    """Return a fifth of the viruses, whole genera at once: congeners would give them away."""
    genus = same_rank(sightings.virus["genus"])
    taxon = genus.indices[genus.indptr[:-1]]
    first = np.minimum.reduceat(genus.indices, genus.indptr[:-1]) if len(taxon) else taxon
    drawn = np.random.default_rng(seed).random(len(first)) < HIDDEN_PART
    return drawn[first]


def without_hosts(sightings: Sightings, viruses: Mask) -> Sightings:
    """Return ``sightings`` in which nothing says what hosts ``viruses`` have.

    Groups that hold one are repeated for it, without host and label; searches of these copies are
    not counted.
    """
    hidden = sightings.found @ sparse.diags_array(viruses.astype(np.float32))
    shown = sightings.found @ sparse.diags_array((~viruses).astype(np.float32))
    rows = np.flatnonzero(np.asarray(hidden.sum(axis=1)).ravel())
    other = ~sightings.term["facet"].is_in(["host", "label"]).to_numpy()
    bare = sightings.has[rows] @ sparse.diags_array(other.astype(np.float32))
    nobody = sparse.csr_array((len(rows), sightings.looked.shape[1]), dtype=np.float32)
    return replace(
        sightings,
        study=np.concatenate([sightings.study, sightings.study[rows]]),
        found=sparse.csr_array(sparse.vstack([shown, hidden[rows]])),
        has=sparse.csr_array(sparse.vstack([sightings.has, bare])),
        looked=sparse.csr_array(sparse.vstack([sightings.looked, nobody])),
    )


def without_pairs(sightings: Sightings, pairs: Mask) -> Sightings:
    """Return ``sightings`` in which no group of a host has its virus of ``pairs`` (viruses ×
    terms).
    """
    removed = (sightings.has @ sparse.csr_array(pairs.T.astype(np.float32))).toarray() > 0
    found = sparse.csr_array(sightings.found.toarray() * ~removed)
    return replace(sightings, found=found)


@lru_cache(maxsize=2)
def host_pairs(sightings: Sightings) -> tuple[Mask, Mask]:
    """Return viruses × terms: pairs of a virus and a host that a group has, and those that were
    searched. A host counts where groups state it, not where they state one below it.
    """
    stated = direct(sightings)
    found = (sightings.found.T @ stated).toarray() > 0
    searched = (stated.T @ sparse.csr_array(sightings.searched().astype(np.float32))).T
    return found, searched.toarray() > 0


def judge(scores: Array, positive: Mask, candidate: Mask, degree: Array, *, seed: int) -> Verdict:
    """Return what ``scores`` (rows × columns) are worth.

    ``candidate``  what a negative may be; of the positives of a row none is
    ``degree``     how often each column is drawn
    """
    draw = np.random.default_rng(seed)
    found: list[Array] = []
    false: list[Array] = []
    for row in np.flatnonzero(positive.any(axis=1)):
        others = np.flatnonzero(candidate[row] & ~positive[row])
        weight = degree[others]
        if not weight.sum():
            continue
        ours = scores[row, positive[row]]
        drawn = draw.choice(others, size=(len(ours), AMONG), p=weight / weight.sum())
        found.append(ours)
        false.append(scores[row, drawn])
    if not found:
        return Verdict(float("nan"), float("nan"), float("nan"), 0)
    ours, theirs = np.concatenate(found), np.concatenate(false)
    place = (theirs > ours[:, None]).sum(axis=1) + (theirs == ours[:, None]).sum(axis=1) / 2
    few = theirs[:, :NEGATIVES].ravel()
    return Verdict(_auc(ours, few), _precision(ours, few), float((place < TOP).mean()), len(ours))


def without_relatives(sightings: Sightings, found: Mask) -> Mask:
    """Return groups × viruses: those with no congener, nor itself, found in the group."""
    genus = same_rank(sightings.virus["genus"])
    return np.asarray((sparse.csr_array(found.astype(np.float32)) @ genus).toarray() == 0)


def judge_studies(score: Score, sightings: Sightings, hidden: Mask, *, seed: int) -> Verdict:
    """Return how well viruses of ``hidden`` groups are found by a score of the others."""
    held = sightings.of_groups(hidden)
    found = held.found.toarray() > 0
    known = found_in(sightings.of_groups(~hidden))
    positive = found & (known > 0)
    candidate = held.searched() & without_relatives(sightings, found) & (known > 0)
    return judge(score(held.has), positive, candidate, known, seed=seed)


def judge_links(score: Score, sightings: Sightings, links: Mask, *, seed: int) -> Verdict:
    """Return how well hidden ``links`` (groups × viruses) are found by a score of all others.

    This is the naive split that flatters: other groups of the study are learned from.
    """
    found = sightings.found.toarray() > 0
    known = (found & ~links).sum(axis=0).astype(np.float32)
    searched = sightings.searched() & without_relatives(sightings, found)
    may = known > 0
    return judge(score(sightings.has), links & may, searched & may, known, seed=seed)


def judge_hosts(
    score: Score, sightings: Sightings, pairs: Mask, *, recorded: Mask | None = None, seed: int
) -> Verdict:
    """Return how well the hosts of hidden ``pairs`` (viruses × terms) are found by a score.

    A host that is ``recorded`` of a virus (viruses × hosts) is no negative of it.
    """
    found, searched = host_pairs(sightings)
    hosts = sightings.hosts()
    scores = score(sightings.above[hosts]).T
    candidate = (searched & ~found)[:, hosts]
    if recorded is not None:
        candidate &= ~recorded
    degree = np.asarray(direct(sightings).sum(axis=0)).ravel()[hosts]
    return judge(scores, (found & pairs)[:, hosts], candidate, degree, seed=seed)


def _auc(found: Array, false: Array) -> float:
    ranks = rankdata(np.concatenate([found, false]))[: len(found)]
    above = ranks.sum() - len(found) * (len(found) + 1) / 2
    return float(above / (len(found) * len(false)))


def _precision(found: Array, false: Array) -> float:
    """Return the average precision, of ties the worst."""
    scores = np.concatenate([false, found])
    order = np.argsort(-scores, kind="stable")
    is_found = order >= len(false)
    precision = is_found.cumsum() / np.arange(1, len(scores) + 1)
    return float(precision[is_found].mean())

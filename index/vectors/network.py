"""A graph network that predicts which viruses a sample holds; it needs the extra ``gnn`` (JAX).

Viruses, terms, genera and families are nodes. In two rounds, a virus receives messages from the
terms that it is found with and from its genus and family, and a term from its viruses. Terms above
stated terms count as stated, too. A sample is the weighted sum of its terms, and a link is
predicted by the cosine of the two vectors.

In each step one half of the studies passes messages and the other half is predicted, so that the
network never predicts a link that it has just been shown.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy import sparse

from index.tables.vectors import DIMENSIONS
from index.vectors.factors import Array, Vectors, counts, found_in, weights_of
from index.vectors.sightings import Matrix, Sightings
from ontology_etl.errors import InputError

STEPS: Final = 120
SPLITS: Final = 8
"""Ways in which studies are halved; steps go round them."""
_RATE: Final = 0.02
_DECAY: Final = 1e-4
_DROPPED: Final = 0.3
"""Share of the viruses' own vectors, and of the terms, that a step does without."""

Params = dict[str, Any]
Half = tuple[Array, NDArray[np.int64], Array, Array]
"""Messages of the studies shown, the groups of the others, their labels and weights."""


def network_vectors(sightings: Sightings, *, seed: int, steps: int = STEPS) -> Vectors:
    """Return vectors of viruses and of terms, from links of all studies; raises as above."""
    try:
        import jax
        import optax
    except ModuleNotFoundError as error:
        remedy = "pip install 'virome-graphrag[gnn]'"
        raise InputError("graph network", "JAX is not installed", remedy=remedy) from error
    code = pl.col("genus", "family").rank("dense").fill_null(0).cast(pl.Int64)
    codes = [of_rank.to_numpy() for of_rank in sightings.virus.select(code)]
    link = _messages(sightings)
    profile = sparse.coo_array(sightings.has @ sparse.diags_array(weights_of(sightings)))
    halves = _halves(sightings, link, seed=seed)

    def gathered(values: Any, of: Any, to: NDArray[np.int64], number: int) -> Any:
        return jax.ops.segment_sum(values[:, None] * of, to, num_segments=number)

    def encode(params: Params, messages: Any, key: Any) -> tuple[Any, Any]:
        term, viruses = params["term"], len(params["own"])
        taken = gathered(messages, term[link.col], link.row, viruses)
        lineage = params["genus"][codes[0]] + params["family"][codes[1]]
        own = _dropped(jax, params["own"], key)
        virus = jax.nn.tanh(taken @ params["from_terms"] + lineage + own)
        back = gathered(messages, virus[link.row], link.col, len(term))
        given = 1e-6 + jax.ops.segment_sum(messages, link.col, num_segments=len(term))
        term = term + jax.nn.tanh((back / given[:, None]) @ params["from_viruses"])
        again = gathered(messages, term[link.col], link.row, viruses)
        return virus + again @ params["again"], term

    def loss(params: Params, half: Any, key: Any) -> Any:
        messages, rows, label, weight = half
        virus, term = encode(params, messages, key)
        stated = _dropped(jax, term, key)[profile.col]
        sample = _unit(jax, gathered(profile.data, stated, profile.row, profile.shape[0])[rows])
        logits = params["heat"] * sample @ _unit(jax, virus).T + params["level"]
        each = optax.sigmoid_binary_cross_entropy(logits, label) * weight
        return each.sum() / weight.sum()

    optimiser = optax.adamw(optax.cosine_decay_schedule(_RATE, steps), weight_decay=_DECAY)
    params = _initial(sightings, codes, seed=seed)
    state = optimiser.init(params)

    def step(params: Params, state: Any, half: Any, key: Any) -> tuple[Params, Any]:
        gradient = jax.grad(loss)(params, half, key)
        updates, state = optimiser.update(gradient, state, params)
        return optax.apply_updates(params, updates), state

    compiled = jax.jit(step)
    keys = jax.random.split(jax.random.key(seed), steps)
    for number in range(steps):
        params, state = compiled(params, state, halves[number % SPLITS], keys[number])
    virus, term = encode(params, link.data, None)
    return np.asarray(virus), np.asarray(term)


def _halves(sightings: Sightings, link: Matrix, *, seed: int) -> list[Half]:
    """Return the studies halved in ``SPLITS`` ways. All have one shape, so that the step is
    compiled once: rows of weight 0 fill up the shorter.
    """
    halves = [_half(sightings, link, seed=seed * SPLITS + part) for part in range(SPLITS)]
    most = max(len(rows) for _, rows, _, _ in halves)
    return [
        (messages, _filled(rows, most), _filled(label, most), _filled(weight, most))
        for messages, rows, label, weight in halves
    ]


def _half(sightings: Sightings, link: Matrix, *, seed: int) -> Half:
    """Return messages along ``link`` of one half of the studies; groups, labels and weights of the
    other.

    Pairs that nobody searched have no weight; a negative has the weight of its virus's frequency.
    """
    studies, place = np.unique(sightings.study, return_inverse=True)
    shown = (np.random.default_rng(seed).random(len(studies)) < 0.5)[place]
    some = np.asarray(sightings.found.sum(axis=1)).ravel() > 0
    rows = np.flatnonzero(~shown & some)
    asked = sightings.of_groups(rows)
    label = asked.found.toarray()
    drawn = asked.searched() * (1 - label) * found_in(sightings)
    per_row = label.sum(axis=1) / np.maximum(drawn.sum(axis=1), 1e-6)
    weight = label + 3 * drawn * per_row[:, None]
    half = sparse.csr_array(_messages(sightings.of_groups(shown)))
    return half[link.row, link.col], rows, label.astype(np.float32), weight.astype(np.float32)


def _filled(array: NDArray[Any], rows: int) -> NDArray[Any]:
    """Return ``array`` with zeros below it, up to so many rows."""
    below = np.zeros((rows - len(array), *array.shape[1:]), dtype=array.dtype)
    return np.concatenate([array, below])


def _messages(sightings: Sightings) -> Matrix:
    """Return viruses × terms: what each virus takes from each term; rows add up to 1 or 0."""
    observed = np.log1p(counts(sightings)) * weights_of(sightings)
    given = observed / np.maximum(observed.sum(axis=1, keepdims=True), 1e-6)
    return sparse.coo_array(given)


def _initial(sightings: Sightings, codes: list[NDArray[np.int64]], *, seed: int) -> Params:
    """Return the parameters before the first step."""
    draw = np.random.default_rng(seed)
    rows = {
        "term": len(sightings.term),
        "own": len(sightings.virus),
        "genus": int(codes[0].max(initial=0)) + 1,
        "family": int(codes[1].max(initial=0)) + 1,
    }
    params: Params = {
        name: draw.normal(0, 0.1, (number, DIMENSIONS)).astype(np.float32)
        for name, number in rows.items()
    }
    for name in ("from_terms", "from_viruses", "again"):
        params[name] = np.eye(DIMENSIONS, dtype=np.float32)
    params["heat"] = np.float32(5.0)
    params["level"] = np.float32(-1.0)
    return params


def _unit(jax: Any, vectors: Any) -> Any:
    """Return ``vectors`` of length 1; those of length 0 stay, and pass on a gradient of 0."""
    return vectors / jax.numpy.sqrt(1e-9 + (vectors**2).sum(axis=1, keepdims=True))


def _dropped(jax: Any, values: Any, key: Any) -> Any:
    """Return ``values`` without some of them while the network learns."""
    if key is None:
        return values
    kept = jax.random.bernoulli(key, 1 - _DROPPED, (len(values), 1))
    return values * kept / (1 - _DROPPED)

"""A graph network that predicts which viruses a sample holds; it needs the extra ``gnn`` (JAX).

Viruses, terms, genera and families are nodes. A virus takes from the terms it is found with and
from its genus and family, a term from its viruses (two rounds); terms above those stated are
stated, too. A sample is the weighted sum of its terms, and a link is predicted by the cosine of the
two vectors.

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
from index.vectors.baselines import Array, Vectors, counts, found_in, weights_of
from index.vectors.sightings import Sightings
from ontology_etl.errors import InputError

STEPS: Final = 120
SPLITS: Final = 8
"""Ways in which studies are halved; steps go round them."""
_RATE: Final = 0.02
_DECAY: Final = 1e-4
_DROPPED: Final = 0.3
"""Share of the viruses' own vectors, and of the terms, that a step does without."""

Params = dict[str, Any]


def network_vectors(sightings: Sightings, *, seed: int, steps: int = STEPS) -> Vectors:
    """Return vectors of viruses and of terms, from links of all studies; raises as above."""
    try:
        import jax
        import optax
    except ModuleNotFoundError as error:
        remedy = "pip install 'virome-graphrag[gnn]'"
        raise InputError("graph network", "JAX is not installed", remedy=remedy) from error
    codes = [_codes(sightings.virus[rank]) for rank in ("genus", "family")]
    halves = [_half(sightings, seed=seed * SPLITS + part) for part in range(SPLITS)]

    def encode(params: Params, messages: Any, key: Any) -> tuple[Any, Any]:
        term = params["term"]
        lineage = params["genus"][codes[0]] + params["family"][codes[1]]
        own = _dropped(jax, params["own"], key)
        virus = jax.nn.tanh((messages @ term) @ params["from_terms"] + lineage + own)
        back = messages.T / (1e-6 + messages.sum(axis=0)[:, None])
        term = term + jax.nn.tanh((back @ virus) @ params["from_viruses"])
        return virus + (messages @ term) @ params["again"], term

    def loss(params: Params, half: Any, key: Any) -> Any:
        messages, profiles, label, weight = half
        virus, term = encode(params, messages, key)
        sample = _unit(jax, profiles @ _dropped(jax, term, key))
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
    virus, term = encode(params, _messages(sightings), None)
    return np.asarray(virus), np.asarray(term)


def _half(sightings: Sightings, *, seed: int) -> tuple[Array, Array, Array, Array]:
    """Return messages of one half of the studies; profiles, labels and weights of the other.

    Pairs that nobody searched weigh nothing; a negative weighs as much as its virus is found.
    """
    studies, place = np.unique(sightings.study, return_inverse=True)
    shown = (np.random.default_rng(seed).random(len(studies)) < 0.5)[place]
    some = np.asarray(sightings.found.sum(axis=1)).ravel() > 0
    rows = np.flatnonzero(~shown & some)
    asked = sightings.of_groups(rows)
    label = asked.found.toarray()
    known = found_in(sightings)
    drawn = asked.searched() * (1 - label) * known
    per_row = label.sum(axis=1) / np.maximum(drawn.sum(axis=1), 1e-6)
    weight = label + 3 * drawn * per_row[:, None]
    profiles = asked.has @ sparse.diags_array(weights_of(sightings))
    return (
        _messages(sightings.of_groups(shown)),
        profiles.toarray().astype(np.float32),
        label.astype(np.float32),
        weight.astype(np.float32),
    )


def _messages(sightings: Sightings) -> Array:
    """Return viruses × terms: what each virus takes from each term; rows add up to 1 or 0."""
    observed = np.log1p(counts(sightings)) * weights_of(sightings)
    return observed / np.maximum(observed.sum(axis=1, keepdims=True), 1e-6)  # type: ignore[no-any-return]


def _codes(ranks: pl.Series) -> NDArray[np.int64]:
    """Return the number of the taxon of each virus; 0 where it has none."""
    return ranks.rank("dense").fill_null(0).cast(pl.Int64).to_numpy()


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

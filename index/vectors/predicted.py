"""Vectors of viruses, and the pairs of virus and host that they predict or call unlikely.

Studies are put into five folds, and each fold is scored by vectors learned without it. These scores
calibrate the probabilities, and judge the pairs that runs carry by the studies of other folds.
Predictions come from vectors learned from all studies.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import dataframely as dy
import duckdb
import numpy as np
import polars as pl
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from index.config import VectorConfig
from index.store.frames import rows_over
from index.tables import PredictedPair, UnlikelyPair, VirusNeighbourhood, VirusVector
from index.tables.vectors import DIMENSIONS
from index.vectors.factors import (
    Array,
    Vectors,
    by_cosine,
    found_in,
    svd_vectors,
    walk_vectors,
    weights_of,
)
from index.vectors.host_odds import HostOdds, fit_odds
from index.vectors.neighbourhoods import describe_neighbourhoods, find_neighbourhoods
from index.vectors.sightings import Sightings, direct, read_sightings
from ontology_etl.tables import conform

FOLDS: Final = 5
OF_EACH: Final = 10
"""Number of hosts predicted for a virus, and of viruses for a host."""
FEWEST: Final = 20
"""Minimum numbers of viruses, terms and studies for anything to be learned."""


@dataclass(frozen=True)
class Learned:
    """What was learned, and how good it is, for the notes of the build."""

    virus_vector: dy.DataFrame[VirusVector]
    virus_neighbourhood: dy.DataFrame[VirusNeighbourhood]
    predicted_pair: dy.DataFrame[PredictedPair]
    unlikely_pair: dy.DataFrame[UnlikelyPair]
    notes: Mapping[str, object]


@dataclass(frozen=True)
class HostCounts:
    """Viruses × hosts: groups of the host that have the virus, and that were searched for it; and
    how many groups state each host, and none below it.
    """

    found: Array
    searched: Array
    stated: Array


def learn_vectors(con: duckdb.DuckDBPyConnection, *, config: VectorConfig) -> Learned:
    """Return what is learned from an index; nothing where it is too small. On one thread: sums are
    the same to the last bit on every machine.

    Reads what ``read_sightings`` does, and ``known_host, plausibility, virus``. Raises
    ``InputError`` where the network is requested and JAX is not installed.
    """
    with threadpool_limits(limits=1, user_api="blas"):
        return _learned(con, config)


def _learned(con: duckdb.DuckDBPyConnection, config: VectorConfig) -> Learned:
    sightings = read_sightings(con)
    smallest = min(len(sightings.virus), len(sightings.term), len(np.unique(sightings.study)))
    if smallest < FEWEST or not len(sightings.hosts()):
        return _nothing()
    vectors = fit_vectors(sightings, config=config)
    pairs = count_hosts(sightings)
    hidden = hidden_scores(sightings, pairs, config=config)
    odds = fit_odds(hidden, pairs.found, pairs.searched)
    scores = host_scores(sightings, vectors)
    recorded, carried = known_pairs(con, sightings)
    predicted = _pairs(sightings, pairs, scores, odds)
    taken = (sightings.found.T @ sightings.has[:, sightings.hosts()]).toarray() > 0
    free = ~taken & ~recorded & ~carried & (pairs.stated > 0)
    best = _best(scores, odds.probability(scores), free)
    unlikely = _pairs(sightings, pairs, hidden, odds).with_columns(studies=pl.col("found"))
    named = _named(con, sightings, vectors[0]).sort("virus")
    near = find_neighbourhoods(named["vector"].to_numpy(), seed=config.seed)
    named = named.with_columns(neighbourhood=pl.Series(near))
    met = (pairs.found > 0) & ~recorded & np.isfinite(hidden)
    return Learned(
        conform(named, VirusVector),
        describe_neighbourhoods(con, sightings, named),
        conform(predicted.filter(pl.Series(best.ravel())), PredictedPair),
        conform(unlikely.filter(pl.Series(met.ravel())), UnlikelyPair),
        {"vectors.method": config.method, "vectors.viruses": len(sightings.virus),
         "vectors.groups": len(sightings.study), "vectors.error": round(odds.error, 4)},
    )  # fmt: skip


def fit_vectors(sightings: Sightings, *, config: VectorConfig) -> Vectors:
    """Return vectors of viruses and terms by the method that ``config`` names."""
    if config.method == "network":
        from index.vectors.network import network_vectors

        return network_vectors(sightings, seed=config.seed)
    return svd_vectors(sightings) if config.method == "svd" else walk_vectors(sightings)


def host_scores(sightings: Sightings, vectors: Vectors) -> Array:
    """Return viruses × hosts: how well each host, with what is above it, fits each virus."""
    score = by_cosine(*vectors, weights_of(sightings))
    return score(sightings.above[sightings.hosts()]).T


def count_hosts(sightings: Sightings) -> HostCounts:
    """Return the groups of each host, as stated and not as one below it."""
    stated = direct(sightings)[:, sightings.hosts()]
    looked, of_virus = sightings.searched_alike()
    found = (sightings.found.T @ stated).toarray()
    groups = np.asarray(stated.sum(axis=0)).ravel()
    return HostCounts(found, (stated.T @ looked).T[of_virus], groups)


def hidden_scores(sightings: Sightings, pairs: HostCounts, *, config: VectorConfig) -> Array:
    """Return viruses × hosts: the mean score in the hidden folds that searched for the pair, or
    that found it, where any did; NaN where there is no such fold.
    """
    studies, place = np.unique(sightings.study, return_inverse=True)
    fold = np.random.default_rng(config.seed).integers(FOLDS, size=len(studies))[place]
    total = np.zeros(pairs.found.shape, dtype=np.float64)
    times = np.zeros(pairs.found.shape)
    for number in range(FOLDS):
        known = sightings.of_groups(fold != number)
        scores = host_scores(known, fit_vectors(known, config=config))
        held = count_hosts(sightings.of_groups(fold == number))
        judged = np.where(pairs.found > 0, held.found > 0, held.searched > 0)
        judged &= (found_in(known) > 0)[:, None]
        total += np.where(judged, scores, 0)
        times += judged
    return np.where(times > 0, total / np.maximum(times, 1), np.nan)


def known_pairs(
    con: duckdb.DuckDBPyConnection, sightings: Sightings
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return viruses × hosts: pairs that are recorded or carried, for a host or one above it."""
    host = sightings.term["term"].gather(sightings.hosts())
    frames = {
        "of_virus": sightings.virus.select("virus").with_row_index("row"),
        "of_host": host.to_frame("host").with_row_index("place"),
    }
    rows = rows_over(con, _KNOWN, frames)
    masks = []
    for is_recorded in (True, False):
        some = rows.filter(pl.col("recorded") == is_recorded)
        mask = np.zeros((len(sightings.virus), len(host)), dtype=bool)
        mask[some["row"].to_numpy(), some["place"].to_numpy()] = True
        masks.append(mask)
    return masks[0], masks[1]


def _best(scores: Array, probability: Array, free: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which of the ``free`` pairs are among the best of their virus or of their host."""
    chosen = np.zeros(scores.shape, dtype=bool)
    for values, axis in ((scores, 1), (probability, 0)):
        ranked = np.argsort(np.where(free, -values, np.inf), axis=axis, kind="stable")
        first = np.take(ranked, np.arange(min(OF_EACH, ranked.shape[axis])), axis=axis)
        np.put_along_axis(chosen, first, True, axis=axis)
    return chosen & free


def _pairs(sightings: Sightings, pairs: HostCounts, scores: Array, odds: HostOdds) -> pl.DataFrame:
    """Return a row for every virus and host, virus after virus."""
    host = sightings.term["term"].gather(sightings.hosts())
    viruses, hosts = scores.shape
    return pl.DataFrame({
        "virus": sightings.virus["virus"].gather(np.repeat(np.arange(viruses), hosts)),
        "host": host.gather(np.tile(np.arange(hosts), viruses)),
        "score": scores.ravel().astype(np.float64),
        "probability": odds.probability(scores).ravel().astype(np.float64),
        "found": pairs.found.ravel().astype(np.int64),
        "searched": pairs.searched.ravel().astype(np.int64),
    })  # fmt: skip


def _named(con: duckdb.DuckDBPyConnection, sightings: Sightings, vectors: Array) -> pl.DataFrame:
    """Return the names and unit vectors of viruses; vectors of length zero are left out."""
    padded = np.zeros((len(vectors), DIMENSIONS), dtype=np.float32)
    padded[:, : vectors.shape[1]] = vectors
    length = np.linalg.norm(padded, axis=1, keepdims=True)
    unit = padded / np.maximum(length, 1e-9)
    rows = sightings.virus.select("virus", "family").with_columns(
        studies=pl.Series(found_in(sightings).astype(np.int64)),
        vector=pl.Series(unit, dtype=pl.Array(pl.Float32, DIMENSIONS)),
    )
    with_length = rows.filter(pl.Series(length.ravel() > 1e-6) & (pl.col("studies") > 0))
    return rows_over(con, _NAMED, {"of_vector": with_length})


def _nothing() -> Learned:
    return Learned(
        VirusVector.create_empty(),
        VirusNeighbourhood.create_empty(),
        PredictedPair.create_empty(),
        UnlikelyPair.create_empty(),
        {"vectors.viruses": 0},
    )


_KNOWN: Final = """
WITH
below AS (
    SELECT v.row, c.descendant AS virus FROM of_virus AS v JOIN closure AS c ON c.ancestor = v.virus
),
stated AS (
    SELECT virus, host, true AS recorded FROM known_host
    UNION SELECT virus, host, plausibility IN ('recorded', 'resident', 'library') FROM plausibility
)
SELECT DISTINCT b.row, h.place, s.recorded
FROM stated AS s JOIN below AS b USING (virus)
JOIN closure AS a ON a.ancestor = s.host
JOIN of_host AS h ON h.host = a.descendant
"""
_NAMED: Final = """
WITH sotu AS (
    SELECT d.sotu AS virus, mode(d.stated ORDER BY d.stated) AS stated
    FROM detection AS d WHERE d.sotu IN (SELECT virus FROM of_vector) GROUP BY d.sotu
)
SELECT o.virus, o.family, o.studies, o.vector,
       coalesce(v.name, t.label, s.stated || ' ' || o.virus, 'unnamed ' || o.virus) AS name
FROM of_vector AS o
LEFT JOIN virus AS v ON v.virus = o.virus
LEFT JOIN used_term AS t ON t.curie = o.virus
LEFT JOIN sotu AS s ON s.virus = o.virus
"""

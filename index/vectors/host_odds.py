"""From a score to a probability: how often a study of a host that looks for a virus finds it.

A logistic regression on the score and on how often the virus is found at all, fitted to studies
that the vectors had not seen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from index.vectors.factors import Array

_STEPS: Final = 30
_RIDGE: Final = 1e-3
_BINS: Final = 10


@dataclass(frozen=True)
class HostOdds:
    """Weights of the score, of the logarithm of the share of all searches that find the virus
    (``rate``, one of each virus), and of nothing.

    ``error`` is the mean difference between probability and share found, over ten bins.
    """

    weights: tuple[float, float, float]
    rate: Array
    error: float

    def probability(self, scores: Array) -> Array:
        """Return the probabilities of ``scores``, viruses × hosts."""
        slope, of_rate, level = self.weights
        logits = slope * scores + of_rate * self.rate[:, None] + level
        return np.asarray(expit(logits), dtype=np.float32)


def fit_odds(scores: Array, found: Array, searched: Array) -> HostOdds:
    """Return the odds that fit best: ``found`` of ``searched`` groups, viruses × hosts, given
    ``scores`` that are NaN where none was searched while hidden.
    """
    share = (found.sum(axis=1) + 0.5) / (searched.sum(axis=1) + 1)
    rate = np.log(share / np.maximum(1 - share, 1e-3)).astype(np.float32)
    rows, columns = np.nonzero(np.isfinite(scores) & (searched > 0))
    given = np.stack([scores[rows, columns], rate[rows], np.ones(len(rows))], axis=1)
    hits, tries = found[rows, columns], searched[rows, columns]
    weights = _fit(given.astype(np.float64), hits, tries)
    odds = HostOdds((float(weights[0]), float(weights[1]), float(weights[2])), rate, 0.0)
    likely = expit(given @ weights)
    return HostOdds(odds.weights, rate, calibration_error(likely, hits, tries))


def calibration_error(probability: NDArray[np.float64], hits: Array, tries: Array) -> float:
    """Return the mean difference between probability and share found, over bins of as many
    tries.

    >>> one = np.ones(2)
    >>> calibration_error(np.array([0.5, 0.5]), one, one)
    0.5
    """
    order = np.argsort(probability, kind="stable")
    place = np.cumsum(tries[order]) / max(tries.sum(), 1)
    bins = np.minimum((place * _BINS).astype(int), _BINS - 1)
    wrong = 0.0
    for number in np.unique(bins):
        some = order[bins == number]
        expected = (probability[some] * tries[some]).sum()
        wrong += abs(float(expected - hits[some].sum()))
    return wrong / max(float(tries.sum()), 1)


def _fit(given: NDArray[np.float64], hits: Array, tries: Array) -> NDArray[np.float64]:
    """Return the weights of a logistic regression of ``hits`` out of ``tries``, by Newton."""
    weights = np.zeros(given.shape[1])
    for _ in range(_STEPS):
        likely = expit(given @ weights)
        slope = given.T @ (hits - tries * likely) - _RIDGE * weights
        spread = tries * likely * (1 - likely)
        bend = (given * spread[:, None]).T @ given + _RIDGE * np.eye(len(weights))
        step = np.linalg.solve(bend, slope)
        weights = weights + np.clip(step, -2, 2)
        if np.abs(step).max() < 1e-6:
            break
    return weights

"""Fisher's exact test of two shares.

Equal to ``scipy.stats.fisher_exact``. Importing ``scipy.stats`` takes longer than a whole answer,
so the few lines of arithmetic are here (decision 149), and tests compare them with SciPy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SAME: Final = 1 + 1e-7
"""Probabilities that differ by less count as equal, as in SciPy and R."""


def fisher_p(*, with_it: int, of: int, others_with_it: int, of_others: int) -> float:
    """Return Fisher's exact two-sided p-value of ``with_it`` of ``of`` against the others.

    >>> round(fisher_p(with_it=8, of=10, others_with_it=1, of_others=6), 4)
    0.035
    """
    total = with_it + others_with_it
    fewest = max(0, total - of_others)
    most = min(total, of)
    # Each step moves one run that has the virus from the others to this group.
    k = np.arange(fewest, most)
    gained = np.log(total - k) + np.log(of - k)
    lost = np.log(k + 1) + np.log(of_others - total + k + 1)
    chances = _from_ratios(gained - lost)
    return _as_unlikely_as(with_it - fewest, chances)


def _from_ratios(log_ratios: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return probabilities that add up to 1, from the logarithms of their successive ratios."""
    logs = np.concatenate([[0.0], np.cumsum(log_ratios)])
    chances = np.exp(logs - logs.max())
    return np.asarray(chances / chances.sum())


def _as_unlikely_as(place: int, chances: NDArray[np.float64]) -> float:
    """Return the probability of the outcome at ``place`` and of all that are no likelier."""
    no_likelier = chances <= chances[place] * _SAME
    return min(1.0, float(chances[no_likelier].sum()))

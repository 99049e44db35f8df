"""Correction for many tests: Benjamini and Hochberg 1995.

Equal to ``scipy.stats.false_discovery_control`` to the last bit, and without the second that
importing ``scipy.stats`` adds to a question (decision 149).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def benjamini_hochberg(p_values: FloatArray) -> FloatArray:
    """Return the q-value of each p-value, in their order.

    NaN means no test: it stays NaN and does not affect the others. Raises ``ValueError`` for a
    p-value outside 0-1.

    >>> benjamini_hochberg(np.array([0.01, 0.04, np.nan, 0.03])).round(3).tolist()
    [0.03, 0.04, nan, 0.04]
    """
    tested = ~np.isnan(p_values)
    q_values = np.full(len(p_values), np.nan)
    q_values[tested] = _corrected(p_values[tested])
    return q_values


def _corrected(p_values: FloatArray) -> FloatArray:
    """Return the q-values of ``p_values``, none of which is missing."""
    if ((p_values < 0) | (p_values > 1)).any():
        raise ValueError("p-values are between 0 and 1")
    order = np.argsort(p_values)
    rank = np.arange(1, len(p_values) + 1)
    of_rank = p_values[order] * (len(p_values) / rank)
    # A q-value is the smallest of the values of its rank and of all later ranks.
    least_after = np.minimum.accumulate(of_rank[::-1])[::-1]
    q_values = np.empty_like(p_values)
    q_values[order] = np.clip(least_after, 0, 1)
    return q_values

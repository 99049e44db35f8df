"""Correction for many tests: Benjamini and Hochberg 1995, as SciPy computes it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import stats

FloatArray = NDArray[np.float64]


def benjamini_hochberg(p_values: FloatArray) -> FloatArray:
    """Return the q-value of each p-value, in their order.

    NaN is no test: it stays NaN and does not weigh on the others. Raises ``ValueError`` for a
    p-value outside 0-1.

    >>> benjamini_hochberg(np.array([0.01, 0.04, np.nan, 0.03])).round(3).tolist()
    [0.03, 0.04, nan, 0.04]
    """
    tested = ~np.isnan(p_values)
    q_values = np.full(len(p_values), np.nan)
    if tested.any():
        q_values[tested] = stats.false_discovery_control(p_values[tested])
    return q_values

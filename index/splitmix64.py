"""Well-mixed 64-bit numbers from plain ones, vectorised: the generator SplitMix64.

Source: Steele, Lea and Flood 2014, doi 10.1145/2660193.2660195. Its state grows by a constant, and
each output is a hash of the state, so output ``n`` is found without the ones before it.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

HashArray = NDArray[np.uint64]

_STEP: Final = np.uint64(0x9E3779B97F4A7C15)
_FIRST_FACTOR: Final = np.uint64(0xBF58476D1CE4E5B9)
_SECOND_FACTOR: Final = np.uint64(0x94D049BB133111EB)


def next_output(state: HashArray) -> HashArray:
    """Return the output that follows each ``state``: a hash of it, of the same shape.

    >>> next_output(np.array([0], dtype=np.uint64)).tolist()
    [16294208416658607535]
    """
    return _mix(state + _STEP)


def output_at(position: HashArray) -> HashArray:
    """Return the output number ``position`` (from 1) of the generator that starts at state 0.

    >>> output_at(np.array([1], dtype=np.uint64)).tolist()
    [16294208416658607535]
    """
    return _mix(position * _STEP)


def _mix(state: HashArray) -> HashArray:
    mixed = (state ^ (state >> np.uint64(30))) * _FIRST_FACTOR
    mixed = (mixed ^ (mixed >> np.uint64(27))) * _SECOND_FACTOR
    return mixed ^ (mixed >> np.uint64(31))

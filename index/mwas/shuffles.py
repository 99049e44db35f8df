"""Random orders of samples: drawn once for all tests over equally many samples.

They depend on the number of samples and the seed alone, so a p-value does not depend on what else
is in the index.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import count, islice
from threading import Lock
from typing import Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

CHUNK_CELLS: Final = 4_000_000
"""Cells of the largest matrix in memory, for projects of any size: 16 MB of shuffles.

Fewer would fit a processor's cache, but each chunk costs a call per family and size, which is most
of the time.
"""
KEPT_CELLS: Final = 16_000_000
"""Up to this many cells (64 MB) the shuffles of a number of samples are reused by later batches."""
SHORT_KEYS: Final = 4_096
"""Up to this many samples are shuffled by keys of 32 bits, in half the time of 64."""
Orders: TypeAlias = NDArray[np.int32]
"""Shuffles (R, n), each a row."""


def draw_orders(
    n: int, resamples: int, more: int, seed: int
) -> tuple[Iterable[Orders], Iterable[Orders]]:
    """Return ``resamples`` shuffles of n samples and ``more``, to be read in this order."""
    if n * (resamples + more) <= KEPT_CELLS:
        return _kept_orders(n, resamples, more, seed)
    return _new_orders(n, resamples, more, seed)


def _new_orders(
    n: int, resamples: int, more: int, seed: int
) -> tuple[Iterator[Orders], Iterator[Orders]]:
    rng = np.random.default_rng([seed, n])
    return _shuffles(n, resamples, rng=rng), _shuffles(n, more, rng=rng)


@lru_cache(maxsize=2)
def _kept_orders(
    n: int, resamples: int, more: int, seed: int
) -> tuple[Iterable[Orders], Iterable[Orders]]:
    """Return what ``draw_orders`` does, stored for the next batches of equally many samples."""
    first, further = _new_orders(n, resamples, more, seed)
    return _KeptOrders(first), _KeptOrders(further)


class _KeptOrders:
    """Items of a generator, drawn on demand and stored; threads may share it."""

    def __init__(self, source: Iterator[Orders]) -> None:
        self._source = source
        self._lock = Lock()
        self._drawn: list[Orders] = []

    def __iter__(self) -> Iterator[Orders]:
        for number in count():
            with self._lock:
                missing = number + 1 - len(self._drawn)
                new = islice(self._source, max(0, missing))
                self._drawn.extend(new)
            if number == len(self._drawn):
                return
            yield self._drawn[number]


def _shuffles(n: int, resamples: int, *, rng: np.random.Generator) -> Iterator[Orders]:
    """Yield matrices of n columns, together ``resamples`` rows, each row a shuffle of 0..n-1.

    A random key carries its position in the low bits; sorting the keys shuffles the positions,
    several times faster than an argsort. Keys of 32 bits leave 20 or more to chance where n is at
    most ``SHORT_KEYS``: two samples share them, and keep their order, once in a million shuffles.
    """
    step = max(64, CHUNK_CELLS // n)
    short = n <= SHORT_KEYS
    key_type = np.uint32 if short else np.uint64
    largest = np.iinfo(key_type).max
    positions = np.arange(n, dtype=key_type)
    position_bits = (n - 1).bit_length()
    mask = key_type((1 << position_bits) - 1)
    for start in range(0, resamples, step):
        rows = min(step, resamples - start)
        keys = rng.integers(0, largest, (rows, n), key_type, endpoint=True)
        keys &= ~mask
        keys |= positions
        keys.sort(axis=1)
        keys &= mask
        yield keys.view(np.int32) if short else keys.astype(np.int32)

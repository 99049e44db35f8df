"""Cosines of a question with short texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Vectors: TypeAlias = NDArray[np.float32]
Embed = Callable[[Sequence[str]], Vectors]
"""Makes a unit vector of each text."""


def cosines(embed: Embed, question: str, texts: Sequence[str]) -> list[float]:
    """Return the cosine of ``question`` and each of ``texts``, rounded to four decimals."""
    if not texts:
        return []
    vectors = embed([question, *texts])
    return [round(float(value), 4) for value in vectors[1:] @ vectors[0]]

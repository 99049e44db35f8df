"""Measure how much a question reads like one with harmful intent.

The sentence vector of the question (``index.models.embeddings``) is compared with the direction in
which harmful and harmless questions differ most (logistic regression). ``python -m
tests.fit_intent`` computes that direction from the graded questions and writes it to
``intent.json``.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from index.errors import ModelUnavailableError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WEIGHTS: Final = Path(__file__).parent / "intent.json"


@dataclass(frozen=True)
class HarmDirection:
    """The direction from harmless to harmful, 384 weights, and where it is zero."""

    weights: NDArray[np.float64]
    bias: float

    def scores(self, vectors: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the log odds of harmful intent of each row of ``vectors``."""
        found: NDArray[np.float64] = vectors @ self.weights + self.bias
        return found


@lru_cache(maxsize=1)
def read_direction() -> HarmDirection:
    """Return the installed direction."""
    import numpy as np

    stored = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    return HarmDirection(np.array(stored["weights"]), float(stored["bias"]))


def is_english(words: str) -> bool:
    """Return whether most ``words`` are common English, which the sentence vectors know."""
    from index.models.embeddings import is_common

    each = re.findall(r"[^\W\d_]+", words)
    try:
        return 2 * sum(map(is_common, each)) > len(each)
    except ModelUnavailableError:
        return True


@lru_cache(maxsize=256)
def log_odds(words: str) -> float | None:
    """Return the log odds that a question in ``words`` has harmful intent.

    None if the model of the vectors is not installed: then words alone decide (``query doctor``
    says that it is missing).
    """
    from index.models.embeddings import embed

    try:
        vectors = embed([words])
    except ModelUnavailableError:
        return None
    return float(read_direction().scores(vectors)[0])

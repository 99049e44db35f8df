"""What a wording most likely asks, by the vector of its sentence.

A linear model over sentence vectors, learned from the wordings in ``examples.tsv`` by
``query.reading.scope.learning``. It is asked only where words of a question mean nothing here, and
it never says what a question is about: names are read by rules. Its scores are near 1 where
something holds and near -1 where it does not.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast, get_args

import numpy as np
from numpy.typing import NDArray

from query.reading.kinds import Kind

KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
ANSWERABLE: Final = "answerable"
RULES_OUT: Final = "rules_out"
SCORED: Final = (ANSWERABLE, RULES_OUT, *KINDS)
"""What is scored, in the order of the columns of the weights."""
WEIGHTS: Final = Path(__file__).with_name("weights.npy")
"""float32, shape (385, 11): one row per dimension of a sentence vector, and the constant."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """What a wording is like: ``answerable`` by counts, ruling something out (``rules_out``), and
    each kind of answer.
    """

    answerable: float
    rules_out: float
    kinds: Mapping[Kind, float]

    @property
    def kind(self) -> Kind:
        """The kind of answer that it is most like."""
        return max(self.kinds, key=lambda kind: self.kinds[kind])

    @property
    def lead(self) -> float:
        """By how much that kind leads the next."""
        first, second, *_ = sorted(self.kinds.values(), reverse=True)
        return first - second


def likeness_of(wording: str) -> Likeness:
    """Return what ``wording`` is like; see ``query.reading.scope.wording``.

    Raises:
        ModelUnavailableError: the sentence model is not installed.
    """
    from index.models.embeddings import embed

    scores = scored(embed([wording]), _weights())[0]
    by_name = dict(zip(SCORED, scores.tolist(), strict=True))
    kinds = {kind: by_name[kind] for kind in KINDS}
    return Likeness(by_name[ANSWERABLE], by_name[RULES_OUT], kinds)


def scored(vectors: NDArray[np.float32], weights: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the scores of sentence ``vectors``, shape (n, 11)."""
    scores: NDArray[np.float32] = vectors @ weights[:-1] + weights[-1]
    return scores


@functools.cache
def _weights() -> NDArray[np.float32]:
    loaded = np.load(WEIGHTS, allow_pickle=False)
    return cast("NDArray[np.float32]", loaded)

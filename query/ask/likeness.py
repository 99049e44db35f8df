"""Which way of asking a question reads like, by the vector of its sentence.

Rules of the modes see words; this sees the whole sentence, so that a wording which nobody foresaw
is routed, too: multinomial logistic regression over sentence vectors (``index.models.embeddings``)
of questions with the mode that was meant. Names are replaced by usual ones, because what is asked
does not depend on them. ``python -m tests.fit_routing`` writes the weights, ``routing.json``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from index.errors import ModelUnavailableError
from query.entrez_search.entities import SEQUENCE
from query.reading.mentions import Mention
from query.reading.question import Question
from query.reading.scope.wording import SLOT_OF_GROUP, USUAL_NAMES

WEIGHTS: Final = Path(__file__).with_name("routing.json")
ASKS: Final[Mapping[str, str]] = {
    "global": "ask what the runs of the whole index carry",
    "local": "ask what surrounds a name, or joins two",
    "sql": "ask for rows or counts as a table",
    "entrez": "ask for what NCBI's databases hold",
    "search": "ask for texts that say something",
}
"""What the questions of each mode do, behind "it is closest to questions that"."""


@dataclass(frozen=True)
class ModeWeights:
    """Weights of a sentence vector for each of ``modes``, shape (384, modes), and constants."""

    modes: tuple[str, ...]
    weights: NDArray[np.float64]
    constants: NDArray[np.float64]

    def shares(self, vectors: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return how likely each mode is meant for each row of ``vectors``; a row sums to 1."""
        scores = vectors @ self.weights + self.constants
        highest = scores.max(axis=1, keepdims=True)
        odds = np.exp(scores - highest)
        together = odds.sum(axis=1, keepdims=True)
        shares: NDArray[np.float64] = odds / together
        return shares


@lru_cache(maxsize=1)
def read_weights() -> ModeWeights:
    """Return the weights that are installed."""
    stored = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    by_mode = np.array(list(stored["weights"].values()))
    modes = tuple(stored["weights"])
    return ModeWeights(modes, by_mode[:, :-1].T, by_mode[:, -1])


def likely_modes(question: Question) -> Mapping[str, float]:
    """Return how likely each mode is meant by ``question``, 0-1, the likeliest first.

    Empty where the model of the vectors is not installed: then rules decide alone.
    """
    from index.models.embeddings import embed

    try:
        vectors = embed([wording(question)])
    except ModelUnavailableError:
        return {}
    weights = read_weights()
    shares = weights.shares(vectors)[0].tolist()
    pairs = zip(weights.modes, shares, strict=True)
    return dict(sorted(pairs, key=_share, reverse=True))


def wording(question: Question) -> str:
    """Return the text of ``question`` in lower case, with a usual name for each of its names."""
    text = SEQUENCE.sub("a sequence", question.text).lower()
    ruled_out = question.reading.without
    for one in _longest_first((*question.mentions, *question.absent, *ruled_out)):
        slot = SLOT_OF_GROUP.get(one.group)
        if slot is None:
            continue
        usual = USUAL_NAMES[slot].lower()
        written = re.escape(one.text.lower())
        text = re.sub(rf"\b{written}\b", usual, text)
    return text


def _longest_first(mentions: Sequence[Mention]) -> list[Mention]:
    return sorted(mentions, key=_length, reverse=True)


def _length(mention: Mention) -> int:
    return len(mention.text)


def _share(pair: tuple[str, float]) -> float:
    _, share = pair
    return share

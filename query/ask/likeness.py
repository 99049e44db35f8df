"""Which way of asking a question reads like, by the vector of its sentence and by its phrases.

Rules of the modes see single words; this sees the whole sentence, so that a wording which nobody
foresaw is routed, too: two multinomial logistic regressions, over sentence vectors
(``index.models.embeddings``) and over phrases (``query.ask.phrases``) of questions with the mode
that was meant. Names are replaced by usual ones, because what is asked does not depend on them.
``python -m tests.fit_routing`` writes the weights, ``routing.json``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from index.errors import ModelUnavailableError
from query.ask.phrases import phrase_vectors
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
    """Weights of inputs for each of ``modes``, shape (inputs, modes), and constants."""

    modes: tuple[str, ...]
    weights: NDArray[np.float64]
    constants: NDArray[np.float64]

    def shares(self, inputs: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return how likely each mode is meant for each row of ``inputs``; a row sums to 1."""
        scores = inputs @ self.weights + self.constants
        highest = scores.max(axis=1, keepdims=True)
        odds = np.exp(scores - highest)
        together = odds.sum(axis=1, keepdims=True)
        shares: NDArray[np.float64] = odds / together
        return shares


@dataclass(frozen=True)
class SentenceWeights:
    """What a sentence reads like: by its vector, and by the ``phrases`` that it has."""

    of_vectors: ModeWeights
    of_phrases: ModeWeights
    phrases: Mapping[str, int]

    def shares(
        self, wordings: Sequence[str], vectors: NDArray[np.float32] | None
    ) -> NDArray[np.float64]:
        """Return how likely each mode is meant by each of ``wordings``; a row sums to 1.

        The mean of both readings, that of the phrases alone where there are no ``vectors``.
        """
        by_phrase = self.of_phrases.shares(phrase_vectors(wordings, self.phrases))
        if vectors is None:
            return by_phrase
        by_vector = self.of_vectors.shares(vectors)
        mean: NDArray[np.float64] = (by_phrase + by_vector) / 2
        return mean


@lru_cache(maxsize=1)
def read_weights() -> SentenceWeights:
    """Return the weights that are installed."""
    stored = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    modes = tuple(stored["modes"])
    of_vectors = np.array(stored["vectors"])
    by_phrase = stored["phrases"]
    of_phrases = np.array(list(by_phrase.values()))
    constants = np.array(stored["constants"])
    places = {phrase: place for place, phrase in enumerate(by_phrase)}
    return SentenceWeights(
        ModeWeights(modes, of_vectors[:-1], of_vectors[-1]),
        ModeWeights(modes, of_phrases, constants),
        places,
    )


def likely_modes(question: Question) -> Mapping[str, float]:
    """Return how likely each mode is meant by ``question``, 0-1, the likeliest first."""
    from index.models.embeddings import embed

    asked = wording(question)
    vectors: NDArray[np.float32] | None = None
    with suppress(ModelUnavailableError):
        vectors = embed([asked])
    weights = read_weights()
    shares = weights.shares([asked], vectors)[0].tolist()
    pairs = zip(weights.of_vectors.modes, shares, strict=True)
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

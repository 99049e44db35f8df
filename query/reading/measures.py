"""Which measure a part of a question asks for: a log-linear model over its items.

The weights are fitted to pairs of questions and requests (``python -m benchmarks.fit_reader``), and
name the data they were fitted to by its digest.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from query.reading.items import Item
from query.request.fields import field_named

WEIGHTS: Final = Path(__file__).parent / "data" / "measures.json"
REFUSE: Final = "refuse"
"""The class of questions that no request answers."""
CLASSES: Final = (
    "count", "exists", "share", "values", "rows", "summary", "compare", "evidence", "describe",
    "records", REFUSE,
)  # fmt: skip


@dataclass(frozen=True)
class MeasureWeights:
    """Weights of features by class, shape (features, classes), and the features by name."""

    features: Mapping[str, int]
    weights: NDArray[np.float64]

    def shares(self, features: Sequence[str]) -> NDArray[np.float64]:
        """Return how likely each of ``CLASSES`` is, summing to 1."""
        places = [self.features[name] for name in features if name in self.features]
        scores = self.weights[places].sum(axis=0) if places else np.zeros(len(CLASSES))
        odds = np.exp(scores - scores.max())
        shares: NDArray[np.float64] = odds / odds.sum()
        return shares


@functools.cache
def measure_weights() -> MeasureWeights:
    """Return the weights that are installed."""
    stored = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    features = stored["features"]
    places = {name: place for place, name in enumerate(features)}
    return MeasureWeights(places, np.array(list(features.values()), dtype=np.float64))


def likely_measures(items: Sequence[Item]) -> list[tuple[str, float]]:
    """Return the measures that a part of a question may ask for, the likeliest first."""
    shares = measure_weights().shares(features_of(items))
    ranked = np.argsort(-shares)
    return [(CLASSES[place], float(shares[place])) for place in ranked]


def features_of(items: Sequence[Item]) -> list[str]:
    """Return what the model sees of a part of a question, each feature once."""
    return list(dict.fromkeys(_features(items)))


def _features(items: Sequence[Item]) -> Iterator[str]:
    yield "bias"
    shown = [shape for item in items if (shape := _shape(item))]
    plain = [item.text.lower() for item in items if item.kind in ("word", "stop")]
    yield from (f"has {shape}" for shape in shown)
    padded = ["<", *shown, ">"]
    yield from (f"then {first} {second}" for first, second in pairwise(padded))
    yield from (
        f"third {a} {b} {c}" for a, b, c in zip(padded, padded[1:], padded[2:], strict=False)
    )
    yield f"first {shown[0] if shown else ''}"
    yield from (f"word {word}" for word in plain)
    opening = [item.text.lower() for item in items[:2]]
    yield f"opening {' '.join(opening)}"
    yield f"opens {opening[0] if opening else ''}"
    names = sum(item.kind == "name" for item in items)
    yield f"names {min(names, 3)}"
    kinds = sorted({item.value for item in items if item.kind == "name"})
    yield f"kinds {' '.join(kinds)}"
    yield f"length {min(len(items) // 4, 5)}"


def _shape(item: Item) -> str:
    """Return an item as the model sees it: names and fields by what they are."""
    match item.kind:
        case "cue" | "bound":
            return item.value
        case "name":
            return (
                "VIRUS" if item.value in ("virus", "reported") else _NAMED.get(item.value, "VALUE")
            )
        case "field":
            field = field_named(item.value)
            if field.is_number:
                return "NUMBER"
            return "VIRAL" if field.of == "hit" else "FIELD"
        case "unit":
            return "RUNS"
        case "number" | "date":
            return "PERCENT" if item.percent else item.kind
        case "sign":
            return item.text if item.text in ("?", ":", ";") else ""
    return ""


_NAMED: Final = {
    "run": "ACCESSION", "study": "ACCESSION", "project": "ACCESSION", "biosample": "ACCESSION",
    "community": "COMMUNITY", "attribute": "ATTRIBUTE",
}  # fmt: skip

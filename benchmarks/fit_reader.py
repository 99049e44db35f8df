"""Fit the reader: ``python -m benchmarks.fit_reader`` writes the weights of measures.

Softmax regression with a ridge over the items of questions whose names are masked and whose
requests are known (``data/wordings.jsonl``). No index is needed. ``--held-out`` instead prints how
well each author is read by weights fitted to the others.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Annotated, Final

import numpy as np
import typer
from numpy.typing import NDArray
from scipy.sparse import csr_array

from query.reading.canonical import read_canonical
from query.reading.found_name import FoundName
from query.reading.items import items_of
from query.reading.masking import LETTERS, MASK
from query.reading.measures import CLASSES, REFUSE, WEIGHTS, features_of
from query.reading.parts import parts_of
from query.reading.tokens import tokens_of
from query.reading.tuned import BETWEEN
from query.reading.wordings import WORDINGS, TrainingPair, read_wordings

RIDGE: Final = 1.0
STEPS: Final = 400
DIGITS: Final = 2
FEWEST: Final = 3
"""Minimum number of questions with a feature."""

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)


def examples(pairs: Sequence[TrainingPair]) -> list[tuple[list[str], int, str]]:
    """Return the features, the class and the author of each part whose request is known."""
    found = []
    for pair in pairs:
        parts = parts_of(items_of(tokens_of(pair.question), masks_in(pair.question)))
        wanted = [_measure_of(said) for said in pair.said.split(BETWEEN)]
        if len(parts) != len(wanted):
            parts, wanted = [[item for part in parts for item in part]], wanted[:1]
        for part, measure in zip(parts, wanted, strict=True):
            if measure not in CLASSES:
                continue  # predictions: only the tuned model reads these
            found.append((features_of(part), CLASSES.index(measure), pair.author))
    return found


def _measure_of(said: str) -> str:
    request = read_canonical(said)
    return REFUSE if request is None else str(request.measure.type)


def masks_in(question: str) -> list[FoundName]:
    """Return the masks of a question as names of their kinds."""
    kinds = {letter: kind for kind, letter in reversed(tuple(LETTERS.items()))}
    return [
        FoundName(place, place + 1, kinds[token.text[0]], token.text)
        for place, token in enumerate(tokens_of(question))
        if MASK.fullmatch(token.text)
    ]


def fitted(listed: Sequence[tuple[list[str], int, str]]) -> dict[str, list[float]]:
    """Return the weights of each feature by class."""
    counts: dict[str, int] = {}
    for features, _, _ in listed:
        for name in features:
            counts[name] = counts.get(name, 0) + 1
    names = sorted(name for name, count in counts.items() if count >= FEWEST)
    places = {name: place for place, name in enumerate(names)}
    cells = [
        (row, places[name])
        for row, (features, _, _) in enumerate(listed)
        for name in features
        if name in places
    ]
    ones = np.ones(len(cells))
    inputs = csr_array((ones, np.array(cells).T), shape=(len(listed), len(names)))
    classes = np.array([measure for _, measure, _ in listed])
    weights = _softmax_weights(inputs, classes)
    return {name: weights[place].round(DIGITS).tolist() for name, place in places.items()}


def _softmax_weights(inputs: csr_array, classes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the weights that make ``classes`` likeliest, with a ridge penalty; by L-BFGS."""
    from scipy.optimize import minimize

    wanted = np.eye(len(CLASSES))[classes]
    shape = (inputs.shape[1], len(CLASSES))

    def loss(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        weights = flat.reshape(shape)
        scores = inputs @ weights
        scores -= scores.max(axis=1, keepdims=True)
        odds = np.exp(scores)
        shares = odds / odds.sum(axis=1, keepdims=True)
        cost = -np.log(shares[np.arange(len(classes)), classes]).sum()
        cost += RIDGE / 2 * (weights**2).sum()
        return float(cost), (inputs.T @ (shares - wanted) + RIDGE * weights).ravel()

    found = minimize(loss, np.zeros(shape).ravel(), jac=True, method="L-BFGS-B",
                     options={"maxiter": STEPS})  # fmt: skip
    solution: NDArray[np.float64] = found.x.reshape(shape)
    return solution


def digest_of_wordings() -> str:
    """Return the digest of the wordings that the weights are fitted to."""
    return hashlib.blake2b(WORDINGS.read_bytes(), digest_size=8).hexdigest()


@app.command()
def fit(
    held_out: Annotated[
        bool, typer.Option("--held-out", help="Measure by author instead; write nothing.")
    ] = False,
) -> None:
    """Fit the weights that choose the measure of a question.

    \b
    Examples:
      python -m benchmarks.fit_reader
      python -m benchmarks.fit_reader --held-out
    """
    listed = examples(read_wordings())
    if held_out:
        for line in _held_out(listed):
            typer.echo(line)
        return
    features = fitted(listed)
    stored = {
        "fitted_to": digest_of_wordings(),
        "examples": len(listed),
        "features": features,
    }
    lines = json.dumps(stored, separators=(",", ":")).replace('],"', '],\n"')
    WEIGHTS.write_text(lines + "\n", encoding="utf-8")
    typer.echo(f"{len(listed):,} parts, {len(features):,} features: {WEIGHTS}")


def _held_out(listed: Sequence[tuple[list[str], int, str]]) -> list[str]:
    """Return how many measures of each author are right by weights fitted to the others."""
    from query.reading.measures import MeasureWeights

    lines = []
    for author in sorted({one for _, _, one in listed}):
        others = [example for example in listed if example[2] != author]
        weights = fitted(others)
        model = MeasureWeights(
            {name: place for place, name in enumerate(weights)}, np.array(list(weights.values()))
        )
        own = [example for example in listed if example[2] == author]
        right = sum(int(model.shares(features).argmax()) == measure for features, measure, _ in own)
        lines.append(f"{author}\t{right} of {len(own)}\t{right / len(own):.3f}")
    return lines


if __name__ == "__main__":
    app()

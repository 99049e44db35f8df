"""Fit how sure readings are: ``python -m query.evaluation.fit_certainty --db INDEX``.

Every question whose requests are known is read and judged by the results of its requests; logistic
regression with a ridge tells right readings from others. ``--held-out`` shows instead how many are
answered right, answered wrongly, and asked back at each threshold, by weights fitted to the other
authors.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import duckdb
import numpy as np
import typer
from numpy.typing import NDArray

from query.compiler import Result, run
from query.errors import QueryError
from query.evaluation.judging import is_same
from query.reading.certainty import WEIGHTS, features_of
from query.reading.drafting import drafted_parts
from query.reading.items import Item, items_of
from query.reading.names import find_names
from query.reading.pairs import PAIRS, Question, read_questions
from query.reading.parts import parts_of
from query.reading.stored import stored_parts
from query.reading.tokens import tokens_of
from query.request import Request
from query.request.plainly import asks_the_same, plainly

RIDGE: Final = 2.0
DIGITS: Final = 2
FEWEST: Final = 3
"""Questions that a feature needs."""
THRESHOLDS: Final = (0.0, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)


@dataclass(frozen=True, slots=True)
class DraftedQuestion:
    """What a question is read as before anything is decided."""

    parts: tuple[tuple[Item, ...], ...]
    requests: tuple[Request, ...]
    shares: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class FittedQuestion:
    """A question as the model sees it, whether it was read right, and who writes so."""

    features: Mapping[str, float]
    is_right: bool
    author: str


def draft(con: duckdb.DuckDBPyConnection, text: str) -> DraftedQuestion:
    """Return the likeliest request of each part of ``text``; parts without any have none."""
    tokens = tokens_of(text)
    parts = parts_of(items_of(tokens, find_names(con, tokens)))
    drafted = [part for part in drafted_parts(con, stored_parts(parts)) if part.drafts]
    return DraftedQuestion(
        tuple(map(tuple, parts)),
        tuple(part.drafts[0].request for part in drafted),
        tuple(part.drafts[0].share for part in drafted),
    )


def examples(con: duckdb.DuckDBPyConnection, pairs: Sequence[Question]) -> list[FittedQuestion]:
    """Return an example for each of ``pairs`` that is read as some request."""
    found = []
    for pair in pairs:
        drafted = draft(con, pair.text)
        if not drafted.requests:
            continue
        features = features_of(drafted.parts, drafted.requests, drafted.shares)
        found.append(FittedQuestion(features, is_read(con, pair, drafted.requests), pair.author))
    return found


def is_read(con: duckdb.DuckDBPyConnection, pair: Question, requests: Sequence[Request]) -> bool:
    """Return whether each request of ``pair`` gets the result that one of ``requests`` gets."""
    if not pair.requests:
        return False
    return all(_is_among(con, wanted, requests) for wanted in pair.requests)


def _is_among(con: duckdb.DuckDBPyConnection, wanted: Request, requests: Sequence[Request]) -> bool:
    """Return whether one of ``requests`` gets what ``wanted`` gets; nothing runs for an equal."""
    if any(asks_the_same(wanted, request) for request in requests):
        return True
    result = _result(con, wanted)
    if result is None:
        return False
    others = (_result(con, request) for request in requests)
    return any(is_same(result, other) for other in others if other is not None)


def _result(con: duckdb.DuckDBPyConnection, request: Request) -> Result | None:
    """Return the result of ``request``; None where a name in it is not known."""
    try:
        return run(con, plainly(request))
    except QueryError:
        return None


def fitted(listed: Sequence[FittedQuestion]) -> dict[str, float]:
    """Return the weight of each feature, sorted by name."""
    counts: dict[str, int] = {}
    for example in listed:
        for name in example.features:
            counts[name] = counts.get(name, 0) + 1
    names = sorted(name for name, count in counts.items() if count >= FEWEST)
    inputs = np.array([[example.features.get(name, 0.0) for name in names] for example in listed])
    right = np.array([float(example.is_right) for example in listed])
    weights = _logistic_weights(inputs, right)
    return dict(zip(names, weights.round(DIGITS).tolist(), strict=True))


def _logistic_weights(
    inputs: NDArray[np.float64], right: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the weights that make ``right`` likeliest, less a ridge; by L-BFGS."""
    from scipy.optimize import minimize

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        scores = inputs @ weights
        cost = np.logaddexp(0, scores).sum() - right @ scores + RIDGE / 2 * weights @ weights
        gradient = inputs.T @ (1 / (1 + np.exp(-scores)) - right) + RIDGE * weights
        return float(cost), gradient

    start = np.zeros(inputs.shape[1])
    solution: NDArray[np.float64] = minimize(loss, start, jac=True, method="L-BFGS-B").x
    return solution


def held_out(listed: Sequence[FittedQuestion]) -> list[str]:
    """Return what is answered at each threshold by weights fitted to the other authors."""
    scored: list[tuple[float, bool]] = []
    for author in sorted({example.author for example in listed}):
        weights = fitted([example for example in listed if example.author != author])
        own = [example for example in listed if example.author == author]
        scored += [(_share(weights, example.features), example.is_right) for example in own]
    lines = ["threshold\tright\twrong\tasked back, first choice right\tasked back, other"]
    for threshold in THRESHOLDS:
        answered = [is_right for share, is_right in scored if share >= threshold]
        others = [is_right for share, is_right in scored if share < threshold]
        counts = (sum(answered), len(answered) - sum(answered), sum(others),
                  len(others) - sum(others))  # fmt: skip
        lines.append("\t".join(map(str, (threshold, *counts))))
    return lines


def _share(weights: Mapping[str, float], features: Mapping[str, float]) -> float:
    score = sum(weights.get(name, 0.0) * value for name, value in features.items())
    return float(1 / (1 + np.exp(-score)))


@app.command()
def fit(
    db: Annotated[Path, typer.Option(help="Index whose names the questions have.")],
    measure: Annotated[
        bool, typer.Option("--held-out", help="Measure by author instead; write nothing.")
    ] = False,
) -> None:
    """Fit the weights that say how sure a reading is.

    \b
    Examples:
      python -m query.evaluation.fit_certainty --db data/index/virome.duckdb
      python -m query.evaluation.fit_certainty --db data/index/virome.duckdb --held-out
    """
    from index.store.read import open_index

    with open_index(db) as con:
        listed = examples(con, read_questions(PAIRS))
    if measure:
        for line in held_out(listed):
            typer.echo(line)
        return
    write_weights(listed)


def digest_of_pairs() -> str:
    """Return the digest of the pairs that the weights are fitted to."""
    return hashlib.blake2b(PAIRS.read_bytes(), digest_size=8).hexdigest()


def write_weights(listed: Sequence[FittedQuestion]) -> None:
    """Fit the weights to ``listed`` and install them, with the digest of the pairs."""
    stored = {"fitted_to": digest_of_pairs(), "examples": len(listed), "weights": fitted(listed)}
    WEIGHTS.write_text(json.dumps(stored, indent=0) + "\n", encoding="utf-8")
    typer.echo(f"{len(listed):,} questions, {len(fitted(listed)):,} features: {WEIGHTS}")


if __name__ == "__main__":
    app()

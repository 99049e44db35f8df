"""Learn the weights of ``likeness`` from the wordings in ``examples.tsv``.

    python -m query.reading.scope.learning            learns, writes weights.npy, prints how well
    python -m query.reading.scope.learning --check    only prints how well

Ridge regression: each score is fitted to 1 and -1, every wording weighted so that both sides of a
score count alike. How well is measured on tenths that were left out.
"""

from __future__ import annotations

import argparse
import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from index.models.embeddings import embed
from query.reading.scope.likeness import ANSWERABLE, KINDS, RULES_OUT, SCORED, WEIGHTS, scored
from query.reading.scope.wording import filled

EXAMPLES: Final = Path(__file__).with_name("examples.tsv")
OTHER: Final = "other"
"""What a wording asks that no count can tell."""
_SHRINKAGE: Final = 1.0
_PARTS: Final = 10
_SEED: Final = 42

Vectors = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Example:
    """A wording with what it asks: a kind of answer, or ``other``."""

    asks: str
    rules_out: bool
    wording: str


@dataclass(frozen=True, slots=True)
class Learned:
    """How well left-out wordings were told apart, each as a share of 1."""

    answerable_kept: float
    others_refused: float
    rules_out_noticed: float
    kinds_right: float


def read_examples() -> list[Example]:
    """Return the wordings of ``examples.tsv``."""
    with EXAMPLES.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [Example(row["asks"], row["rules_out"] == "yes", row["wording"]) for row in rows]


def targets_of(examples: list[Example]) -> NDArray[np.float32]:
    """Return 1, -1 or 0 (does not count) for each example and score, shape (n, 11)."""
    columns = []
    asks = np.array([one.asks for one in examples])
    answerable = asks != OTHER

    for name in SCORED:
        if name == ANSWERABLE:
            column = np.where(answerable, 1, -1)
        elif name == RULES_OUT:
            rules_out = np.array([one.rules_out for one in examples])
            column = np.where(answerable, np.where(rules_out, 1, -1), 0)
        else:
            column = np.where(answerable, np.where(asks == name, 1, -1), 0)
        columns.append(column)
    return np.stack(columns, axis=1).astype(np.float32)


def learn(vectors: Vectors, targets: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the weights, shape (385, 11), that fit ``targets`` best."""
    ones = np.ones((len(vectors), 1))
    inputs = np.hstack([vectors, ones]).astype(np.float64)
    weights = [_fitted(inputs, column) for column in targets.T]
    return np.stack(weights, axis=1).astype(np.float32)


def _fitted(inputs: NDArray[np.float64], target: NDArray[np.float32]) -> NDArray[np.float64]:
    holds, fails = target > 0, target < 0
    weights = holds / max(1, int(holds.sum())) + fails / max(1, int(fails.sum()))
    weighed = inputs * (weights * np.count_nonzero(target) / 2)[:, None]
    shrunk = _SHRINKAGE * np.eye(inputs.shape[1])
    fitted = np.linalg.solve(weighed.T @ inputs + shrunk, weighed.T @ target)
    return fitted.astype(np.float64)


def left_out_scores(vectors: Vectors, targets: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the scores of each example by weights learned without its tenth."""
    part = np.random.default_rng(_SEED).integers(0, _PARTS, len(vectors))
    scores = np.empty(targets.shape, np.float32)

    for number in range(_PARTS):
        out = part == number
        weights = learn(vectors[~out], targets[~out])
        scores[out] = scored(vectors[out], weights)
    return scores


def how_well(targets: NDArray[np.float32], scores: NDArray[np.float32]) -> Learned:
    """Return how well ``scores`` tell apart what ``targets`` say."""
    answerable = targets[:, 0] > 0
    rules_out = targets[:, 1] > 0
    first_kind = len(SCORED) - len(KINDS)
    best = scores[answerable, first_kind:].argmax(axis=1)
    true = targets[answerable, first_kind:].argmax(axis=1)

    return Learned(
        answerable_kept=_share(scores[answerable, 0] > 0),
        others_refused=_share(scores[~answerable, 0] <= 0),
        rules_out_noticed=_share(scores[rules_out, 1] > 0),
        kinds_right=_share(best == true),
    )


def _share(holds: NDArray[np.bool_]) -> float:
    return round(float(holds.mean()), 3)


def main() -> None:
    """Learn, or only measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--check", action="store_true", help="print how well, write nothing")
    arguments = parser.parse_args()
    examples = read_examples()
    vectors = embed([filled(one.wording) for one in examples])
    targets = targets_of(examples)
    if not arguments.check:
        np.save(WEIGHTS, learn(vectors, targets))

    measured = how_well(targets, left_out_scores(vectors, targets))
    print(f"{len(examples)} wordings; of those left out while learning:")
    print(f"  answerable and kept      {measured.answerable_kept:.1%}")
    print(f"  others and refused       {measured.others_refused:.1%}")
    print(f"  ruling out and noticed   {measured.rules_out_noticed:.1%}")
    print(f"  kind of answer right     {measured.kinds_right:.1%}")


if __name__ == "__main__":
    main()

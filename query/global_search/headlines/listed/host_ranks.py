"""Hosts listed at a rank of the taxonomy: species of ticks, families of plants."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from query.reading.question import Question
from query.reading.wanted import RANKS

_RANK: Final = re.compile(
    rf"(?<!virus )(?<!viral )(?<!in )\b(?P<rank>{'|'.join(RANKS)})\b", re.IGNORECASE
)
_VIRAL: Final = ("species", "family")


def with_host_ranks(question: Question, facets: Sequence[str]) -> list[str]:
    """Return ``facets`` with hosts at the rank that ``question`` asks for in place of hosts as they
    are stated: Ixodida is no species of ticks, and a subspecies is none of its own.
    """
    asked = _RANK.search(question.text)
    if asked is None or not {*_VIRAL}.isdisjoint(facets):
        return list(facets)
    ranked = f"host {RANKS[asked['rank'].lower()]}"
    return [ranked if one == "host" else one for one in facets]

"""What the groups of a question are called in a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from index.reports.phrases import listed
from query.reading.question import WITHOUT, Question

GROUP_WORDS: Final = {
    "geography": "place", "organism": "host", "tissue": "tissue", "disease": "disease",
    "environment": "environment", "biome": "biome", "sex": "sex",
}  # fmt: skip
"""What a sentence calls the values of a group."""


def group_of(key: str) -> str:
    """Return the group of a key of matching runs.

    >>> group_of("virus: Coronaviridae"), group_of("without tissue")
    ('virus', 'tissue')
    """
    return key.removeprefix(WITHOUT).partition(":")[0]


def name_of(question: Question, key: str) -> str:
    """Return the names behind ``key``: alternatives joined by or, what is ruled out with no."""
    if key.startswith(WITHOUT):
        ruled = [one.name for one in question.reading.without if one.group == group_of(key)]
        return f"no {' or '.join(dict.fromkeys(ruled))}"
    names = [one.name for one in question.mentions if question.key(one) == key]
    return f"titles with {listed(names)}" if key == "title" else " or ".join(dict.fromkeys(names))


def names_of(question: Question, keys: Sequence[str]) -> str:
    """Return the names behind all ``keys``: ``Chiroptera (bat) and gut``."""
    return listed([name_of(question, key) for key in keys])

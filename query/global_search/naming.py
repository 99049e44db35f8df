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
    positive = key.removeprefix(WITHOUT)
    group, *_ = positive.split(":")
    return group


def name_of(question: Question, key: str) -> str:
    """Return the names behind ``key``: alternatives joined by or, what is ruled out with no."""
    if key.startswith(WITHOUT):
        group = group_of(key)
        ruled = [one.name for one in question.reading.without if one.group == group]
        either = " or ".join(dict.fromkeys(ruled))
        return f"no {either.removeprefix('any ')}"
    names = [one.name for one in question.mentions if question.key(one) == key]
    if key == "title":
        return f"titles with {listed(names)}"
    return " or ".join(dict.fromkeys(names))


def names_of(question: Question, keys: Sequence[str]) -> str:
    """Return the names behind all ``keys``: ``Chiroptera (bat) and gut``."""
    names = [name_of(question, key) for key in keys]
    return listed(names)

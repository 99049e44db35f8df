"""Patterns that columns of several contracts share."""

from __future__ import annotations


def one_of(values: tuple[str, ...]) -> str:
    """Return the pattern of a text that is one of ``values``.

    >>> one_of(("tissue", "disease"))
    '^(tissue|disease)$'
    """
    return f"^({'|'.join(values)})$"

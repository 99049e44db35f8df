"""Find the accessions in a question, and whether one of them is to be described."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from query.reading.items import Item
from query.request import Describe, Request

_ACCESSIONS: Final = ("run", "study", "project", "biosample", "community")


def accessions_in(items: Sequence[Item]) -> set[tuple[str, str]]:
    """Return the kind and name of each accession in a question."""
    return {(item.value, item.name.name) for item in items
             if item.name is not None and item.value in _ACCESSIONS}  # fmt: skip


def described_accession(items: Sequence[Item]) -> Request | None:
    """Return a request to describe the only accession of a question; None if there are none or
    several.
    """
    named = accessions_in(items)
    if len(named) != 1:
        return None
    ((kind, name),) = named
    return Request(Describe(kind, name))  # type: ignore[arg-type]

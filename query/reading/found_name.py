"""A name in a question: its place, and what it means in a request."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FoundName:
    """A name at the tokens ``first`` to ``last`` (exclusive), and what it means in a request.

    ``kind`` is virus, a field of runs, or what an accession identifies; ``also`` are further kinds
    that the same words name.
    """

    first: int
    last: int
    kind: str
    name: str
    curie: str | None = None
    also: tuple[tuple[str, str], ...] = ()
    corrected: bool = False

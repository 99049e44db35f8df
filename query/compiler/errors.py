"""Errors of running a request: a name that the index does not know, or that is ambiguous."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from query.errors import QueryError


class UnknownNameError(QueryError):
    """Nothing is called ``name``; ``nearest`` are the names most like it."""

    def __init__(self, name: str, *, kind: str, nearest: Sequence[str]) -> None:
        meant = f"did you mean {', '.join(nearest)}?" if nearest else f"query term {name!r} --json"
        super().__init__(f"{name!r} is not known as {kind}", remedy=meant)
        self.name = name
        self.nearest = tuple(nearest)


class AmbiguousNameError(QueryError):
    """``name`` means several things: ``meanings``, labels by CURIE."""

    def __init__(self, name: str, *, kind: str, meanings: Mapping[str, str]) -> None:
        candidates = [f"{label} ({curie})" for curie, label in meanings.items()]
        super().__init__(
            f"{name!r} may mean several things: {', '.join(candidates)}",
            remedy=f"name one of them as {kind}, or list all that are meant",
        )
        self.meanings = dict(meanings)

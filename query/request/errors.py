"""Errors of requests; the root is in ``query.errors``."""

from __future__ import annotations

from collections.abc import Sequence

from query.errors import QueryError


class RequestError(QueryError):
    """It is not a request; ``problems`` say what is wrong, and where."""

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__(
            f"not a request: {'; '.join(problems)}",
            remedy="what a request may say: query run --schema",
        )

"""Errors of SQL: no plain SELECT, a failure, a limit reached, or a question without a query."""

from __future__ import annotations

from collections.abc import Sequence

from query.errors import QueryError


class UnsafeSqlError(QueryError):
    """SQL that is not one SELECT over tables of the index; nothing of it ran."""

    def __init__(self, why: str) -> None:
        super().__init__(
            f"this SQL was not run: {why}", remedy="write one SELECT over tables of the index"
        )


class SqlFailedError(QueryError):
    """SQL that DuckDB cannot plan or run."""

    def __init__(self, reason: str) -> None:
        super().__init__(
            f"this SQL fails: {reason}", remedy="what the index holds: query sql --schema"
        )


class SqlLimitError(QueryError):
    """SQL that takes more than a query may; it was stopped."""

    def __init__(self, limit: str) -> None:
        super().__init__(
            f"this SQL takes more than {limit}, and was stopped",
            remedy="ask for less: a join condition, a filter; or --timeout SECONDS",
        )


class NoWriterError(QueryError):
    """A model should write the SQL, but none is configured."""

    def __init__(self, question: str) -> None:
        super().__init__(
            f"no model writes SQL for {question!r}",
            remedy="configure one (VIROME_MODEL, OPENAI_BASE_URL), or write it: "
            "query sql --run 'SELECT …'",
        )


class SqlUnwrittenError(QueryError):
    """A model wrote no SQL that runs in any of its ``tries``."""

    def __init__(self, question: str, tries: Sequence[str]) -> None:
        last = tries[-1] if tries else "no answer"
        super().__init__(
            f"{len(tries)} attempts of the model gave no SQL for {question!r}; the last: {last}",
            remedy="ask in words that name what runs carry, or query sql --run 'SELECT …'",
        )

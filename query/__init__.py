"""Questions answered from the index: ranked, cited, checked against the database."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from query.opened_index import Index

__all__ = ["Index"]


def __getattr__(name: str) -> object:
    """Return ``Index``, loaded when it is first asked for: the command line starts without it."""
    if name == "Index":
        from query.opened_index import Index

        return Index
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

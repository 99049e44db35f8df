"""Questions answered from the index: ranked, cited, checked against the database."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from query.opened_index import Index

__all__ = ["Index"]


def __getattr__(name: str) -> object:
    """Return ``Index``, loaded at its first use: the command line starts faster without it."""
    if name == "Index":
        from query.opened_index import Index

        return Index
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

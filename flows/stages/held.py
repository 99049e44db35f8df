"""A value that one stage makes and later ones need."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Held(Generic[T]):
    """Hold a value in memory for later stages; load it from the file if its stage was skipped.

    Where that stage did not run, the first call reads what is stored instead.
    """

    def __init__(self, read: Callable[[], T]) -> None:
        self._read = read
        self._value: T | None = None

    def __call__(self) -> T:
        """Return the value."""
        if self._value is None:
            self._value = self._read()
        return self._value

    def put(self, value: T) -> T:
        """Keep ``value`` and return it."""
        self._value = value
        return value

    def drop(self) -> None:
        """Free the memory of the value."""
        self._value = None

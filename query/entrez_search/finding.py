"""What a task found: the values asked for, and the sentence that says them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class NcbiFinding:
    """An answer in full: ``text`` for a reader, ``values`` (of ``name``) for a table."""

    name: str
    values: tuple[str, ...]
    text: str


class NothingFound(Exception):  # noqa: N818 - not an error: it says that NCBI was asked and has none
    """NCBI was asked, and has no such record; ``reason`` says what was looked for."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

"""An answer in words: what it says first, how sure it is, and what follows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from query.answer import ResultTable
from query.compiler import Result


@dataclass(frozen=True, slots=True)
class WordedAnswer:
    """stub"""

    lead: str
    certainty: str = ""
    bullets: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    claims: tuple[Any, ...] = ()
    results: tuple[Result, ...] = ()
    table: ResultTable | None = None

    @property
    def text(self) -> str:
        """stub"""
        return self.lead

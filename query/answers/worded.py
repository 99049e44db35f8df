"""A worded answer: the sentence that answers, how sure it is, what else matters, what to open."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from index.claims import Claim
from query.answer import BarChart, ResultTable
from query.compiler import Result


@dataclass(frozen=True, slots=True)
class WordedAnswer:
    """An answer in words, with the claims that the words were rendered from.

    ``lead``       one sentence that answers
    ``certain``    sentences on how sure, where it matters
    ``bullets``    what a virologist wants next, at most three unless the full answer is asked for
    ``links``      what to type or open next
    """

    lead: str
    certain: tuple[str, ...] = ()
    bullets: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()
    results: tuple[Result, ...] = ()
    table: ResultTable | None = None
    chart: BarChart | None = None

    @property
    def certainty(self) -> str:
        """How sure the answer is, in one or two sentences."""
        return " ".join(self.certain)

    @property
    def text(self) -> str:
        """The answer as plain text; a table is printed separately."""
        return "\n\n".join(self._paragraphs())

    def _paragraphs(self) -> Iterator[str]:
        yield " ".join(part for part in (self.lead, self.certainty) if part)
        if self.bullets:
            yield "\n".join(f"- {bullet}" for bullet in self.bullets)
        if self.links:
            yield "\n".join(("More:", *(f"  {link}" for link in self.links)))

    def to_json(self) -> dict[str, Any]:
        """Return the answer as JSON: words, claims, and the results with their requests."""
        return {
            "text": self.text,
            "lead": self.lead,
            "certainty": self.certainty,
            "bullets": list(self.bullets),
            "links": list(self.links),
            "claims": [claim.to_json() for claim in self.claims],
            "results": [result.to_json() for result in self.results],
        }

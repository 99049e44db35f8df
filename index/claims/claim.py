"""A claim: one statement that SQL made true, which knows how to say itself.

A number becomes words here and nowhere else, in reports and answers alike. A claim has three
forms: ``clause`` goes inside a sentence, ``sentence`` stands alone, ``phrase`` is a number or name
for a list or a table. ``numbers`` are the values that its words hold, ``words`` the texts that came
with them: names and conditions, whose digits are nobody's count.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from index.claims.phrases import sentence

Number: TypeAlias = int | float


@dataclass(frozen=True, slots=True)
class Claim:
    """Base of every claim."""

    def clause(self) -> str:
        """Return the statement without capital letter and full stop."""
        raise NotImplementedError

    def phrase(self) -> str:
        """Return the shortest form: what a list or a chart shows."""
        return self.clause()

    def sentence(self) -> str:
        """Return the statement as a sentence."""
        text = sentence(self.clause())
        return text if text.endswith((".", "?", "!")) else f"{text}."

    def numbers(self) -> tuple[Number, ...]:
        """Return every number that the words hold."""
        return ()

    def words(self) -> tuple[str, ...]:
        """Return the names and conditions that the words hold."""
        return ()

    def to_json(self) -> dict[str, Any]:
        """Return the claim as JSON: its kind, its parts, and its sentence."""
        return {"claim": type(self).__name__, **asdict(self), "text": self.sentence()}


def joined(*parts: str) -> str:
    """Return ``parts`` with single blanks, without those that are empty.

    >>> joined("in 3 runs", "", "from bats")
    'in 3 runs from bats'
    """
    return " ".join(part for part in parts if part)

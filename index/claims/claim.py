"""A claim: one statement computed in SQL that can say itself in words.

A number becomes words here and nowhere else, in reports and answers alike. A claim has two forms:
``clause`` goes inside a sentence, ``sentence`` is a whole one. ``numbers`` are the numbers that its
words may contain, ``words`` the texts that came with them: names and conditions, whose digits count
nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from typing import Any, TypeAlias

from index.claims.phrases import sentence

Number: TypeAlias = int | float


@dataclass(frozen=True, slots=True)
class Claim:
    """Base of every claim: its fields are the facts, its methods put them into words."""

    def clause(self) -> str:
        """Return the statement without capital letter and full stop."""
        raise NotImplementedError

    def sentence(self) -> str:
        """Return the statement as a sentence."""
        text = sentence(self.clause())
        return text if text.endswith((".", "?", "!")) else f"{text}."

    def numbers(self) -> tuple[Number, ...]:
        """Return every number that the words may contain: those of the fields, and ``derived``."""
        own = [part for part in _parts(self) if isinstance(part, int | float)]
        return (*own, *_derived(self))

    def derived(self) -> tuple[Number, ...]:
        """Return numbers computed for the words: shares, ratios, remainders."""
        return ()

    def words(self) -> tuple[str, ...]:
        """Return the names and conditions in the words."""
        return tuple(part for part in _parts(self) if isinstance(part, str) and part)

    def to_json(self) -> dict[str, Any]:
        """Return the claim as JSON: its kind, its parts, and its sentence."""
        return {"claim": type(self).__name__, **asdict(self), "text": self.sentence()}


@dataclass(frozen=True, slots=True, kw_only=True)
class YesOrNo(Claim):
    """Yes or no, before the statement that says why."""

    verdict: str
    because: Claim

    def clause(self) -> str:
        """Return the verdict and the reason."""
        return f"{self.verdict}: {self.because.clause()}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Portrait(Claim):
    """A description of a thing in words that the index stores: names, titles, dates."""

    text: str

    def clause(self) -> str:
        """Return the text."""
        return self.text


def _parts(value: Any) -> Iterator[Any]:
    """Return the numbers and texts in the fields of ``value``, and in those of its parts."""
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, tuple):
        for part in value:
            yield from _parts(part)
    elif isinstance(value, Claim):
        for field in fields(value):
            yield from _parts(getattr(value, field.name))
    else:
        yield value


def _derived(claim: Claim) -> Iterator[Number]:
    """Return the derived numbers of a claim and of the claims in it."""
    yield from claim.derived()
    for field in fields(claim):
        value = getattr(claim, field.name)
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, Claim):
                yield from _derived(part)


def joined(*parts: str) -> str:
    """Return the ``parts`` that are not empty, joined by single blanks.

    >>> joined("in 3 runs", "", "from bats")
    'in 3 runs from bats'
    """
    return " ".join(part for part in parts if part)

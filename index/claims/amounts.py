"""A thing with its number: a value of a ranking, a side of a comparison."""

from __future__ import annotations

from dataclasses import dataclass

from index.claims.claim import Claim, Number
from index.claims.phrases import counted, percent

Noun = tuple[str, str]
"""A noun and its plural."""
RUN: Noun = ("run", "runs")
NO_NOUN: Noun = ("", "")


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedNumber(Claim):
    """A thing with its number; for a share also the part and the whole.

    ``out_of`` all that were reported, where ``number`` are those confirmed
    ``both``   in how many of the runs it occurs with the thing named before
    ``note``   what else is said of it, after the number
    ``alias``  another name of it, before the number
    """

    name: str
    number: Number
    part: int | None = None
    whole: int | None = None
    out_of: int | None = None
    both: int | None = None
    note: str = ""
    alias: str = ""

    @property
    def share(self) -> float | None:
        """The part divided by the whole; None if there is no whole."""
        return self.part / self.whole if self.part is not None and self.whole else None

    def said(self, noun: Noun = NO_NOUN) -> str:
        """Return the number with the noun of what is counted."""
        number = ", ".join(filter(None, (self.alias, self._number(noun))))
        return "; ".join(filter(None, (number, self._with_both(), self.note)))

    def _with_both(self) -> str:
        if self.both is None:
            return ""
        some = {0: "none", self.number: "all"}.get(self.both, f"{self.both:,}")
        return f"{some} with both viruses"

    def _number(self, noun: Noun) -> str:
        if self.share is not None:
            of = f"of {self.whole:,}"
            return f"{self.part:,} {of}, {percent(self.share)}" if self.part else f"none {of}"
        if self.out_of is not None and self.out_of > self.number:
            some = f"{self.number:,}" if self.number else "none"
            return f"{some} of {self.out_of:,} {noun[1]}".strip()
        if isinstance(self.number, int):
            return counted(self.number, *noun) if noun[0] else f"{self.number:,}"
        blank = "" if noun[1][:1] in ("%", "-") else " "
        return f"{number_text(self.number)}{blank}{noun[1]}".strip()

    def clause(self) -> str:
        """Return the name with its number."""
        return f"{self.name} ({self.said()})"

    def derived(self) -> tuple[Number, ...]:
        """Return the share."""
        return () if self.share is None else (self.share,)


def number_text(number: Number) -> str:
    """Return a measured number with at most two decimals.

    >>> number_text(99.1208), number_text(1234), number_text(0.004)
    ('99.12', '1,234', '0.004')
    """
    if isinstance(number, int) or number.is_integer():
        return f"{int(number):,}"
    if abs(number) >= 1000:
        return f"{number:,.0f}"
    rounded = round(number, 2)
    return f"{rounded:g}" if rounded else f"{number:.2g}"

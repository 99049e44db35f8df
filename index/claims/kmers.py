"""Claims about what k-mers show: runs that are mostly of another organism than they state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from index.claims.claim import Claim
from index.claims.phrases import counted, listed

_MOST_NAMED = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class MostlyOther(Claim):
    """How many of the runs with k-mer counts are mostly of another organism than their host.

    ``pairs`` are organism, stated host and runs, most runs first; ``number`` is the sum of their
    runs.
    """

    pairs: tuple[tuple[str, str, int], ...]
    number: int
    whole: int

    @classmethod
    def of_rows(cls, rows: Sequence[tuple[str, str, int, int, int]]) -> MostlyOther:
        """Return the claim of rows of organism, host, runs, number, whole, most runs first."""
        pairs = tuple((organism, host, runs) for organism, host, runs, _, _ in rows)
        *_, number, whole = rows[0]
        return cls(pairs=pairs, number=number, whole=whole)

    def clause(self) -> str:
        """Return "k-mers of 3 of the 12 runs with k-mer counts are mostly Aedes, not human"."""
        if self.whole == 1:
            (organism, host, _), *_ = self.pairs
            return f"its k-mers are mostly {organism}, not {host}"
        them = f"{self.number:,} of the {self.whole:,} runs that have counts"
        if self.number == self.whole:
            them = f"{'both' if self.whole == 2 else f'all {self.whole:,}'} runs that have counts"
        subject = f"by their k-mers, {them} are"
        if len(self.pairs) == 1:
            (organism, host, _), *_ = self.pairs
            return f"{subject} mostly {organism}, not {host}"
        named = [
            f"{organism}, not {host} ({counted(runs, 'run')})"
            for organism, host, runs in self.pairs[:_MOST_NAMED]
        ]
        such_as = ", such as" if len(self.pairs) > _MOST_NAMED else ":"
        return f"{subject} mostly of another organism than stated{such_as} {listed(named)}"

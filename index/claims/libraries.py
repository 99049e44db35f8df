"""Claims about libraries: runs whose library is of another organism than their host."""

from __future__ import annotations

from dataclasses import dataclass

from index.claims.amounts import RUN
from index.claims.claim import Claim
from index.claims.phrases import counted, listed

_MOST_NAMED = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherLibraries(Claim):
    """How many of the runs are libraries of another organism than their host.

    ``pairs`` are organism, host and runs, most runs first; ``further`` says that the runs are not
    among those counted, as what was sequenced is what was asked for, and the host is another.
    """

    pairs: tuple[tuple[str, str, int], ...]
    number: int
    whole: int
    further: bool = False

    def clause(self) -> str:
        """Return "284 of the 305 runs are libraries of Schistosoma mansoni from Mus musculus"."""
        (organism, host, _), *others = self.pairs
        if not others:
            return f"{self._which()} of {organism} from {host}"
        if {organism} != {other for other, _, _ in others}:
            what = "other organisms, such as" if len(others) > 1 else "other organisms:"
            pairs = self.pairs if len(others) == 1 else self.pairs[:1]
            named = [f"{one} from {of} ({counted(n, *RUN)})" for one, of, n in pairs]
            return f"{self._which()} of {what} {listed(named)}"
        named = [f"{of} ({counted(n, *RUN)})" for _, of, n in self.pairs[:_MOST_NAMED]]
        if len(others) >= _MOST_NAMED:
            named.append("others")
        return f"{self._which()} of {organism} from {listed(named)}"

    def _which(self) -> str:
        are = "is a library" if self.number == 1 else "are libraries"
        if self.further:
            return f"{counted(self.number, 'further run', 'further runs')} {are}"
        if self.number == self.whole:
            return "the run is a library" if self.whole == 1 else "all of the runs are libraries"
        return f"{self.number:,} of the {self.whole:,} runs {are}"

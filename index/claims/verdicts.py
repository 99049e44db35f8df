"""Claims about whether hits are real: the verdict, and what it rests on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from index.claims.claim import Claim, Number
from index.claims.counts import RUN
from index.claims.phrases import counted, factor

Verdict = Literal[
    "probably real",
    "sequenced on purpose",
    "from the cell line",
    "possibly contamination",
    "probably a relative",
    "cannot be told",
]
_SAID: Final[dict[Verdict, str]] = {
    "probably real": "{subject} is probably real{where}",
    "sequenced on purpose": (
        "{subject} is real{where}, but most of it was sequenced on purpose: libraries of the virus"
    ),
    "from the cell line": "{subject} is real{where}, but most of it lives in the cell line itself",
    "possibly contamination": "{subject}{where} is possibly contamination, or a new host",
    "probably a relative": "{subject}{where} is probably not itself, but a relative",
    "cannot be told": "whether {subject} is real{where} cannot be told",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged(Claim):
    """Whether hits of a virus are real, with the reason."""

    subject: str
    verdict: Verdict
    because: str
    where: str = ""

    def clause(self) -> str:
        """Return the verdict and its reason."""
        where = f" in runs {self.where}" if self.where else ""
        verdict = _SAID[self.verdict].format(subject=self.subject, where=where)
        return f"{verdict}: {self.because}"

    def words(self) -> tuple[str, ...]:
        """Return what is judged, and where."""
        return self.subject, self.where, self.because


_KINDS: Final = {
    "recorded": "from a host that it is recorded in",
    "new within class": "from a relative of a recorded host",
    "unexpected": "from what it is not recorded in",
    "resident": "from a cell line that it lives in",
    "library": "made of the virus itself",
    "unknown": "from a host of which nothing is recorded",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected(Claim):
    """How many of the runs are from hosts that a virus is recorded in, and from others."""

    kinds: tuple[tuple[str, int], ...]
    unknown: int = 0

    def clause(self) -> str:
        """Return the runs by how expected the virus is in them."""
        parts = [self._part(kind, runs) for kind, runs in self.kinds]
        if self.unknown:
            state = "states" if self.unknown == 1 else "state"
            parts.append(f"{self.unknown:,} {state} no host")
        return f"of these runs, {', '.join(parts)}"

    @staticmethod
    def _part(kind: str, runs: int) -> str:
        return f"{runs:,} {'is' if runs == 1 else 'are'} {_KINDS[kind]}"

    def numbers(self) -> tuple[Number, ...]:
        """Return the runs of each kind."""
        numbers = [runs for _, runs in self.kinds]
        return (*numbers, self.unknown) if self.unknown else tuple(numbers)


@dataclass(frozen=True, slots=True, kw_only=True)
class BesideRelative(Claim):
    """A virus of the same genus has more reads in the same runs."""

    relative: str
    runs: int
    times: float

    def clause(self) -> str:
        """Return in how many runs, and how many times the reads."""
        runs = counted(self.runs, *RUN)
        verb = "has" if self.runs == 1 else "have"
        return f"{runs} also {verb} {self.relative}, with {self._times()} reads in the median"

    def _times(self) -> str:
        if self.times >= 1.5:
            return f"{factor(self.times)} times as many"
        return "about as many" if self.times > 0.67 else f"{factor(self.times)} times the"

    def numbers(self) -> tuple[Number, ...]:
        """Return the runs and the ratio."""
        return (self.runs,) if 0.67 < self.times < 1.5 else (self.runs, self.times)

    def words(self) -> tuple[str, ...]:
        """Return the relative."""
        return (self.relative,)

"""Claims about whether hits are real: the verdict, and what it rests on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from index.claims.claim import Claim, Number
from index.claims.phrases import LARGEST_LIFT, listed, some_runs, times

Verdict = Literal[
    "probably real",
    "sequenced on purpose",
    "from a laboratory",
    "from the cell line",
    "possibly contamination",
    "real in part",
    "probably a relative",
    "cannot be said",
]
_SAID: Final[dict[Verdict, str]] = {
    "probably real": "are probably real",
    "sequenced on purpose": "are real, but mostly sequenced on purpose",
    "from a laboratory": "are real, but mostly no natural infections",
    "from the cell line": "are real, but mostly of a virus that lives in the cell line",
    "possibly contamination": "may be contamination",
    "real in part": "are real in some of the runs only",
    "probably a relative": "are probably of a relative",
    "cannot be said": "cannot be judged",
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
        return f"the hits to {self.subject}{where} {_SAID[self.verdict]}: {self.because}"


_KINDS: Final = {
    "recorded": "from hosts it is known from",
    "of its group": "from hosts of a group it is known from, such as vertebrates",
    "new within class": "from relatives of hosts it is known from",
    "unexpected": "from hosts it is not known from",
    "resident": "from cell lines that it lives in",
    "library": "from libraries of the virus itself",
    "unknown": "from hosts about which nothing is recorded",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected(Claim):
    """How many of the runs are from hosts that a virus is recorded in, and from others."""

    kinds: tuple[tuple[str, int], ...]
    unknown: int = 0

    def clause(self) -> str:
        """Return the runs by how expected the virus is in them."""
        parts = [(runs, _KINDS[kind]) for kind, runs in self.kinds]
        if self.unknown:
            parts.append((self.unknown, "without a recorded host"))
        if len(parts) == 1:
            is_expected = "unexpected" not in dict(self.kinds)
            none = "; none is marked as unexpected" if is_expected else ""
            return f"all of the runs are {parts[0][1]}{none}"
        said = [f"{runs:,} {'is' if runs == 1 else 'are'} {kind}" for runs, kind in parts]
        return f"of the runs, {listed(said)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class OfLaboratory(Claim):
    """How many of the runs come from a laboratory, by the kind of evidence for it."""

    number: int
    whole: int
    kinds: tuple[tuple[int, str], ...]

    @property
    def is_most(self) -> bool:
        """Whether most of the runs do."""
        return 2 * self.number > self.whole

    def clause(self) -> str:
        """Return the runs that are of a laboratory, and what they are."""
        some = "all" if self.number == self.whole else f"{self.number:,} of the"
        runs = "the run" if self.whole == 1 else f"{some} {self.whole:,} runs"
        are = "is" if self.number == 1 else "are"
        why = listed([f"{runs:,} {words}" for runs, words in self.kinds])
        if len(self.kinds) == 1:
            ((_, why),) = self.kinds
        return f"{runs} {are} of laboratory origin ({why})"


@dataclass(frozen=True, slots=True, kw_only=True)
class BesideRelative(Claim):
    """A virus of the same genus has more reads in the same runs.

    ``times``   how many times as many, in the median; None where that is not known
    """

    subject: str
    relative: str
    runs: int
    whole: int
    times: float | None = None

    def clause(self) -> str:
        """Return in how many runs, how many times the reads, and what that means."""
        runs = some_runs(self.runs, self.whole)
        more = "more reads" if self.times is None else f"{times(self.times)} as many reads"
        return (
            f"in {runs} with {self.subject}, {self.relative} has {more}: these hits to "
            f"{self.subject} are probably reads of {self.relative}"
        )

    def derived(self) -> tuple[Number, ...]:
        """Return the ratio that is said."""
        return () if self.times is None else (min(self.times, LARGEST_LIFT),)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutweighedViruses(Claim):
    """Viruses of a list of which a relative has more reads in most of their runs.

    ``viruses`` are virus, relative, the runs in which the relative has more reads, and all runs.
    """

    viruses: tuple[tuple[str, str, int, int], ...]
    left_out: bool = True

    def clause(self) -> str:
        """Return which viruses, and which relatives have more reads."""
        are = "is" if len(self.viruses) == 1 else "are"
        does = f"{are} not counted" if self.left_out else f"{are} doubtful"
        if len(self.viruses) == 1:
            virus, relative, runs, whole = self.viruses[0]
            return f"{virus} {does}, because {relative} has more reads in {some_runs(runs, whole)}"
        named = [virus for virus, *_ in self.viruses[:_MOST_NAMED]]
        if self._others:
            named.append(f"{self._others:,} other{'s' if self._others > 1 else ''}")
        relatives = list(dict.fromkeys(relative for _, relative, *_ in self.viruses))
        such_as = "such as " if len(relatives) > 1 else ""
        return (
            f"{listed(named)} {does}, because in most of their runs a relative "
            f"({such_as}{relatives[0]}) has more reads"
        )

    @property
    def _others(self) -> int:
        return len(self.viruses[_MOST_NAMED:])

    def derived(self) -> tuple[Number, ...]:
        """Return how many viruses are not named."""
        return (self._others,)


_MOST_NAMED: Final = 2

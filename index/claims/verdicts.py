"""Claims about whether hits are real: the verdict, and what it rests on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from index.claims.claim import Claim, Number
from index.claims.phrases import LARGEST_LIFT, counted, listed, times

Verdict = Literal[
    "probably real",
    "sequenced on purpose",
    "from the cell line",
    "possibly contamination",
    "real in part",
    "probably a relative",
    "cannot be said",
]
_SAID: Final[dict[Verdict, str]] = {
    "probably real": "{subject} is probably real{where}",
    "sequenced on purpose": "{subject} is real{where}, but mostly sequenced on purpose",
    "from the cell line": "{subject} is real{where}, but mostly a resident of the cell line",
    "possibly contamination": "{subject}{where} is possibly contamination",
    "real in part": "{subject}{where} is real in some of the runs only",
    "probably a relative": "what is reported as {subject}{where} is probably a relative",
    "cannot be said": "whether these hits of {subject}{where} are real cannot be said",
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
            parts.append((self.unknown, "without a stated host"))
        if len(parts) == 1:
            return f"all of the runs are {parts[0][1]}"
        said = [f"{runs:,} {'is' if runs == 1 else 'are'} {kind}" for runs, kind in parts]
        return f"of the runs, {listed(said)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class BesideRelative(Claim):
    """A virus of the same genus has more reads in the same runs, so many times in the median.

    ``subject``   the virus, where no sentence before says which runs are meant
    """

    relative: str
    runs: int
    whole: int
    times: float
    subject: str = ""

    def clause(self) -> str:
        """Return in how many runs, and how many times the reads."""
        has = "has" if self.whole == 1 else "have"
        return f"{self._which()} also {has} {self.relative}, with {times(self.times)} the reads"

    def _which(self) -> str:
        of = f" with {self.subject}" if self.subject else ""
        if self.whole == 1:
            return f"the run{of}"
        if not self.subject:
            return f"{'all' if self.runs == self.whole else f'{self.runs:,}'} of these runs"
        some = "all" if self.runs == self.whole else f"{self.runs:,} of the"
        return f"{some} {self.whole:,} runs{of}"

    def derived(self) -> tuple[Number, ...]:
        """Return the ratio that is said."""
        return (min(self.times, LARGEST_LIFT),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outweighed(Claim):
    """A virus of a list with the relative that has more reads in ``runs`` of its ``whole`` runs."""

    virus: str
    relative: str
    runs: int
    whole: int

    def clause(self) -> str:
        """Return "Variola virus (Vaccinia virus in all 6 runs)"."""
        some = "all" if self.runs == self.whole else f"{self.runs:,} of"
        runs = "its run" if self.whole == 1 else f"{some} {self.whole:,} runs"
        return f"{self.virus} ({self.relative} in {runs})"


@dataclass(frozen=True, slots=True, kw_only=True)
class OutweighedInList(Claim):
    """Viruses of a list that have fewer reads than a relative in most of their runs."""

    viruses: tuple[Outweighed, ...]
    others: int = 0

    def clause(self) -> str:
        """Return the viruses with their relatives, and how many others there are."""
        named = [virus.clause() for virus in self.viruses]
        if self.others:
            named.append(counted(self.others, "other", "others"))
        return f"a relative has more reads than {listed(named)}"

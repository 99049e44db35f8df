"""Claims about whether hits are real: the verdict, and what it rests on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from index.claims.amounts import RUN
from index.claims.claim import Claim, Number, joined
from index.claims.phrases import LARGEST_LIFT, counted, is_or_are, listed, some_runs, times
from index.stated import EXPLAINED

Verdict = Literal[
    "probably real",
    "sequenced on purpose",
    "from a laboratory",
    "from the cell line",
    "possibly contamination",
    "of another host",
    "real in part",
    "probably a relative",
    "cannot be said",
]
_SAID: Final[dict[Verdict, str]] = {
    "probably real": "{} probably real",
    "sequenced on purpose": "{} real, but mostly sequenced on purpose",
    "from a laboratory": "{} real, but mostly not from natural infections",
    "from the cell line": "{} real, but mostly from cell lines",
    "possibly contamination": "{} more likely contamination or a wrong label than an infection",
    "of another host": "{} real, but the stated host is probably wrong",
    "real in part": "{} sure in some of the runs only",
    "probably a relative": "is probably a related virus",
}
_KINDS: Final = {
    "recorded": "from known hosts",
    "of its group": "from a known group of hosts",
    "new within class": "from relatives of known hosts",
    "unexpected": "from hosts not known for the virus",
    "resident": "from cell lines that it lives in",
    "library": "from libraries of the virus itself",
    "other library": "from libraries of another virus, which it may have contaminated",
    "unknown": "from hosts about which nothing is recorded",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged(Claim):
    """Whether a virus is really in the runs that it is reported in, with the reason."""

    subject: str
    verdict: Verdict
    because: str
    where: str = ""
    runs: int = 0

    def clause(self) -> str:
        """Return the verdict and its reason; without a reason, also the number of runs."""
        virus = f"{self.subject} in runs {self.where}" if self.where else self.subject
        are = is_or_are(self.subject)
        if self.verdict == "cannot be said":
            runs = joined(counted(self.runs, *RUN), self.where)
            hits = f"the hits of {self.subject} in the {runs}"
            return f"whether {hits} are real cannot be judged: {self.because}"
        if self.verdict == "probably a relative":
            virus = f"what is reported as {virus}"
        said = _SAID[self.verdict].format(are)
        if self.because.startswith(("all ", "both ")):
            said = said.replace("but mostly", "but")
        return f"{virus} {said}: {self.because}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected(Claim):
    """How many of the runs are from recorded hosts of a virus, and how many from others."""

    kinds: tuple[tuple[str, int], ...]
    unknown: int = 0

    def clause(self) -> str:
        """Return the runs grouped by how expected the virus is in them."""
        parts = [(runs, _KINDS[kind]) for kind, runs in self.kinds]
        if self.unknown:
            parts.append((self.unknown, "without a recorded host"))
        if len(parts) == 1:
            return f"all of the runs are {parts[0][1]}"
        said = [f"{runs:,} {'is' if runs == 1 else 'are'} {kind}" for runs, kind in parts]
        return f"of the runs, {listed(said)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class OfLaboratory(Claim):
    """How many of the runs come from a laboratory, by the kind of evidence for it.

    ``natural`` counts runs of patients or field samples; ``which`` are the runs, if the sentence
    before does not say it.
    """

    number: int
    whole: int
    kinds: tuple[tuple[int, str], ...]
    natural: int = 0
    which: str = ""

    @property
    def is_most(self) -> bool:
        """Whether most of the runs come from a laboratory."""
        return 2 * self.number > self.whole

    def clause(self) -> str:
        """Return "4,122 of the runs are laboratory material: 3,930 from cell cultures, 123 …"; of
        one kind only "26 of the runs are from cell cultures".
        """
        if not self.number:
            return f"{self._some(self.natural)} {_NATURAL}"
        what = f"laboratory material: {listed(self._kinds())}"
        what = self.kinds[0][1] if len(self.kinds) == 1 else what
        are = "is" if self.natural == 1 else "are"
        natural = f"; {self.natural:,} {are} {_NATURAL}" if self.natural else ""
        return f"{self._some(self.number)} {what}{natural}"

    def _some(self, number: int) -> str:
        """Return some of the runs, with the verb."""
        some = "all of the" if number == self.whole else f"{number:,} of the"
        some = "both" if number == self.whole == 2 else some
        runs, are = f"{some} runs", "are"
        if number == 1:
            runs, are = "the run" if self.whole == 1 else "1 of the runs", "is"
        return joined(runs, self.which, are)

    def reason(self) -> str:
        """Return the kinds alone: "128 of the 129 runs are from cell cultures and 1 …"."""
        first, *others = self._kinds()
        if len(self.kinds) == 1:
            return self.clause()
        number, _, words = first.partition(" ")
        are = "is" if number == "1" else "are"
        return listed([f"{number} of the {self.whole:,} runs {are} {words}", *others])

    def _kinds(self) -> list[str]:
        why = [f"{number:,} {words}" for number, words in self.kinds[:_MOST_KINDS]]
        return [*why, *([counted(self._others, "other")] if self._others else [])]

    @property
    def _others(self) -> int:
        return sum(number for number, _ in self.kinds[_MOST_KINDS:])

    def derived(self) -> tuple[Number, ...]:
        """Return the runs of the kinds that are not named."""
        return (self._others,)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownOrigin(Claim):
    """Runs of which nothing says whether they are natural infections or of a laboratory.

    ``rest`` whether they are all the runs that the sentence before does not count
    ``heavy`` how many of them have over a million reads of the virus
    """

    number: int
    whole: int
    rest: bool = False
    heavy: int = 0

    def clause(self) -> str:
        """Return how many runs may be either, and how many have as many reads as cultures."""
        is_rest = self.rest and self.number < self.whole
        some = f"the other {self.number:,} runs" if is_rest else some_runs(self.number, self.whole)
        them = "these are natural infections"
        them = "it is a natural infection" if self.number == 1 else them
        reads = "over a million reads of the virus, as in cultures or enriched libraries"
        heavy = f"; {self.heavy:,} of them have {reads}" if self.heavy else ""
        return f"for {some} the records do not say whether {them} or laboratory material{heavy}"


@dataclass(frozen=True, slots=True, kw_only=True)
class MostlyOfLaboratory(Claim):
    """Viruses whose runs come mostly from a laboratory: name, these runs, all runs."""

    viruses: tuple[tuple[str, int, int], ...]

    def clause(self) -> str:
        """Return "most runs with EBV (4,122 of 7,000) are laboratory material, not …"."""
        named = listed([f"{name} ({part:,} of {whole:,})" for name, part, whole in self.viruses])
        most = "most"
        if all(part == whole for _, part, whole in self.viruses):
            named, most = listed([name for name, *_ in self.viruses]), "all"
        return f"{most} runs with {named} come from laboratory material, not natural infections"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outweighed(Claim):
    """Runs of a virus in which another one of its genus has more reads.

    ``which``     the runs in words; ``others`` the runs in which no relative has more
    ``explains``  whether the relative has over 20 times as many
    ``times``     how many times as many in the median, if that is known
    ``is_most``   whether these are most of the runs of the virus
    """

    virus: str
    congener: str
    which: str
    explains: bool = False
    others: int = 0
    times: float | None = None
    is_most: bool = False

    def clause(self) -> str:
        """Return "in 3 runs the reads of Variola virus may be those of Vaccinia virus, …"."""
        if self.explains:
            reads = f"over {EXPLAINED} times the reads of {self.virus}, which explains them"
            return f"in {self.which} {self.congener} has {reads}"
        more = "more" if self.times is None else f"{times(self.times)} as many"
        reads = ", the reads" if self.virus in self.which else f" the reads of {self.virus}"
        has = "has" if self.times is None else "typically has"
        stray = f"{reads} may be those of {self.congener}, which {has} {more} in the same run"
        rest = f"; in the other {self.others:,} no relative has more" if self.others else ""
        return f"in {self.which}{stray}{rest}"

    def derived(self) -> tuple[Number, ...]:
        """Return the ratio that is stated."""
        return (EXPLAINED, *(() if self.times is None else (min(self.times, LARGEST_LIFT),)))


@dataclass(frozen=True, slots=True, kw_only=True)
class OutweighedViruses(Claim):
    """Viruses of a list that have fewer reads than a relative in most of their runs.

    ``viruses`` are virus, relative, the runs in which the relative has more reads, and all runs.
    """

    viruses: tuple[tuple[str, str, int, int], ...]
    left_out: bool = True

    def clause(self) -> str:
        """Return these viruses, and the relatives that have more reads."""
        _, relative, runs, whole = self.viruses[0]
        named = [virus for virus, *_ in self.viruses[:_MOST_NAMED]]
        named += [counted(self._others, "other")] if self._others else []
        are = f"{listed(named)} {'is' if len(self.viruses) == 1 else 'are'}"
        does = "left out" if self.left_out else "doubtful"
        its = some_runs(runs, whole).replace("of the", "of its").replace("all ", "all its ")
        its = its.replace("both runs", "both its runs")
        where = f"in {its} {relative} has more reads"
        if len(self.viruses) > 1:
            where = "in most of their runs another virus of the same genus has more reads"
        return f"{are} {does}: {where}"

    @property
    def _others(self) -> int:
        return len(self.viruses[_MOST_NAMED:])

    def derived(self) -> tuple[Number, ...]:
        """Return how many viruses are not named."""
        return (self._others,)


_MOST_KINDS: Final = 2
_NATURAL: Final = "from patients, human tissues or fluids, or field samples"
_MOST_NAMED: Final = 2

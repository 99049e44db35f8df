"""Claims that count: how many runs, of which whole, how many at 90 % identity, and what is
unknown.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from index.claims.amounts import RUN, Noun
from index.claims.claim import Claim, Number, joined
from index.claims.phrases import counted, in_words, is_or_are, listed, percent

OTHERS: Final = {
    "below 90 %": ("is a weaker match", "are weaker matches"),
    "nearer a relative": ("matches a related virus better", "match a related virus better"),
    "reported only": ("has no measured identity", "have no measured identity"),
}
"""What hits are that do not support the species, said of one run and of several."""
A_VIRUS: Final = "a virus"
"""The subject where any virus counts."""


def sought_words(subject: str) -> str:
    """Return what runs were searched for, behind the subject: it or them."""
    return " for them" if is_or_are(subject) == "are" else " for it"


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundIn(Claim):
    """A virus is found in a number of runs, of those that were searched for it.

    ``subject``   the virus in the reader's words
    ``where``     which runs: "from bats"
    ``searched``  runs like that which were searched for it; None where the whole is not said
    ``supported`` whether hits support the name; without, the virus is only "reported"
    ``sought``    what they were searched for, where that is more than the subject
    """

    subject: str
    number: int
    where: str = ""
    noun: Noun = RUN
    searched: int | None = None
    supported: bool = True
    together: bool = False
    sought: str | None = None

    def clause(self) -> str:
        """Return "EBV is found in 12 of the 40 runs from bats that were searched for it (30%)"."""
        verb = "are" if self.together else is_or_are(self.subject)
        found = "found" if self.supported else "reported"
        together = " together" if self.together else ""
        return f"{self.subject} {verb} {found}{together} in {self._runs()}"

    def _runs(self) -> str:
        if self.searched is None or self.searched <= self.number:
            return joined(counted(self.number, *self.noun), self.where)
        share = percent(self.number / self.searched)
        sought = sought_words(self.subject) if self.sought is None else self.sought
        runs = joined(f"{self.number:,} of the", counted(self.searched, *self.noun), self.where)
        that = "that were searched" if self.where else "searched"
        return f"{runs} {that}{sought} ({share})"

    def phrase(self) -> str:
        """Return the number with its noun."""
        return counted(self.number, *self.noun)

    def derived(self) -> tuple[Number, ...]:
        """Return the share of the searched runs."""
        return (self.number / self.searched,) if self.searched else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted(Claim):
    """A number of things of a kind: "the index holds 2,310 runs from bats"."""

    number: int
    noun: Noun = RUN
    where: str = ""
    before: str = ""
    after: str = ""

    def clause(self) -> str:
        """Return ``before``, the number with its noun, ``where`` and ``after``."""
        number = counted(self.number, *self.noun) if self.number else f"no {self.noun[1]}"
        return joined(self.before, number, self.where, self.after)

    def phrase(self) -> str:
        """Return the number with its noun."""
        return counted(self.number, *self.noun)


@dataclass(frozen=True, slots=True, kw_only=True)
class Supported(Claim):
    """How many of the runs have a hit that supports the species: near to it, and to no relative.

    ``others``  what the hits of the other runs are: keys of ``OTHERS``
    """

    number: int
    whole: int
    others: tuple[str, ...] = ()
    together: bool = False

    def clause(self) -> str:
        """Return how many of the runs have such a hit, and what is wrong with the others."""
        runs = counted(self.whole, *RUN)
        both = " for both" if self.together else ""
        if self.number == self.whole:
            every = f"all {runs} are" if self.whole > 1 else "it is"
            return f"{every} confirmed at 90% identity or more{both}"
        if not self.number and self.whole == 1:
            return f"it is not confirmed at 90% identity{both}: it {self._others()}"
        if not self.number:
            return f"none of the {runs} is confirmed at 90% identity{both}: they {self._others()}"
        are = "is" if self.number == 1 else "are"
        rest = in_words(self._rest)
        return (
            f"{self.number:,} of the {runs} {are} confirmed at 90% identity or more{both}; "
            f"the other {rest} {self._others()}"
        )

    @property
    def _rest(self) -> int:
        return self.whole - self.number

    def _others(self) -> str:
        said = [OTHERS[other][self._rest > 1] for other in self.others or OTHERS]
        *first, last = said
        return f"{', '.join(first)} or {last}" if first else last

    def derived(self) -> tuple[Number, ...]:
        """Return the other runs."""
        return (self._rest,)


@dataclass(frozen=True, slots=True, kw_only=True)
class NotFound(Claim):
    """A virus is in none of the runs that were searched for it."""

    subject: str
    searched: int
    where: str = ""
    together: bool = False
    sought: str | None = None

    def clause(self) -> str:
        """Return how many runs were searched in vain."""
        verb = "are" if self.together else is_or_are(self.subject)
        sought = sought_words(self.subject) if self.sought is None else self.sought
        that = "that were searched" if self.where else "searched"
        runs = joined(f"any of the {self.searched:,} runs", self.where, that)
        if self.searched == 1:
            runs = joined("the one run", self.where, that.replace("were", "was"))
        if self.subject == A_VIRUS:
            return f"no virus is found in {runs}"
        if self.subject.startswith(f"{A_VIRUS} "):
            none = runs.replace("any of", "none of", 1)
            return f"{none} {'has' if self.searched == 1 else 'have'} {self.subject}"
        together = " together" if self.together else ""
        return f"{self.subject} {verb} not found{together} in {runs}{sought}"

    def phrase(self) -> str:
        """Return "none of N runs"."""
        return f"none of {counted(self.searched, *RUN)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class NeverSearched(Claim):
    """No source looked for a virus in these runs: nothing is known, not even its absence."""

    subject: str
    where: str = ""

    def clause(self) -> str:
        """Return that nobody looked."""
        runs = joined("runs", self.where) if self.where else "the runs of this index"
        return (
            f"no source looked for {self.subject} in {runs}, so whether "
            f"{'they are' if is_or_are(self.subject) == 'are' else 'it is'} there is unknown"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class WithKindsBelow(Claim):
    """A term is counted mostly by narrower ones: an organ by its parts, lcl by its cell lines."""

    name: str
    kinds: int

    def clause(self) -> str:
        """Return "lcl counts with the 95 kinds below it"."""
        kinds = "the one kind" if self.kinds == 1 else f"the {self.kinds:,} kinds"
        return f"{self.name} counts with {kinds} below it"


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeciesInstead(Claim):
    """Sources name only the species that a virus belongs to, so the species is answered."""

    virus: str
    of_species: Claim

    def clause(self) -> str:
        """Return that the species is meant, and the claim about it."""
        return f"{self.virus} is not distinguished from its species; {self.of_species.clause()}"


@dataclass(frozen=True, slots=True, kw_only=True)
class NotKnown(Claim):
    """A number of runs of which something is not known, so that they could not count.

    ``what``   what is not known, behind the runs, or behind "for N runs" where a ``whole`` is given
    """

    number: int
    what: str
    noun: Noun = RUN
    further: bool = False
    whole: int | None = None

    def clause(self) -> str:
        """Return the runs and what is unknown of them."""
        one, several = self.noun
        if self.whole is not None:
            if self.number < self.whole:
                return f"for {self.number:,} of the {self.whole:,} {several} {self.what}"
            return f"for {counted(self.number, *self.noun)} {self.what}"
        if not self.further:
            return f"{counted(self.number, *self.noun)} {self.what}"
        return f"{counted(self.number, f'further {one}', f'further {several}')} {self.what}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareOf(Claim):
    """What share of the runs of which it is known has something: 12 % (n of m)."""

    part: int
    whole: int
    runs: str
    does: str
    known: str = ""

    def clause(self) -> str:
        """Return "of the 25 runs from bats searched, 3 (12%) carry EBV"."""
        runs = self.runs.replace("runs", f"{self.whole:,} runs", 1)
        if self.whole == 1:
            runs = self.runs.replace("runs", "one run", 1)
        known = f" {self.known}" if self.known else ""
        if known and self.runs != RUN[1]:
            known = f" that were {self.known}"
        if not self.part:
            return f"none of the {runs}{known} {self.does}"
        return (
            f"of the {runs}{known}, {self.part:,} ({percent(self.part / self.whole)}) {self.does}"
        )

    def words(self) -> tuple[str, ...]:
        """Return the texts, those of the runs also as they are said of one."""
        return (*Claim.words(self), self.runs.replace("runs", "run", 1))

    def phrase(self) -> str:
        """Return the share with its counts."""
        return f"{self.part:,} of {self.whole:,}, {percent(self.part / self.whole)}"

    def derived(self) -> tuple[Number, ...]:
        """Return the share."""
        return (self.part / self.whole,)


@dataclass(frozen=True, slots=True, kw_only=True)
class HitsOnly(Claim):
    """Sources list hardly any runs but those with hits, so that a share of them says nothing.

    ``where``   of which runs, where they list others, too: "from mice"
    """

    subject: str
    where: str = ""

    def clause(self) -> str:
        """Return that the share is not known."""
        are = is_or_are(self.subject)
        runs = f" in runs {self.where}" if self.where else ""
        return (
            f"how common {self.subject} {are}{runs} cannot be told, as the sources list hardly any "
            "searched runs without a hit"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding(Claim):
    """In how many of the runs of a thing a virus was found, named or not.

    A run that was not searched is not without a virus, and a search finds what its source looks
    for: ``sources`` are named where nothing was found.
    """

    runs: int
    searched: int
    positive: int
    sources: tuple[str, ...] = ()

    def clause(self) -> str:
        """Return the runs with a virus, of those searched, and how many were not."""
        if not self.searched:
            return f"0 of its {counted(self.runs, *RUN)} were searched for viruses"
        searched = f"{counted(self.searched, *RUN)} searched"
        some = "all" if self.positive == self.searched > 1 else f"{self.positive:,} of"
        text = f"viruses were found in {some} {searched}"
        if not self.positive:
            scope = f" for what {listed(self.sources)} can find" if self.sources else ""
            text = f"no virus was found in {searched}{scope}"
        others = self.runs - self.searched
        if others > 0:
            text += f"; {others:,} {'was' if others == 1 else 'were'} not"
        return text

    def derived(self) -> tuple[Number, ...]:
        """Return the runs that were not searched."""
        return (self.runs - self.searched,)

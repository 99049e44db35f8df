"""Claims that count: how many runs, of which whole, how many at 90 % identity, and what is
unknown.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from index.claims.amounts import RUN, Noun
from index.claims.claim import Claim, Number, joined
from index.claims.phrases import counted, in_words, is_or_are, listed, percent, some_runs
from index.stated import EXPLAINED

OTHERS: Final = {
    "below 90 %": "the match is weaker",
    "nearer a relative": "a related virus matches better",
    "reported only": "no identity is known",
}
"""What is said of hits that do not support the species."""
_UNMEASURED_ONLY: Final = ("reported only",)
_MOSTLY_HITS: Final = "our sources list mostly runs with hits"
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
    ``supported`` whether any hit supports the name; without, the virus is only "reported"
    ``sought``    what they were searched for, where that is more than the subject
    ``how``       what the hits must be: "at 99% identity or more"
    ``hits``      the hits in these runs, where they are counted
    """

    subject: str
    number: int
    where: str = ""
    noun: Noun = RUN
    searched: int | None = None
    supported: bool = True
    together: bool = False
    sought: str | None = None
    how: str = ""
    hits: int | None = None

    def clause(self) -> str:
        """Return "EBV is found in 12 of the 40 runs from bats that were searched for it (30%)"."""
        subject, verb = self.subject, is_or_are(self.subject)
        verb = "are" if self.together else verb
        found = "found" if self.supported else "reported"
        together = "together" if self.together else ""
        return joined(subject, verb, found, together, self.how, "in", self._runs()) + self._hits()

    def _hits(self) -> str:
        if self.hits is None:
            return ""
        each = ", with one hit" + (" each" if self.number > 1 else "")
        return each if self.hits == self.number else f", with {self.hits:,} hits in all"

    def _runs(self) -> str:
        if self.searched is None or self.searched <= self.number:
            return joined(counted(self.number, *self.noun), self.where)
        share = percent(self.number / self.searched)
        sought = sought_words(self.subject) if self.sought is None else self.sought
        if not sought:
            searched = counted(self.searched, *(f"searched {noun}" for noun in self.noun))
            return joined(f"{self.number:,} of the", searched, self.where, f"({share})")
        runs = joined(f"{self.number:,} of the", counted(self.searched, *self.noun), self.where)
        that = "that were searched" if self.where else "searched"
        return f"{runs} {that}{sought} ({share})"

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
        """Return "3 of the 9 runs are confirmed (a match of at least 90%); in the other six the
        match is weaker".
        """
        some = some_runs(self.number, self.whole)
        if not self.number:
            return f"{self._none()} confirmed{self._at_least()}: {self._others()}"
        text = f"{some} {'is' if self.number == 1 else 'are'} confirmed{self._at_least()}"
        if self.together:
            text = f"both matches are confirmed{self._at_least()} in {some}"
        if not self._rest:
            return text
        joint = "for" if self.others == _UNMEASURED_ONLY else "in"
        rest = "run" if self._rest == 1 else in_words(self._rest)
        return f"{text}; {joint} the other {rest} {self._others()}"

    def _none(self) -> str:
        """Return that no run has such a hit."""
        if self.together:
            return f"in none of the {counted(self.whole, *RUN)} are both matches"
        return "it is not" if self.whole == 1 else f"none of the {self.whole:,} runs is"

    @staticmethod
    def _at_least() -> str:
        return " (a match of at least 90%)"

    @property
    def _rest(self) -> int:
        return self.whole - self.number

    def _others(self) -> str:
        return listed([OTHERS[other] for other in self.others or OTHERS]).replace(" and ", " or ")

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
        runs = joined(f"none of the {self.searched:,} runs", self.where, that)
        if self.searched == 1:
            runs = joined("the one run", self.where, that.replace("were", "was"))
        if self.subject == A_VIRUS:
            return f"no virus is found in {runs.replace('none of', 'any of', 1)}"
        if self.subject.startswith(f"{A_VIRUS} "):
            return f"{runs} {'has' if self.searched == 1 else 'have'} {self.subject}"
        found = "not found" if self.searched == 1 else "found"
        found += " together" if self.together else ""
        return f"{self.subject} {verb} {found} in {runs}{sought}"


@dataclass(frozen=True, slots=True, kw_only=True)
class NeverSearched(Claim):
    """No source looked for a virus in these runs: nothing is known, not even its absence."""

    subject: str
    where: str = ""

    def clause(self) -> str:
        """Return that nobody looked."""
        runs = joined("runs", self.where) if self.where else "the runs of this index"
        are = is_or_are(self.subject)
        return (
            f"whether {self.subject} {are} in {runs} cannot be said: no source searched them"
            f"{sought_words(self.subject)}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class WithKindsBelow(Claim):
    """A term is counted mostly by narrower ones: an organ by its parts, lcl by its cell lines."""

    name: str
    kinds: int

    def clause(self) -> str:
        """Return "lcl includes the 95 kinds below it"."""
        kinds = "the one kind" if self.kinds == 1 else f"the {self.kinds:,} kinds"
        return f"{self.name} includes {kinds} below it"


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
    """Sources list mostly runs with hits, so that a share of them says nothing.

    ``subject`` what the share is of; empty for the number that was just said
    ``where``   of which runs: "from mice"
    """

    subject: str
    where: str = ""

    def clause(self) -> str:
        """Return that the share is not known."""
        if not self.subject:
            return f"this is no prevalence, as {_MOSTLY_HITS}"
        where = joined("in runs", self.where) if self.where else ""
        common = joined("how common", self.subject, is_or_are(self.subject), where)
        return f"{common} cannot be said, as {_MOSTLY_HITS}"


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
            text += f"; {others:,} {'was' if others == 1 else 'were'} never searched"
        return text

    def derived(self) -> tuple[Number, ...]:
        """Return the runs that were not searched."""
        return (self.runs - self.searched,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outweighed(Claim):
    """Runs of a virus in which another one of its genus has more reads.

    ``which`` are the runs in words, ``others`` those in which no relative has; ``explains`` says
    that these are over 20 times as many.
    """

    virus: str
    congener: str
    which: str
    explains: bool = False
    others: int = 0

    def clause(self) -> str:
        """Return "in 3 of them Vaccinia virus has more reads than Variola virus and may …"."""
        if self.explains:
            reads = f"over {EXPLAINED} times the reads of {self.virus}, which explains them"
            return f"in {self.which} {self.congener} has {reads}"
        stray = f"the reads of {self.virus} may be stray ones of {self.congener}, which has more"
        rest = f"; in the other {self.others:,} no relative has more" if self.others else ""
        return f"in {self.which} {stray}{rest}"

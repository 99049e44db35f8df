"""Claims that count: runs, the whole that they are part of, runs at 90 % identity, unknown runs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from index.claims.amounts import RUN, Noun
from index.claims.claim import Claim, Number, joined
from index.claims.phrases import counted, identity_of, is_or_are, listed, percent, some_runs

CONFIRMED: Final = "confirmed (at least 90% identity)"
OTHERS: Final = {
    "below 90 %": "the identity is lower",
    "nearer a relative": "a relative matches better",
    "reported only": "no identity is given",
}
"""What is true where hits do not support the species."""
NO_PREVALENCE: Final = (
    "such shares are not infection rates, because most sources list only runs in which a virus was "
    "found"
)
A_VIRUS: Final = "a virus"
"""The subject if any virus counts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Supported(Claim):
    """How many of the runs have a hit that supports the species: near it, and near no relative.

    ``others``    what the hits of the other runs have: keys of ``OTHERS``
    ``together``  whether the hits of several viruses in one run must all support theirs
    """

    number: int
    whole: int
    others: tuple[str, ...] = ()
    together: bool = False

    def clause(self) -> str:
        """Return "it is confirmed (at least 90% identity) in 3 of the 9 runs; in the others …"."""
        if not self.number:
            runs = "that run" if self.whole == 1 else f"any of the {self.whole:,} runs"
            return f"it is not {CONFIRMED} in {runs}{self._rest()}"
        return f"it is {CONFIRMED} in {some_runs(self.number, self.whole)}{self._rest()}"

    def phrase(self) -> str:
        """Return the same, to follow the number of all runs: "3 of them confirmed (…)"."""
        none = "neither of them " if self.whole == 2 else "none of them "
        some = f"{self.number:,} of them " if self.number else none
        if self.number == self.whole:
            some = {1: "", 2: "both "}.get(self.whole, "all ")
        elif self.whole == 1:
            some = "not "
        if self.together:
            rest = ", in the others at least one is not" if self.number < self.whole else ""
            every = f"in {some.strip() or 'it'} both are {CONFIRMED}"
            return f"{every}{rest * bool(self.number)}"
        return f"{some}{CONFIRMED}{self._rest()}"

    def _rest(self) -> str:
        """Return what the hits in the other runs have."""
        rest = self.whole - self.number
        if not rest:
            return ""
        kinds = self.others or tuple(OTHERS)
        if len(kinds) > 2:
            kinds = ("below 90 %", "reported only")
        others = f"in the other{'s' if rest > 1 else ''} " if self.number else ""
        said = " or ".join(OTHERS[kind] for kind in kinds)
        return f"; {others}{said}"


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundIn(Claim):
    """A virus is found in a number of runs, of those that were searched for it.

    ``subject``   the virus in the reader's words
    ``where``     which runs: "from bats"
    ``searched``  such runs that were searched for it; None if the whole is not stated
    ``known``     what else these runs are, if they are not all that were searched
    ``supported`` whether any hit supports the name; without, the virus is only "reported"
    ``confirmed`` how many of the runs support it, if that is stated
    ``hits``      the hits in these runs, if they are counted
    """

    subject: str
    number: int
    where: str = ""
    noun: Noun = RUN
    searched: int | None = None
    known: str | None = None
    supported: bool = True
    confirmed: Supported | None = None
    together: bool = False
    hits: int | None = None

    def clause(self) -> str:
        """Return "EBV is found in 12 of the 40 runs from bats that were searched for it (30%), 9 of
        them confirmed (at least 90% identity); the others have a lower identity".
        """
        verb = "are" if self.together else is_or_are(self.subject)
        found = "found" if self.supported else "reported"
        together = "together" if self.together else ""
        text = joined(self.subject, verb, found, together, "in", self._runs())
        if self.hits is not None:
            text += f" ({counted(self.hits, 'detection')})"
        if self.confirmed is None:
            return text
        return f"{text}{';' if self.together else ','} {self.confirmed.phrase()}"

    def _runs(self) -> str:
        if self.searched is not None and self.known is not None:
            return some_runs(self.number, self.searched, self.known, shared=True)
        if self.searched is None or self.searched <= self.number:
            return joined(counted(self.number, *self.noun), self.where)
        share = percent(self.number / self.searched)
        runs = joined(f"{self.number:,} of the", counted(self.searched, *self.noun), self.where)
        return f"{runs} {_that_were_searched(self)} ({share})"

    def derived(self) -> tuple[Number, ...]:
        """Return the share of the searched runs."""
        return (self.number / self.searched,) if self.searched else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NotFound(Claim):
    """A virus is in none of the runs searched for it; ``unsearched`` others were not searched."""

    subject: str
    searched: int
    where: str = ""
    together: bool = False
    unsearched: int = 0

    def clause(self) -> str:
        """Return how many runs were searched in vain, and how many were not searched."""
        verb = "are" if self.together else is_or_are(self.subject)
        runs = joined(f"none of the {self.searched:,} runs", self.where, _that_were_searched(self))
        if self.searched == 1:
            were = _that_were_searched(self).replace("were", "was")
            runs = joined("the only run", self._where_of_one(), were)
        found = joined("not" if self.searched == 1 else "", "found", "together" * self.together)
        text = f"{self.subject} {verb} {found} in {runs}"
        if self.subject == A_VIRUS:
            text = f"no virus is found in {runs.replace('none of', 'any of', 1)}"
        elif self.subject.startswith(f"{A_VIRUS} "):
            text = f"{runs} {'has' if self.searched == 1 else 'have'} {self.subject}"
        others = counted(self.unsearched, "other was", "others were")
        return f"{text}; {others} not searched" if self.unsearched else text

    def words(self) -> tuple[str, ...]:
        """Return the texts; that of the runs also in the singular."""
        return (*Claim.words(self), self._where_of_one())

    def _where_of_one(self) -> str:
        return self.where.replace("that are ", "that is ").replace("were ", "was ")


def _that_were_searched(claim: FoundIn | NotFound) -> str:
    """Return that runs were searched, and what for if ``claim`` does not already say it."""
    return f"{'that were searched' if claim.where else 'searched'}{_for_them(claim.subject)}"


_IN_BRACKETS: Final = re.compile(r" \([^()]*\)")


def _for_them(subject: str) -> str:
    """Return "for it" or "for them", to follow the subject; nothing for any virus."""
    if subject.startswith((A_VIRUS, "another virus")):
        return ""
    names = _IN_BRACKETS.sub("", subject)
    if " and " in names:
        return " for all of them" if "," in names else " for both"
    return " for them" if is_or_are(subject) == "are" else " for it"


@dataclass(frozen=True, slots=True, kw_only=True)
class NeverSearched(Claim):
    """No source looked for a virus in these runs: nothing is known, not even its absence."""

    subject: str
    where: str = ""

    def clause(self) -> str:
        """Return that nobody looked."""
        runs = joined("runs", self.where) if self.where else "the runs of this index"
        are = is_or_are(self.subject)
        searched = f"searched those runs{_for_them(self.subject)}"
        return f"it is not known whether {self.subject} {are} in {runs}: no source {searched}"


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
class SpeciesInstead(Claim):
    """Sources name only the species that a virus belongs to, so the answer is for the species."""

    virus: str
    of_species: Claim

    def clause(self) -> str:
        """Return that the species is meant, and the claim about it."""
        return f"{self.virus} is not distinguished from its species; {self.of_species.clause()}"


@dataclass(frozen=True, slots=True, kw_only=True)
class NotKnown(Claim):
    """A number of runs that could not be counted because something about them is not known.

    ``what`` follows their number.
    """

    number: int
    what: str
    noun: Noun = RUN

    def clause(self) -> str:
        """Return the runs and what is unknown about them."""
        return f"not counted: {counted(self.number, *self.noun)} {self.what}"


@dataclass(frozen=True, slots=True, kw_only=True)
class NotStated(Claim):
    """Requested fields that no row of the table has."""

    fields: tuple[str, ...]
    rows: int
    noun: Noun = ("run", "rows")

    def clause(self) -> str:
        """Return "tissue and sex are not stated for any of the 100 rows"."""
        are = "is" if len(self.fields) == 1 else "are"
        one, several = self.noun
        named = {1: f"the {one}", 2: f"either {one}"}
        rows = named.get(self.rows, f"any of the {self.rows:,} {several}")
        return f"{listed(self.fields)} {are} not stated for {rows}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unnamed(Claim):
    """A frequent virus of a list has no name, only the code of its cluster of sequences.

    ``others``    further such viruses
    ``alone``     whether the list has no viruses with names
    ``is_first``  whether they are in more runs than any named one
    """

    sotu: str
    runs: int
    nearest: str = ""
    identity: Number | None = None
    others: tuple[tuple[str, int], ...] = ()
    is_first: bool = True
    alone: bool = False

    def clause(self) -> str:
        """Return "the most frequent is the unnamed virus u5 (30 runs), nearest to X (61% …)"."""
        verb = "are" if self.others else "is"
        begin = f"the most frequent of all {verb}" if self.is_first else f"there {verb} also"
        begin = f"there {verb}" if self.alone else begin
        if self.others and not self.alone:
            runs = [f"{number:,}" for number in (self.runs, *(runs for _, runs in self.others))]
            return f"{begin} unnamed viruses ({listed(runs)} runs)"
        if self.others:
            return f"{begin} unnamed viruses: {self.phrase()}"
        one = "the unnamed virus" if self.is_first and not self.alone else "an unnamed virus,"
        return f"{begin} {one} {self._one()}"

    def phrase(self) -> str:
        """Return the codes with their runs."""
        codes = [f"{sotu} ({number:,})" for sotu, number in self.others]
        return listed([self._one(), *codes])

    def _one(self) -> str:
        """Return the most frequent one with its runs, and what it is nearest to."""
        text = f"{self.sotu} ({counted(self.runs, *RUN)})"
        identity = f" ({identity_of(self.identity)})" if self.identity else ""
        return f"{text}, nearest to {self.nearest}{identity}" if self.nearest else text

    def derived(self) -> tuple[Number, ...]:
        """Return the identity as a share, as it is said."""
        return () if self.identity is None else (self.identity / 100,)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareOf(Claim):
    """The share of runs that have something, of those for which it is known: 12 % (n of m).

    ``hits_only``  sources list mostly runs with hits, so the share is not a prevalence
    """

    part: int
    whole: int
    runs: str
    does: str
    known: str = ""
    hits_only: bool = False

    def clause(self) -> str:
        """Return "of the 25 runs from bats that were searched, 3 (12%) carry EBV"."""
        runs = self.runs.replace("runs", counted(self.whole, *RUN), 1)
        known = f" {self.known}" if self.known else ""
        if known and self.runs != RUN[1]:
            known = f" that were {self.known}"
        if not self.part:
            return f"none of the {runs}{known} {self.does}"
        share = percent(self.part / self.whole)
        chosen = f"; {NO_PREVALENCE}" * self.hits_only
        if self.part == self.whole > 1:
            return f"all {runs}{known} ({share}) {self.does}{chosen}"
        return f"of the {runs}{known}, {self.part:,} ({share}) {self.does}{chosen}"

    def words(self) -> tuple[str, ...]:
        """Return the texts; those of the runs also in the singular."""
        return (*Claim.words(self), self.runs.replace("runs", "run", 1))

    def phrase(self) -> str:
        """Return the share with its counts."""
        return f"{self.part:,} of {self.whole:,}, {percent(self.part / self.whole)}"

    def derived(self) -> tuple[Number, ...]:
        """Return the share."""
        return (self.part / self.whole,)


@dataclass(frozen=True, slots=True, kw_only=True)
class HitsOnly(Claim):
    """Sources list mostly runs with hits, so a share of their runs says nothing.

    ``where`` of which runs, if not of all: "from mice"
    """

    where: str = ""

    def clause(self) -> str:
        """Return that the share is no prevalence."""
        return f"for runs {self.where}, {NO_PREVALENCE}" if self.where else NO_PREVALENCE


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding(Claim):
    """How many of the runs of a study, host or other thing have a virus, named or not.

    A run that was not searched may still have a virus, and a search finds only what its source
    looks for: ``sources`` are named if nothing was found.
    """

    runs: int
    searched: int
    positive: int
    sources: tuple[str, ...] = ()

    def clause(self) -> str:
        """Return how many searched runs have a virus, and how many runs were not searched."""
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

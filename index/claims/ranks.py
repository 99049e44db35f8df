"""Claims that rank: how many values there are, and the most frequent of them with their numbers."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import Final

from index.claims.amounts import NO_NOUN, RUN, NamedNumber, Noun
from index.claims.claim import Claim, Number
from index.claims.phrases import counted, in_words, listed, percent

_ALL: Final = 8
"""Values that are all named."""
_FIRST: Final = 3
"""Values that are named of more, with those that tie with the last of them."""
TOTAL: Final = "{total}"
"""Where the words have the number of values, with their noun."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking(Claim):
    """The first values of a ranking, and how many there are in all.

    ``begin``   up to the first value: "Zika virus is reported in {total}"
    ``only``    the same where there is one value: "the only virus found in runs from bats is"
    ``end``     behind the last value
    ``places``  the first values in order; the words name the first ``named``, a chart draws all
    ``thing``   what the values are
    ``noun``    what is counted of each
    ``others``  values behind ``places``
    ``named``   how many were asked for; None: all of a few, else the first, with no tie broken
    """

    begin: str
    places: tuple[NamedNumber, ...]
    thing: Noun = NO_NOUN
    noun: Noun = RUN
    only: str = ""
    end: str = ""
    others: int = 0
    named: int | None = None

    def clause(self) -> str:
        """Return "Zika virus is reported in 17 hosts, led by humans (293 runs) and mice (25)"."""
        if self.total == 1 and self.only:
            return f"{self.only} {self._places()}{self.end}"
        begin = self.begin.replace(TOTAL, f"{in_words(self.total)} {self.thing[self.total > 1]}")
        if TOTAL not in self.begin or self.named:
            return f"{begin} {self._places()}{self.end}".strip()
        return f"{begin}{self._joint()} {self._places()}{self.end}"

    @property
    def total(self) -> int:
        """How many values there are."""
        return len(self.places) + self.others

    def _joint(self) -> str:
        number = len(self._named())
        if number == self.total:
            return ":"
        first, last = self.places[0], self.places[number - 1]
        return ", such as" if first.number == last.number else ", led by"

    def _named(self) -> tuple[NamedNumber, ...]:
        """Return the places that are named: where some are left out, none that ties with one."""
        if self.named is not None:
            return self.places[: self.named]
        if self.total <= _ALL:
            return self.places
        first = self.places[:_FIRST]
        above = tuple(place for place in self.places if place.number > first[-1].number)
        tied = tuple(place for place in self.places if place.number >= first[-1].number)
        if len(tied) <= _ALL and len(tied) < len(self.places):
            return tied
        return above or first

    def _places(self) -> str:
        groups: list[str] = []
        for said, places in groupby(self._named(), key=lambda place: place.said(self.noun)):
            names = [place.name for place in places]
            each = " each" if len(names) > 1 else ""
            shown = said.removesuffix(f" {self.noun[1]}") if groups else said
            groups.append(f"{listed(names)} ({shown}{each})")
        return listed(groups)

    def phrase(self) -> str:
        """Return the values alone."""
        return self._places()

    def words(self) -> tuple[str, ...]:
        """Return the names and conditions, also those before and behind the number of values."""
        parts = [part.strip() for part in self.begin.split(TOTAL)]
        return (*Claim.words(self), *filter(None, parts))

    def derived(self) -> tuple[Number, ...]:
        """Return how many values there are."""
        return (self.total,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dominating(Claim):
    """The largest of several groups, and what part of the runs it has."""

    noun: Noun
    groups: int
    largest: str
    number: int
    whole: int
    about: str = ""
    stated: bool = False

    def clause(self) -> str:
        """Return "12 of the 18 runs (67%) come from one study, SRP039694"."""
        group = f"one {self.noun[0]}, {self.largest}{f' {self.about}' if self.about else ''}"
        known = f" with a known {self.noun[0]}" if self.stated else ""
        if self.groups == 1 or self.number == self.whole:
            return f"all runs{known} come from {group}"
        share = percent(self.number / self.whole)
        return f"{self.number:,} of the {self.whole:,} runs{known} ({share}) come from {group}"

    def derived(self) -> tuple[Number, ...]:
        """Return the share of the largest."""
        return (self.number / self.whole,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed(Claim):
    """How many there are, and which part of them the table shows."""

    of: Claim
    total: int
    shown: int
    noun: Noun = RUN
    names: tuple[str, ...] = ()
    order: str = ""

    def clause(self) -> str:
        """Return "EBV is found in 5,283 runs; the first 100 are in the table"."""
        order = f", {self.order}" if self.order else ""
        if self.names:
            return f"{self.of.clause()}: {listed(self.names)}"
        if self.shown < self.total:
            shown = f"{self.shown:,}"
            of = f" of {counted(self.total, *self.noun)}" if self._is_other_number() else ""
            return f"{self.of.clause()}; the table shows the first {shown}{of}{order}"
        what = counted(self.total, *self.noun) if self._is_other_number() else "all"
        return f"{self.of.clause()}; the table shows {what}{order}"

    def _is_other_number(self) -> bool:
        return self.total not in self.of.numbers()


@dataclass(frozen=True, slots=True, kw_only=True)
class Renamed(Claim):
    """Hits that a source reports by a name are another virus by all else that their runs hold."""

    name: str
    viruses: tuple[NamedNumber, ...]
    where: str = ""

    def clause(self) -> str:
        """Return what the hits are."""
        named = Ranking(begin="", places=self.viruses).phrase()
        where = f" in runs {self.where}" if self.where else ""
        return (
            f"what a source reports as {self.name}{where} is {named} by the other evidence in the "
            "same runs, so no hit counts as it"
        )

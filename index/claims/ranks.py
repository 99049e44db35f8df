"""Claims that rank: which values are the most frequent, with their numbers, and how many more."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from index.claims.claim import Claim, Number
from index.claims.counts import RUN, Noun
from index.claims.phrases import counted, listed, percent


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A value in a ranking: its name and number; of a share also the part and the whole."""

    name: str
    number: Number
    part: int | None = None
    whole: int | None = None

    def said(self, noun: Noun) -> str:
        """Return the number as the ranking says it behind the first name."""
        if self.part is not None and self.whole is not None:
            if self.part == 0:
                return f"none of {self.whole:,}"
            return f"{self.part:,} of {self.whole:,}, {percent(self.part / self.whole)}"
        if isinstance(self.number, int):
            return counted(self.number, *noun) if noun[0] else f"{self.number:,}"
        blank = "" if noun[1] == "%" else " "
        return f"{number_text(self.number)}{blank}{noun[1]}".strip()

    def numbers(self) -> tuple[Number, ...]:
        """Return the numbers that ``said`` holds."""
        if self.part is not None and self.whole is not None:
            return self.part / self.whole, self.part, self.whole
        return (self.number,)


def number_text(number: Number) -> str:
    """Return a measured number with at most two decimals.

    >>> number_text(99.1208), number_text(1234), number_text(0.004)
    ('99.12', '1,234', '0.004')
    """
    if isinstance(number, int) or number.is_integer():
        return f"{int(number):,}"
    if abs(number) >= 1000:
        return f"{number:,.0f}"
    rounded = round(number, 2)
    return f"{rounded:g}" if rounded else f"{number:.2g}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking(Claim):
    """The first values of a ranking, and how many others there are.

    ``begin``   what is ranked, up to the first value: "EBV is found mostly in"
    ``places``  the first values in order; the words name the first ``named``, a chart draws all
    ``others``  values behind ``places``
    """

    begin: str
    places: tuple[Place, ...]
    noun: Noun = RUN
    others: int = 0
    other_noun: Noun = ("other", "others")
    named: int = 3

    def clause(self) -> str:
        """Return "EBV is found mostly in humans (5,283 runs), then mice (42); 3 others"."""
        text = f"{self.begin} {self._places()}".strip()
        unnamed = self._unnamed()
        return f"{text}; {counted(unnamed, *self.other_noun)}" if unnamed else text

    def _unnamed(self) -> int:
        return self.others + max(0, len(self.places) - self.named)

    def _places(self) -> str:
        groups: list[str] = []
        first_places = self.places[: self.named]
        for said, places in groupby(first_places, key=lambda place: place.said(self.noun)):
            names = [place.name for place in places]
            each = " each" if len(names) > 1 else ""
            shown = said.removesuffix(f" {self.noun[1]}") if groups else said
            groups.append(f"{listed(names)} ({shown}{each})")
        if len(groups) == 1:
            return groups[0]
        first, *rest = groups
        return f"{first}, then {listed(rest)}"

    def phrase(self) -> str:
        """Return the values alone."""
        return self._places()

    def numbers(self) -> tuple[Number, ...]:
        """Return the numbers of the values that are named, and of the others."""
        numbers = [number for place in self.places[: self.named] for number in place.numbers()]
        unnamed = self._unnamed()
        return (*numbers, unnamed) if unnamed else tuple(numbers)

    def words(self) -> tuple[str, ...]:
        """Return the words before, and the values."""
        return self.begin, *(place.name for place in self.places)


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
        """Return "297 studies; the largest, ERP001942, has 10% of the runs (666)"."""
        about = f" {self.about}" if self.about else ""
        if self.groups == 1:
            known = f" that state their {self.noun[0]}" if self.stated else ""
            return f"all runs{known} are of one {self.noun[0]}, {self.largest}{about}"
        share = percent(self.number / self.whole)
        known = " that state one" if self.stated else ""
        return (
            f"{counted(self.groups, *self.noun)}; the largest, {self.largest}{about}, has "
            f"{share} of the runs{known} ({self.number:,})"
        )

    def numbers(self) -> tuple[Number, ...]:
        """Return the number of groups, and that of the largest with its share."""
        if self.groups == 1:
            return ()
        return self.groups, self.number / self.whole, self.number

    def words(self) -> tuple[str, ...]:
        """Return the largest group and what it is about."""
        return self.largest, self.about


@dataclass(frozen=True, slots=True, kw_only=True)
class Unexpected(Claim):
    """Hosts in which a virus is not expected, as no record has it there."""

    hosts: Ranking

    def clause(self) -> str:
        """Return the hosts, and what it may be."""
        return (
            f"not recorded in {self.hosts.clause().strip()}: possibly contamination, or a new host"
        )

    def numbers(self) -> tuple[Number, ...]:
        """Return the numbers of the hosts."""
        return self.hosts.numbers()

    def words(self) -> tuple[str, ...]:
        """Return the hosts."""
        return self.hosts.words()


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

    def numbers(self) -> tuple[Number, ...]:
        """Return the numbers of the statement, and those of the table."""
        if self.names:
            return self.of.numbers()
        shown = (self.shown,) if self.shown < self.total else ()
        total = (self.total,) if self._is_other_number() else ()
        return (*self.of.numbers(), *shown, *total)

    def words(self) -> tuple[str, ...]:
        """Return the words of the statement, and the names."""
        return (*self.of.words(), *self.names, self.order)


@dataclass(frozen=True, slots=True, kw_only=True)
class Renamed(Claim):
    """Hits that a source reports by a name are another virus by all else that their runs hold."""

    name: str
    viruses: tuple[Place, ...]

    def clause(self) -> str:
        """Return what the hits are."""
        named = Ranking(begin="", places=self.viruses).clause().strip()
        return f"a source reports hits as {self.name}, which by the other evidence are {named}"

    def numbers(self) -> tuple[Number, ...]:
        """Return the runs of each virus."""
        return tuple(number for place in self.viruses for number in place.numbers())

    def words(self) -> tuple[str, ...]:
        """Return the names."""
        return self.name, *(place.name for place in self.viruses)

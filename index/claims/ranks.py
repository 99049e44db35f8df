"""Claims that rank: which values are the most frequent, with their numbers, and how many more."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from index.claims.amounts import RUN, NamedNumber, Noun
from index.claims.claim import Claim, Number
from index.claims.phrases import counted, listed, percent


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking(Claim):
    """The first values of a ranking, and how many others there are.

    ``begin``   what is ranked, up to the first value: "EBV is found mostly in"
    ``places``  the first values in order; the words name the first ``named``, a chart draws all
    ``others``  values behind ``places``
    """

    begin: str
    places: tuple[NamedNumber, ...]
    noun: Noun = RUN
    others: int = 0
    other_noun: Noun = ("other", "others")
    named: int = 3
    by_number: bool = True
    """Whether the order is said; not of places in the order of their names, like years."""

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
        if not self.by_number:
            return listed(groups)
        first, *rest = groups
        return f"{first}, then {listed(rest)}"

    def phrase(self) -> str:
        """Return the values alone."""
        return self._places()

    def derived(self) -> tuple[Number, ...]:
        """Return how many values are not named."""
        return (self._unnamed(),)


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
        known = f" with a known {self.noun[0]}" if self.stated else ""
        return (
            f"{counted(self.groups, *self.noun)}; the largest, {self.largest}{about}, has "
            f"{counted(self.number, *RUN)} ({share} of {'those' if known else 'them'}{known})"
        )

    def derived(self) -> tuple[Number, ...]:
        """Return the share of the largest."""
        return (self.number / self.whole,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unexpected(Claim):
    """Hosts in which a virus is not expected, as no record has it there."""

    hosts: Ranking

    def clause(self) -> str:
        """Return the hosts, and what it may be."""
        return (
            f"hosts it is not known from, so possibly contamination: {self.hosts.clause().strip()}"
        )


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
        named = Ranking(begin="", places=self.viruses).clause()
        where = f" in runs {self.where}" if self.where else ""
        return (
            f"what a source reports as {self.name}{where} is {named} by the other evidence in the "
            "same runs, so no hit counts as it"
        )

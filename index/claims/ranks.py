"""Claims that rank: how many values there are, and the most frequent ones with their numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from index.claims.amounts import NO_NOUN, RUN, NamedNumber, Noun
from index.claims.claim import Claim, Number, joined
from index.claims.counts import CONFIRMED as AT_SPECIES
from index.claims.phrases import counted, in_words, listed, not_recorded, sentence, some_runs

_ALL: Final = 4
"""Up to this many values, all are named."""
_FIRST: Final = 3
"""Of more values so many are named, and those that tie with the last."""
TOTAL: Final = "{total}"
"""The place of the number of values, with their noun, in the words."""
_VERBS: Final = {"are": "is", "have": "has", "report": "reports", "turn": "turns",
          "also turn": "also turns"}  # fmt: skip
"""Verbs after the number, and their singular forms."""


CONFIRMED: Final = "confirmed"
ALL_CONFIRMED: Final = "all confirmed"
NONE_CONFIRMED: Final = "none confirmed"
_OF_ALL: Final = {
    CONFIRMED: "each of {} is confirmed",
    ALL_CONFIRMED: "each of {} is confirmed in all its runs",
    NONE_CONFIRMED: "none of {} is confirmed",
}
"""Notes on values, and what is said once if a note is true of all the named values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking(Claim):
    """The first values of a ranking, and how many there are in all.

    ``begin``   up to the first value: "Zika virus is reported in {total}"
    ``end``     after the last value
    ``places``  the first values in order; the words name the first ``named``, a chart draws all
    ``thing``   what the values are
    ``noun``    what is counted of each
    ``others``  values after ``places``
    ``named``   how many to name; None: all of a few, else the first ones, without breaking a tie
    ``unstated`` runs that state no value, of the ``whole``
    ``sure``    how many of the values are confirmed, where only some are
    ``sure_of`` the first of these
    """

    begin: str
    places: tuple[NamedNumber, ...]
    thing: Noun = NO_NOUN
    noun: Noun = RUN
    end: str = ""
    others: int = 0
    named: int | None = None
    whole: int | None = None
    unstated: int = 0
    unstated_note: str = ""
    unstated_thing: str = ""
    sure: int = 0
    sure_of: tuple[NamedNumber, ...] = ()

    def clause(self) -> str:
        """Return "Zika virus is found in 17 hosts: humans (293 runs), mice (25) and 15 others; no
        host is recorded for 40 of the 370 runs".
        """
        begin = self._filled()
        if self.named == 1 and ", the " in begin and begin.endswith(" is"):
            return f"{self._first_of(begin.removesuffix(' is'))}{self._end()}"
        if TOTAL not in self.begin or self.named:
            return f"{begin} {self._places()}{self._end()}".strip()
        is_cut = len(self.phrased()) < self.total
        if 0 < self.sure < self.total and is_cut and not self._is_sure_behind():
            return f"{begin}; the most frequent are {self._places()}{self._end()}"
        return f"{begin}: {self._places(is_cut=is_cut)}{self._end()}"

    def _first_of(self, begin: str) -> str:
        """Return "X (30 runs) is the most frequent of five viruses in runs from bats"."""
        many, _, most = begin.rpartition(", the ")
        has = "one with the "
        verb = f"has the {most.removeprefix(has)}" if most.startswith(has) else f"is the {most}"
        return f"{self._places()} {verb} {many}"

    def _filled(self) -> str:
        """Return the beginning with the number of values, a matching verb, and the confirmed."""
        number = joined(in_words(self.total), self.thing[self.total > 1])
        begin = self._agreeing().replace(TOTAL, number)
        if not self.sure or self._is_sure_behind() or begin.endswith(":"):
            return begin
        if self.begin.startswith(TOTAL):
            sure = f"{number}, {in_words(self.sure)} of them {AT_SPECIES},"
            return begin.replace(number, sure, 1)
        stem = begin.partition(", the ")[0].removesuffix(",")
        return f"{stem}, {in_words(self.sure)} of them {AT_SPECIES}{begin[len(stem) :]}"

    def _agreeing(self) -> str:
        """Return the beginning with the verb that agrees with the number of values."""
        begin = self.begin
        for several, single in _VERBS.items() if self.total == 1 else ():
            begin = begin.replace(f"{TOTAL} {several}", f"{TOTAL} {single}", 1)
        return begin

    def _end(self) -> str:
        """Return the end: the note that all values share, and the runs that state no value."""
        end = f"{self.end}{self._of_all()}"
        if not self.unstated:
            return end
        runs = counted(self.unstated, "other run")
        if self.whole is not None:
            runs = some_runs(self.unstated, self.whole)
        lacking = self.unstated_thing or self.thing[0]
        return f"{end}; {not_recorded(f'{runs}{self.unstated_note}', lacking)}"

    def _is_sure_behind(self) -> bool:
        """Return whether all confirmed values come after the named ones."""
        return bool(self.sure_of) and self._shared_note() == NONE_CONFIRMED

    def _of_all(self) -> str:
        """Return the note that all named values share, or the other values that are confirmed."""
        if self._is_sure_behind():
            first = Ranking(begin="", places=self.sure_of[:_FIRST], noun=self.noun).phrase()
            if self.sure <= _FIRST:
                return f"; only {first} {'is' if self.sure == 1 else 'are'} {AT_SPECIES}"
            return f"; only {self.sure:,} of the others are {AT_SPECIES}, such as {first}"
        if not self._shared_note():
            return ""
        those = "those named here" if len(self.phrased()) < self.total else "these"
        return f"; {_OF_ALL[self._shared_note()].format(those)}"

    @property
    def total(self) -> int:
        """How many values there are."""
        return len(self.places) + self.others

    def phrased(self) -> tuple[NamedNumber, ...]:
        """Return the named places; a place that is left out never ties with a named one."""
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

    def _shared_note(self) -> str:
        """Return the note that several named values share, if it is said once."""
        notes = {place.note for place in self.phrased()}
        note = notes.pop() if len(notes) == 1 and len(self.phrased()) > 1 else ""
        return note if note in _OF_ALL else ""

    def _places(self, *, is_cut: bool = False) -> str:
        """Return the values with their numbers; only the first has the unit."""
        named = self.phrased()
        if self._shared_note():
            named = tuple(replace(place, note="") for place in named)
        bare = self.noun if self.noun[1] == "%" else NO_NOUN
        if len({place.said(bare) for place in named}) == 1 < len(named):
            note = "; " * bool(named[0].note) + named[0].note
            each = f"{replace(named[0], note='').said(self.noun)} each{note}"
            parts = [f"{listed([place.name for place in named])} ({each})"]
        else:
            nouns = [self.noun, *(self.noun if place.alias else bare for place in named[1:])]
            parts = [
                f"{place.name} ({place.said(noun)})"
                for place, noun in zip(named, nouns, strict=True)
            ]
        rest = self.total - len(named)
        others = f"{rest:,} other{'s' if rest > 1 else ''}"
        parts += [others] if is_cut else []
        return listed(parts)

    def phrase(self) -> str:
        """Return the values alone."""
        return self._places()

    def words(self) -> tuple[str, ...]:
        """Return the names and conditions, also those before and after the number of values."""
        parts = [part.strip() for part in self._agreeing().split(TOTAL)]
        return (*Claim.words(self), *filter(None, parts))

    def derived(self) -> tuple[Number, ...]:
        """Return how many values there are, and how many are not named."""
        return (self.total, self.total - len(self.phrased()))


@dataclass(frozen=True, slots=True, kw_only=True)
class InBothLists(Claim):
    """The values that two lists share, and those that only one of them has.

    ``shared``  each with the numbers of both sides
    ``only``    of each side
    """

    sides: tuple[str, str]
    shared: tuple[tuple[str, int, int], ...]
    only: tuple[tuple[NamedNumber, ...], tuple[NamedNumber, ...]]
    thing: Noun

    def clause(self) -> str:
        """Return the values of both sides, then those of each alone."""
        alone = [ranking.clause() for ranking in self._alone()]
        if not self.shared and len(alone) == 1:
            bare = self.sides[bool(self.only[0])]
            return f"no {self.thing[0]} is found in {bare}; {alone[0]}"
        return ". ".join([self._shared(), *map(sentence, alone)])

    def _shared(self) -> str:
        """Return the values of both sides, or that there are none."""
        first, second = self.sides
        both = f"{first} and {second.removeprefix('runs ')}"
        if not self.shared:
            return f"{both} share no {self.thing[0]}"
        number = f"{in_words(len(self.shared))} {self.thing[len(self.shared) > 1]}"
        named = listed(
            [f"{name} ({left:,} and {right:,})" for name, left, right in self.shared[:_FIRST]]
        )
        such_as = ", such as" if len(self.shared) > _FIRST else ":"
        return f"{both} share {number}{such_as} {named.replace(')', ' runs)', 1)}"

    def _alone(self) -> list[Ranking]:
        """Return the values that only one side has, a side each that has some."""
        pairs = zip(self.sides, self.only, strict=True)
        return [_first_of(places, side) for side, places in pairs if places]

    def derived(self) -> tuple[Number, ...]:
        """Return the numbers of values that are shared, on one side only, and not named."""
        return (len(self.shared), *(number for side in self._alone() for number in side.derived()))


def _first_of(places: tuple[NamedNumber, ...], side: str) -> Ranking:
    """Return how many values only one side has, and the first of them."""
    return Ranking(begin=f"{TOTAL} are found only in {side}", places=places)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dominating(Claim):
    """The study that most of the runs come from.

    ``about``     its title; ``is_partly`` whether further runs have no recorded study
    """

    study: str
    number: int
    whole: int
    about: str = ""
    is_partly: bool = False

    def clause(self) -> str:
        """Return "of the 18 runs whose study is known, 12 come from SRP039694"."""
        some = "both" if self.number == self.whole == 2 else "all"
        come = "comes" if self.whole == 1 else "come"
        runs = f"{some if self.number == self.whole else f'{self.number:,}'} {come}"
        known = " whose study is known" if self.is_partly else ""
        of_them = f"of the {counted(self.whole, 'run')}{known}, {runs}"
        if self.whole == 1:
            of_them = f"the {'only ' * self.is_partly}run{known} comes"
        return joined(f"{of_them} from the study {self.study}", self.about)


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed(Claim):
    """How many rows there are, and which of them the table shows."""

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
            they = ("It", "They") if self.shown == self.total else ("The first", "The first")
            are = f"{they[0]} is" if self.shown == 1 else f"{they[1]} are"
            return f"{self.of.clause()}. {are} {listed(self.names)}"
        of = counted(self.total, *self.noun) if self.total not in self.of.numbers() else ""
        if self.shown < self.total:
            of = joined("The table has the first", f"{self.shown:,}", f"of {of}" if of else "")
        elif of:
            of = f"The table has {of}"
        return f"{self.of.clause()}{f'. {of}' if of else ''}{order}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Renamed(Claim):
    """Hits that a source reports by a name, but that are another virus by all other evidence.

    ``are_types``: the other viruses are types of the named one, which no hit states alone.
    """

    name: str
    viruses: tuple[NamedNumber, ...]
    where: str = ""
    are_types: bool = False

    def clause(self) -> str:
        """Return that the name is wrong, and which virus the hits are."""
        named = Ranking(begin="", places=self.viruses).phrase()
        runs = joined("runs", self.where) if self.where else "any run"
        if self.are_types:
            where = f" in {runs}" if self.where else ""
            return f"{self.name} is found{where} as {named}"
        return (
            f"{self.name} is not found in {runs}: what is reported by this name is {named}, "
            "judging by the other evidence in the same runs"
        )

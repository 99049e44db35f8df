"""Claims about some of the runs of a set: in how many something holds, and where they come from."""

from __future__ import annotations

from dataclasses import dataclass

from index.claims.amounts import RUN
from index.claims.claim import Claim, Number, joined
from index.claims.phrases import counted, is_or_are, listed, some_runs
from index.stated import EXPLAINED


@dataclass(frozen=True, slots=True, kw_only=True)
class InRuns(Claim):
    """Something holds in some of the runs: "the tissue is leaf in 9 of the 12 runs (75%)".

    ``subject``  what holds, ``does`` the same after the runs, or more about them after a comma
    ``which``    what all the runs have in common: "with a stated tissue"
    ``shared``   whether the percentage is given
    ``of_all``   how many runs there are with those without, if that is said
    """

    part: int
    whole: int
    subject: str = ""
    does: str = ""
    which: str = ""
    shared: bool = False
    of_all: int = 0

    def clause(self) -> str:
        """Return what holds, and in how many runs."""
        runs = some_runs(self.part, self.whole, self.which, shared=self.shared)
        runs += f" (of {self.of_all:,} in all)" if self.of_all else ""
        return joined(self.subject, f"in {runs}", self.does).replace(" ,", ",")

    def derived(self) -> tuple[Number, ...]:
        """Return the share."""
        return (self.part / self.whole,)


@dataclass(frozen=True, slots=True, kw_only=True)
class ComingFrom(Claim):
    """How many studies some runs come from, or the hosts and studies of most of them."""

    whole: int
    most: tuple[tuple[str, int], ...] = ()
    studies: int = 0

    def clause(self) -> str:
        """Return "9 of them from P1 and 6 from P2", or "in 6 studies"; empty if none is known."""
        if not self.most:
            return f"in {self.studies:,} studies" if self.studies > 1 else ""
        (first, runs), *others = self.most
        few = f"all but {self.whole - runs:,}"
        some = few if 5 * runs >= 4 * self.whole else f"{runs:,} of them"
        begin = f"{'all' if runs == self.whole else some} from {first}"
        return listed([begin, *(f"{number:,} from {name}" for name, number in others)])

    def derived(self) -> tuple[Number, ...]:
        """Return the runs that are not from the first source."""
        return tuple(self.whole - runs for _, runs in self.most[:1])


@dataclass(frozen=True, slots=True, kw_only=True)
class OfStudy(Claim):
    """How many runs are from the largest study, which may be known by its accessions only.

    ``studies`` how many studies of the runs are known
    """

    number: int
    whole: int
    study: str
    first: str = ""
    last: str = ""
    studies: int = 0

    def clause(self) -> str:
        """Return "8 are from P1, the largest of 6 known studies"."""
        are = "is" if self.number == 1 else "are"
        some = "all" if self.number == self.whole else f"{self.number:,}"
        if not self.study:
            return f"{some} {are} probably from one study ({self.first} to {self.last})"
        largest = f", the largest of {self.studies:,} known studies" if self.studies > 1 else ""
        return f"{some} {are} from {self.study}{largest}"


@dataclass(frozen=True, slots=True, kw_only=True)
class OfOtherViruses(Claim):
    """A virus is not the main one of some studies; of how many of its runs the study is known."""

    virus: str
    studies: int
    known: int
    whole: int

    def clause(self) -> str:
        """Return "EBV is not the main virus of any of these studies; its study is known for …"."""
        these = "any of these studies" if self.studies > 1 else "this study"
        some = f"{self.known:,}" if self.known else "none"
        known = f"its study is known for {some} of its {counted(self.whole, *RUN)}"
        return f"{self.virus} is not the main virus of {these}; {known}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unassigned(Claim):
    """In how many of the runs with a virus no species, or no other taxon, is known.

    ``is_rest`` whether these are all the runs that the sentence before does not count
    """

    taxon: str
    number: int
    whole: int
    is_rest: bool = False

    def clause(self) -> str:
        """Return "no family could be assigned in the other 7"."""
        runs = f"{self.number:,} of the {self.whole:,}"
        runs = f"the other {self.number:,}" if self.is_rest else runs
        return f"no {self.taxon} could be assigned in {runs}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Size(Claim):
    """The size of a community: its runs, and the studies of those whose study is known.

    ``only`` the study of all runs; ``most`` the study of most of them, with its runs
    """

    runs: int
    studies: int
    known: int
    only: str = ""
    most: tuple[tuple[str, int], ...] = ()

    def clause(self) -> str:
        """Return "this community has 40 runs from 2 studies, 25 of them from P1"."""
        has = f"this community has {counted(self.runs, *RUN)}"
        if self.only:
            return f"{has}, all from the study {self.only}"
        if 2 * self.known < self.runs:
            number = f"{self.known:,} of them" if self.known else "none"
            return f"{has}; the study is known for {number}"
        studies = counted(self.studies, "study", "studies")
        of_one = "".join(f"; {runs:,} are from {study}" for study, runs in self.most)
        if self.known == self.runs:
            return f"{has} from {studies}{of_one}"
        return f"{has}, {self.known:,} of them from {studies.replace(' ', ' known ')}{of_one}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled(Claim):
    """Libraries labelled as a virus, and how many carry it, or an unnamed virus that may be it.

    ``unnamed``  the unnamed virus, in words
    ``titled``   further runs with the unnamed virus, from studies whose titles name the other
    ``matching`` libraries that match the reference of the virus
    ``probable`` whether the unnamed virus is probably the virus of the label
    """

    label: str
    whole: int
    matching: int = 0
    unnamed: str = ""
    carrying: int = 0
    titled: int = 0
    probable: bool = True

    def clause(self) -> str:
        """Return how many libraries carry the unnamed virus, or match the reference."""
        which = f"labelled {self.label}"
        if not self.unnamed:
            some = some_runs(self.matching, self.whole, which) if self.matching else ""
            match = "matches" if self.matching == 1 else "match"
            none = f"none of the {counted(self.whole, *RUN)} {which} matches"
            return f"{f'{some} {match}' if some else none} its reference"
        runs = some_runs(self.carrying, self.whole, which)
        titled = f" and {counted(self.titled, *RUN)} of studies whose titles name it"
        text = f"{runs}{titled * (self.titled > 0)} carry {self.unnamed}"
        rest = f", so it is probably {self.label}" if self.probable else ", as do other runs"
        also = f"; {self.matching:,} also {'matches' if self.matching == 1 else 'match'}"
        return f"{text}{rest}{f'{also} its reference' * (self.matching > 0)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class MoreReads(Claim):
    """Two viruses of the same runs, in some of which one has more reads than the other.

    Congeners share reads; of others, far fewer reads may be carry-over. ``either`` says that each
    of them has far fewer in some of the runs.
    """

    first: str
    second: str
    number: int
    runs: int
    are_congeners: bool = False
    either: bool = False

    def clause(self) -> str:
        """Return which virus has more reads in how many runs, and what may explain it."""
        some = some_runs(self.number, self.runs)
        if self.are_congeners:
            have = "have" if is_or_are(self.first) == "are" else "has"
            more = f"{self.first} {have} more reads than {self.second} in {some} with both"
            return f"{more}: hits of one may be reads of the other, or both of a relative"
        if self.either:
            both = f"{some} with both {self.first} and {self.second}"
            more = f"one has over {EXPLAINED} times the reads of the other"
            return f"in {both}, {more}, so the weaker one may be carry-over"
        more = f"{self.first} has over {EXPLAINED} times the reads of {self.second}"
        return f"{more} in {some} with both, so {self.second} may be carry-over there"

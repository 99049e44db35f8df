"""What an answer is about, and the sentence that says how many runs have it, or why none has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from index.claims import (
    A_VIRUS,
    RUN,
    Claim,
    Counted,
    FoundIn,
    NeverSearched,
    NotFound,
    Noun,
    ShareOf,
)
from query.answers.drafting import Answering
from query.answers.hit_words import hit_words, is_any, or_words
from query.answers.run_words import clause_words, runs_in_words, without_hits
from query.answers.unknowns import (
    is_supported,
    lists_mostly_hits,
    no_runs,
    none_of,
    renamed,
    support,
    unsearched,
)
from query.request import Carries, Hit, Searched
from query.request.run_sets import EVERYTHING, RunSet, intersect

_FEW_FURTHER: Final = 0.05
"""Further runs that were not searched are ignored below this share of the searched runs."""


@dataclass(frozen=True, slots=True)
class Topic:
    """The hits that an answer is about, in words, and the runs they are found in.

    ``where`` are the runs without these hits: "from bats".
    """

    hits: tuple[Hit, ...]
    lacking: tuple[Hit, ...]
    words: str
    where: str

    @property
    def together(self) -> bool:
        """Whether several viruses are found in the same runs."""
        return len(self.hits) > 1

    @property
    def is_named(self) -> bool:
        """Whether the hits are restricted to some viruses."""
        return any(not is_any(hit) for hit in self.hits)


def subject_of(context: Answering, hits: Hit | None) -> Topic:
    """Return what the answer is about; ``hits`` are those of the measure."""
    names = context.names
    taken = runs_in_words(context.request.of, names)
    found = tuple(dict.fromkeys([*taken.carried, *([hits] if hits is not None else [])]))
    named = tuple(hit for hit in found if not is_any(hit)) or found
    is_of_any = bool(named) and all(is_any(hit) for hit in named)
    words = " and ".join(hit_words(hit, names, first=True) for hit in named)
    any_virus = "another virus" if taken.lacking and is_of_any else A_VIRUS
    if words.startswith("any virus"):
        words = words.replace("any virus", any_virus, 1)
    where = taken.where
    if taken.lacking:
        where = f"{where} without {or_words(taken.lacking, names, first=not is_of_any)}".strip()
    return Topic(named, taken.lacking, words, where)


def of_positive(of: RunSet, hits: Hit | None) -> RunSet:
    """Return the runs of ``of`` that have ``hits``."""
    return of if hits is None else intersect(of, Carries(hits))


def found(
    context: Answering, subject: Topic, number: int, noun: Noun = RUN, *, doubted: bool = False
) -> Claim:
    """Return the claim that answers how many runs have the hits, or are in the set.

    ``doubted`` says that a relative explains most of the hits.
    """
    tally = context.tally
    if not subject.hits:
        return _without_hits(context, subject, number, noun)
    rest = without_hits(context.request.of)
    if not number:
        return _not_found(context, subject, tally.searched, rest)
    is_sure = noun == RUN and not doubted
    return FoundIn(
        subject=subject.words,
        number=number,
        where=subject.where,
        noun=noun,
        searched=tally.searched if noun == RUN and not lists_mostly_hits(context, rest) else None,
        supported=not doubted and is_supported(context, subject.hits, tally.at_90),
        confirmed=support(context, subject.hits, number, tally.at_90) if is_sure else None,
        together=subject.together,
    )


def _not_found(context: Answering, subject: Topic, searched: int, rest: RunSet) -> Claim:
    """Return that no run has the hits: they are of another virus, or there is no searched run."""
    others = [*renamed(context, subject.hits, rest), *no_runs(context, rest)]
    if others:
        return others[0]
    if not searched:
        return NeverSearched(subject=subject.words, where=subject.where)
    further = unsearched(context)
    return NotFound(
        subject=subject.words,
        searched=searched,
        where=subject.where,
        together=subject.together,
        unsearched=further if further >= _FEW_FURTHER * searched else 0,
    )


def _without_hits(context: Answering, subject: Topic, number: int, noun: Noun) -> Claim:
    """Return how many runs are in a set that names no virus."""
    of, names = context.request.of, context.names
    if isinstance(of, Searched):
        whole = context.count(EVERYTHING)
        return ShareOf(part=number, whole=whole, runs="runs", does=clause_words(of, names))
    if not subject.lacking:
        counted = Counted(number=number, noun=noun, before="the index has", where=subject.where)
        return counted if number else none_of(context, of)
    where = runs_in_words(of, names).where
    lacking = or_words(subject.lacking, names, first=True).replace("any virus", "a virus")
    searched = context.tally.searched
    if not number and not searched:
        return NeverSearched(subject=lacking, where=where)
    where = where.removeprefix("searched")
    if not number:
        noun = ("searched run", "searched runs")
        after = f"have {lacking}"
        if lists_mostly_hits(context, of):
            after = f"{after}, but our sources list hardly any others"
        return Counted(number=searched, noun=noun, before="all", where=where, after=after)
    were, have = ("was", "has") if number == 1 else ("were", "have")
    does = f"{were} searched for {lacking} and {have} none"
    return Counted(number=number, noun=noun, where=where, after=does)

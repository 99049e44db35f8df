"""What an answer is about: hits in words, and the runs they are found in."""

from __future__ import annotations

from dataclasses import dataclass

from index.claims import A_VIRUS
from query.answers.drafting import Answering
from query.answers.hit_words import hit_words, is_any, or_words
from query.answers.run_words import runs_in_words
from query.request import Carries, Hit
from query.request.run_sets import RunSet, intersect


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

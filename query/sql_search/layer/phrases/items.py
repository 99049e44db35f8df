"""The phrases that a request is made of."""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field as fresh
from typing import Literal

from query.sql_search.layer.request import Bound, Measure, TableCondition


@dataclass(slots=True)
class Noun:
    """A noun with what is said of it: the ten virus families in human runs with at least 5 runs.

    ``field``  a field, ``run``, empty for names alone, ``those`` for a pronoun
    ``where``  what holds of its runs, ``kept`` what holds of their numbers
    ``common`` whether those with most runs are asked for: the ten commonest
    ``before`` names that it opens with: herpesvirus species
    """

    field: str
    text: str = ""
    which: bool = False
    every: bool = False
    other: bool = False
    before: tuple[str, ...] = ()
    where: list[TableCondition] = fresh(default_factory=list)
    kept: list[Bound] = fresh(default_factory=list)
    limit: int | None = None
    ascending: bool = False
    by: Measure | str | None = None
    each: bool = False
    together: bool = False
    both_ways: bool = False
    sides: tuple[str, ...] = ()
    among: bool = False
    sized: bool = False
    common: bool = False
    single: bool = False

    @property
    def plural(self) -> bool:
        """Whether it is said of several."""
        last = self.text.split(" ")[-1]
        if last in ("genus", "virus"):
            return False
        if last in ("everything", "material"):
            return True
        return last.endswith("s") or last in ("genera", "taxa", "phyla", "range")


@dataclass(slots=True)
class Names:
    """Names by themselves: for dengue, Zika and West Nile virus."""

    names: tuple[str, ...]
    lead: str = ""
    at_once: bool = False
    negated: bool = False
    aside: bool = False
    sides: bool = False
    only: bool = False


@dataclass(slots=True)
class Per:
    """What a number is asked for each of."""

    nouns: list[Noun]
    lead: str = ""


@dataclass(slots=True)
class Numbers:
    """Numbers that are asked for; ``of_those`` where they are of the runs counted before,
    ``like_last`` where only a name says what: how many from female ones.
    """

    measures: list[Measure]
    each: bool = False
    both_ways: bool = False
    ranking: bool = False
    ascending: bool = False
    of_those: bool = False
    like_last: bool = False


@dataclass(slots=True)
class Sorting:
    """What rows are sorted by, as far as it is said."""

    by: Measure | str | None = None
    ascending: bool | None = None
    said: bool = True


@dataclass(slots=True)
class Limited:
    """How many rows are asked for."""

    number: int
    ascending: bool = False
    by: Measure | str | None = None
    each: bool = False


@dataclass(slots=True)
class Only:
    """Which rows are kept."""

    noun: Noun


@dataclass(slots=True)
class Pairs:
    """Pairs of values found together."""

    noun: Noun
    limit: int | None = None


@dataclass(slots=True)
class JoiningMark:
    """A sign or a word between phrases, or one that says how a table is laid out."""

    kind: Literal["comma", "colon", "stop", "and", "open", "close", "each", "compare", "versus",
                  "round", "with", "listed", "together", "nothing", "coordinates", "split",
                  "other", "known"]  # fmt: skip
    text: str = ""


Item = Noun | Names | Per | Numbers | Sorting | Limited | Only | Pairs | JoiningMark

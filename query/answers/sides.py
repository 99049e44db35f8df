"""Sides of a comparison: what was counted of each, and whether its share says anything."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

from index.claims import NamedNumber
from query.answers.drafting import Answering
from query.answers.hit_words import hit_words
from query.answers.listing_words import number_of
from query.answers.run_words import both_of, runs_in_words, runs_words
from query.answers.unknowns import lists_mostly_hits
from query.request import Compare, Count, Share
from query.request.run_sets import RunSet

NEARLY_ALL: Final = 0.95
"""Share of the searched runs from which a source lists hits only, unless it searched all."""


@dataclass(frozen=True, slots=True)
class Row:
    """A side with what was counted of it.

    ``words``   the side behind "in": "runs from bats"
    ``virus``   the virus that the side is, where it is nothing else
    ``known``   what is known of the runs of ``whole``; empty where sources list only hits
    """

    of: RunSet
    words: str
    virus: str
    number: float
    part: int
    whole: int
    at_90: int
    known: str = "searched"

    @property
    def where(self) -> str:
        """The side behind "runs": "from bats"."""
        return self.words.removeprefix("runs ")

    def side(self, *, shares: bool) -> NamedNumber:
        """Return the side as a claim says it, as a share of its whole where ``shares``."""
        name = self.virus or self.words
        if shares and self.whole:
            return NamedNumber(
                name=name, number=self.part / self.whole, part=self.part, whole=self.whole
            )
        return NamedNumber(name=name, number=int(self.number))


def sides_of(context: Answering, measure: Compare) -> list[Row]:
    """Return the sides with their numbers, largest first."""
    records = zip(measure.sides, context.result.records(), strict=True)
    rows = [_row(context, side, record) for side, record in records]
    if _is_about_hits(context, measure):
        mostly = lists_mostly_hits(context, context.request.of)
        rows = [
            replace(row, known="") if mostly or _is_hits_only(context, row) else row for row in rows
        ]
    return sorted(rows, key=lambda row: -row.number)


def _is_about_hits(context: Answering, measure: Compare) -> bool:
    """Return whether the share compared is of runs with a virus; a count always may be."""
    inner = measure.measure
    return not isinstance(inner, Share) or runs_in_words(inner.part, context.names).of_viruses


def _is_hits_only(context: Answering, row: Row) -> bool:
    """Return whether nearly every searched run of a side has the hits, while others were not
    searched: sources list hardly anything else there, so that the share says nothing.
    """
    if not row.part or row.part < NEARLY_ALL * row.whole or row.virus:
        return False
    every = context.look(Count(), both_of(context.request.of, row.of)).number
    return number_of(every) > row.whole


def _row(context: Answering, side: RunSet, record: dict[str, Any]) -> Row:
    among = record.get("among")
    number = record["number"] or 0
    return Row(
        of=side,
        words=side_words(context, side),
        virus=virus_of(context, side),
        number=number,
        part=record["positive"] if among is None else record["runs"],
        whole=record["searched"] if among is None else among,
        at_90=record["at_90"],
    )


def side_words(context: Answering, side: RunSet) -> str:
    """Return a side as it reads behind "in": "runs from bats"."""
    return f"runs {runs_words(side, context.names)}".strip()


def virus_of(context: Answering, side: RunSet) -> str:
    """Return the virus that a side is about, where it is about nothing else."""
    taken = runs_in_words(side, context.names)
    if len(taken.carried) == 1 and not taken.lacking and not taken.where:
        return hit_words(taken.carried[0], context.names, first=True)
    return ""


def are_known(rows: list[Row]) -> bool:
    """Return whether the shares of all sides say how common something is."""
    return all(row.known for row in rows)

"""Sides of a comparison: what was counted for each, and whether its share says anything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from index.claims import NamedNumber
from query.answers.drafting import Answering
from query.answers.finding import lists_mostly_hits, names_species
from query.answers.hit_words import hit_words
from query.answers.run_words import runs_in_words, runs_words
from query.request import And, Compare, Count, RunSet, Searched, Share, intersect

NEARLY_ALL: Final = 0.95
"""With this share of hits among searched runs, a source lists only hits unless it searched all.
"""
_ALIKE: Final = 1.2
"""Up to this ratio, two numbers of searched runs are about the same."""


@dataclass(frozen=True, slots=True)
class Row:
    """A side with what was counted of it.

    ``words``     the side behind "in": "runs from bats"
    ``virus``     the virus that the side is, where it is nothing else
    ``subject``   the virus that is counted of it
    ``known``     what is known of the runs of ``whole``
    ``is_known``  whether the share says anything: not where sources list only hits
    """

    of: RunSet
    words: str
    virus: str
    subject: str
    number: int
    part: int
    whole: int
    at_90: int
    known: str = "searched"
    is_known: bool = True

    @property
    def where(self) -> str:
        """The side after "runs": "from bats"; nothing for a virus."""
        return "" if self.virus else self.words.removeprefix("runs ")

    @property
    def share(self) -> float:
        """The runs with the virus divided by the searched runs."""
        return self.part / self.whole if self.whole else 0

    def side(self, *, with_whole: bool) -> NamedNumber:
        """Return the side as a claim says it; ``with_whole`` adds of how many runs."""
        whole = self.whole if with_whole and self.whole else None
        part = None if whole is None else self.part
        out_of = None if with_whole or not self.subject else self.whole
        name = self.virus or self.words
        return NamedNumber(name=name, number=self.number, part=part, whole=whole, out_of=out_of)


def sides_of(context: Answering, measure: Compare, subject: str) -> list[Row]:
    """Return the sides with their numbers, largest first."""
    inner = measure.measure
    rows = [
        _row(context, side, record, subject)
        for side, record in zip(measure.sides, context.result.records(), strict=True)
    ]
    if isinstance(inner, Count) and inner.unit != "run":
        rows = [replace(row, is_known=False) for row in rows]
    elif not isinstance(inner, Share) or runs_in_words(inner.part, context.names).of_viruses:
        mostly = lists_mostly_hits(context)
        rows = [replace(row, is_known=not (mostly or _is_hits_only(context, row))) for row in rows]
    are_shares = isinstance(inner, Share) and all(row.is_known for row in rows)
    return sorted(rows, key=lambda row: row.share if are_shares else row.number, reverse=True)


def fairest_rows(context: Answering, rows: Sequence[Row]) -> list[Row]:
    """Return two sides that are viruses, counted in the runs that were searched for both.

    If confirmed runs alone give another order, return these, of all that are reported.
    """
    if len(rows) != 2 or not all(row.virus and row.whole for row in rows):
        return list(rows)
    wholes = [row.whole for row in rows]
    hits = [hit for row in rows for hit in runs_in_words(row.of, context.names).carried]
    if max(wholes) > _ALIKE * min(wholes):
        searched = And(tuple(Searched(virus=hit.virus) for hit in hits))
        measure = Compare(Count(), tuple(row.of for row in rows))
        both = context.look(measure, intersect(context.request.of, searched)).records()
        counted = [
            _row(context, row.of, record, "") for row, record in zip(rows, both, strict=True)
        ]
        rows = [replace(row, known="searched for both") for row in counted]
    is_reversed = (rows[0].at_90 - rows[1].at_90) * (rows[0].part - rows[1].part) < 0
    if is_reversed and names_species(context, hits):
        rows = [
            replace(row, number=row.at_90, part=row.at_90, whole=row.part, known="reported")
            for row in rows
        ]
    return sorted(rows, key=lambda row: -row.number)


def _is_hits_only(context: Answering, row: Row) -> bool:
    """Return whether nearly all searched runs of a side have the hits, but not all were searched.

    Sources list hardly anything else there, so the share says nothing.
    """
    if not row.part or row.part < NEARLY_ALL * row.whole or row.virus:
        return False
    return context.count(intersect(context.request.of, row.of)) > row.whole


def _row(context: Answering, side: RunSet, record: dict[str, Any], subject: str) -> Row:
    among = record.get("among")
    return Row(
        of=side,
        words=side_words(context, side),
        virus=virus_of(context, side),
        subject=subject,
        number=int(record["number"] or 0) if among is None else record["runs"],
        part=record["positive"] if among is None else record["runs"],
        whole=record["searched"] if among is None else among,
        at_90=record["at_90"],
    )


def side_words(context: Answering, side: RunSet) -> str:
    """Return a side as it reads after "in": "runs from bats"."""
    return f"runs {runs_words(side, context.names)}".strip()


def virus_of(context: Answering, side: RunSet) -> str:
    """Return the virus that a side is about, if it is about nothing else."""
    taken = runs_in_words(side, context.names)
    if len(taken.carried) == 1 and not taken.lacking and not taken.where:
        return hit_words(taken.carried[0], context.names, first=True)
    return ""

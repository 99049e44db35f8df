"""What is said once of the whole table, and what of one number of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from query.sql_search.layer.fields import FACET_OF, is_of_hits
from query.sql_search.layer.request import (
    Bound,
    Measure,
    NotUnderstoodError,
    TableCondition,
)
from query.sql_search.layer.slots.filled import unique
from query.sql_search.layer.slots.nouns import NounSlots

_RUNS: Final = Measure()

_SEVERAL: Final = 2

_MADE: Final = ("avg", "median", "max", "min", "sum")

_VIRUS: Final = TableCondition("virus")


class MeantSlots(NounSlots):
    """Finds out of which runs each number is."""

    def _meant(
        self, shown: list[Measure | str], where: list[TableCondition], rows: Sequence[str]
    ) -> tuple[list[Measure | str], list[TableCondition], list[Bound]]:
        """Return columns, conditions and bounds with what is said once of the whole table."""
        kept = list(self.kept)
        topic = self._topic()
        measures = [one for one in shown if isinstance(one, Measure)]
        given = [one.given for one in measures if one.given and one.how in ("count", "percent")]
        plain = any(one == _RUNS or one.how == "percent" for one in measures)
        if topic is not None and plain and not any(is_of_hits(one) for one in rows):
            positive = any(_VIRUS in one for one in given)
            if positive or (topic,) in given:
                swap = {_VIRUS: topic}
                shown = [_swapped(one, swap) if isinstance(one, Measure) else one for one in shown]
                kept = [replace(one, measure=_swapped(one.measure, swap)) for one in kept]
                where = [one for one in where if one.names != topic.names]
        positive = _VIRUS in where and not any(is_of_hits(one) for one in rows)
        only_shares = bool(measures) and all(one.how == "percent" for one in measures)
        if positive and only_shares and self.head != self.unit and not any(
            one.given or one.whole is not None for one in measures):  # fmt: skip
            where = [one for one in where if one != _VIRUS]
            shown = [replace(one, given=(_VIRUS,)) if isinstance(one, Measure) else one
                     for one in shown]  # fmt: skip
            return shown, where, kept
        shown, where = self._of_first(shown, where)
        measures = [one for one in shown if isinstance(one, Measure)]
        first = self.asked[0] if len(self.asked) == 1 else None
        if first in shown and _RUNS in shown and first is not None and first.of == self.unit and (
            self.shown.count(first) == 1):  # fmt: skip
            where = unique([*where, *first.given])
            shown = [one for one in shown if one != first]
            measures = [one for one in measures if one != first]
        shares = [one for one in measures if one.how == "percent"]
        if self.among:
            shown = [replace(one, whole=()) if one in shares and isinstance(one, Measure)
                     and not one.given else one for one in shown]  # fmt: skip
            return shown, where, kept
        asked = shares and not any(one.given or one.whole is not None for one in shares)
        no_counts = asked and shares == measures and self.head != self.unit
        if topic is not None and no_counts and not any(is_of_hits(one) for one in rows):
            where = [one for one in where if one.names != topic.names]
            shown = [replace(one, given=(topic,)) if one in shares and isinstance(one, Measure)
                     else one for one in shown]  # fmt: skip
        counts = [one for one in shown if isinstance(one, Measure)]
        alone = counts and all(one.given == counts[0].given for one in counts) and counts[0].given
        if alone and not any(one.how == "percent" for one in counts) and not self.sides:
            where = unique([*where, *counts[0].given])
            shown = [replace(one, given=()) if isinstance(one, Measure) else one for one in shown]
        elif not counts and len({one.measure.given for one in kept}) == 1 and kept[0].measure.given:
            where = unique([*where, *kept[0].measure.given])
            kept = [replace(one, measure=replace(one.measure, given=())) for one in kept]
        return shown, where, kept

    def _of_first(
        self, shown: list[Measure | str], where: list[TableCondition]
    ) -> tuple[list[Measure | str], list[TableCondition]]:
        """Return columns and conditions where the first number says of which runs the others are:
        number of human runs, how many of them have a virus; mean reads and mean identity of
        dengue virus.
        """
        measures = [one for one in shown if isinstance(one, Measure)]
        given = {one.given for one in measures if one.given}
        if len(measures) < _SEVERAL or _RUNS in measures:
            return shown, where
        made = all(one.how in _MADE for one in measures)
        first, *others = measures
        of_runs = first.how == "count" and bool(first.given) and all(
            self._is_of_runs(one) for one in first.given)  # fmt: skip
        viral = all((one.given and not any(self._is_of_runs(each) for each in one.given))
                    or one.how == "percent" for one in others)  # fmt: skip
        if made and len(given) == 1:
            (condition,) = given
            plain = [replace(one, given=()) if isinstance(one, Measure) else one for one in shown]
            return plain, unique([*where, *condition])
        apart = any(self._is_of_runs(each) for one in others for each in one.given)
        if of_runs and (viral or (self.of_those and not apart)):
            plain = [replace(one, given=()) if one == first and isinstance(one, Measure) else one
                     for one in shown]  # fmt: skip
            return plain, unique([*where, *first.given])
        return shown, where

    def _sided(self, shown: Sequence[Measure | str]) -> list[Measure | str]:
        """Return each count once for each name that is compared."""
        sided: list[Measure | str] = []
        named = {name for one in shown if isinstance(one, Measure)
                 for each in one.given for name in each.names}  # fmt: skip
        if named & set(self.sides):
            return list(shown)
        counts = [one for one in shown if isinstance(one, Measure)] or [_RUNS]
        for one in counts:
            sided += [replace(one, given=(*one.given, TableCondition("named", (side,))))
                      for side in self.sides]  # fmt: skip
        return [*(one for one in shown if isinstance(one, str)), *sided]

    def _within(
        self, where: list[TableCondition], rows: Sequence[str]
    ) -> tuple[list[TableCondition], list[TableCondition]]:
        """Return which values rows are kept to, and the conditions."""
        within: list[TableCondition] = []
        for one in where:
            facets = {field for name in one.names
                      for field in FACET_OF.get(self.kind_of.get(name, ""), ())}  # fmt: skip
            within += [replace(one, field=field) for field in facets & set(rows)]
        return within, where

    def _apart(
        self, where: list[TableCondition]
    ) -> tuple[list[TableCondition], list[TableCondition]]:
        """Return conditions, and those of places that no value may have been found in: families in
        China but never in the USA.
        """
        viral = any(is_of_hits(one) for one in self.rows)
        if not viral:
            return where, []
        stated = {group for one in where if one.kind == "named" and not one.negated
                  for group in self._groups(one)} - {"virus"}  # fmt: skip
        never = [one for one in where if one.kind == "named" and one.negated
                 and self._groups(one) & stated
                 and not {field for group in self._groups(one)
                          for field in FACET_OF.get(group, ())} & {*self.rows}]  # fmt: skip
        return [one for one in where if one not in never], never

    def _as_number(self, one: Measure | str) -> Measure | str:
        """Return a number of reads as the number itself where single runs are listed, else as their
        sum.
        """
        if not isinstance(one, Measure) or one.how != "count" or not self.numeric(one.of):
            return one
        single = self.unit in self.shown or self.unit in self.rows
        single = single or (self.head == self.unit and not self.rows)
        return one.of if single and not one.given else replace(one, how="sum")

    def _of_number(self, one: Bound, shown: Sequence[Measure | str]) -> Bound:
        """Return a bound that names no number as one of the number that is asked for."""
        if one.measure.of:
            return one
        counts = [each for each in shown if isinstance(each, Measure) and each.how == "count"]
        if len(counts) != 1:
            raise NotUnderstoodError(f"{one.number:g}")
        return replace(one, measure=counts[0])


def _swapped(one: Measure, swap: Mapping[TableCondition, TableCondition]) -> Measure:
    return replace(one, given=tuple(swap.get(each, each) for each in one.given))

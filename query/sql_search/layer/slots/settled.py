"""The slots of a table settled: rows, columns and their order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from query.sql_search.layer.fields import FACET_OF, OF_TAXA, is_of_hits
from query.sql_search.layer.request import (
    Measure,
    NotUnderstoodError,
    Order,
    TableAsked,
    TableCondition,
)
from query.sql_search.layer.slots.filled import unique
from query.sql_search.layer.slots.meant import MeantSlots

_RUNS: Final = Measure()

_PERCENT: Final = Measure("percent")

_SUMMED: Final = ("runs", "entities", "projects")
"""Numbers of stored rows that are added where rows are grouped."""

_MEANS: Final = ("avg", "median")

_SEVERAL: Final = 2


class SettledSlots(MeantSlots):
    """Makes a table of slots."""

    def _settle_names(self) -> None:
        """Make names rows of their own where numbers are asked for each, else conditions."""
        several = [one for one in self.named if len(one.names) >= _SEVERAL and not one.at_once
                   and not one.negated and not one.only]  # fmt: skip
        measured = any(isinstance(one, Measure) for one in self.shown)
        bare = [one for one in self.shown if isinstance(one, str) and not self.numeric(one)]
        alone = [one for one in self.named if len(one.names) == 1 and not one.negated]
        if self.each and len(alone) == 1 and not self.rows and not several and not bare:
            group = self.kind_of.get(alone[0].names[0], "")
            self.rows = [*FACET_OF.get(group, ())][:1]
        self.row_names: tuple[str, ...] = ()
        first_of_names = self.each and self.limit_of in self.rows and len(self.rows) == 1
        listed = [
            one
            for one in self.where
            if one.kind == "named"
            and len(one.names) >= _SEVERAL
            and not one.at_once
            and not one.negated
            and "virus" not in self._groups(one)
        ]
        if first_of_names and self.limit is not None and (several or listed):
            self.row_names = several[0].names if several else listed[0].names
        compared = {field for name in self.sides
                    for field in FACET_OF.get(self.kind_of.get(name, ""), ())}  # fmt: skip
        if compared & {*self.rows} and measured:
            self.named_as = tuple(one for one in self.rows if one in compared)
            self.rows = [one for one in self.rows if one not in compared]
            if self.rows:
                raise NotUnderstoodError("versus")
        if self.sides and not self.rows and not bare and measured:
            self.row_names = self.sides
            self.where = [one for one in self.where if one.names != self.sides]
        if several and not self.rows and not bare and measured and self.head in ("", self.unit):
            self.row_names = several[0].names
        if not self.row_names and not self.sides and not self.stored:
            self._each_named()
        for one in self.named:
            if one.names == self.row_names:
                continue
            self.where.append(TableCondition("named", one.names, one.at_once, one.negated))

    def _made(self) -> TableAsked | None:
        where = unique(self.where)
        where, nowhere = self._apart(where)
        if self.unit in self.shown or self.unit in self.rows:
            self.shown = [one.of if one in self.bare and isinstance(one, Measure) else one
                          for one in self.shown]  # fmt: skip
        if self.head == self.unit and not self.rows and "biosample" in self.shown:
            self.shown = [self.unit if one == _RUNS else one for one in self.shown]
        self.shown = [self._as_number(one) for one in self.shown]
        where = unique([*where, *self._of_most()])
        measures = [one for one in self.shown if isinstance(one, Measure)]
        fields = [one for one in self.shown if isinstance(one, str)]
        if self.stored:
            return self._made_of_stored(where, fields, measures)
        counted_each = {one.field for one in where if one.kind == "count"}
        if self.head == self.unit and not self.rows and not self.row_names and measures and all(
            one.how == "count" and one.of in counted_each for one in measures):  # fmt: skip
            self.rows = [self.unit]
        listing = self._is_listing(measures, fields)
        if self.each and not (self.rows or self.row_names or self.pairs or listing or fields):
            raise NotUnderstoodError("each")
        rows = list(self.rows)
        if not listing:
            rows += [one for one in fields if one not in rows and not self.numeric(one)]
            if any(self.numeric(one) for one in fields):
                raise NotUnderstoodError(next(one for one in fields if self.numeric(one)))
        elif measures and self.unit not in rows:
            of_hits = [one for one in fields if is_of_hits(one) and not self.numeric(one)]
            rows = [self.unit, *rows, *(one for one in of_hits if one not in rows)]
        rows = self._as_reported([one for one in rows if one], where)
        if self.unit in self.rows and len(rows) > 1 and measures and all(
            one.how in _MEANS and is_of_hits(one.of) for one in measures):  # fmt: skip
            rows.remove(self.unit)
            listing = False
        shown = _without_rows(self.shown, rows)
        dated = any(one.by == "release_date" for one in self.sorts)
        if dated and "year" in rows:
            self.sorts = [replace(one, by="year") if one.by == "release_date" else one
                          for one in self.sorts]  # fmt: skip
        elif dated and listing and not measures and "release_date" not in shown:
            shown.append("release_date")
        if listing and not measures:
            lead = [self.unit] if self.head == self.unit else []
            shown = [*dict.fromkeys([*lead, *rows, *shown])]
        implied = self.head == self.unit and rows and not listing and self.unit not in rows
        if implied and _RUNS not in shown and not self.sides:
            shown = [_RUNS, *shown]
        spread = () if listing or self.sides or self.row_names else self._spread(where, rows, shown)
        self.sides = self.sides or spread
        if self.sides and not self.row_names:
            shown = self._sided(shown)
        if spread:
            shown = [_RUNS, *shown]
        shown, where, kept = self._meant(shown, where, rows)
        kept = [self._of_number(one, shown) for one in kept]
        kept = [replace(one, measure=replace(one.measure, given=tuple(
            each for each in one.measure.given if each not in where))) for one in kept]  # fmt: skip
        within, where = self._within(where, rows)
        counted = [one for one in measures if one.how in ("count", "percent")]
        of_those = [one for one in counted if one.given and one.whole]
        if of_those and (rows or self.row_names):
            raise NotUnderstoodError("percent")
        if not rows and not self.row_names and not listing and not of_those and (
            not measures or (len(measures) < _SEVERAL and counted)):  # fmt: skip
            return None
        if self.comparing and not self.sides and not within and not self.grouped:
            raise NotUnderstoodError("compare")
        if not shown and not rows:
            return None
        if rows == [self.unit] and not listing and not shown:
            return None
        first = self._first_of_each(rows)
        if first and self.limit_of in rows:
            rows = [*(one for one in rows if one != self.limit_of), self.limit_of]
        return TableAsked(
            rows=tuple(rows), names=self.row_names, within=tuple(within), columns=tuple(shown),
            where=tuple(where), kept=tuple(kept), order=self._order(shown, rows, listing=listing),
            limit=None if first else self.limit, per_first=self.limit if first else None,
            company=tuple(name for one in where if one.kind == "named" for name in one.names)
            if self.company else (),
            nowhere=tuple(nowhere), pairs=self.pairs, one_each=listing, places=self.places,
            keeps_empty=self.every, named_as=self.named_as,
            of_runs=self.head == self.unit or (self.unit in shown and self.head != "detection"),
        )  # fmt: skip

    def _of_most(self) -> list[TableCondition]:
        """Return of which runs the most are asked for, where the number of runs is shown without
        saying of which: found in most human runs (species, runs).
        """
        of_runs = [one.by for one in self.sorts if isinstance(one.by, Measure) and one.by.given
                   and one.by == Measure(given=one.by.given)
                   and all(self._is_of_runs(each) for each in one.by.given)]  # fmt: skip
        counts = [one for one in self.shown if isinstance(one, Measure)]
        if len(of_runs) != 1 or _RUNS not in counts or any(one.given for one in counts):
            return []
        (most,) = of_runs
        self.sorts = [replace(one, by=_RUNS) if one.by == most else one for one in self.sorts]
        return list(most.given)

    def _spread(
        self, where: Sequence[TableCondition], rows: Sequence[str], shown: Sequence[Measure | str]
    ) -> tuple[str, ...]:
        """Return the names that are each counted in a column of their own, beside the runs of any:
        runs per year for China and Germany. Where viruses are rows, they are found in either.
        """
        counts = [one for one in shown if isinstance(one, Measure)]
        plain = len(counts) == len(shown) and all(one in (_RUNS, _PERCENT) for one in counts)
        if not rows or not plain or any(is_of_hits(one) for one in rows):
            return ()
        pooled = [one for one in where if one.kind == "named" and one.names in self.listed_names
                  and not one.at_once and not one.negated and not one.field]  # fmt: skip
        facets = {field for one in pooled for group in self._groups(one)
                  for field in FACET_OF.get(group, ())}  # fmt: skip
        if len(pooled) != 1 or facets & {*rows}:
            return ()
        if _PERCENT in counts:
            raise NotUnderstoodError("and")
        return pooled[0].names

    def _each_named(self) -> None:
        """Make names that one number is asked for each of rows: percentage of liver runs positive
        for A, B and C.
        """
        numbers = [one for one in self.shown if isinstance(one, Measure)]
        if len(numbers) != 1 or len(self.shown) != 1 or self.rows or self.named or self.kept:
            return
        (number,) = numbers
        of_each = [one for one in number.given if one.kind == "named" and not one.negated
                   and one.names in self.listed_names and not one.field
                   and (len(one.names) > _SEVERAL or not one.at_once)]  # fmt: skip
        if len(of_each) != 1 or number.of != self.unit or number.how not in ("count", "percent"):
            return
        (names,) = of_each
        rest = tuple(one for one in number.given if one != names)
        self.shown = [replace(number, given=())]
        self.where += rest
        self.row_names = names.names

    def _made_of_stored(
        self, where: Sequence[TableCondition], fields: Sequence[str], measures: Sequence[Measure]
    ) -> TableAsked | None:
        """Return a table of stored rows: listed, or grouped where numbers are asked for."""
        sums = [one for one in measures if one.how == "sum" and not one.given]
        made = [one for one in measures if one not in sums and one != _RUNS]
        ranked = any(isinstance(one.by, Measure) for one in self.sorts)
        grouped = bool(self.rows) and (
            bool(made) or ranked or self.grouped or self.head != self.unit or _RUNS in measures
        )
        shown = list(dict.fromkeys(self.shown))
        if grouped:
            more = [one for one in fields if one not in self.rows and one not in _SUMMED]
            shown = [Measure("sum", one) if one in _SUMMED else one for one in shown
                     ]  # fmt: skip
            rows = [*self.rows, *more]
            if more and (self.head == self.unit or any(self.numeric(one) for one in more)):
                raise NotUnderstoodError(self.head)
            shown = [one for one in shown if isinstance(one, Measure)]
            shown = self._with_sorted(shown, rows)
        else:
            rows = [*self.rows]
            shown = [one.of if one in sums and isinstance(one, Measure) else one for one in shown]
            if made or any(isinstance(one, Measure) for one in shown):
                raise NotUnderstoodError(self.head)
        where = list(where)
        given = {one.measure.given for one in self.kept}
        if not measures and len(given) == 1:
            where = unique([*where, *next(iter(given))])
            self.kept = [replace(one, measure=replace(one.measure, given=())) for one in self.kept]
        said = {one.given for one in shown if isinstance(one, Measure)}
        if len(said) == 1 and self.shown and any(said):
            where = unique([*where, *next(iter(said))])
            shown = [replace(one, given=()) for one in shown if isinstance(one, Measure)]
        if not rows and not shown and not where and not self.kept and self.limit is None:
            return None
        return TableAsked(
            rows=tuple(dict.fromkeys(rows)), columns=tuple(shown), where=tuple(where),
            kept=tuple(self._of_number(one, shown) for one in self.kept), limit=self.limit,
            order=self._order(shown, rows, listing=not grouped), places=self.places,
        )  # fmt: skip

    def _as_reported(self, rows: list[str], where: Sequence[TableCondition]) -> list[str]:
        """Return rows with viruses by the taxon that is reported, where something is asked that is
        known of taxa: risk groups, genomes.
        """
        of_taxa = any(one.kind == "risk" for one in where)
        of_taxa = of_taxa or any(one in OF_TAXA for one in rows)
        if not of_taxa:
            return rows
        return ["taxon" if one in ("virus", "virus_reported") else one for one in rows]

    def _is_listing(self, measures: Sequence[Measure], fields: Sequence[str]) -> bool:
        """Return whether single runs or hits are listed."""
        if self.unit in fields or self.unit in self.rows:
            return True
        if self.rows or self.row_names:
            return False
        if any(self.numeric(one) for one in fields):
            return True
        return self.head == self.unit and bool(fields) and not measures

    def _first_of_each(self, rows: Sequence[str]) -> bool:
        """Return whether the limit is one for each value of the rows before: top three families in
        each country.
        """
        several = len(rows) + bool(self.row_names)
        if self.limit is None or not self.limit_of or several < _SEVERAL:
            return False
        return self.limit_of in rows and (len(self.rows) >= _SEVERAL or bool(self.row_names))

    def _order(
        self, shown: Sequence[Measure | str], rows: Sequence[str], *, listing: bool
    ) -> tuple[Order, ...]:
        measures = [one for one in shown if isinstance(one, Measure)]
        orders: list[Order] = []
        for one in self.sorts:
            by = self._sorted_by(one.by, shown, rows)
            ascending = one.ascending
            down = ascending is False
            if ascending is None:
                ascending = isinstance(by, str) and not self.numeric(by)
            if (
                one.by is None
                and by is None
                and not measures
                and not listing
                and not self.numeric("")
            ):
                by = _RUNS
            orders.append(Order(by, ascending, down=down and one.by is not None))
        counted = any(one.how in ("count", "percent") for one in measures)
        if self.common and not orders and not listing and not counted:
            orders.append(Order(_RUNS))
        return tuple(dict.fromkeys(orders))

    def _with_sorted(self, shown: list[Measure | str], rows: Sequence[str]) -> list[Measure | str]:
        """Return columns with the numbers that rows are sorted by."""
        made = list(shown)
        for one in self.sorts:
            by = self._sorted_by(one.by, shown, rows)
            if isinstance(by, Measure) and by not in made and by.of:
                made.append(by)
        return made

    def _sorted_by(
        self, by: Measure | str | None, shown: Sequence[Measure | str], rows: Sequence[str]
    ) -> Measure | str | None:
        measures = [one for one in shown if isinstance(one, Measure)]
        if by is None or by == "name":
            return next(iter(measures), None) if by is None else (rows[0] if rows else "name")
        if isinstance(by, str):
            if self.numeric(by):
                of = [one for one in measures if one.of == by]
                return by if by in shown or not of else of[0]
            return by
        if by in measures:
            return by
        if by.how == "sum" and by.of in shown:
            return by.of
        if by.how == "percent":
            return next((one for one in measures if one.how == "percent"), by)
        if by.of == "":
            return next((one for one in measures if one.how == by.how), by)
        alike = [one for one in measures if (one.how, one.of) == (by.how, by.of)]
        if not by.given and alike:
            return alike[0]
        wanted = {name for one in by.given for name in one.names}
        for one in measures:
            if wanted and wanted <= {name for each in one.given for name in each.names}:
                return one
        of_same = {name for one in self.where for name in one.names}
        if wanted and wanted <= of_same:
            return replace(by, given=())
        return by


def _without_rows(shown: Sequence[Measure | str], rows: Sequence[str]) -> list[Measure | str]:
    """Return ``shown`` without the fields in ``rows`` and their counts, each column once."""
    kept = [one for one in shown if not (isinstance(one, str) and one in rows)
            and not (isinstance(one, Measure) and one.how == "count" and one.of in rows
                     and not one.given)]  # fmt: skip
    return list(dict.fromkeys(kept))

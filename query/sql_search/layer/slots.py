"""The phrases of a request put into the slots of a table: rows, columns, conditions, order."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from query.sql_search.layer.fields import DESCRIBING, FACET_OF, OF_TAXA, is_of_hits
from query.sql_search.layer.items import (
    Item,
    Limited,
    Mark,
    Names,
    Noun,
    Numbers,
    Only,
    Pairs,
    Per,
    Sorting,
)
from query.sql_search.layer.request import (
    Bound,
    Condition,
    Measure,
    NotUnderstoodError,
    Order,
    Table,
)

_RUNS: Final = Measure()
_VIRUS: Final = Condition("virus")
_SEVERAL: Final = 2
_MADE: Final = ("avg", "median", "max", "min", "sum")
_SUMMED: Final = ("runs", "entities", "projects")
"""Numbers of stored rows that are added where rows are grouped."""


class Slots:
    """Fills the slots of one table; ``kind_of`` says what each name is, and ``numeric`` whether a
    field is a number.
    """

    def __init__(
        self, kind_of: Mapping[str, str], numeric: Callable[[str], bool], *,
        stored: bool = False,
    ) -> None:
        self.kind_of = kind_of
        self.numeric = numeric
        self.unit = "run"
        self.stored = stored
        self.head = ""
        self.rows: list[str] = []
        self.shown: list[Measure | str] = []
        self.where: list[Condition] = []
        self.within: list[Condition] = []
        self.kept: list[Bound] = []
        self.sorts: list[Sorting] = []
        self.limit: int | None = None
        self.limit_of = ""
        self.topic: Names | None = None
        self.named: list[Names] = []
        self.sides: tuple[str, ...] = ()
        self.each = False
        self.pairs = False
        self.company = False
        self.nowhere: list[Condition] = []
        self.listed = False
        self.after_colon = False
        self.aside = False
        self.comma = False
        self.linked = False
        self.splitting = False
        self.subject = ""
        self.one = False
        self.asked: list[Measure] = []
        self.every = False
        self.comparing = False
        self.among = False
        self.places: int | None = None
        self.bare: set[Measure] = set()

    def table(self, items: Sequence[Item]) -> Table | None:
        """Return the table of ``items``, None where they make none.

        Raises ``NotUnderstoodError`` where a phrase fits no slot.
        """
        opening = next((one for one in items if not isinstance(one, Mark)), None)
        lead = opening.lead if isinstance(opening, Per) else ""
        self.every = lead.startswith(("for each", "for every", "per", "each", "every"))
        for item in items:
            self._put(item)
        self._settle_names()
        return self._made()

    # --- one phrase after the other ---------------------------------------------------------------

    def _put(self, item: Item) -> None:
        match item:
            case Mark():
                self._mark(item)
                return
            case Noun():
                self._noun(item)
            case Names():
                self._names(item)
            case Per():
                self._per(item)
            case Numbers():
                self._numbers(item)
            case Sorting():
                self.sorts += [item] if item.said else []
            case Limited():
                of = self.head if item.each and len(self.rows) > 1 else ""
                self._limit(item.number, of, item.by, ascending=item.ascending)
            case Only():
                self._only(item.noun)
            case Pairs():
                self._pairs(item)
        self.comma = False
        self.linked = False

    def _mark(self, item: Mark) -> None:
        """Heed a sign or a word between phrases."""
        self.comparing = self.comparing or item.kind == "compare"
        if item.kind == "versus" and (self.head == self.unit or (self.named and not self.rows)):
            raise NotUnderstoodError(item.text)
        if item.kind == "stop" and item.text == "?":
            self.asked = [one for one in self.shown if isinstance(one, Measure) and one.given
                          and one.how == "count"]  # fmt: skip
        if item.kind in ("colon", "stop"):
            self.after_colon = self.after_colon or item.kind == "colon" or bool(self.head)
        self.aside = item.kind == "open" or (self.aside and item.kind != "close")
        self.each = self.each or item.kind == "each"
        self.comma = item.kind in ("comma", "stop", "colon") or self.comma
        self.linked = item.kind in ("and", "with", "comma") or self.linked
        if item.kind == "together":
            self.named = [replace_names(one, at_once=True) for one in self.named]
        if item.kind == "listed":
            self._list_last()
        if item.kind == "round":
            self.places = places_of(item.text)
        if item.kind == "split":
            self._split()
        self.company = self.company or item.kind == "other"
        if item.kind == "coordinates":
            self.shown += ["latitude", "longitude"]
        self.splitting = self.splitting or item.kind == "split"

    def _list_last(self) -> None:
        """Make a list of the values that were named last: the families in one column."""
        if self.shown and isinstance(self.shown[-1], Measure) and self.shown[-1].of == self.unit:
            return
        for place in range(len(self.shown) - 1, -1, -1):
            one = self.shown[place]
            of = one if isinstance(one, str) else one.of
            if of != self.unit and not self.numeric(of):
                self.shown[place] = Measure("list", of)
                return

    def _split(self) -> None:
        """Make the runs that were counted last those that are split into others."""
        while self.shown and isinstance(self.shown[-1], Measure) and self.shown[-1].of == self.unit:
            last = self.shown.pop()
            self.where += last.given if isinstance(last, Measure) else ()

    def _noun(self, noun: Noun) -> None:
        self.each = self.each or noun.each
        self.among = self.among or noun.among
        if noun.sized and self.stored:
            self.sorts.append(Sorting(None, noun.ascending))
        if noun.field in ("", "those") or (noun.field == "name" and not noun.text):
            self._pronoun(noun)
            return
        noun = self._of_kind(noun)
        self.sides = self.sides or noun.sides
        if noun.text in ("yearly", "monthly"):
            self.rows.append(noun.field)
            self.where += noun.where
            return
        if self.aside and (noun.field in self.rows or ({"year", "month"} & {*self.rows}
                           and noun.field == "release_date")):  # fmt: skip
            return
        opening = not self.head and not self.rows and not self.shown
        if noun.field == "detection" and opening:
            self.head = noun.field
            self.where += [*noun.where, *self._conditions_before(noun)]
            self._limit(noun.limit, "", noun.by, ascending=noun.ascending)
            return
        if noun.both_ways and not opening:
            given = tuple(noun.where)
            against = tuple(_denied(one) for one in given)
            self.shown += [Measure(given=given), Measure(given=against)]
        elif noun.field == self.unit:
            self._unit(noun, opening=opening)
        elif self.numeric(noun.field):
            self._number(noun)
        else:
            self._dimension(noun, opening=opening)

    def _of_kind(self, noun: Noun) -> Noun:
        """Return a noun that is the kind of its names: which cancers, tick species."""
        groups = {self.kind_of.get(one, "") for one in noun.before}
        if noun.field == "kind":
            if len(groups) != 1:
                raise NotUnderstoodError(noun.text)
            (group,) = groups
            field = "virus" if group == "virus" else next(iter(FACET_OF.get(group, ())), "")
            if not field:
                raise NotUnderstoodError(noun.text)
            return replace(noun, field=field)
        if noun.field == "species" and groups == {"organism"}:
            return replace(noun, field="host")
        return noun

    def _pronoun(self, noun: Noun) -> None:
        if noun.limit is not None or noun.by is not None:
            self._limit(noun.limit, "", noun.by, ascending=noun.ascending)
            self.kept += noun.kept
            self.where += [*noun.where, *self._conditions_before(noun)]
            return
        measured = self.linked and self.shown
        if (self.splitting or measured) and noun.where and not noun.kept:
            self.shown.append(Measure(given=(*noun.where, *self._conditions_before(noun))))
            return
        self.kept += noun.kept
        self.where += [*noun.where, *self._conditions_before(noun)]

    def _unit(self, noun: Noun, *, opening: bool) -> None:
        """Put a noun of runs: what the table is of, a column of accessions, or their number."""
        said = [*noun.where, *self._conditions_before(noun)]
        if noun.kept:
            raise NotUnderstoodError(noun.text)
        if (opening and not self.after_colon) or (opening and noun.which):
            self.head = self.unit
            self.where += said
            if isinstance(noun.by, Measure) and noun.by.how == "sum" and noun.which:
                self.shown += [self.unit, noun.by.of]
                noun = replace(noun, limit=noun.limit or (None if noun.plural else 1))
            if isinstance(noun.by, Measure) and noun.by.how == "count" and noun.which:
                self.rows = [self.unit]
                self.shown.append(noun.by)
                noun = replace(noun, limit=noun.limit or (None if noun.plural else 1))
            self._limit(noun.limit, "", noun.by, ascending=noun.ascending)
            if "accession" in noun.text:
                self.shown.append(self.unit)
            if self.rows or (not noun.plural and not noun.which and not said and noun.limit is None
                             and not self.topic):  # fmt: skip
                self.shown.append(self.unit)
            return
        if noun.by is not None or noun.limit is not None:
            self._limit(noun.limit, "", noun.by, ascending=noun.ascending)
            self.where += said
            self.head = self.head or self.unit
            return
        if not noun.plural and not said:
            if noun.text.startswith("accession") and self.head != self.unit and self.head:
                return
            self.shown.append(self.unit)
            return
        if self.head == self.unit and not self.rows and noun.text.startswith("access"):
            self.shown.append(self.unit)
            return
        self.shown.append(Measure(given=tuple(said)))

    def _number(self, noun: Noun) -> None:
        given = [*noun.where, *self._conditions_before(noun)]
        joint = [one for one in [*self.named, *self.where] if one.at_once]
        if noun.each and joint and not given:
            self.shown += [Measure("sum", noun.field, (Condition("named", (name,)),))
                           for name in joint[0].names]  # fmt: skip
            self.rows = self.rows or [self.unit]
            return
        if not self.head and not self.shown and not self.rows and not given:
            self.subject = noun.field
            return
        if given:
            self.shown.append(Measure("sum", noun.field, tuple(given)))
        else:
            self.shown.append(noun.field)

    def _dimension(self, noun: Noun, *, opening: bool) -> None:
        repeated = noun.field in self.rows or noun.field in self.shown
        first = opening or noun.which or noun.every or not self.head
        if noun.other:
            self.company = True
        restricting = self._restricted(noun)
        if repeated and not restricting:
            self.kept += [self._bound(one, noun.field) for one in noun.kept]
            self.where += noun.where
            self._limit(noun.limit, noun.field, noun.by, ascending=noun.ascending)
            return
        if noun.field == "species" and "virus" in self.rows and self.after_colon and not noun.where:
            self.rows[self.rows.index("virus")] = "species"
            return
        if any(one.at_once for one in noun.where) and not noun.together:
            raise NotUnderstoodError("and")
        if opening and restricting and self._is_topic(noun):
            self.where[-1] = replace(self.where[-1], field=noun.field)
            return
        counts = noun.plural and self._has_rows() and not noun.which and not opening
        counts = counts and noun.limit is None and not noun.kept and noun.by is None
        counts = counts and noun.field not in DESCRIBING
        if self._is_of_rank(noun):
            return
        measured = any(isinstance(one, Measure) for one in self.shown)
        if noun.limit == 1 and noun.single and self.rows and measured:
            self.shown.append(Measure("first", noun.field))
            return
        if noun.together and is_of_hits(noun.field) and not noun.where and opening:
            limit = 1 if noun.limit == _SEVERAL and noun.which else noun.limit
            self._pairs(Pairs(replace(noun, limit=None), limit))
            return
        if noun.limit is not None and self.rows and measured and noun.field not in self.rows:
            raise NotUnderstoodError(noun.text)
        if opening and noun.which and not noun.plural and not self.stored:
            self.one = True
            if noun.by is not None and noun.limit is None:
                noun = replace(noun, limit=1)
        if counts and not self.numeric(noun.field):
            made = Measure(of=noun.field, given=tuple(noun.where))
            self.bare.add(made)
            self.shown.append(made)
            return
        if first and not self.head:
            self.head = noun.field
        if noun.which or noun.every or opening or noun.limit is not None or noun.kept:
            self.where += noun.where
            if noun.field not in self.rows:
                self.rows.append(noun.field)
            self.kept += [self._bound(one, noun.field) for one in noun.kept]
            self._limit(noun.limit, noun.field, noun.by, ascending=noun.ascending)
            return
        if noun.where and not restricting and (self.shown or not self.rows):
            raise NotUnderstoodError(noun.text)
        self.where += noun.where if not restricting else []
        if noun.field not in self.shown:
            self.shown.append(noun.field)

    def _is_topic(self, noun: Noun) -> bool:
        """Return whether a noun says of which kind the names before it are: liver tissue."""
        facets = {field for name in noun.before
                  for field in FACET_OF.get(self.kind_of.get(name, ""), ())}  # fmt: skip
        return noun.field in facets and not noun.plural and not noun.which and not noun.every

    def _is_of_rank(self, noun: Noun) -> bool:
        """Return whether a rank is that of rows before: insect orders, runs per order."""
        rank = noun.field.removeprefix("virus_")
        return "vir" not in noun.text and any(
            one.endswith(f"_{rank}") and one != noun.field for one in self.rows)  # fmt: skip

    def _has_rows(self) -> bool:
        several = any(len(one.names) >= _SEVERAL and not one.at_once for one in self.named)
        return bool(self.rows) or (several and self.head in ("", self.unit))

    def _bound(self, bound: Bound, field: str) -> Bound:
        return replace(bound, of=field)

    def _restricted(self, noun: Noun) -> bool:
        """Keep the values of a noun to the names that it opens with, or its runs to them."""
        if not noun.before:
            return False
        self.where += self._conditions_before(noun)
        return True

    def _conditions_before(self, noun: Noun) -> list[Condition]:
        return [Condition("named", noun.before)] if noun.before else []

    def _names(self, item: Names) -> None:
        if item.sides:
            self.sides = item.names
            self.where.append(Condition("named", item.names))
            return
        said = {name for one in [*self.named, *self.where] for name in one.names}
        if self.aside and set(item.names) <= said and not item.only:
            return
        if not item.lead and not item.negated and not item.only and set(item.names) <= {
            name for one in self.where for name in one.names} and self.rows:  # fmt: skip
            return
        last = self.shown[-1] if self.shown else None
        if self.linked and item.lead and isinstance(last, Measure) and self._is_alike(last, item):
            given = [one for one in last.given if one.kind != "named"]
            self.shown.append(replace(last, given=(*given, Condition("named", item.names))))
            return
        if self.aside:
            if self.named and set(self.named[-1].names) >= set(item.names):
                return
            if self.named and not item.lead and len(item.names) > 1 and self.named[-1] is self.topic:
                self.named[-1] = self.topic = item
                return
        opening = not self.head and not self.rows and not self.shown and not self.named
        if opening and not item.negated and not item.only:
            self.topic = item
        self.named.append(item)

    def _is_alike(self, last: Measure, item: Names) -> bool:
        """Return whether names are those of one more number like the last: runs with dengue and
        with Zika virus.
        """
        named = [one for one in last.given if one.kind == "named" and not one.negated]
        groups = {group for one in named for group in self._groups(one)}
        wanted = {self.kind_of.get(name, "") for name in item.names}
        return len(named) == 1 and groups == wanted and not item.negated

    def _per(self, item: Per) -> None:
        for each in item.nouns:
            noun = self._of_kind(each)
            if noun.field == "release_date" and {"year", "month"} & {*self.rows, *self.shown}:
                continue
            ordering = item.lead.startswith(("by", "in")) and self._is_order(noun)
            if ordering:
                self.sorts.append(Sorting(noun.field, ascending=True))
                continue
            self.where += [*noun.where, *self._conditions_before(noun)]
            self.among = self.among or noun.among
            if self._is_of_rank(noun):
                continue
            self.kept += [replace(one, of=noun.field) for one in noun.kept]
            if noun.limit is not None or noun.by is not None:
                self._limit(noun.limit, noun.field, noun.by, ascending=noun.ascending)
            if noun.field not in self.rows:
                self.rows.append(noun.field)
        self.head = self.head or (self.rows[0] if self.rows else "")

    def _is_order(self, noun: Noun) -> bool:
        """Return whether by X is an order: a list that shows X already."""
        shown = noun.field in self.shown or noun.field in self.rows
        of_runs = self.head == self.unit and noun.field == self.unit
        listing = any(isinstance(one, str) for one in self.shown)
        return (shown or of_runs) and listing and not noun.where and not noun.before

    def _numbers(self, item: Numbers) -> None:
        self.each = self.each or item.each
        if item.ranking:
            self.sorts.append(Sorting(item.measures[-1], item.ascending))
            if self.one and self.limit is None:
                self.limit = 1
        for one in item.measures:
            if item.both_ways:
                against = tuple(_denied(each) for each in one.given)
                self.shown += [one, replace(one, given=against)]
            else:
                self.shown.append(one)

    def _limit(
        self, number: int | None, of: str, by: Measure | str | None, *, ascending: bool
    ) -> None:
        if number is not None:
            if self.limit is not None and self.limit != number:
                raise NotUnderstoodError(str(number))
            self.limit, self.limit_of = number, of
        if isinstance(by, Measure) and by.how == "sum" and self.head == self.unit:
            self.where += by.given
            by = by.of
        if by is not None:
            self.sorts.append(Sorting(by, ascending))
        elif ascending:
            self.sorts.append(Sorting(None, ascending=True))

    def _only(self, noun: Noun) -> None:
        if noun.before:
            self.where += self._conditions_before(noun)
        if noun.field in ("run", "those", "", self.unit):
            self.where += noun.where
            self.kept += noun.kept
            return
        self.kept += [self._bound(one, noun.field) for one in noun.kept]
        for one in noun.where:
            if one.kind in ("virus", "no virus", "searched"):
                self.kept.append(Bound(Measure(given=(one,)), ">=", 1))
            else:
                self.where.append(one)
        if noun.field not in self.rows and noun.field not in self.shown and noun.field != self.head:
            raise NotUnderstoodError(noun.text)

    def _pairs(self, item: Pairs) -> None:
        self.pairs = True
        self.rows = [item.noun.field]
        self.head = item.noun.field
        self.where += [*item.noun.where, *self._conditions_before(item.noun)]
        self.kept += item.noun.kept
        self._limit(item.limit, "", item.noun.by, ascending=False)

    # --- the whole --------------------------------------------------------------------------------

    def _settle_names(self) -> None:
        """Make names rows of their own where numbers are asked for each of them, else conditions.
        """
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
        listed = [one for one in self.where if one.kind == "named" and len(one.names) >= _SEVERAL
                  and not one.at_once and not one.negated and "virus" not in self._groups(one)]
        if first_of_names and self.limit is not None and (several or listed):
            self.row_names = several[0].names if several else listed[0].names
        if self.sides and not self.rows and not bare and measured:
            self.row_names = self.sides
            self.where = [one for one in self.where if one.names != self.sides]
        if several and not self.rows and not bare and measured and self.head in ("", self.unit):
            self.row_names = several[0].names
        for one in self.named:
            if one.names == self.row_names:
                continue
            self.where.append(Condition("named", one.names, one.at_once, one.negated))

    def _made(self) -> Table | None:
        where = _unique(self.where)
        where, nowhere = self._apart(where)
        if self.unit in self.shown or self.unit in self.rows:
            self.shown = [one.of if one in self.bare and isinstance(one, Measure) else one
                          for one in self.shown]  # fmt: skip
        self.shown = [self._as_number(one) for one in self.shown]
        measures = [one for one in self.shown if isinstance(one, Measure)]
        fields = [one for one in self.shown if isinstance(one, str)]
        if self.stored:
            return self._made_of_stored(where, fields, measures)
        listing = self._is_listing(measures, fields)
        rows = list(self.rows)
        if not listing:
            rows += [one for one in fields if one not in rows and not self.numeric(one)]
            if any(self.numeric(one) for one in fields):
                raise NotUnderstoodError(next(one for one in fields if self.numeric(one)))
        elif measures and self.unit not in rows:
            rows = [self.unit, *rows]
        rows = self._as_reported([one for one in rows if one], where)
        shown = _without_rows(self.shown, rows, listing=listing)
        if listing and not measures:
            lead = [self.unit] if self.head == self.unit and "biosample" not in shown else []
            shown = [*dict.fromkeys([*lead, *rows, *shown])]
        implied = self.head == self.unit and rows and not listing and self.unit not in rows
        if implied and _RUNS not in shown and not self.sides:
            shown = [_RUNS, *shown]
        if self.sides and not self.row_names:
            shown = self._sided(shown)
        shown, where, kept = self._meant(shown, where, rows)
        kept = [self._of_number(one, shown) for one in kept]
        kept = [replace(one, measure=replace(one.measure, given=tuple(
            each for each in one.measure.given if each not in where))) for one in kept]  # fmt: skip
        within, where = self._within(where, rows)
        counted = [one for one in measures if one.how in ("count", "percent")]
        if not rows and not self.row_names and not listing and (
            not measures or (len(measures) < _SEVERAL and counted)):  # fmt: skip
            return None
        if self.comparing and not self.sides and not within:
            raise NotUnderstoodError("compare")
        if not shown and not rows:
            return None
        if rows == [self.unit] and not listing and not shown:
            return None
        first = self._first_of_each(rows)
        if first and self.limit_of in rows:
            rows = [*(one for one in rows if one != self.limit_of), self.limit_of]
        return Table(
            rows=tuple(rows), names=self.row_names, within=tuple(within), columns=tuple(shown),
            where=tuple(where), kept=tuple(kept), order=self._order(shown, rows, listing=listing),
            limit=None if first else self.limit, per_first=self.limit if first else None,
            company=tuple(name for one in where if one.kind == "named" for name in one.names)
            if self.company else (),
            nowhere=tuple(nowhere), pairs=self.pairs, one_each=listing, places=self.places,
            keeps_empty=self.every, of_runs=self.head == self.unit,
        )  # fmt: skip

    def _made_of_stored(
        self, where: Sequence[Condition], fields: Sequence[str], measures: Sequence[Measure]
    ) -> Table | None:
        """Return a table of stored rows: listed, or grouped where numbers of groups are asked for."""
        sums = [one for one in measures if one.how == "sum" and not one.given]
        made = [one for one in measures if one not in sums and one != _RUNS]
        ranked = any(isinstance(one.by, Measure) for one in self.sorts)
        grouped = bool(self.rows) and (bool(made) or ranked or self.head != self.unit or _RUNS in measures)
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
            where = _unique([*where, *next(iter(given))])
            self.kept = [replace(one, measure=replace(one.measure, given=())) for one in self.kept]
        if not rows and not shown and not where and not self.kept and self.limit is None:
            return None
        return Table(
            rows=tuple(dict.fromkeys(rows)), columns=tuple(shown), where=tuple(where),
            kept=tuple(self._of_number(one, shown) for one in self.kept), limit=self.limit,
            order=self._order(shown, rows, listing=not grouped), places=self.places,
        )  # fmt: skip

    def _as_reported(self, rows: list[str], where: Sequence[Condition]) -> list[str]:
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

    def _apart(self, where: list[Condition]) -> tuple[list[Condition], list[Condition]]:
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

    def _groups(self, one: Condition) -> set[str]:
        return {self.kind_of.get(name, "") for name in one.names}

    def _sided(self, shown: Sequence[Measure | str]) -> list[Measure | str]:
        """Return each count once for each name that is compared."""
        sided: list[Measure | str] = []
        named = {name for one in shown if isinstance(one, Measure)
                 for each in one.given for name in each.names}  # fmt: skip
        if named & set(self.sides):
            return list(shown)
        counts = [one for one in shown if isinstance(one, Measure)] or [_RUNS]
        for one in counts:
            sided += [replace(one, given=(*one.given, Condition("named", (side,))))
                      for side in self.sides]  # fmt: skip
        return [*(one for one in shown if isinstance(one, str)), *sided]

    def _within(
        self, where: list[Condition], rows: Sequence[str]
    ) -> tuple[list[Condition], list[Condition]]:
        """Return which values rows are kept to, and the conditions."""
        within = []
        for one in where:
            facets = {field for name in one.names
                      for field in FACET_OF.get(self.kind_of.get(name, ""), ())}  # fmt: skip
            for field in facets & set(rows):
                within.append(replace(one, field=field))
        return within, where

    def _meant(
        self, shown: list[Measure | str], where: list[Condition], rows: Sequence[str]
    ) -> tuple[list[Measure | str], list[Condition], list[Bound]]:
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
            where = _unique([*where, *first.given])
            shown = [one for one in shown if one != first]
            measures = [one for one in measures if one != first]
        shares = [one for one in measures if one.how == "percent"]
        if self.among:
            shown = [replace(one, whole=()) if one in shares and isinstance(one, Measure)
                     and not one.given else one for one in shown]  # fmt: skip
            return shown, where, kept
        asked = shares and not any(one.given or one.whole is not None for one in shares)
        if topic is not None and asked and shares == measures and self.head != self.unit and not any(
            is_of_hits(one) for one in rows):  # fmt: skip
            where = [one for one in where if one.names != topic.names]
            shown = [replace(one, given=(topic,)) if one in shares and isinstance(one, Measure)
                     else one for one in shown]  # fmt: skip
        counts = [one for one in shown if isinstance(one, Measure)]
        alone = counts and all(one.given == counts[0].given for one in counts) and counts[0].given
        if alone and not any(one.how == "percent" for one in counts) and not self.sides:
            where = _unique([*where, *counts[0].given])
            shown = [replace(one, given=()) if isinstance(one, Measure) else one for one in shown]
        elif not counts and len({one.measure.given for one in kept}) == 1 and kept[0].measure.given:
            where = _unique([*where, *kept[0].measure.given])
            kept = [replace(one, measure=replace(one.measure, given=())) for one in kept]
        return shown, where, kept

    def _of_first(
        self, shown: list[Measure | str], where: list[Condition]
    ) -> tuple[list[Measure | str], list[Condition]]:
        """Return columns and conditions where the first number says of which runs the others are:
        number of human runs, number with a virus; mean reads and mean identity of dengue virus.
        """
        measures = [one for one in shown if isinstance(one, Measure)]
        given = {one.given for one in measures if one.given}
        if len(measures) < _SEVERAL or _RUNS in measures:
            return shown, where
        made = all(one.how in _MADE for one in measures)
        first, *others = measures
        of_runs = first.how == "count" and bool(first.given) and all(
            self._is_of_runs(one) for one in first.given)  # fmt: skip
        viral = all(one.given and not any(self._is_of_runs(each) for each in one.given)
                    or one.how == "percent" for one in others)  # fmt: skip
        if made and len(given) == 1:
            (condition,) = given
            plain = [replace(one, given=()) if isinstance(one, Measure) else one for one in shown]
            return plain, _unique([*where, *condition])
        if of_runs and viral:
            plain = [replace(one, given=()) if one == first and isinstance(one, Measure) else one
                     for one in shown]  # fmt: skip
            return plain, _unique([*where, *first.given])
        return shown, where

    def _is_of_runs(self, one: Condition) -> bool:
        return one.kind == "named" and "virus" not in self._groups(one)

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

    def _topic(self) -> Condition | None:
        """Return the virus that the request opens with, or is of."""
        viral = [one for one in self.named if not one.negated and one.names != self.row_names
                 and all(self.kind_of.get(name) == "virus" for name in one.names)]  # fmt: skip
        return Condition("named", viral[0].names, viral[0].at_once) if viral else None

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
            if one.by is None and by is None and not measures and not listing and not self.numeric(""):
                by = _RUNS
            orders.append(Order(by, ascending, down=down and one.by is not None))
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


def replace_names(one: Names, *, at_once: bool) -> Names:
    """Return names that must hold at once where they are several."""
    return replace(one, at_once=at_once and len(one.names) > 1)


def places_of(text: str) -> int:
    """Return how many decimals are asked for.

    >>> places_of("rounded to 2 decimals"), places_of("rounded to whole numbers")
    (2, 0)
    """
    words = {"one": 1, "two": 2, "three": 3, "four": 4}
    said = re.search(r"\d|one|two|three|four", text)
    return 0 if said is None else words.get(said[0]) or int(said[0])


def _denied(one: Condition) -> Condition:
    if one.kind == "virus":
        return Condition("no virus")
    return replace(one, negated=not one.negated)


def _swapped(one: Measure, swap: Mapping[Condition, Condition]) -> Measure:
    return replace(one, given=tuple(swap.get(each, each) for each in one.given))


def _unique(conditions: Sequence[Condition]) -> list[Condition]:
    return list(dict.fromkeys(conditions))


def _without_rows(
    shown: Sequence[Measure | str], rows: Sequence[str], *, listing: bool
) -> list[Measure | str]:
    """Return columns without what rows are told apart by, each once."""
    kept = [one for one in shown if not (isinstance(one, str) and one in rows)
            and not (isinstance(one, Measure) and one.how == "count" and one.of in rows
                     and not one.given)]  # fmt: skip
    _ = listing
    return list(dict.fromkeys(kept))

"""The phrases of a request put into the slots of a table: rows, columns, conditions, order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from query.sql_search.layer.fields import FIELDS
from query.sql_search.layer.phrases.items import (
    Item,
    JoiningMark,
    Limited,
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
    Measure,
    NotUnderstoodError,
    TableAsked,
    TableCondition,
)
from query.sql_search.layer.slots.filled import denied
from query.sql_search.layer.slots.settled import SettledSlots

_AVERAGES: Final = ("avg", "median", "max", "min")
_SEVERAL: Final = 2
_SAME: Final = TableCondition("same")


class Slots(SettledSlots):
    """Fills the slots of one table."""

    def table(self, items: Sequence[Item]) -> TableAsked | None:
        """Return the table of ``items``, None where they make none.

        Raises ``NotUnderstoodError`` where a phrase fits no slot.
        """
        opening = next((one for one in items if not isinstance(one, JoiningMark)), None)
        lead = opening.lead if isinstance(opening, Per) else ""
        self.every = lead.startswith(("for each", "for every", "per", "each", "every"))
        for item in items:
            self._put(item)
        self._settle_names()
        return self._made()

    def _put(self, item: Item) -> None:
        match item:
            case JoiningMark():
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
        self.joined = False
        self.crossed = False

    def _mark(self, item: JoiningMark) -> None:
        """Heed a sign or a word between phrases."""
        self.comparing = self.comparing or item.kind == "compare"
        if item.kind == "versus" and (self.head == self.unit or (self.named and not self.rows)):
            raise NotUnderstoodError(item.text)
        self.crossed = item.kind == "versus"
        if item.kind == "stop" and item.text == "?" and len(self.shown) == 1:
            self.asked = [one for one in self.shown if isinstance(one, Measure) and one.given
                          and one.how == "count"]  # fmt: skip
        if item.kind in ("colon", "stop"):
            self.after_colon = self.after_colon or item.kind == "colon" or bool(self.head)
        self.aside = item.kind == "open" or (self.aside and item.kind != "close")
        self.each = self.each or item.kind == "each"
        self.comma = item.kind in ("comma", "stop", "colon") or self.comma
        self.linked = item.kind in ("and", "with", "comma") or self.linked
        self.joined = item.kind == "and" and not self.comma
        if item.kind == "together":
            self.named = [replace_names(one, at_once=True) for one in self.named]
        if item.kind == "listed":
            self._list_last()
        if item.kind == "round":
            self.places = places_of(item.text)
        if item.kind == "split":
            self._split()
        if item.kind == "known":
            self._keep_known()
        self.company = self.company or item.kind == "other"
        if item.kind == "coordinates":
            self.shown += ["latitude", "longitude"]
        self.splitting = self.splitting or item.kind == "split"

    def _keep_known(self) -> None:
        """Keep the runs of which each column is known: where both are known."""
        fields = [one for one in self.shown if isinstance(one, str) and one != self.unit]
        if not fields and not self.rows:
            raise NotUnderstoodError("known")
        self.where += [TableCondition("known", field=one) for one in fields]

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

    def _numbers(self, item: Numbers) -> None:
        self.each = self.each or item.each
        self.of_those = self.of_those or item.of_those
        item = replace(item, measures=[self._of_same(one) for one in item.measures])
        if item.like_last:
            item = replace(item, measures=[self._like_last(one) for one in item.measures])
        if item.each and self._for_each_named(item.measures):
            return
        self._share_given(item.measures)
        if item.ranking:
            self.sorts.append(Sorting(item.measures[-1], item.ascending))
            if self.one and self.limit is None:
                self.limit = 1
        for one in item.measures:
            self._check_held(one)
            if item.both_ways:
                against = tuple(denied(each) for each in one.given)
                self.shown += [one, replace(one, given=against)]
            else:
                self.shown.append(one)

    def _check_held(self, one: Measure) -> None:
        """Raise ``NotUnderstoodError`` for values of an attribute that a name stands before, which
        may say of whom: female donors.
        """
        if self.stored or one.of in FIELDS or one.of in ("", "run", "kind"):
            return
        if any(each.field == one.of for each in one.given):
            raise NotUnderstoodError(one.of)

    def _share_given(self, measures: Sequence[Measure]) -> None:
        """Make runs that are counted before those of the number behind and: number of runs and
        mean coverage of Flaviviridae.
        """
        made = [one for one in measures if one.given and one.how in _AVERAGES]
        if self.joined and made and self.shown and self.shown[-1] == Measure():
            self.shown[-1] = Measure(given=made[0].given)

    def _like_last(self, one: Measure) -> Measure:
        """Return a count that only a name says with what else is said of the last one: how many
        runs with EBV are from males and how many from females.
        """
        last = self.shown[-1] if self.shown else None
        if not isinstance(last, Measure) or last.of != self.unit or len(last.given) < _SEVERAL:
            return one
        groups = {group for each in one.given for group in self._groups(each)}
        rest = [each for each in last.given if self._groups(each) != groups]
        return replace(one, given=(*rest, *one.given)) if len(rest) < len(last.given) else one

    def _of_same(self, one: Measure) -> Measure:
        """Return a number that is of what the one before is of: the projects they come from."""
        if _SAME not in one.given:
            return one
        before = [each for each in self.shown if isinstance(each, Measure)]
        given = [*(before[-1].given if before else ()), *one.given]
        return replace(one, given=tuple(each for each in given if each != _SAME))

    def _only(self, noun: Noun) -> None:
        if noun.before:
            self.where += self._conditions_before(noun)
        if noun.field in ("run", "those", "", self.unit):
            self.where += noun.where
            self.kept += noun.kept
            return
        field = self._row_of_rank(noun) or noun.field
        self.kept += [self._bound(one, field) for one in noun.kept]
        for one in noun.where:
            if one.kind in ("virus", "no virus", "searched"):
                self.kept.append(Bound(Measure(given=(one,)), ">=", 1))
            else:
                self.where.append(one)
        if field not in self.rows and field not in self.shown and field != self.head:
            raise NotUnderstoodError(noun.text)


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

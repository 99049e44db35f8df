"""Nouns put into slots: rows, columns, what the table is of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from query.sql_search.layer.fields import DESCRIBING, FACET_OF, FIELDS, is_of_hits
from query.sql_search.layer.phrases.items import (
    Names,
    Noun,
    Pairs,
    Per,
    Sorting,
)
from query.sql_search.layer.request import (
    Measure,
    NotUnderstoodError,
    TableCondition,
)
from query.sql_search.layer.slots.filled import Filled, denied

_SEVERAL: Final = 2


class NounSlots(Filled):
    """Puts nouns and names into slots."""

    def _noun(self, noun: Noun) -> None:
        noun = replace(noun, where=[one for one in noun.where if one.kind != "same"])
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
            against = tuple(denied(one) for one in given)
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
        if noun.field == "species" and (groups == {"organism"} or self._is_of_hosts(noun)):
            return replace(noun, field="host")
        if noun.text in ("name", "names") and not noun.before and self._opens_with_no_virus():
            raise NotUnderstoodError(noun.text)
        return noun

    def _opens_with_no_virus(self) -> bool:
        """Return whether the request opens with names of other things, whose names may be meant:
        cell lines with KSHV: name, runs.
        """
        topic = self.topic.names if self.topic else ()
        return bool(topic) and "virus" not in {self.kind_of.get(one) for one in topic}

    def _is_of_hosts(self, noun: Noun) -> bool:
        """Return whether species are those of the organisms before a colon: ticks: runs of each
        species.
        """
        if noun.text != "species" or not self.after_colon or self.topic is None:
            return False
        return {self.kind_of.get(one) for one in self.topic.names} == {"organism"}

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
        measured = any(isinstance(one, Measure) for one in self.shown)
        counts = [one for one in self.shown if isinstance(one, Measure) and one.of == self.unit]
        if self.aside and noun.plural and not said and len(counts) == 1 and counts[0].given:
            return
        if noun.kept or (noun.which and not opening and measured and not noun.plural):
            raise NotUnderstoodError(noun.text)
        if self.stored and not noun.text and not self.linked and self.head == self.unit:
            self.where += said
            return
        if (opening and not self.after_colon) or (opening and noun.which):
            self.head = self.unit
            self.where += said
            if isinstance(noun.by, Measure) and noun.by.how == "sum" and noun.which:
                self.shown += [self.unit, noun.by.of]
                noun = replace(noun, limit=noun.limit or (None if noun.plural else 1))
            if isinstance(noun.by, Measure) and noun.by.how == "count" and (
                noun.which or noun.by.of != self.unit):  # fmt: skip
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
        if noun.each and not given and self._for_each_named([Measure("sum", noun.field)]):
            return
        if not self.head and not self.shown and not self.rows and not given:
            self.subject = noun.field
            return
        if given:
            self.shown.append(Measure("sum", noun.field, tuple(given)))
        else:
            self.shown.append(noun.field)

    def _for_each_named(self, measures: Sequence[Measure]) -> bool:
        """Show numbers of hits for each of the viruses that runs have at once, a row a run; return
        whether it is so: runs with both, and the highest read count of each.
        """
        spoken: list[Names | TableCondition] = [*self.named, *self.where]
        joint = [one for one in spoken if one.at_once]
        of_hits = all(self.numeric(one.of) and not one.given for one in measures)
        if not joint or not of_hits:
            return False
        self.shown += [replace(one, given=(TableCondition("named", (name,)),))
                       for one in measures for name in joint[0].names]  # fmt: skip
        self.rows = self.rows or [self.unit]
        return True

    def _dimension(self, noun: Noun, *, opening: bool) -> None:
        self.common = self.common or (noun.common and noun.limit is not None and opening)
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
        if self.after_colon and not noun.where and self._says_rows_again(noun):
            return
        if noun.before and not noun.plural and noun.field not in FIELDS and not self.stored:
            raise NotUnderstoodError(noun.text)
        if opening and not is_of_hits(noun.field) and any(
            one.negated and self._groups(one) == {"virus"} for one in noun.where):  # fmt: skip
            raise NotUnderstoodError("without")
        if any(one.at_once for one in noun.where) and not noun.together:
            raise NotUnderstoodError("and")
        if opening and restricting and self._is_topic(noun):
            self.where[-1] = replace(self.where[-1], field=noun.field)
            return
        listed = self.head == self.unit and self.linked and not self.after_colon
        listed = listed and not self.stored and not self.where
        counts = noun.plural and (self._has_rows() or listed) and not noun.which and not opening
        counts = counts and noun.limit is None and not noun.kept and noun.by is None
        crossed = self.crossed and bool(self.rows)
        counts = counts and noun.field not in DESCRIBING and not crossed
        ranked = self._row_of_rank(noun)
        if ranked is not None:
            self.kept += [self._bound(one, ranked) for one in noun.kept]
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
        if noun.which or noun.every or opening or noun.limit is not None or noun.kept or crossed:
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

    def _says_rows_again(self, noun: Noun) -> bool:
        """Return whether a column behind a colon is that of the viruses that are rows, said by the
        other word, which counts then: flavivirus species: virus, runs.
        """
        others = {"species": "virus", "virus": "species"}
        said_before = others.get(noun.field, "")
        if said_before not in self.rows:
            return False
        self.rows[self.rows.index(said_before)] = noun.field
        return True

    def _restricted(self, noun: Noun) -> bool:
        """Keep the values of a noun to the names that it opens with, or its runs to them."""
        if not noun.before:
            return False
        self.where += self._conditions_before(noun)
        return True

    def _names(self, item: Names) -> None:
        if item.sides:
            self.sides = item.names
            self.where.append(TableCondition("named", item.names))
            return
        spoken: list[Names | TableCondition] = [*self.named, *self.where]
        said = {name for one in spoken for name in one.names}
        if self.aside and set(item.names) <= said and not item.only:
            return
        if not item.lead and not item.negated and not item.only and set(item.names) <= {
            name for one in self.where for name in one.names} and self.rows:  # fmt: skip
            return
        last = self.shown[-1] if self.shown else None
        if self.linked and item.lead and isinstance(last, Measure) and self._is_alike(last, item):
            given = [one for one in last.given if one.kind != "named"]
            self.shown.append(replace(last, given=(*given, TableCondition("named", item.names))))
            return
        if self.aside:
            if self.named and set(self.named[-1].names) >= set(item.names):
                return
            if (
                self.named
                and not item.lead
                and len(item.names) > 1
                and self.named[-1] is self.topic
            ):
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
        self.grouped = True
        for each in item.nouns:
            noun = self._of_kind(each)
            if noun.field == "detection" and self._is_of_hits_anyway():
                continue
            if noun.field == "release_date" and {"year", "month"} & {*self.rows, *self.shown}:
                continue
            ordering = item.lead.startswith(("by", "in")) and self._is_order(noun)
            if ordering:
                self.sorts.append(Sorting(noun.field, ascending=True))
                continue
            noun = self._with_topic(noun)
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

    def _with_topic(self, noun: Noun) -> Noun:
        """Return a row without the virus that a share asked before is of: what share of runs of
        each plant family carry an endornavirus.
        """
        shares = [one for one in self.shown if isinstance(one, Measure) and one.how == "percent"]
        viral = [one for one in noun.where if one.kind == "named" and not one.negated
                 and self._groups(one) == {"virus"}]  # fmt: skip
        if not shares or len(shares) < len(self.shown) or not viral:
            return noun
        self.named += [Names(one.names, "with", one.at_once) for one in viral]
        return replace(noun, where=[one for one in noun.where if one not in viral])

    def _is_of_hits_anyway(self) -> bool:
        """Return whether numbers asked for are means of hits already: mean reads per detection."""
        last = self.shown[-1] if self.shown else None
        return isinstance(last, Measure) and last.how != "count" and is_of_hits(last.of)

    def _is_order(self, noun: Noun) -> bool:
        """Return whether by X is an order: a list that shows X already."""
        shown = noun.field in self.shown or noun.field in self.rows
        of_runs = self.head == self.unit and noun.field == self.unit
        listing = any(isinstance(one, str) for one in self.shown)
        return (shown or of_runs) and listing and not noun.where and not noun.before

    def _pairs(self, item: Pairs) -> None:
        self.pairs = True
        self.rows = [item.noun.field]
        self.head = item.noun.field
        self.where += [*item.noun.where, *self._conditions_before(item.noun)]
        self.kept += item.noun.kept
        self._limit(item.limit, "", item.noun.by, ascending=False)

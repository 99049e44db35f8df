"""A request read phrase by phrase: rows, columns, numbers, conditions, orders, limits.

Each method reads one kind of phrase at its place, and returns None, the place unchanged, where
there is none. A token that begins no phrase refuses the request.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from query.sql_search.layer.fields import is_of_hits
from query.sql_search.layer.lexicon import TableToken
from query.sql_search.layer.phrases.conditions import years_of
from query.sql_search.layer.phrases.items import (
    Item,
    JoiningMark,
    Names,
    Noun,
    Numbers,
    Only,
    Pairs,
    Per,
    Sorting,
)
from query.sql_search.layer.phrases.numbers import NumberPhrases
from query.sql_search.layer.request import NotUnderstoodError, TableCondition

_MARKS: Final = ("comma", "colon", "stop", "and", "open", "close", "each", "compare", "versus",
                 "round", "with", "together")  # fmt: skip
_INVERTED: Final = {">=": "<", ">": "<=", "<": ">=", "<=": ">", "=": "="}
_CARRYING: Final = re.compile("positive|infect|carr|contain|harbou?r|yield|hold|come")
"""Verbs that say what runs have, so that something is behind them."""
_OF_ALL: Final = re.compile(r"\b(?:both|all|they|these)\b")
"""Says that a value is known of each of the columns."""


class Phrases(NumberPhrases):
    """Reads the phrases of ``tokens``."""

    def items(self) -> list[Item]:
        """Return all phrases; raises ``NotUnderstoodError``."""
        found: list[Item] = []
        while self.place < len(self.tokens):
            item = self.item()
            if item is None:
                raise NotUnderstoodError(self.tokens[self.place].text)
            found.append(item)
        return found

    def item(self) -> Item | None:
        """Return the phrase at this place."""
        readers: tuple[Callable[[], Item | None], ...] = (
            self.sorting, self.skipped, self.only, self.pairs, self.by_number, self.ranked,
            self.per, self.numbers,
            self.sides, self.limited, self.noun_item, self.names, self.mark,
        )  # fmt: skip
        for read in readers:
            before = self.place
            found = read()
            if found is not None:
                return found
            self.place = before
        return None

    def mark(self) -> JoiningMark | None:
        """Return a sign or a word between phrases."""
        if self.kind() == "with" and _CARRYING.match(self.tokens[self.place].text):
            return None
        if self.kind() == "which" and self.place == 0:
            self.place += 1
            return JoiningMark("nothing")
        if self.kind() == "per" and self.kind(1) == "pairs":
            self.place += 2
            return JoiningMark("nothing")
        if self.kind() == "known" and _OF_ALL.search(self.tokens[self.place].text):
            self.place += 1
            return JoiningMark("known")
        if self.take("first", "shared", "known", "only") or self._in_percent():
            return JoiningMark("nothing")
        if self.take("coordinates", "split", "other"):
            return JoiningMark(self.tokens[self.place - 1].kind)  # type: ignore[arg-type]
        token = self.take(*_MARKS)
        if token is not None:
            return JoiningMark(token.kind, token.text)  # type: ignore[arg-type]
        if self.take("one_column"):
            return JoiningMark("listed")
        if self.kind() == "in" and self._is_idle_lead():
            self.place += 1
            return JoiningMark("nothing")
        if self.take("those"):
            self.take("in")
            return JoiningMark("nothing")
        return None

    def _in_percent(self) -> bool:
        """Read in percent, where a number was asked for."""
        if self.kind() in ("in", "open") and self.kind(1) in ("percent_sign", "share"):
            self.place += 2
            return True
        return self.take("percent_sign") is not None

    def _is_idle_lead(self) -> bool:
        """Return whether a preposition has nothing behind it, or opens the request."""
        if self.kind(1) in ("", "stop", "comma", "close", "colon", "and", "top", "super"):
            return True
        if self.kind(1) == "those" and self.kind(2) in ("", "stop", "comma", "close", "and"):
            return True
        opens = self.place == 0 or self.tokens[self.place - 1].kind in ("coordinates", "other")
        return opens and self.kind(1) in ("field", "runs", "num", "where", "top")

    def noun_item(self) -> Item | None:
        """Return a noun that stands by itself; of the human runs, where that opens a sentence."""
        before = self.tokens[self.place - 1].kind if self.place else "stop"
        opens = self.kind() == "in" and before in ("stop", "close", "colon", "name")
        if opens and self.kind(1) in ("name", "runs", "searched", "virus+"):
            self.place += 1
        return self.noun()

    def by_number(self) -> Sorting | None:
        """Return an order by a number of single rows: top 20 by reads."""
        lead = self.take("per")
        if lead is None or not lead.text.startswith("by") or not self._is_number(0):
            return None
        field = self.take("field")
        if field is None or self.kind() not in (
            "",
            "comma",
            "stop",
            "close",
            "down",
            "up",
            "first",
        ):
            return None
        way = self.take("down", "up")
        return Sorting(field.value, way is not None and way.kind == "up")

    def ranked(self) -> Numbers | None:
        """Return the numbers that rows are ranked by: top families by number of runs."""
        lead = self.take("per")
        if lead is None or not lead.text.startswith("by"):
            return None
        numbers = self.numbers()
        if numbers is None and self.kind() == "runs":
            noun = self.noun()
            if noun is None or not noun.plural or noun.kept:
                return None
            numbers = self._count(noun)
        return None if numbers is None else replace(numbers, ranking=True)

    def per(self) -> Per | None:
        """Return what rows are: per host and year, for each country with at least 30 runs."""
        lead = self.take("per")
        if lead is None:
            return None
        self.take("known") if self.kind(1) == "field" else None
        nouns: list[Noun] = []
        while (noun := self.attempt(self._row)) is not None:
            nouns.append(noun)
            if self.kind() in ("and", "versus") and self.kind(1) in ("field", "runs", "per"):
                self.place += 1
                self.take("per")
            elif nouns and self.kind() == "per" and self.kind(1) in ("field", "runs"):
                self.place += 1
            else:
                break
        return Per(nouns, lead.text) if nouns else None

    def _row(self) -> Noun | None:
        if self.kind() == "name" and (names := self.attempt(self._names_alone)):
            made = Noun("kind", "kinds", before=names)
            while self._behind(made):
                pass
            return made
        noun = self.noun()
        return noun if noun is not None and noun.field else None

    def only(self) -> Only | Names | None:
        """Return which rows are kept: only families in at least 20 runs."""
        if (years := self.take("released")) is not None:
            return Only(Noun("run", where=years_of(years.text)))
        if self.kind() == "only" and self._is_exclusive():
            raise NotUnderstoodError(self.tokens[self.place].text)
        if self.take("only"):
            self.take("those", "pairs")
            names = self.attempt(self._names_alone)
            if names is not None:
                return Names(names, only=True)
            noun = self.attempt(self.noun)
            if noun is not None:
                return Only(noun)
            made = Noun("those")
            return Only(made) if self._behind(made) else None
        if self.kind() == "in" and self.kind(1) in ("field", "those"):
            self.place += 1
            noun = self.attempt(self.noun)
            return Only(noun) if noun is not None and noun.kept else None
        counted = self.kind() == "num" and self.kind(1) == "after"
        counted = counted or (self.kind() == "agg" and self.kind(1) == "num" and self.kind(2) in (
            "field", "runs", "searched", "virus+", "name"))  # fmt: skip
        compared = self._is_number(0) and self.kind(1) in ("cmp", "in")
        if self.kind() in ("with", "cmp", "those") or counted or compared:
            self.take("those") if self.kind(1) in ("with", "in", "cmp") else None
            made = Noun("those")
            if self.attempt(lambda: self._bounded(made) or None):
                return Only(made)
        return None

    def _is_exclusive(self) -> bool:
        """Return whether only says that something is found nowhere else: families only in pigs."""
        before = self.tokens[self.place - 1] if self.place else None
        of_hits = before is not None and before.kind == "field" and is_of_hits(before.value)
        return of_hits and self.kind(1) in ("in", "name")

    def _names_alone(self) -> tuple[str, ...] | None:
        self.take("in")
        names = self.name_list()
        if names is None or self.kind() in ("field", "runs"):
            return None
        return names

    def skipped(self) -> Only | JoiningMark | None:
        """Return which rows are left out: skip unknown, leave out runs without a date."""
        if not self.take("skip"):
            return None
        if self.take("unknown"):
            self.take("field")
            return JoiningMark("nothing")
        names = self.attempt(self._names_alone)
        if names is not None:
            made = Noun("run", where=[TableCondition("named", names, negated=True)])
            return Only(made)
        noun = self.attempt(self.noun)
        if noun is None or noun.before:
            return None
        if all(one.kind == "known" and one.negated for one in noun.where) and noun.where:
            flipped = [replace(one, negated=False) for one in noun.where]
            return Only(Noun("run", where=flipped))
        if noun.kept and not noun.where:
            inverted = [replace(one, sign=_INVERTED[one.sign]) for one in noun.kept]
            return Only(replace(noun, kept=inverted))
        return None

    def names(self) -> Names | None:
        """Return names by themselves: for dengue and Zika virus."""
        lead: TableToken | None = None
        if self.kind(1) == "name" and self.kind() == "lacking":
            lead = replace(self.tokens[self.place], kind="not")
            self.place += 1
        else:
            lead = self.take("in", "with", "not")
        both = bool(self.take("together", "both"))
        negated = lead is not None and lead.kind == "not"
        if lead is not None and lead.kind == "with" and self.take("not"):
            negated = True
        start = self.place
        names = self.name_list()
        if names is None or self.kind() in ("field", "runs"):
            return None
        if lead is not None and not negated and self.kind() == "versus":
            return self._sides_from(names)
        viral = all(self.kind_of.get(one) == "virus" for one in names)
        joined = {one.kind for one in self.tokens[start : self.place]}
        of_both = lead is not None and lead.kind == "with" and "and" in joined
        together = bool(self.take("together")) or both
        if both and not viral:
            raise NotUnderstoodError("both")
        at_once = viral and len(names) > 1 and (of_both or together)
        only = bool(self.take("only"))
        return Names(names, lead.text if lead else "", at_once, negated, only=only)

    def sides(self) -> Names | None:
        """Return names that are compared: human with mouse, China versus USA."""
        compared = bool(self.take("compare"))
        names = self.name_list()
        if names is None:
            return None
        while self.kind() in ("versus", "with", "and") and self.kind(1) == "name":
            if self.kind() != "versus" and not compared:
                return None
            self.place += 1
            token = self.take("name")
            names = (*names, token.text if token else "")
            compared = True
        return Names(names, sides=True) if compared and len(names) > 1 else None

    def _sides_from(self, names: tuple[str, ...]) -> Names | None:
        """Return names that are compared behind a preposition: in leaf vs root."""
        while self.kind() == "versus" and self.kind(1) == "name":
            self.place += 1
            token = self.take("name")
            names = (*names, token.text if token else "")
        return Names(names, sides=True) if len(names) > 1 else None

    def pairs(self) -> Pairs | None:
        """Return pairs of values found in the same runs."""
        self.take("which")
        limit = self.take("num")
        self.take("top", "super")
        limit = limit or self.take("num")
        if self.take("pairs"):
            self.take("in")
            noun = self.attempt(self.noun)
        else:
            head = self.take("field")
            noun = Noun(head.value, head.text) if head else None
            if not self.take("pairs"):
                return None
            while noun is not None and self._behind(noun):
                pass
        if noun is None or noun.field not in ("family", "species", "virus", "genus"):
            return None
        self.take("top") if self.kind(1) == "together" else None
        self.take("together")
        return Pairs(noun, round(limit.number) if limit else None)

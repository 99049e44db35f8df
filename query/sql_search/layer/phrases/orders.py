"""Orders and limits: sorted by reads, most runs first, the 15 with the most runs."""

from __future__ import annotations

import re

from query.sql_search.layer.phrases.cursor import Cursor
from query.sql_search.layer.phrases.items import (
    Limited,
    Sorting,
)
from query.sql_search.layer.request import Measure, TableCondition


class OrderPhrases(Cursor):
    """Reads what rows are sorted by, and how many are asked for."""

    def sorting(self) -> Sorting | None:
        """Return an order: sorted by reads, most runs first, highest percentage on top."""
        if self.take("byname"):
            return Sorting("name", ascending=True)
        if self.kind() in ("down", "up"):
            token = self.take("down", "up")
            ascending = token is not None and token.kind == "up"
            dated = token is not None and re.search("newest|latest|oldest|earliest|recent",
                                                    token.text)  # fmt: skip
            place = token is not None and re.search("northern|southern", token.text)
            return Sorting("release_date" if dated else "latitude" if place else None, ascending)
        if self.kind() == "super":
            return self.attempt(self._leading)
        if self.kind() in ("top", "rare") and self.kind(1) in ("field", "runs"):
            return self.attempt(self._commonest_first)
        opens = self.place == 0
        token = self.take("sort")
        if token is None:
            return None
        if opens and not re.search(" (?:by|on|from|according to)", token.text):
            return Sorting(None, None, said=False)
        before = self.place
        by = self._sorted_by()
        if by is None:
            self.place = before
        way = self.take("down", "up", "byname")
        return Sorting(by, None if way is None else way.kind != "down")

    def _leading(self) -> Sorting | None:
        token = self.take("super", "top")
        if token is None:
            return None
        shared = self.take("shared")
        by = None if shared else self._sorted_by()
        if (by is None and not shared) or not self.take("first"):
            return None
        if isinstance(by, str) and not self.numeric(by):
            by = None
        return Sorting(by, re.match("few|small|low|least|weak|short", token.text) is not None)

    def _commonest_first(self) -> Sorting | None:
        """Read that the commonest are to be on top: most common family first."""
        token = self.take("top", "rare")
        self.take("field", "runs")
        if token is None or not self.take("first"):
            return None
        return Sorting(None, token.kind == "rare")

    def _sorted_by(self) -> Measure | str | None:
        """Return a number, or a field, that rows are sorted by."""
        if self.kind() == "agg" and self.kind(1) in ("first", "", "comma", "down", "up", "stop"):
            token = self.take("agg")
            return Measure(token.value if token else "", of="")
        self.take("in")
        self.take("those")
        numbers = self.attempt(self.numbers)
        if numbers is not None:
            return numbers.measures[-1]
        noun = self.attempt(self.noun)
        if noun is None:
            name = self.attempt(self.name_list)
            if name is None:
                return None
            self.take("count")
            return Measure(given=(TableCondition("named", name),))
        if noun.before:
            noun.where.append(TableCondition("named", noun.before))
        if noun.kept or noun.limit is not None or noun.by is not None:
            return None
        if noun.field == "run":
            return Measure(given=tuple(noun.where)) if noun.plural or noun.where else "run"
        if self.numeric(noun.field) and noun.where:
            return Measure("sum", noun.field, tuple(noun.where))
        if noun.where:
            return Measure(of=noun.field, given=tuple(noun.where))
        return noun.field if not noun.plural or self.numeric(noun.field) else Measure(of=noun.field)

    def limited(self) -> Limited | None:
        """Return how many rows are asked for: first 15, the 15 with most runs, 25 rows."""
        if self.take("top", "rare") or (self.kind() == "agg" and self.kind(1) == "num"
                                        and self.take("agg")):  # fmt: skip
            number = self.take("num")
        else:
            number = self.take("num")
            self.take("top", "super") if self.kind(1) in ("", "stop") else self.take("top")
        if number is None or self.kind() in ("field", "runs", "name", "cmp", "after"):
            return None
        each = bool(self.take("each"))
        by = self.attempt(self._with_most)
        ends = ("", "comma", "stop", "close", "colon", "with", "and", "per")
        if by is None and self.kind() not in ends:
            return None
        asked = by[0] if by else None
        return Limited(round(number.number), ascending=bool(by and by[1]), by=asked, each=each)

    def _with_most(self) -> tuple[Measure | str, bool] | None:
        """Return what is highest, and whether the lowest are asked for: with the most runs."""
        if not (self.take("with") or self.take("in")):
            return None
        token = self.take("super")
        if token is None:
            return None
        by = self._sorted_by()
        ascending = re.match("few|small|low|least", token.text) is not None
        return None if by is None else (by, ascending)

"""A request read phrase by phrase: nouns with what is said of them, numbers, orders, limits.

Each method reads one kind of phrase at its place, and returns None, the place unchanged, where
there is none. A token that begins no phrase refuses the request.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final, TypeVar

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
from query.sql_search.layer.lexicon import Token
from query.sql_search.layer.request import Bound, Condition, Measure, NotUnderstoodError

Read = TypeVar("Read")
_MARKS: Final = ("comma", "colon", "stop", "and", "open", "close", "each", "compare", "versus",
                 "round", "with", "together")  # fmt: skip
_INVERTED: Final = {">=": "<", ">": "<=", "<": ">=", "<=": ">", "=": "="}
_VIRUS: Final = Condition("virus")
_CARRYING: Final = re.compile("positive|infect|carr|contain|harbou?r|yield|hold|come")
"""Verbs that say what runs have, so that something is behind them."""


class Phrases:
    """Reads the phrases of ``tokens``; ``kind_of`` says what each name is, and ``numeric`` whether
    a field is a number.
    """

    def __init__(
        self, tokens: Sequence[Token], kind_of: Mapping[str, str], numeric: Callable[[str], bool]
    ) -> None:
        self.tokens = tokens
        self.kind_of = kind_of
        self.numeric = numeric
        self.place = 0

    # --- places -----------------------------------------------------------------------------------

    def kind(self, ahead: int = 0) -> str:
        """Return the kind of a token ahead, empty behind the last."""
        place = self.place + ahead
        return self.tokens[place].kind if place < len(self.tokens) else ""

    def take(self, *kinds: str) -> Token | None:
        """Return the next token, and go on, where it is of one of ``kinds``."""
        if self.kind() not in kinds:
            return None
        token = self.tokens[self.place]
        self.place += 1
        return token

    def attempt(self, read: Callable[[], Read | None]) -> Read | None:
        """Return what ``read`` finds; the place is as before where that is nothing."""
        before = self.place
        found = read()
        if found is None:
            self.place = before
        return found

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
            self.sorting, self.skipped, self.only, self.pairs, self.by_number, self.ranked, self.per, self.numbers,
            self.sides, self.limited, self.noun_item, self.names, self.mark,
        )  # fmt: skip
        for read in readers:
            found = self.attempt(read)
            if found is not None:
                return found
        return None

    # --- marks, orders, limits --------------------------------------------------------------------

    def mark(self) -> Mark | None:
        """Return a sign or a word between phrases."""
        if self.kind() == "with" and _CARRYING.match(self.tokens[self.place].text):
            return None
        if self.kind() == "which" and self.place == 0:
            self.place += 1
            return Mark("nothing")
        if self.kind() == "per" and self.kind(1) == "pairs":
            self.place += 2
            return Mark("nothing")
        if self.take("first", "shared", "known", "only") or self._in_percent():
            return Mark("nothing")
        if self.take("coordinates", "split", "other"):
            return Mark(self.tokens[self.place - 1].kind)  # type: ignore[arg-type]
        token = self.take(*_MARKS)
        if token is not None:
            return Mark(token.kind, token.text)  # type: ignore[arg-type]
        if self.take("one_column"):
            return Mark("listed")
        if self.kind() == "in" and self._is_idle_lead():
            self.place += 1
            return Mark("nothing")
        if self.take("those"):
            self.take("in")
            return Mark("nothing")
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
        opens = self.place == 0 or self.tokens[self.place - 1].kind in ("coordinates", "other")
        return opens and self.kind(1) in ("field", "runs", "num", "where", "top")

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
        opens = self.place == 0
        token = self.take("sort")
        if token is None:
            return None
        if opens and not re.search(" (?:by|on|from|according to)", token.text):
            return Sorting(None, None, said=False)
        by = self.attempt(self._sorted_by)
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
        return Sorting(by, re.match("few|small|low|least|weak|short", token.text) is not None)

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
            return Measure(given=(Condition("named", name),))
        if noun.before:
            noun.where.append(Condition("named", noun.before))
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
            self.take("top")
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

    # --- nouns ------------------------------------------------------------------------------------

    def noun_item(self) -> Item | None:
        """Return a noun that stands by itself; of the human runs, where that opens a sentence."""
        before = self.tokens[self.place - 1].kind if self.place else "stop"
        if self.kind() == "in" and before in ("stop", "close", "colon", "name") and self.kind(1) in (
            "name", "runs", "searched", "virus+"):  # fmt: skip
            self.place += 1
        return self.noun()

    def noun(self) -> Noun | None:
        """Return a noun with what is said before and behind it."""
        which = bool(self.take("which")) or self._is_behind_which()
        every = bool(self.take("per")) if which else False
        self.take("those") if self.kind(1) in ("field", "runs", "name") else None
        made = Noun("", which=which, every=every)
        self._how_many(made)
        self._before(made)
        head = self.take("field", "runs")
        if head is None and which and (names := self.attempt(self.name_list)):
            made.before, made.field, made.text = names, "kind", "kinds"
            head = Token("field", "kinds", "kind")
        if head is None and not self._headless(made):
            return None
        if head is not None:
            made.field, made.text = (head.value, head.text)
        if made.single and head is not None and not made.plural and made.limit is None:
            made.limit = 1
        while self._behind(made):
            pass
        if head is None and not made.where and not made.kept and made.limit is None:
            return None
        return made

    def _is_behind_which(self) -> bool:
        """Return whether the noun stands behind in which."""
        before = self.tokens[self.place - 1] if self.place else None
        return before is not None and before.kind == "with" and before.text.endswith("which")

    def _headless(self, made: Noun) -> bool:
        """Return whether a pronoun, or only what is said of runs, stands for the noun."""
        if made.before or self.kind() not in ("those", "virus+", "virus-", "searched", "with",
                                              "where"):  # fmt: skip
            return bool(made.where)
        if self.kind() == "with" and not made.limit:
            return False
        if self.take("those"):
            made.field = "those"
        else:
            made.field = "those" if made.limit else "run"
        return True

    def _how_many(self, made: Noun) -> None:
        """Read how many are asked for: the top ten, ten most common, largest."""
        token = self.take("top", "rare", "super")
        number = self.take("num") if self.kind(1) not in ("field", "after") or token or self.kind(
            1) == "field" else None  # fmt: skip
        token = token or self.take("top", "rare", "super")
        if number is not None:
            made.limit = round(number.number)
        elif token is not None and token.kind != "super":
            made.limit = None
        if token is not None and token.kind == "top" and number is None:
            made.single = True
        if token is not None:
            made.sized = token.kind == "super" or made.limit is not None
            made.ascending = re.match("rar|least|few|small|low|bottom", token.text) is not None

    def _before(self, made: Noun) -> None:
        """Read what is said before the noun: names, searched, virus-positive, other."""
        while True:
            if self.take("other"):
                made.other = True
            elif (risk := self.take("risk")) is not None:
                made.where.append(risk_of(risk.text))
            elif self.kind() in ("searched", "virus+", "virus-") and self.kind(1) in (
                "runs", "field"):  # fmt: skip
                token = self.take("searched", "virus+", "virus-")
                made.where.append(_state(token))
            elif self.kind() == "field" and self.kind(1) == "num" and self.kind(2) == "runs" and (
                self._is_number(0)):  # fmt: skip
                field, number = self.take("field"), self.take("num")
                if field and number:
                    made.where.append(Condition("bound", field=field.value, sign="=",
                                                number=number.number))  # fmt: skip
            elif self.kind() == "where" and self.kind(1) in ("runs", "field", "where"):
                token = self.take("where")
                made.where.append(Condition("words", field=token.value if token else ""))
            elif self.kind() == "shared" and self.kind(1) in ("runs", "field"):
                self.take("shared")
            elif self.kind() == "name":
                names = self.attempt(self._names_before)
                if names is None:
                    return
                made.before += names
            else:
                return

    def _names_before(self) -> tuple[str, ...] | None:
        names = self.name_list()
        if names is None or self.kind() not in ("field", "runs", "name", "virus+", "where"):
            return None
        return names

    def name_list(self) -> tuple[str, ...] | None:
        """Return names joined by commas, and, or."""
        first = self.take("name")
        if first is None:
            return None
        names = [first.text]
        while self.kind() in ("comma", "and", "or"):
            ahead = 2 if self.kind() == "comma" and self.kind(1) in ("and", "or") else 1
            if self.kind(ahead) != "name":
                break
            of = self.tokens[self.place + ahead].text
            if self.kind_of.get(of) != self.kind_of.get(names[-1]):
                break
            self.place += ahead
            token = self.take("name")
            names.append(token.text if token else "")
        return tuple(dict.fromkeys(names))

    def _behind(self, made: Noun) -> bool:
        """Read one thing that is said behind a noun; return whether there is one."""
        if self.kind() == "known" and self.kind(1) in ("in", "with", "not", "per", "stop", "comma"):
            self.place += 1
            return True
        readers: tuple[Callable[[Noun], bool | None], ...] = (
            self._state_behind, self._bounded, self._most_of, self._lacking, self._named_behind,
            self._known_behind, self._in_noun, self._released, self._one_each, self._and_more,
            self._valued,
        )  # fmt: skip
        return any(self.attempt(lambda read=read: read(made) or None) for read in readers)

    def _state_behind(self, made: Noun) -> bool | None:
        """Read that runs are searched, or have a virus or none."""
        if self.kind() == "top" and self.kind(1) in ("together", "in", "stop", "comma", "searched") and (
            self.tokens[self.place].text.startswith("most ")):  # fmt: skip
            self.place += 1
            made.sized = True
            return True
        self.take("in") if self.kind(1) == "risk" else None
        if (risk := self.take("risk")) is not None:
            made.where.append(risk_of(risk.text))
            return True
        if self.kind() == "those" and self.kind(1) == "in" and self.kind(2) in (
            "", "stop", "comma", "close", "colon", "and"):  # fmt: skip
            self.place += 2
            return True
        token = self.take("virus+", "virus-", "searched", "where", "both_ways", "together")
        if token is None:
            return None
        if token.kind == "both_ways":
            names = self.name_list() or ()
            made.both_ways = True
            made.where.append(Condition("named", names) if names else _VIRUS)
        elif token.kind == "together":
            made.together = True
        elif token.kind == "where":
            made.where.append(Condition("words", field=token.value))
        else:
            made.where.append(_state(token))
        return True

    def _named_behind(self, made: Noun) -> bool | None:
        """Read names that the noun is of: in human runs, from China, with EBV but not KSHV."""
        if self._said_again(made):
            return True
        self.take("known") if self.kind(1) in ("in", "with", "not") else None
        negated = bool(self.take("not") or (self.kind(1) == "name" and self.take("lacking")))
        lead = self.take("with", "in", "versus")
        if self.kind() == "runs" and self.kind(1) in ("in", "with") and negated:
            self.place += 2
        both = bool(self.take("together", "both"))
        if not negated and lead is None and not both and not made.field:
            return None
        if not negated:
            negated = bool(self.take("not"))
        if not negated and lead is None and self.kind() == "name" and not self._positive():
            return None
        start = self.place
        joint = lead is not None and self.tokens[start - 2].kind == "together"
        names = self.name_list()
        if names is None or self.kind() in ("field", "runs") or (lead and lead.kind == "versus"):
            return None
        made.other = made.other or joint
        while self.kind() == "versus" and self.kind(1) == "name":
            self.place += 1
            token = self.take("name")
            names = (*names, token.text if token else "")
            made.sides = names
        joined = {one.kind for one in self.tokens[start : self.place]}
        viral = all(self.kind_of.get(one) == "virus" for one in names)
        of_both = lead is not None and lead.kind == "with" and "and" in joined
        if both and not viral:
            raise NotUnderstoodError("both")
        at_once = viral and len(names) > 1 and (of_both or both)
        together = self.take("together")
        at_once = at_once or (viral and len(names) > 1 and together is not None)
        made.where.append(Condition("named", names, at_once, negated))
        return True

    def _said_again(self, made: Noun) -> bool:
        """Read names that were said before: a lung sample or lung-derived cells."""
        said = {name for one in made.where for name in one.names} | {*made.before}
        if self.kind() != "or" or self.kind(1) != "name":
            return False
        if self.tokens[self.place + 1].text not in said:
            return False
        self.place += 2
        return True

    def _positive(self) -> bool:
        place = self.place
        return place < len(self.tokens) and self.tokens[place].value == "positive"

    def _bounded(self, made: Noun) -> bool | None:
        """Read a bound behind a noun: with at least 20 runs, identity above 90."""
        self.take("known") if self.kind(1) in ("in", "with") else None
        self.take("with", "in", "only")
        self.take("which", "those", "pairs")
        self.take("with", "in")
        bound = self.bound()
        if bound is None:
            return None
        measure, sign, number = bound
        if self.numeric(measure.of) and measure.how == "count":
            made.where.append(Condition("bound", field=measure.of, sign=sign, number=number))
        elif made.field == "run" and measure.of != "run" and measure.how == "count":
            made.where.append(Condition("count", field=measure.of, sign=sign, number=number))
        else:
            made.kept.append(Bound(measure, sign, number))
        return True

    def bound(self) -> tuple[Measure, str, float] | None:
        """Return what is compared, how, and with which number."""
        before = self.attempt(self._compared_first)
        if before is not None:
            sign, number = before
            measure = self.attempt(self._compared)
            late = self.take("after")
            if measure is None and sign and self.kind() in ("", "comma", "stop", "close", "only"):
                measure = Measure(of="")
            if measure is None:
                return None
            return measure, late.sign if late else sign or ">=", number
        measure = self.attempt(self._compared)
        if measure is None:
            return None
        self.take("in")
        after = self.attempt(self._compared_first)
        if after is None or not (after[0] or measure.of == "level"):
            return None
        return measure, after[0] or "=", after[1]

    def _compared_first(self) -> tuple[str, float] | None:
        sign = self.take("cmp")
        least = self.take("agg") if self.kind(1) == "num" else None
        number = self.take("num")
        if least is not None and sign is None:
            sign = replace(least, sign="<=" if least.value == "max" else ">=")
        if number is None:
            return None
        if self.kind() == "percent_sign" or (self.kind() == "share" and self._is_sign()):
            self.place += 1
        after = self.take("after")
        said = sign.sign if sign else after.sign if after else ""
        return said, number.number

    def _is_sign(self) -> bool:
        return self.tokens[self.place].text in ("%", "percent", "per cent")

    def _compared(self) -> Measure | None:
        """Return what a number is compared of: runs, distinct hosts, reads, a share."""
        numbers = self.attempt(self.numbers)
        if numbers is not None and numbers.measures[-1] != Measure():
            return numbers.measures[-1]
        if numbers is not None:
            return numbers.measures[-1]
        self.take("in")
        self.take("those")
        given: list[Condition] = []
        made = Noun("")
        self._before(made)
        head = self.take("field", "runs")
        if head is None and self.kind() == "searched":
            head = Token("runs", "runs", "run")
        if head is None:
            return None
        given += made.where
        if made.before:
            given.append(Condition("named", made.before))
        while (token := self.take("virus+", "virus-", "searched", "where")) is not None:
            given.append(Condition("words", field=token.value) if token.kind == "where"
                         else _state(token))  # fmt: skip
        return Measure(of=head.value, given=tuple(given))

    def _most_of(self, made: Noun) -> bool | None:
        """Read what the noun has most of: projects with the most species."""
        by = self._with_most()
        if by is None:
            return None
        made.by, made.ascending = by
        return True

    def _known_behind(self, made: Noun) -> bool | None:
        """Read that a value is known: whose country is known, with sex recorded."""
        lead = self.take("known", "with")
        if lead is None:
            return None
        self.take("known", "those")
        field = self.take("field")
        if field is None:
            return None
        behind = self.take("known")
        if lead.kind != "known" and behind is None:
            return None
        made.where.append(Condition("known", field=field.value))
        return True

    def _lacking(self, made: Noun) -> bool | None:
        """Read that a value is not known: without a release date."""
        if not self.take("lacking"):
            return None
        field = self.take("field")
        if field is None:
            return None
        made.where.append(Condition("known", field=field.value, negated=True))
        return True

    def _in_noun(self, made: Noun) -> bool | None:
        """Read the runs that the noun is of: species in pig runs, families of plant hosts."""
        lead = self.take("in", "with")
        if lead is None:
            return None
        self.take("those", "which")
        if lead.kind == "with" and self.kind() not in ("name", "not", "only"):
            return None
        if self.kind() in ("count", "agg", "share", "super", "top", "per", "each"):
            return None
        inner = self.attempt(self.noun)
        if inner is None or inner.limit is not None or inner.by is not None or inner.kept:
            return None
        said = bool(inner.before or inner.where)
        if inner.field in ("run", "those", "host", "detection") or said:
            made.where += inner.where
            made.among = lead.text in ("among", "amongst", "out of") and said
            if inner.before:
                made.where.append(_of_names(inner, self.kind_of))
            made.together = made.together or inner.together
            made.both_ways = made.both_ways or inner.both_ways
            return said or inner.field in ("run", "those", "detection") or None
        return None

    def _and_more(self, made: Noun) -> bool | None:
        """Read a further thing that is said behind and: unexpected and seen in two runs or more."""
        if not self.take("and", "comma"):
            return None
        if self.kind() == "where" and self.kind(1) not in ("runs", "field"):
            return self._state_behind(made)
        if self._is_number(0) and self.kind(1) == "cmp":
            return self._bounded(made)
        if self.kind() in ("with", "in") and self.kind(1) in ("num", "cmp"):
            return self._bounded(made)
        return self._valued(made)

    def _valued(self, made: Noun) -> bool | None:
        """Read which value a field has: whose main host is human."""
        lead = self.take("with")
        field = self.take("field")
        before = self.tokens[self.place - 2].kind if self.place > 1 else ""
        if field is None or (lead is None and before not in ("and", "comma")):
            return None
        name = self.take("name")
        if name is None or self.kind() in ("runs", "field"):
            return None
        made.where.append(Condition("named", (name.text,), field=field.value))
        return True

    def _released(self, made: Noun) -> bool | None:
        token = self.take("released")
        if token is None:
            return None
        made.where += years_of(token.text)
        return True

    def _one_each(self, made: Noun) -> bool | None:
        """Read that it is asked for each."""
        self.take("in")
        if not self.take("each"):
            return None
        made.each = True
        return True

    # --- rows and numbers -------------------------------------------------------------------------

    def by_number(self) -> Sorting | None:
        """Return an order by a number of single rows: top 20 by reads."""
        lead = self.take("per")
        if lead is None or not lead.text.startswith("by") or not self._is_number(0):
            return None
        field = self.take("field")
        if field is None or self.kind() not in ("", "comma", "stop", "close", "down", "up", "first"):
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

    def numbers(self) -> Numbers | None:
        """Return the numbers that a phrase asks for."""
        readers = (self._counted, self._made, self._shared)
        return next((found for read in readers if (found := self.attempt(read))), None)

    def _counted(self) -> Numbers | None:
        """Return a count: number of hosts, in how many runs, run count."""
        self.take("in", "with") if self.kind(1) == "count" else None
        goes_on = self.kind() == "in" and self.kind(1) in ("field", "runs") and self._goes_on()
        if self.take("count") or goes_on:
            self.take("in")
            self.take("those") if self.kind(1) in ("field", "runs") else None
            self.take("together", "shared")
            noun = self.attempt(self.noun)
            if noun is None:
                return self._count_of_names()
            return self._count(noun)
        self.take("those") if self.kind(1) in ("field", "runs") else None
        noun = self.attempt(self._bare)
        if noun is None or noun.text.endswith("ly") or not self.take("count"):
            return None
        while self._behind(noun):
            pass
        return self._count(noun)

    def _goes_on(self) -> bool:
        """Return whether a number goes on behind and: number of hosts, and of runs."""
        if not self.place or self.tokens[self.place - 1].kind not in ("and", "comma"):
            return False
        before = [one.kind for one in self.tokens[: self.place]]
        return "count" in before[-6:]

    def _bare(self) -> Noun | None:
        made = Noun("")
        self._before(made)
        head = self.take("field", "runs")
        if head is None:
            return None
        made.field, made.text = head.value, head.text
        return made

    def _count_of_names(self) -> Numbers | None:
        """Return a count of runs that only names or nothing stand for: number HBV-positive."""
        lead = self.take("with", "in")
        negated = bool(self.take("not"))
        names = self.attempt(self.name_list)
        if names is None:
            self.take("those")
            self.take("in")
            each = bool(self.take("each"))
            return Numbers([Measure()], each=each)
        _ = lead
        given = Condition("named", names, negated=negated)
        return Numbers([Measure(given=(given,))])

    def _count(self, noun: Noun) -> Numbers | None:
        if noun.kept or noun.by is not None:
            return None
        given = list(noun.where)
        if noun.before:
            given.append(_of_names(noun, self.kind_of))
        of = "run" if noun.field in ("those", "") else noun.field
        made = Measure("count", of, tuple(given))
        measures = [made]
        while self.kind() in ("and", "comma") and self._is_counted_too(1):
            self.place += 1
            more = self.noun()
            if more is None or more.kept or more.where or more.before:
                return None
            measures.append(Measure("count", more.field))
            noun.each = noun.each or more.each
        return Numbers(measures, each=noun.each, both_ways=noun.both_ways)

    def _is_counted_too(self, ahead: int) -> bool:
        """Return whether a further noun is counted: the number of families and hosts."""
        place = self.place + ahead
        if self.kind(ahead) != "field" or self.kind(ahead + 1) in ("in", "with", "num", "cmp"):
            return False
        noun = Noun(self.tokens[place].value, self.tokens[place].text)
        return noun.plural and not self.numeric(noun.field) and self.kind(ahead + 1) != "count"

    def _made(self) -> Numbers | None:
        """Return means and the like: mean and median identity, highest read count."""
        functions = []
        while (token := self.take("agg", "super")) is not None:
            how = token.value
            if token.kind == "super":
                how = "min" if re.match("few|small|low|least|short", token.text) else "max"
            functions.append(how)
            if self.kind() in ("comma", "and") and self.kind(1) in ("agg", "super"):
                self.place += 1
        if not functions:
            return None
        self.take("in")
        self.take("those")
        if self.kind() == "count" and self.tokens[self.place - 1].kind == "super":
            lowest = functions[-1] == "min"
            per_run = self.attempt(lambda: self._per_run_of(functions))
            if per_run is not None:
                return per_run
            counted = self._counted()
            return None if counted is None else replace(counted, ranking=True, ascending=lowest)
        if self.take("count"):
            return self._per_run(functions)
        noun = self.attempt(self._number_noun)
        if noun is None:
            return None
        measures = [Measure(how, noun.field, tuple(noun.where)) for how in functions]
        while self.kind() in ("and",) and self._is_number(1):
            self.place += 1
            token = self.take("field")
            measures += [Measure(how, token.value if token else "") for how in functions]
        return Numbers(measures, each=noun.each, both_ways=noun.both_ways)

    def _is_number(self, ahead: int) -> bool:
        place = self.place + ahead
        return self.kind(ahead) == "field" and self.numeric(self.tokens[place].value)

    def _number_noun(self) -> Noun | None:
        noun = self.noun()
        dated = noun is not None and noun.field in ("year", "release_date")
        if noun is None or not (dated or self.numeric(noun.field)) or noun.kept:
            return None
        if noun.before:
            noun.where.append(Condition("named", noun.before))
        return noun

    def _per_run_of(self, functions: list[str]) -> Numbers | None:
        """Return a number of how many each run has: the largest number of species in one run."""
        self.take("count")
        made = self._per_run(functions)
        return made if made is not None and made.measures[0].per_run else None

    def _per_run(self, functions: list[str]) -> Numbers | None:
        self.take("in")
        head = self.take("field")
        if head is None:
            return None
        single = 2 if self.kind(1) == "num" else 1
        if self.kind() not in ("per", "in") or self.kind(single) != "runs":
            if not self.numeric(head.value):
                return None
            return Numbers([Measure(how, head.value) for how in functions])
        self.place += single + 1
        return Numbers([Measure(how, head.value, per_run=True) for how in functions])

    def _shared(self) -> Numbers | None:
        """Return a percentage, with what it is of where that is said."""
        token = self.take("rate", "share")
        prefix = None
        if token is None and self.kind() == "name" and self.kind(1) in ("rate", "share"):
            prefix = self.name_list()
            token = self.take("rate", "share")
        if token is None:
            return None
        given: tuple[Condition, ...] = (Condition("named", prefix),) if prefix else ()
        measure = Measure("percent", given=given, total=token.kind == "rate")
        return Numbers([self.attempt(lambda: self._share_of(measure)) or measure])

    def _share_of(self, measure: Measure) -> Measure | None:
        """Return a percentage with its part and its whole: of all runs with EBV."""
        if " of all" in self.tokens[self.place - 1].text:
            return self._share_of_runs(measure, of_all=True)
        if token := self.take("virus+", "searched"):
            return replace(measure, given=(*measure.given, _state(token)))
        if self.take("where") is not None:
            token = self.tokens[self.place - 1]
            return replace(measure, given=(Condition("words", field=token.value),))
        if not (lead := self.take("in", "with")):
            return None
        if lead.kind == "with":
            names = self.name_list()
            return replace(measure, given=(Condition("named", names),)) if names else None
        pronoun = self.take("those")
        if pronoun is not None and self.kind() not in ("field", "runs", "name"):
            made = Noun("run")
            while self._behind(made):
                pass
            return replace(measure, given=(*measure.given, *made.where))
        return self._share_of_runs(measure, of_all=False)

    def _share_of_runs(self, measure: Measure, *, of_all: bool) -> Measure | None:
        """Return a percentage of all such runs, or of how many of the runs are such."""
        noun = self.attempt(self.noun)
        if noun is None or noun.field not in ("run", "those") or noun.kept:
            return None
        said = [*noun.where]
        if noun.before:
            said.append(Condition("named", noun.before))
        if of_all:
            return replace(measure, whole=tuple(said))
        searched = [one for one in said if one.kind == "searched"]
        given = [one for one in said if one.kind != "searched"]
        whole = tuple(searched) if searched and not given else None
        total = measure.total or bool(searched)
        return replace(measure, given=(*measure.given, *given), total=total, whole=whole and None)

    # --- rows kept, names, pairs ------------------------------------------------------------------

    def only(self) -> Only | Names | None:
        """Return which rows are kept: only families in at least 20 runs."""
        if (years := self.take("released")) is not None:
            return Only(Noun("run", where=years_of(years.text)))
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

    def _names_alone(self) -> tuple[str, ...] | None:
        self.take("in")
        names = self.name_list()
        if names is None or self.kind() in ("field", "runs"):
            return None
        return names

    def skipped(self) -> Only | Mark | None:
        """Return which rows are left out: skip unknown, leave out runs without a date."""
        if not self.take("skip"):
            return None
        if self.take("unknown"):
            self.take("field")
            return Mark("nothing")
        names = self.attempt(self._names_alone)
        if names is not None:
            made = Noun("run", where=[Condition("named", names, negated=True)])
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
        self.take("together")
        return Pairs(noun, round(limit.number) if limit else None)


def _state(token: Token | None) -> Condition:
    kinds = {"virus+": "virus", "virus-": "no virus", "searched": "searched"}
    return Condition(kinds[token.kind if token else ""])  # type: ignore[arg-type]


def _of_names(noun: Noun, kind_of: Mapping[str, str]) -> Condition:
    """Return the condition of the names that a noun opens with."""
    _ = kind_of
    return Condition("named", noun.before, field=noun.field if noun.field != "run" else "")


def risk_of(text: str) -> Condition:
    """Return the condition on the risk group of a virus that ``text`` says."""
    groups = tuple(f"RG{one}" for one in re.findall("[1-4]", text))
    return Condition("risk", names=groups)


def years_of(text: str) -> list[Condition]:
    """Return the bounds on the year that ``text`` says: 2015 to 2020, since 2018.

    >>> [(one.sign, one.number) for one in years_of("since 2018")]
    [('>=', 2018.0)]
    """
    years = [float(one) for one in re.findall(r"(?:19|20)\d\d", text)]
    if len(years) > 1:
        return [Condition("bound", field="year", sign=">=", number=years[0]),
                Condition("bound", field="year", sign="<=", number=years[1])]  # fmt: skip
    sign = "="
    if re.search(r"since|from|starting|onward|later| on$", text):
        sign = ">="
    elif re.search(r"after", text):
        sign = ">"
    elif re.search(r"before", text):
        sign = "<"
    elif re.search(r"until|up to|earlier", text):
        sign = "<="
    return [Condition("bound", field="year", sign=sign, number=years[0])]

"""Nouns with what is said before and behind them: the ten virus families in human runs."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from query.sql_search.layer.lexicon import TableToken
from query.sql_search.layer.phrases.bounds import BoundPhrases
from query.sql_search.layer.phrases.conditions import risk_of, state_of, years_of
from query.sql_search.layer.phrases.items import (
    Noun,
)
from query.sql_search.layer.request import NotUnderstoodError, TableCondition

_VIRUS: Final = TableCondition("virus")


class NounPhrases(BoundPhrases):
    """Reads nouns."""

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
            head = TableToken("field", "kinds", "kind")
        if head is None and not self._headless(made):
            return None
        if head is not None:
            made.field, made.text = (head.value, head.text)
        if made.single and head is not None and not made.plural and made.limit is None:
            made.limit = 1
        if made.sized and made.field == "run":
            made.by = self.attempt(self._sized_by) or made.by
        while self._behind(made):
            pass
        if head is None and not made.where and not made.kept and made.limit is None:
            return None
        return made

    def _is_behind_which(self) -> bool:
        """Return whether the noun stands behind in which."""
        before = self.tokens[self.place - 1] if self.place else None
        return before is not None and before.kind == "with" and before.text.endswith("which")

    def _sized_by(self) -> str | None:
        """Return the number that runs are the largest in: the biggest runs in bases."""
        lead = self.take("in", "per")
        if lead is None or lead.text not in ("in", "by") or not self._is_number(0):
            return None
        token = self.take("field")
        return token.value if token else None

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
            made.common = re.search("common|frequent|widespread", token.text) is not None
            made.sized = token.kind == "super" or made.limit is not None
            made.ascending = re.match("rar|least|few|small|low|bottom", token.text) is not None

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

        def read_by(read: Callable[[Noun], bool | None]) -> bool | None:
            return self.attempt(lambda: read(made) or None)

        return any(read_by(read) for read in readers)

    def _state_behind(self, made: Noun) -> bool | None:
        """Read that runs are searched, or have a virus or none."""
        often = self.kind() == "top" and self.tokens[self.place].text.startswith("most ")
        if often and self.kind(1) in ("together", "in", "stop", "comma", "searched", "colon"):
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
        if self.take("thence"):
            made.where.append(TableCondition("same"))
            return True
        token = self.take("virus+", "virus-", "searched", "where", "both_ways", "together")
        if token is None:
            return None
        if token.kind == "both_ways":
            names = self.name_list() or ()
            made.both_ways = True
            made.where.append(TableCondition("named", names) if names else _VIRUS)
        elif token.kind == "together":
            made.together = True
        elif token.kind == "where":
            made.where.append(TableCondition("words", field=token.value))
        else:
            made.where.append(state_of(token))
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
        made.where.append(TableCondition("named", names, at_once, negated))
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
                made.where.append(
                    TableCondition(
                        "named", inner.before, field=inner.field if inner.field != "run" else ""
                    )
                )
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

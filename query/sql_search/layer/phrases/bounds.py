"""What is compared with a number: at least 20 runs, identity above 90, in 2 or more hosts."""

from __future__ import annotations

from dataclasses import replace

from query.sql_search.layer.lexicon import TableToken
from query.sql_search.layer.phrases.conditions import risk_of, state_of
from query.sql_search.layer.phrases.items import (
    Noun,
)
from query.sql_search.layer.phrases.orders import OrderPhrases
from query.sql_search.layer.request import Bound, Measure, TableCondition


class BoundPhrases(OrderPhrases):
    """Reads comparisons, and what is known of a value."""

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
                made.where.append(state_of(token))
            elif self.kind() == "field" and self.kind(1) == "num" and self.kind(2) == "runs" and (
                self._is_number(0)):  # fmt: skip
                field, number = self.take("field"), self.take("num")
                if field and number:
                    made.where.append(TableCondition("bound", field=field.value, sign="=",
                                                number=number.number))  # fmt: skip
            elif self.kind() == "where" and self.kind(1) in ("runs", "field", "where"):
                token = self.take("where")
                made.where.append(TableCondition("words", field=token.value if token else ""))
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
            made.where.append(TableCondition("bound", field=measure.of, sign=sign, number=number))
        elif made.field == "run" and measure.of != "run" and measure.how == "count":
            made.where.append(TableCondition("count", field=measure.of, sign=sign, number=number))
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

    def _compared(self) -> Measure | None:
        """Return what a number is compared of: runs, distinct hosts, reads, a share."""
        numbers = self.attempt(self.numbers)
        if numbers is not None and numbers.measures[-1] != Measure():
            return numbers.measures[-1]
        if numbers is not None:
            return numbers.measures[-1]
        self.take("in")
        self.take("those")
        given: list[TableCondition] = []
        made = Noun("")
        self._before(made)
        head = self.take("field", "runs")
        if head is None and self.kind() == "searched":
            head = TableToken("runs", "runs", "run")
        if head is None and self._is_of_positive_runs():
            head = TableToken("runs", "runs", "run")
        if head is None:
            return None
        given += made.where
        if made.before:
            given.append(TableCondition("named", made.before))
        while (token := self.take("virus+", "virus-", "searched", "where")) is not None:
            given.append(TableCondition("words", field=token.value) if token.kind == "where"
                         else state_of(token))  # fmt: skip
        return Measure(of=head.value, given=tuple(given))

    def _is_of_positive_runs(self) -> bool:
        """Return whether the next token is one of runs with a virus: 10 or more positive runs."""
        return self.kind() == "virus+" and self.tokens[self.place].text.endswith(
            ("runs", "samples"))  # fmt: skip

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
        if lead.kind != "known" and behind is None and not self._has(lead):
            return None
        made.where.append(TableCondition("known", field=field.value))
        return True

    def _has(self, lead: TableToken) -> bool:
        """Return whether a value is what runs are to have: that have a country."""
        return lead.text in ("have", "has", "having", "had") and self.kind() in (
            "", "colon", "comma", "stop", "per")  # fmt: skip

    def _lacking(self, made: Noun) -> bool | None:
        """Read that a value is not known: without a release date."""
        if not self.take("lacking"):
            return None
        self.take("known")
        field = self.take("field")
        if field is None:
            return None
        made.where.append(TableCondition("known", field=field.value, negated=True))
        return True

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
        made.where.append(TableCondition("named", (name.text,), field=field.value))
        return True

    def _most_of(self, made: Noun) -> bool | None:
        """Read what the noun has most of: projects with the most species."""
        by = self._with_most()
        if by is None:
            return None
        made.by, made.ascending = by
        return True

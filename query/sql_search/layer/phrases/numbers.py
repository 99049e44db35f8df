"""Numbers that are asked for: counts, means, shares."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from query.sql_search.layer.lexicon import TableToken
from query.sql_search.layer.phrases.conditions import state_of
from query.sql_search.layer.phrases.items import (
    Noun,
    Numbers,
)
from query.sql_search.layer.phrases.nouns import NounPhrases
from query.sql_search.layer.request import Measure, TableCondition

_OFTEN: Final = ("yearly", "monthly")


class NumberPhrases(NounPhrases):
    """Reads numbers."""

    def numbers(self) -> Numbers | None:
        """Return the numbers that a phrase asks for."""
        readers = (self._counted, self._made, self._shared)
        return next((found for read in readers if (found := self.attempt(read))), None)

    def _counted(self) -> Numbers | None:
        """Return a count: number of hosts, in how many runs, run count."""
        self.take("in", "with") if self.kind(1) == "count" else None
        of_more = self.kind(1) in ("field", "runs") or (
            self.kind(1) in ("virus+", "virus-", "searched", "name") and self.kind(2) == "runs"
        )
        goes_on = self.kind() == "in" and of_more and self._goes_on()
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
        if noun is None or noun.text in _OFTEN or self._opens_count(noun):
            return None
        if not self.take("count"):
            return None
        while self._behind(noun):
            pass
        return self._count(noun)

    def _opens_count(self, noun: Noun) -> bool:
        """Return whether a count begins behind ``noun`` that is of what follows: by country the
        number of runs, and not run counts of hosts.
        """
        if self.kind() != "count":
            return False
        opening = r"^how |ing$|number.* of$" if noun.field == "run" else r" of$|^how |ing$"
        return re.search(opening, self.tokens[self.place].text) is not None

    def _goes_on(self) -> bool:
        """Return whether a number goes on behind and: number of hosts, and of runs."""
        if not self.place or self.tokens[self.place - 1].kind not in ("and", "comma"):
            return False
        for one in reversed(self.tokens[: self.place]):
            if one.kind in ("colon", "stop", "count"):
                return one.kind == "count"
        return False

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
            if lead is not None and lead.kind == "with" and not self._is_idle(lead):
                return None
            self.take("those")
            self.take("in")
            each = bool(self.take("each"))
            return Numbers([Measure()], each=each)
        given = TableCondition("named", names, negated=negated)
        return Numbers([Measure(given=(given,))], like_last=not negated)

    def _is_idle(self, lead: TableToken) -> bool:
        """Return whether a word for what runs have says nothing here: the numbers for which …"""
        return lead.text in ("with", "when", "where") or lead.text.endswith("which")

    def _count(self, noun: Noun) -> Numbers | None:
        if noun.kept or noun.by is not None:
            return None
        given = list(noun.where)
        if noun.before:
            given.append(
                TableCondition(
                    "named", noun.before, field=noun.field if noun.field != "run" else ""
                )
            )
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
        return Numbers(measures, each=noun.each, both_ways=noun.both_ways,
                       of_those=noun.field == "those")  # fmt: skip

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
            of_number = counted is not None and self.numeric(counted.measures[-1].of)
            if counted is not None and of_number:
                how = functions[-1]
                return replace(
                    counted, measures=[replace(one, how=how) for one in counted.measures]
                )
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

    def _number_noun(self) -> Noun | None:
        noun = self.noun()
        dated = noun is not None and noun.field in ("year", "release_date")
        if noun is None or not (dated or self.numeric(noun.field)) or noun.kept:
            return None
        if noun.before:
            noun.where.append(TableCondition("named", noun.before))
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
        given: tuple[TableCondition, ...] = (TableCondition("named", prefix),) if prefix else ()
        measure = Measure("percent", given=given, total=token.kind == "rate")
        return Numbers([self.attempt(lambda: self._share_of(measure)) or measure])

    def _share_of(self, measure: Measure) -> Measure | None:
        """Return a percentage with its part and its whole: of all runs with EBV."""
        if " of all" in self.tokens[self.place - 1].text:
            return self._share_of_runs(measure, of_all=True)
        if token := self.take("virus+", "searched"):
            return replace(measure, given=(*measure.given, state_of(token)))
        if self.take("where") is not None:
            token = self.tokens[self.place - 1]
            return replace(measure, given=(TableCondition("words", field=token.value),))
        if not (lead := self.take("in", "with")):
            return None
        if lead.kind == "with":
            names = self.name_list()
            return replace(measure, given=(TableCondition("named", names),)) if names else None
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
            said.append(TableCondition("named", noun.before))
        viral = [one for one in said if one.kind == "named" and not one.negated
                 and {self.kind_of.get(name) for name in one.names} == {"virus"}]  # fmt: skip
        if not of_all and noun.before and len(viral) > 1 and viral[-1].names == noun.before:
            of_those = tuple(one for one in said if one not in viral[:-1])
            return replace(measure, given=tuple(said), whole=of_those)
        if of_all:
            return replace(measure, whole=tuple(said))
        searched = [one for one in said if one.kind == "searched"]
        given = [one for one in said if one.kind != "searched"]
        whole = tuple(searched) if searched and not given else None
        total = measure.total or bool(searched)
        return replace(measure, given=(*measure.given, *given), total=total, whole=whole and None)

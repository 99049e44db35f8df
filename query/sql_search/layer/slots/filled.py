"""The slots of a table as they are filled, phrase by phrase."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Final

from query.sql_search.layer.fields import FACET_OF
from query.sql_search.layer.phrases.items import (
    Names,
    Noun,
    Sorting,
)
from query.sql_search.layer.request import (
    Bound,
    Measure,
    NotUnderstoodError,
    TableCondition,
)

_SEVERAL: Final = 2


class Filled:
    """Slots of one table; ``kind_of`` says what each name is, ``numeric`` whether a field is a
    number, and ``listed`` which names are listed, each by itself: USA, Canada and China.
    """

    def __init__(
        self,
        kind_of: Mapping[str, str],
        numeric: Callable[[str], bool],
        *,
        stored: bool = False,
        listed: Collection[tuple[str, ...]] = (),
    ) -> None:
        self.kind_of = kind_of
        self.numeric = numeric
        self.unit = "run"
        self.stored = stored
        self.listed_names = listed
        self.head = ""
        self.rows: list[str] = []
        self.shown: list[Measure | str] = []
        self.where: list[TableCondition] = []
        self.within: list[TableCondition] = []
        self.kept: list[Bound] = []
        self.sorts: list[Sorting] = []
        self.limit: int | None = None
        self.limit_of = ""
        self.topic: Names | None = None
        self.named: list[Names] = []
        self.row_names: tuple[str, ...] = ()
        self.sides: tuple[str, ...] = ()
        self.each = False
        self.pairs = False
        self.company = False
        self.nowhere: list[TableCondition] = []
        self.listed = False
        self.after_colon = False
        self.aside = False
        self.comma = False
        self.linked = False
        self.joined = False
        self.common = False
        self.named_as: tuple[str, ...] = ()
        self.splitting = False
        self.subject = ""
        self.one = False
        self.grouped = False
        self.asked: list[Measure] = []
        self.every = False
        self.comparing = False
        self.crossed = False
        self.of_those = False
        self.among = False
        self.places: int | None = None
        self.bare: set[Measure] = set()

    def _groups(self, one: TableCondition) -> set[str]:
        return {self.kind_of.get(name, "") for name in one.names}

    def _conditions_before(self, noun: Noun) -> list[TableCondition]:
        return [TableCondition("named", noun.before)] if noun.before else []

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

    def _bound(self, bound: Bound, field: str) -> Bound:
        return replace(bound, of=field)

    def _is_topic(self, noun: Noun) -> bool:
        """Return whether a noun says of which kind the names before it are: liver tissue."""
        facets = {field for name in noun.before
                  for field in FACET_OF.get(self.kind_of.get(name, ""), ())}  # fmt: skip
        return noun.field in facets and not noun.plural and not noun.which and not noun.every

    def _is_of_rank(self, noun: Noun) -> bool:
        """Return whether a rank is that of rows before: insect orders, runs per order."""
        return self._row_of_rank(noun) is not None

    def _row_of_rank(self, noun: Noun) -> str | None:
        """Return the row whose rank a noun says again: the families of plant families."""
        rank = noun.field.removeprefix("virus_")
        if "vir" in noun.text:
            return None
        if rank == "species" and "host" in self.rows and "species" not in self.rows:
            return "host"
        ranks = (one for one in self.rows if one.endswith(f"_{rank}") and one != noun.field)
        return next(ranks, None)

    def _has_rows(self) -> bool:
        several = any(len(one.names) >= _SEVERAL and not one.at_once for one in self.named)
        return bool(self.rows) or (several and self.head in ("", self.unit))

    def _is_of_runs(self, one: TableCondition) -> bool:
        return one.kind == "named" and "virus" not in self._groups(one)

    def _topic(self) -> TableCondition | None:
        """Return the virus that the request opens with, or is of."""
        viral = [one for one in self.named if not one.negated and one.names != self.row_names
                 and all(self.kind_of.get(name) == "virus" for name in one.names)]  # fmt: skip
        return TableCondition("named", viral[0].names, viral[0].at_once) if viral else None


def denied(one: TableCondition) -> TableCondition:
    """Return the condition that ``one`` does not hold."""
    if one.kind == "virus":
        return TableCondition("no virus")
    return replace(one, negated=not one.negated)


def unique(conditions: Sequence[TableCondition]) -> list[TableCondition]:
    """Return ``conditions``, each once."""
    return list(dict.fromkeys(conditions))

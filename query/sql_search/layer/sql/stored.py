"""SQL of a table of stored rows: listed with their columns, or grouped with numbers of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from query.global_search.carrying import equals_any, found_condition
from query.reading.mentions import Mention
from query.sql_search.compiling import Compiled, value_condition
from query.sql_search.layer.request import (
    ImpossibleTableError,
    Measure,
    Order,
    TableAsked,
    TableCondition,
)
from query.sql_search.layer.subjects import StoredSubject
from query.sql_search.statement import limited_to

_ROWS: Final = Measure()
_LOW_FIRST: Final = ("q_value", "p_value")


@dataclass(slots=True)
class StoredRows:
    """Writes the SQL of ``table``, whose rows are of ``subject``."""

    subject: StoredSubject
    table: TableAsked
    meant: Mapping[str, Mention]
    said: list[str] = field(default_factory=list)

    def compiled(self) -> Compiled:
        """Return the SQL, and in sentences what it does."""
        if self.table.pairs or self.table.company or self.table.nowhere or self.table.names:
            raise ImpossibleTableError(self.subject.name)
        where = [self._condition(one) for one in self.table.where]
        grouped = self._is_grouped()
        sql = self._grouped(where) if grouped else self._listed(where)
        return Compiled(sql, tuple(self.said))

    def _is_grouped(self) -> bool:
        measures = [one for one in self.table.columns if isinstance(one, Measure)]
        if self.subject.name == "known hosts" and not measures and not self.table.kept:
            return False
        made = [one for one in measures if one.how != "sum" or one.given]
        return bool(self.table.rows) and (bool(made) or not self.table.columns)

    def _source(self, where: Sequence[str]) -> str:
        kept = f"\nWHERE {' AND '.join(f'({one})' for one in where)}" if where else ""
        return f"FROM {self.subject.source}{kept}"

    def _expression(self, key: str) -> str:
        found = {**self.subject.columns, **self.subject.numbers}.get(key)
        if found is None:
            raise ImpossibleTableError(key)
        return found[1]

    # --- conditions -------------------------------------------------------------------------------

    def _condition(self, one: TableCondition) -> str:
        if one.kind == "words":
            return one.field
        if one.kind == "bound":
            return f"{self._expression(one.field)} {one.sign} {one.number:g}"
        if one.kind == "known":
            return f"{self._expression(one.field)} IS {'' if one.negated else 'NOT '}NULL"
        if one.kind == "risk" and self.subject.risk:
            return f"{self.subject.risk} {equals_any(one.names)}"
        if one.kind != "named":
            raise ImpossibleTableError(one.kind)
        named = [self.meant[name] for name in one.names]
        if one.field and one.field in self.subject.columns:
            values = [sense.label for each in named for sense in each.senses]
            values += [each.label for each in named]
            self.said.append(f"whose {one.field} is {' or '.join(each.name for each in named)}")
            return f"{self._expression(one.field)} {equals_any(values)}"
        made = " OR ".join(f"({self._is_named(each)})" for each in named)
        self.said.append(f"of {' or '.join(each.name for each in named)}")
        return f"NOT coalesce({made}, false)" if one.negated else made

    def _is_named(self, one: Mention) -> str:
        column = self.subject.named.get(one.group)
        if column is None:
            raise ImpossibleTableError(one.text)
        if column == "family":
            return f"family IN (SELECT family FROM detection WHERE {found_condition(one.senses)})"
        if column == "bioproject":
            return f"bioproject {equals_any([one.label])}"
        if column == "value":
            return value_condition([one])
        if not one.curies:
            raise ImpossibleTableError(one.text)
        below = f"SELECT descendant FROM closure WHERE ancestor {equals_any(one.curies)}"
        return f"{column} {equals_any(one.curies)} OR {column} IN ({below})"

    # --- rows as they are stored ------------------------------------------------------------------

    def _listed(self, where: Sequence[str]) -> str:
        keys = [one if isinstance(one, str) else one.of for one in self.table.columns]
        keys = [one for one in keys if one != "run"]
        sized = [self.subject.size] if self.table.order and self.subject.size else []
        sized = [] if any(one.by for one in self.table.order) else sized
        listed = [one for one in dict.fromkeys([*self.table.rows, *keys]) if one != "run"]
        ordered = [one.by for one in self.table.order if isinstance(one.by, str)]
        always = [one for one in self.subject.always if one not in listed] if listed else []
        listed = [*always, *listed, *sized] if listed else [*self.subject.shown]
        listed += [one for one in ordered if one not in listed]
        bounds = [self._expression(one.field) for one in self.table.where if one.kind == "bound"]
        shown = [self._expression(one) for one in listed]
        every = {**self.subject.columns, **self.subject.numbers}
        listed += [key for key, (_, sql) in every.items() if sql in bounds and sql not in shown]
        if self.table.kept:
            where = [*where, *(self._kept(one.measure, one.sign, one.number)
                               for one in self.table.kept)]  # fmt: skip
        columns = ",\n       ".join(f"{self._expression(one)} AS {one}" for one in listed)
        self.said.insert(0, f"lists the {self.subject.name}")
        order = ", ".join([*self._sorted(), self.subject.order])
        if self.subject.name == "known hosts":
            order = ", ".join(str(place + 1) for place in range(len(listed)))
        distinct = "DISTINCT " if self.subject.name == "known hosts" else ""
        return (f"SELECT {distinct}{columns}\n{self._source(where)}\nORDER BY {order}"
                f"{limited_to(self.table.limit)}")  # fmt: skip

    def _kept(self, measure: Measure, sign: str, number: float) -> str:
        if measure.given or measure.of == "run" or measure.how not in ("count", "sum"):
            raise ImpossibleTableError(measure.of)
        return f"{self._expression(measure.of)} {sign} {number:g}"

    def _sorted(self) -> list[str]:
        made = []
        for one in self.table.order:
            key = one.by if isinstance(one.by, str) else one.by.of if one.by else ""
            key = self.subject.size if key in ("", "run") else key
            if key:
                up = one.ascending or (key in _LOW_FIRST and not one.down)
                made.append(f"{self._expression(key)}{'' if up else ' DESC'} NULLS LAST")
        return made

    def _keys(self) -> list[str]:
        return [one if isinstance(one, str) else one.of for one in self.table.columns]

    # --- groups -----------------------------------------------------------------------------------

    def _grouped(self, where: Sequence[str]) -> str:
        rows = self.table.rows
        cells = [one for one in self.table.columns if isinstance(one, Measure)] or [_ROWS]
        shared = self._shared(cells)
        if shared:
            where = [*where, *(self._condition(one) for one in shared)]
            cells = [replace(one, given=()) for one in cells]
        names = {one: self._name(one) for one in cells}
        kept = [self._bound(one.measure, shared) for one in self.table.kept]
        selected = [f"{self._expression(one)} AS {one}" for one in rows]
        selected += [f"{self._value(one, cells)} AS {names[one]}" for one in cells]
        having = ""
        if kept:
            bounds = [f"{value} {one.sign} {one.number:g}"
                      for value, one in zip(kept, self.table.kept, strict=True)]  # fmt: skip
            having = f"\nHAVING {' AND '.join(bounds)}"
        stated = [f"{self._expression(one)} IS NOT NULL" for one in rows]
        columns = ",\n       ".join(selected)
        order = ", ".join([*(self._ordered(one, cells, names) for one in self.table.order),
                           f"{names[cells[0]]} DESC", *rows])  # fmt: skip
        self.said.insert(0, f"gives {', '.join(one.replace('_', ' ') for one in names.values())} "
                            f"of the {self.subject.name} for each "
                            f"{' and '.join(one.replace('_', ' ') for one in rows)}")  # fmt: skip
        return (f"SELECT {columns}\n{self._source([*where, *stated])}\nGROUP BY ALL{having}\n"
                f"ORDER BY {order}{limited_to(self.table.limit)}")  # fmt: skip

    def _shared(self, cells: Sequence[Measure]) -> tuple[TableCondition, ...]:
        """Return the conditions of the rows that are counted, where all numbers are of these."""
        counts = [one for one in cells if (one.how, one.of) == ("count", "run")]
        given = {one.given for one in counts}
        rest = [one for one in cells if one not in counts]
        alone = len(given) == 1 and all(not one.given and one.how != "percent" for one in rest)
        return next(iter(given)) if alone else ()

    def _bound(self, measure: Measure, shared: tuple[TableCondition, ...]) -> str:
        given = () if measure.given == shared else measure.given
        if measure.of in self.subject.numbers and measure.how == "count":
            measure = replace(measure, how="sum")
        return self._value(replace(measure, given=given), [])

    def _value(self, cell: Measure, cells: Sequence[Measure]) -> str:
        given = " AND ".join(f"({self._condition(one)})" for one in cell.given)
        only = f" FILTER (WHERE {given})" if given else ""
        if cell.how == "percent":
            part = only
            if not part:
                conditional = [one for one in cells if one.given and one.how == "count"]
                if not conditional:
                    raise ImpossibleTableError("percent")
                part = self._value(conditional[-1], cells).removeprefix("count(*)")
            return f"round(100.0 * count(*){part} / count(*), 1)"
        if (cell.how, cell.of) == ("count", "run"):
            return f"count(*){only}"
        expression = self._expression(cell.of)
        if cell.how == "count":
            return f"count(DISTINCT {expression}){only}"
        if cell.how == "list":
            return f"string_agg(DISTINCT {expression}, ', ' ORDER BY {expression}){only}"
        made = f"{cell.how}({expression}){only}"
        return f"round({made}, 3)" if cell.how in ("avg", "median") else made

    def _name(self, cell: Measure) -> str:
        of = self.subject.name.replace(" ", "_") if cell.of == "run" else cell.of
        if cell.how == "percent":
            return "percent"
        given = "_such" if cell.given else ""
        if cell.how == "count":
            return f"{of if cell.of == 'run' else f'{of}_count'}{given}"
        return f"{cell.how}_{of}{given}"

    def _ordered(self, one: Order, cells: Sequence[Measure], names: Mapping[Measure, str]) -> str:
        way = "" if one.ascending else " DESC"
        if isinstance(one.by, str) and one.by in self.table.rows:
            return f"{one.by}{way}"
        if isinstance(one.by, Measure):
            plain = replace(one.by, given=())
            by = plain if one.by not in names and plain in names else one.by
            if by not in names:
                raise ImpossibleTableError(by.of)
            return f"{names[by]}{way} NULLS LAST"
        if one.by is None:
            return f"{names[cells[0]]}{way} NULLS LAST"
        raise ImpossibleTableError(one.by)

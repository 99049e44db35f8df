"""SQL of a table of runs: its conditions, its rows, and each number counted by itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from query.global_search.carrying import literal
from query.sql_search.compiling import Compiled
from query.sql_search.layer.fields import RUN, is_of_hits, plural_of
from query.sql_search.layer.request import (
    Bound,
    ImpossibleTableError,
    Measure,
    Order,
)
from query.sql_search.layer.sql.numbers import RunNumbers
from query.sql_search.layer.sql.sources import hits
from query.sql_search.statement import limited_to

_RUNS: Final = Measure()

_CHRONOLOGICAL: Final = ("year", "month", "release_date")


class Runs(RunNumbers):
    """Writes the SQL of ``table``; ``meant`` says what each of its names means."""

    def compiled(self) -> Compiled:
        """Return the SQL, and in sentences what it does."""
        self._check()
        self._open()
        final = self._listing() if self._lists() else self._grouped()
        return Compiled(self.query.ending(final), tuple(self.said))

    def _check(self) -> None:
        for key in self._keys():
            if key != RUN and key not in self.fields:
                raise ImpossibleTableError(key)
        for one in self.table.columns:
            if isinstance(one, Measure) and one.how == "percent" and one.of != RUN:
                raise ImpossibleTableError("percent")

    def _keys(self) -> list[str]:
        columns = [one if isinstance(one, str) else one.of for one in self.table.columns]
        return [*self.table.rows, *columns]

    def _listing(self) -> str:
        columns = [one for one in self.table.columns if isinstance(one, str)]
        if not columns:
            raise ImpossibleTableError(RUN)
        of_hits = [one for one in columns if is_of_hits(one)]
        source = "FROM matched"
        if of_hits:
            select = hits(of_hits, runs="matched", conditions=self._hit_conditions())
            numbers = all(self.fields[one].numeric for one in of_hits)
            if self.table.of_runs and numbers:
                highest = ", ".join(f"max({one}) AS {one}" for one in of_hits)
                select = f"SELECT run, {highest} FROM (\n{select}\n)\nGROUP BY run"
                self.said.append("lists one run a row, with the highest numbers of its hits")
            else:
                self.said.append("lists one hit a row")
            self._also("found", "hits of these runs", select)
            source = "FROM found"
        else:
            self.said.append("lists one run a row")
        joins = [source]
        joins += [self._attribute(key) for key in columns if key != RUN and not is_of_hits(key)]
        selected = ", ".join(columns)
        distinct = "" if RUN in columns else "DISTINCT "
        rest = [RUN] if RUN in columns else columns
        order = ", ".join(dict.fromkeys([*self._sorted(), *rest, *of_hits]))
        return f"SELECT {distinct}{selected}\n" + "\n".join(joins) + (
            f"\nORDER BY {order}{limited_to(self.table.limit)}")  # fmt: skip

    def _grouped(self) -> str:
        if self.table.pairs:
            return self._pairs()
        self._complete()
        rows = self._rows()
        cells = [one for one in self.table.columns if isinstance(one, Measure)]
        keys = ", ".join(rows)
        if rows:
            self._also("keys", "rows", self._row_keys(keys))
        joins = ["FROM keys"] if rows else ["FROM (SELECT 1)"]
        for place, cell in enumerate(cells):
            name = f"number_{place + 1}"
            self.names[cell] = self._column(cell)
            if cell.how == "percent":
                continue
            self._also(name, self.names[cell].replace("_", " "), self._number(cell))
            joins.append(f"LEFT JOIN {name} USING ({keys})" if rows else f"CROSS JOIN {name}")
        shown = [self._shown(cell, cells) for cell in cells]
        attributes = [one for one in self.table.columns if isinstance(one, str) and one not in rows]
        joins += [self._attribute(one) for one in attributes]
        if self.table.nowhere:
            joins.append(self._nowhere(rows))
        listed = ", ".join([*rows, *attributes, *shown])
        lines = [f"SELECT {listed}", *joins]
        kept = [self._kept(one) for one in self.table.kept]
        counts = [one for one in cells if one.how in ("count", "sum") and not one.total]
        only_parts = all(one in counts or one.how == "percent" or one == _RUNS for one in cells)
        counts = [one for one in counts if one != _RUNS]
        conditional = counts and only_parts and all(one.given for one in counts)
        if (
            rows
            and self.implied
            and conditional
            and not kept
            and not self.table.keeps_empty
            and RUN not in rows
        ):
            some = " OR ".join(f"{self._value(one)} > 0" for one in counts)
            kept = [f"({some})"]
            self.said.append("rows without any are left out")
        if kept:
            lines.append(f"WHERE {' AND '.join(kept)}")
        self.said.append(self._counts(cells))
        self.said += self._caveats(cells)
        return self._ended("\n".join(lines), rows)

    def _row_keys(self, keys: str) -> str:
        """Return the SELECT of rows; names that are listed are rows with or without runs."""
        if self.table.rows or not self.table.names:
            return f"SELECT DISTINCT {keys}\n{self._source([])}"
        labels = ", ".join(literal(self.meant[one].label) for one in self.table.names)
        return f"SELECT DISTINCT unnest([{labels}]) AS name"

    def _kept(self, one: Bound) -> str:
        """Return a bound on a row; on each value of one of its fields where that is said."""
        if one.of not in self._rows() or len(self._rows()) == 1:
            return f"{self._value(one.measure)} {one.sign} {one.number:g}"
        if one.measure.how == "percent" or one.measure.total:
            raise ImpossibleTableError(one.of)
        whole = self.table
        self.table = replace(whole, rows=(one.of,), names=())
        number = self._number(one.measure)
        self.table = whole
        name = self.names[one.measure]
        return (f"{one.of} IN (SELECT {one.of} FROM (\n{number}\n) "
                f"WHERE {name} {one.sign} {one.number:g})")  # fmt: skip

    def _ended(self, select: str, rows: list[str]) -> str:
        order = ", ".join(dict.fromkeys([*self._sorted(), *rows]))
        if self.table.per_first is not None:
            first = next(iter(self._sorted()), "runs DESC")
            rest = ", ".join(rows[1:])
            ranked = f"row_number() OVER (PARTITION BY {rows[0]} ORDER BY {first}, {rest})"
            select = f"{select}\nQUALIFY {ranked} <= {self.table.per_first}"
            order = ", ".join([rows[0], *self._sorted(), rest])
        return f"{select}\nORDER BY {order}{limited_to(self.table.limit)}" if order else select

    def _sorted(self) -> list[str]:
        orders = [self._ordered(one) for one in self.table.order]
        found = [one for one in orders if one]
        if found or self._lists():
            return found
        rows = self._rows()
        if rows and rows[0] in _CHRONOLOGICAL:
            return [rows[0]]
        numbers = [one for one in self.table.columns if isinstance(one, Measure)
                   and one.how not in ("list", "first") and not one.total]  # fmt: skip
        return [f"{self.names[numbers[0]]} DESC NULLS LAST"] if numbers else []

    def _ordered(self, one: Order) -> str:
        way = "" if one.ascending else " DESC"
        if isinstance(one.by, Measure):
            name = self.names.get(one.by)
            return f"{name}{way} NULLS LAST" if name else ""
        if one.by is None:
            return ""
        held = one.by in (*self.table.columns, *self._rows())
        if not held:
            raise ImpossibleTableError(one.by)
        return f"{one.by}{way} NULLS LAST"

    def _pairs(self) -> str:
        (noun,) = self.table.rows
        select = hits([noun], runs="matched",
                      conditions=[f"{self.fields[noun].sql} IS NOT NULL"])  # fmt: skip
        self._also("found", "what these runs carry", f"SELECT DISTINCT * FROM (\n{select}\n)")
        kept = [f"runs {one.sign} {one.number:g}" for one in self.table.kept
                if one.measure == _RUNS]  # fmt: skip
        if len(kept) < len(self.table.kept):
            raise ImpossibleTableError("pairs")
        having = f"HAVING {' AND '.join(kept)}\n" if kept else ""
        self.said.append(f"counts for each pair of {plural_of(noun)} the runs that carry both")
        return (
            f"SELECT a.{noun} AS {noun}, b.{noun} AS other_{noun}, count(*) AS runs\n"
            f"FROM found a JOIN found b USING (run)\nWHERE a.{noun} < b.{noun}\n"
            f"GROUP BY ALL\n{having}ORDER BY runs DESC, 1, 2{limited_to(self.table.limit)}"
        )

    def _nowhere(self, rows: Sequence[str]) -> str:
        """Return the join that leaves out what runs of other places have."""
        of = [one for one in rows if is_of_hits(one)]
        if len(of) != 1:
            raise ImpossibleTableError("never")
        (key,) = of
        for one in self.table.nowhere:
            elsewhere = self._runs_of(replace(one, negated=False))
            select = hits([key], runs=elsewhere, conditions=[])
            self._also("elsewhere", f"{plural_of(key)} found there", select)
        return f"ANTI JOIN elsewhere USING ({key})"

    def _counts(self, cells: Sequence[Measure]) -> str:
        rows = " and ".join(one.replace("_", " ") for one in self._rows())
        numbers = ", ".join(self.names[one].replace("_", " ") for one in cells)
        each = f" for each {rows}" if rows else ""
        return f"gives {numbers}{each}"

    def _caveats(self, cells: Sequence[Measure]) -> list[str]:
        """Return of what percentages are, and which runs are in no row."""
        made = []
        for one in cells:
            if one.how == "percent":
                _, whole = self._share(one, cells)
                made.append(f"{self.names[one].replace('_', ' ')} is of {self._whole(whole)}")
        of_runs = [key for key in self.table.rows if key != RUN and not is_of_hits(key)]
        stated = [key for key in of_runs if self.fields[key].held != "title"]
        made += [f"runs that state no {key.replace('_', ' ')} are in no row" for key in stated]
        return made

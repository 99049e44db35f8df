"""SQL of numbers: each counted by itself for every row, and what shares are of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from query.sql_search.layer.fields import RUN, is_of_hits, plural_of
from query.sql_search.layer.request import (
    ImpossibleTableError,
    Measure,
    TableCondition,
)
from query.sql_search.layer.sql.rows import RunRows
from query.sql_search.statement import identifier

_RUNS: Final = Measure()

_STATED: Final = ("virus", "taxon")

_MADE: Final = ("avg", "median", "max", "min", "sum")


class RunNumbers(RunRows):
    """Writes one query for each number of a table."""

    def _complete(self) -> None:
        """Add the numbers that bounds, orders and shares are made of."""
        cells = [*self.table.columns]
        needed = [one.measure for one in self.table.kept]
        needed += [one.by for one in self.table.order if isinstance(one.by, Measure)]
        cells += [one for one in needed if one not in cells and one.of]
        measures = [one for one in cells if isinstance(one, Measure)]
        rows = self._rows()
        made = [one for one in measures if one.how in _MADE and not one.per_run]
        if not any(one.of == RUN for one in measures) and not made and RUN not in rows:
            cells.append(_RUNS)
        made_of = [one.of for one in measures if one.how in _MADE and not one.per_run]
        stating = [
            Measure(given=(TableCondition("known", field=one),)) for one in dict.fromkeys(made_of)
        ]
        if not any((one.how, one.of) == ("count", RUN) for one in measures) and RUN not in rows:
            cells += [one for one in stating if one not in cells]
        counts = [one for one in cells if isinstance(one, Measure) and one.how == "count"
                  and one.of == RUN]  # fmt: skip
        if counts and all(one.given for one in counts) and not made_of and RUN not in rows:
            cells.append(_RUNS)
            self.implied = True
        shown: list[Measure | str] = []
        for one in cells:
            if isinstance(one, Measure) and one.how == "percent":
                part, whole = self._share(one, cells)
                if whole is not None and not self._is_within(part, whole):
                    raise ImpossibleTableError("percent")
                shown += [each for each in (part, whole) if each is not None and each not in shown
                          and each not in cells]  # fmt: skip
            shown.append(one)
        self.table = replace(self.table, columns=tuple(dict.fromkeys(shown)))

    def _share(
        self, one: Measure, cells: Sequence[Measure | str]
    ) -> tuple[Measure, Measure | None]:
        """Return which number is the part of a percentage and which the whole, None for the number
        of all that the table is of.
        """
        counts = [each for each in cells if isinstance(each, Measure) and each.how == "count"
                  and each.of == RUN and not each.total]  # fmt: skip
        viral_rows = self._has_viral_rows()
        part = Measure(given=one.given)
        if not one.given:
            conditional = [
                each for each in counts if each.given and each.given[0].kind != "searched"
            ]
            if conditional and not viral_rows:
                part = conditional[-1]
            elif one.total and not viral_rows and not self._of_viruses():
                part = Measure(given=(TableCondition("virus"),))
        if one.whole is not None:
            return part, Measure(given=one.whole, total=True) if one.whole else None
        searched = Measure(given=(TableCondition("searched"),))
        if viral_rows:
            if any(self._is_other(each) for each in part.given):
                return part, _RUNS
            return part, replace(searched, total=True)
        if searched in counts or (one.total and part.given):
            return part, searched
        if part.given and (_RUNS in counts or any(self._is_other(each) for each in part.given)):
            return part, _RUNS
        if part.given or self._of_viruses():
            return part, searched
        return part, None

    def _is_within(self, part: Measure, whole: Measure) -> bool:
        """Return whether all runs of ``part`` are runs of ``whole``: only then is the one a share
        of the other.
        """
        stated = [*part.given, *self.table.where]
        implied: set[str] = set()
        for one in stated:
            if one.kind in ("no virus", "searched") or self._is_viral(one):
                implied.add("searched")
        positive = any(self._is_viral(one) and not one.negated for one in stated)
        if self._has_viral_rows() or positive or TableCondition("virus") in stated:
            implied |= {"searched", "virus"}
        return all(one in stated or one.kind in implied for one in whole.given)

    def _is_other(self, one: TableCondition) -> bool:
        """Return whether a condition says something else of runs than which viruses they have."""
        return one.kind == "named" and not self._is_viral(one)

    def _number(self, cell: Measure) -> str:
        """Return the SELECT of one number for each row."""
        rows = ", ".join(self._rows())
        group = f"\nGROUP BY {rows}" if rows else ""
        lead = f"{rows}, " if rows else ""
        name = self.names[cell]
        if cell.total:
            return self._constant(cell)
        if self._is_of_taxa(cell):
            return (f"SELECT {lead}count(DISTINCT virus) AS {name}\nFROM (\n{self._taxa()}\n)"
                    f"{group}")  # fmt: skip
        keys = [] if cell.of in (RUN, *self._rows()) else [cell.of]
        source = self._source(keys, cell)
        kept = [self._holds(one) for one in cell.given if not self._of_one_hit(cell, one)]
        kept += [f"{cell.of} IS NOT NULL"] if cell.how == "first" else []
        source += f"\nWHERE {' AND '.join(kept)}" if kept else ""
        if cell.per_run:
            of_run = (
                f"sum({cell.of})" if self.fields[cell.of].numeric else f"count(DISTINCT {cell.of})"
            )
            each = f"SELECT {lead}run, {of_run} AS number\n{source}\nGROUP BY ALL"
            made = _rounded(cell.how, "number", self._places())
            return f"SELECT {lead}{made} AS {name}\nFROM (\n{each}\n){group}"
        if cell.how == "first":
            ranked = (
                f"row_number() OVER (PARTITION BY {rows} ORDER BY runs_of_{cell.of} DESC, {name})"
            )
            return (f"SELECT {lead}{cell.of} AS {name}, count(DISTINCT run) AS runs_of_{cell.of}\n"
                    f"{source}\nGROUP BY {lead}{cell.of}\nQUALIFY {ranked} = 1")  # fmt: skip
        if cell.how == "list":
            return (f"SELECT {lead}string_agg(DISTINCT {cell.of}, ', ' ORDER BY {cell.of}) AS "
                    f"{name}"
                    f"\n{source}{group}")  # fmt: skip
        if cell.how == "count":
            return f"SELECT {lead}count(DISTINCT {cell.of}) AS {name}\n{source}{group}"
        if not is_of_hits(cell.of):  # a run counts once, however many hits its row has
            source = f"FROM (SELECT DISTINCT {lead}run, {cell.of}\n{source}\n)"
        return (
            f"SELECT {lead}{_rounded(cell.how, cell.of, self._places())} AS {name}\n{source}{group}"
        )

    def _holds(self, one: TableCondition) -> str:
        """Return that a run meets a condition; where rows are sources, by what each says."""
        if "source" not in self.table.rows:
            return f"run IN (FROM {self._runs_of(one)})"
        if one.kind == "searched":
            return "true"
        if one.kind == "virus":
            return "(run, source) IN (SELECT (run, source) FROM detection)"
        raise ImpossibleTableError("source")

    def _is_of_taxa(self, cell: Measure) -> bool:
        """Return whether viruses are counted by what is known of them, whatever runs have them."""
        held = {self.fields[one].held for one in self.table.rows if one in self.fields}
        counted = cell.how == "count" and cell.of in _STATED and not cell.given
        return counted and held <= {"virus", "risk"} and bool(held) and not self.table.where

    def _taxa(self) -> str:
        selected = [f"{self.fields[one].sql} AS {one}" for one in self.table.rows]
        return (f"SELECT v.virus, {', '.join(selected)}\nFROM virus v "
                "LEFT JOIN virus_risk k ON k.virus = v.virus")  # fmt: skip

    def _percent_places(self) -> int:
        return 1 if self.table.places is None else self.table.places

    def _places(self) -> int:
        return 3 if self.table.places is None else self.table.places

    def _constant(self, cell: Measure) -> str:
        """Return the SELECT of a number that is the same for each row."""
        runs = "base" if any(part[0] == "base" for part in self.query.parts) else "matched"
        kept = "".join(f" SEMI JOIN {self._runs_of(one)} USING (run)" for one in cell.given)
        rows = self._rows()
        keys = f"{', '.join(rows)}, " if rows else ""
        source = " FROM keys" if rows else ""
        return f"SELECT {keys}(SELECT count(*) FROM {runs}{kept}) AS {self.names[cell]}{source}"

    def _value(self, cell: Measure) -> str:
        name = self.names[cell]
        if cell.how == "percent":
            cells = [one for one in self.table.columns if isinstance(one, Measure)]
            part, whole = self._share(cell, cells)
            of = self._value(whole) if whole else "(SELECT count(*) FROM matched)"
            return f"round(100.0 * {self._value(part)} / nullif({of}, 0), {self._percent_places()})"
        return f"coalesce({name}, 0)" if cell.how == "count" else name

    def _shown(self, cell: Measure, cells: Sequence[Measure]) -> str:
        _ = cells
        name, value = self.names[cell], self._value(cell)
        if cell.how == "first":
            return f"{name}, runs_of_{cell.of}"
        return name if name == value else f"{value} AS {name}"

    def _column(self, cell: Measure) -> str:
        """Return what the column of a number is called, each once."""
        of = plural_of(cell.of)
        said = "_".join(identifier(self._given_name(one), "given") for one in cell.given)
        names = {"percent": "percent", "list": f"{of}_listed", "first": f"most_frequent_{cell.of}"}
        base = names.get(cell.how) or (of if cell.how == "count" else f"{cell.how}_{of}")
        if cell.how == "percent":
            said = ""
        elif base == "runs" and said and not any(one.kind == "known" for one in cell.given):
            base = ""
        name = "_".join(one for one in (base, said, "of_all" if cell.total and cell.how != "percent"
                                        else "") if one)  # fmt: skip
        taken = {*self.names.values(), *self._rows()}
        number = 2
        made = name
        while made in taken:
            made = f"{name}_{number}"
            number += 1
        return made

    def _given_name(self, one: TableCondition) -> str:
        if one.kind == "risk":
            return f"with_{'_'.join(one.names)}"
        text = "_".join(self.meant[name].text for name in one.names)
        lead = "without_" if one.negated else "with_"
        if one.kind == "bound":
            return f"{one.field}_{one.number:g}"
        if one.kind in ("known", "count", "words"):
            lead = "without_" if one.negated else "with_"
            return f"{lead}{one.field if one.kind != 'words' else 'such'}"
        kinds = {"virus": "with_virus", "no virus": "without_virus", "searched": "searched"}
        return kinds.get(one.kind) or f"{lead}{text}"

    def _whole(self, whole: Measure | None) -> str:
        if whole is None:
            return "all runs that the table is of"
        searched = whole.given == (TableCondition("searched"),)
        kind = "searched runs" if searched else "runs"
        if whole.total:
            said = "" if searched else " ".join(self.sentence(one) for one in whole.given)
            return f"all {kind} {said}".strip()
        said = "" if searched else "".join(f" {self.sentence(one)}" for one in whole.given)
        return f"the {kind}{said} of the row"


def _rounded(how: str, column: str, places: int) -> str:
    made = f"{how}({column})"
    return f"round({made}, {places})" if how in ("avg", "median") else made

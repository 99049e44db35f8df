"""SQL of a table of runs: its conditions, its rows, and each number counted by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from query.global_search.carrying import LOOKED, equals_any, found_condition, runs_carrying
from query.global_search.matching import senses_counted
from query.reading.measured.amounts import SIGN_WORDS, number_text
from query.reading.mentions import Mention
from query.sql_search.compiling import Compiled
from query.sql_search.layer.fields import FIELDS, RUN, Field, is_of_hits, plural_of
from query.sql_search.layer.request import (
    Bound,
    Condition,
    ImpossibleTableError,
    Measure,
    Order,
    Table,
)
from query.sql_search.layer.sources import hits, values_of
from query.sql_search.statement import SqlStatement, identifier, limited_to

_RUNS: Final = Measure()
_WITH_VIRUS: Final = "SELECT DISTINCT run FROM detection"
_STATED: Final = ("virus", "taxon")
_MADE: Final = ("avg", "median", "max", "min", "sum")
_CHRONOLOGICAL: Final = ("year", "month", "release_date")


@dataclass(slots=True)
class Runs:
    """Writes the SQL of ``table``; ``meant`` says what each of its names means."""

    table: Table
    meant: Mapping[str, Mention]
    fields: Mapping[str, Field] = field(default_factory=lambda: FIELDS)
    query: SqlStatement = field(default_factory=SqlStatement)
    known: dict[Condition, str] = field(default_factory=dict)
    names: dict[Measure | str, str] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)
    implied: bool = False

    def compiled(self) -> Compiled:
        """Return the SQL, and in sentences what it does."""
        self._check()
        self._open()
        final = self._listing() if self._lists() else self._grouped()
        return Compiled(self.query.ending(final), tuple(self.said))

    def _lists(self) -> bool:
        return self.table.one_each and not any(isinstance(one, Measure) for one in self.table.columns)

    def _check(self) -> None:
        for key in self._keys():
            if key != RUN and key not in self.fields:
                raise ImpossibleTableError(key)
        for one in self.table.columns:
            if isinstance(one, Measure) and one.how == "percent" and one.of != RUN:
                raise ImpossibleTableError("percent")

    def _keys(self) -> list[str]:
        keys = [*self.table.rows]
        for one in self.table.columns:
            keys.append(one if isinstance(one, str) else one.of)
        return keys

    # --- conditions -------------------------------------------------------------------------------

    def _open(self) -> None:
        """Write the queries of the runs that the table is of."""
        whole = [one for one in self.table.where
                 if not self._is_viral(one) and not self._is_of_values(one)]
        viral = [one for one in self.table.where if self._is_viral(one)]
        bounds = [one for one in whole if self._is_hit_bound(one)]
        whole = [one for one in whole if one not in bounds]
        names = [self._runs_of(one) for one in whole]
        needs_all = bool(viral or bounds) and self._wants_whole()
        if needs_all:
            self._also("base", "runs that the table is of, with the virus or not", _joined(names))
        names += [self._runs_of(one) for one in viral if not one.negated or not self._lists()]
        names += [self._runs_of(one) for one in viral if one.negated and self._lists()]
        if bounds:
            conditions = self._hit_conditions()
            select = f"SELECT DISTINCT run FROM detection d WHERE {' AND '.join(conditions)}"
            self._also("hit_runs", "runs with such a hit", select)
            names.append("hit_runs")
        if self.table.company:
            names = [one for one in names if one]
        self._also("matched", "runs that the table is of" if names else "all runs", _joined(names))
        self.said.append(self._about())

    def _is_of_values(self, one: Condition) -> bool:
        """Return whether a condition leaves out values of rows, and no runs: other rodents than
        mice.
        """
        if one.kind != "named" or not one.negated:
            return False
        facets = {facet for name in one.names for facet in self.meant[name].facets}
        return bool(facets & set(self.table.rows))

    def _wants_whole(self) -> bool:
        """Return whether a share is asked of all searched runs, and not of those with the virus."""
        return any(isinstance(one, Measure) and one.how == "percent" and one.whole is None
                   and not one.given for one in self.table.columns)  # fmt: skip

    def _also(self, name: str, what: str, select: str) -> None:
        self.query = self.query.also(name, what, select)

    def _is_viral(self, one: Condition) -> bool:
        return one.kind == "named" and all(self.meant[name].group == "virus" for name in one.names)

    def _is_hit_bound(self, one: Condition) -> bool:
        return (one.kind == "bound" and is_of_hits(one.field)) or one.kind == "risk"

    def _runs_of(self, one: Condition) -> str:
        """Return the name of the query of the runs that a condition holds of, written once."""
        if one not in self.known:
            name = self._free(self._condition_name(one))
            self.known[one] = name
            self._also(name, f"runs {self.sentence(one)}", self._select(one))
        return self.known[one]

    def _free(self, name: str) -> str:
        taken = {part[0] for part in self.query.parts}
        return name if name not in taken else self._free(f"{name}_{len(taken)}")

    def _condition_name(self, one: Condition) -> str:
        text = "_".join(self.meant[name].text if name in self.meant else name for name in one.names[:2])
        said = identifier(text or one.field or one.kind, "named")
        lead = "without" if one.negated else "with"
        return f"{lead}_{said}" if one.kind != "searched" else "looked"

    def _select(self, one: Condition) -> str:
        if one.kind == "virus":
            return _WITH_VIRUS
        if one.kind == "searched":
            return LOOKED
        if one.kind == "no virus":
            return f"SELECT run FROM ({LOOKED}) WHERE run NOT IN ({_WITH_VIRUS})"
        if one.kind == "named":
            return self._select_named(one)
        if one.kind == "risk":
            return self._of_hits([self._hit_bound(one)], [])
        found = self.fields[one.field]
        if one.kind == "count":
            return self._with_so_many(one, found)
        if is_of_hits(one.field):
            compared = f"{found.sql} {one.sign} {one.number:g}" if one.kind == "bound" else (
                f"{found.sql} IS NOT NULL")  # fmt: skip
            return self._of_hits([compared], [one.field])
        return self._of_run(one, found)

    def _of_hits(self, conditions: list[str], keys: Sequence[str]) -> str:
        inner = hits(keys, runs="run", conditions=[*conditions, *self._of_viruses()])
        return f"SELECT DISTINCT run FROM (\n{inner}\n)"

    def _of_run(self, one: Condition, found: Field) -> str:
        values = values_of(found, "run")
        if one.kind == "known":
            if one.negated:
                return f"SELECT run FROM run WHERE run NOT IN (SELECT run FROM (\n{values}\n))"
            return f"SELECT DISTINCT run FROM (\n{values}\n)"
        return f"SELECT DISTINCT run FROM (\n{values}\n) WHERE {one.field} {one.sign} {one.number:g}"

    def _with_so_many(self, one: Condition, found: Field) -> str:
        inner = (hits([one.field], runs="run", conditions=self._of_viruses())
                 if is_of_hits(one.field) else values_of(found, "run"))  # fmt: skip
        return (
            f"SELECT run FROM (\n{inner}\n)\nGROUP BY run "
            f"HAVING count(DISTINCT {one.field}) {one.sign} {one.number:g}"
        )

    def _select_named(self, one: Condition) -> str:
        mentions = [self.meant[name] for name in one.names]
        groups: dict[str, list[str]] = {}
        for mention in mentions:
            select = runs_carrying(senses_counted(mention))
            groups.setdefault("" if one.at_once else mention.group, []).append(select)
        if one.at_once:
            carrying = "\nINTERSECT\n".join(f"({each})" for each in groups[""])
        else:
            united = ["\nUNION\n".join(f"({each})" for each in some) for some in groups.values()]
            carrying = "\nINTERSECT\n".join(f"({each})" for each in united)
        if not one.negated:
            return carrying if len(mentions) > 1 else runs_carrying(senses_counted(mentions[0]))
        if all(mention.group == "virus" for mention in mentions):
            return f"SELECT run FROM ({LOOKED}) WHERE run NOT IN ({carrying})"
        facets = {facet for mention in mentions for facet in mention.facets}
        stated = f"SELECT run FROM annotation WHERE facet {equals_any(sorted(facets))}"
        return f"SELECT DISTINCT run FROM ({stated}) WHERE run NOT IN ({carrying})"

    def _of_viruses(self) -> list[str]:
        """Return the conditions on a hit that the table is of: of its viruses."""
        if self.table.company:
            named = [self.meant[one] for one in self.table.company
                     if self.meant[one].group == "virus"]  # fmt: skip
            of_them = found_condition([sense for one in named for sense in one.senses])
            return [f"NOT coalesce({of_them}, false)"] if of_them else []
        made = []
        for one in self.table.where:
            if self._is_viral(one):
                senses = [sense for name in one.names for sense in self.meant[name].senses]
                of_them = found_condition(senses)
                if of_them:
                    made.append(f"NOT coalesce({of_them}, false)" if one.negated else of_them)
        positive = [one for one in made if not one.startswith("NOT ")]
        either = " OR ".join(f"({one})" for one in positive)
        rest = [one for one in made if one.startswith("NOT ")]
        both = any(one.at_once for one in self.table.where) or len(positive) > 1
        return [*([either] if both and either else positive), *rest]

    def _hit_conditions(self) -> list[str]:
        """Return all conditions on a hit: its virus, and bounds of its numbers."""
        bounds = [self._hit_bound(one) for one in self.table.where if self._is_hit_bound(one)]
        return [*self._of_viruses(), *bounds]

    def _hit_bound(self, one: Condition) -> str:
        """Return a bound as a condition on a row of ``detection``."""
        if one.kind == "risk":
            groups = f"SELECT virus FROM virus_risk WHERE risk_group {equals_any(one.names)}"
            return f"d.virus IN ({groups})"
        return f"{self.fields[one.field].sql} {one.sign} {one.number:g}"

    # --- single runs or hits ----------------------------------------------------------------------

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
        for key in columns:
            if key != RUN and not is_of_hits(key):
                joins.append(self._attribute(key))
        selected = ", ".join(columns)
        distinct = "" if RUN in columns else "DISTINCT "
        rest = [RUN] if RUN in columns else columns
        order = ", ".join(dict.fromkeys([*self._sorted(), *rest, *of_hits]))
        return f"SELECT {distinct}{selected}\n" + "\n".join(joins) + (
            f"\nORDER BY {order}{limited_to(self.table.limit)}")  # fmt: skip

    def _attribute(self, key: str) -> str:
        """Return the join of what a run states: several values of one run are joined by semicolons,
        and runs whose place is not known are in no row.
        """
        name = f"of_{key}"
        if is_of_hits(key):
            raise ImpossibleTableError(key)
        found = self.fields[key]
        values = values_of(found, "matched")
        if found.held in ("run", "place"):
            self._also(name, f"{key} of these runs", values)
            return f"{'' if found.held == 'place' else 'LEFT '}JOIN {name} USING (run)"
        joined = f"string_agg(DISTINCT {key}, '; ' ORDER BY {key}) AS {key}"
        self._also(name, f"{key} of these runs", f"SELECT run, {joined}\nFROM (\n{values}\n)\nGROUP BY run")
        return f"LEFT JOIN {name} USING (run)"

    # --- groups -----------------------------------------------------------------------------------

    def _rows(self) -> list[str]:
        return [*(["name"] if self.table.names else []), *self.table.rows]

    def _grouped(self) -> str:
        if self.table.pairs:
            return self._pairs()
        self._complete()
        rows = self._rows()
        cells = [one for one in self.table.columns if isinstance(one, Measure)]
        keys = ", ".join(rows)
        if rows:
            self._also("keys", "rows", f"SELECT DISTINCT {keys}\n{self._source([])}")
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
        if rows and self.implied and conditional and not kept and not self.table.keeps_empty and RUN not in rows:
            some = " OR ".join(f"{self._value(one)} > 0" for one in counts)
            kept = [f"({some})"]
            self.said.append("rows without any are left out")
        if kept:
            lines.append(f"WHERE {' AND '.join(kept)}")
        self.said.append(self._counts(cells))
        self.said += self._caveats(cells)
        return self._ended("\n".join(lines), rows)

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

    def _complete(self) -> None:
        """Add the numbers that bounds, orders and shares are made of."""
        cells = [*self.table.columns]
        measures = [one for one in cells if isinstance(one, Measure)]
        rows = self._rows()
        made = [one for one in measures if one.how in _MADE and not one.per_run]
        if not any(one.of == RUN for one in measures) and not made and RUN not in rows:
            cells.append(_RUNS)
        made_of = [one.of for one in measures if one.how in _MADE and not one.per_run]
        stating = [Measure(given=(Condition("known", field=one),)) for one in dict.fromkeys(made_of)]
        if not any((one.how, one.of) == ("count", RUN) for one in measures) and RUN not in rows:
            cells += [one for one in stating if one not in cells]
        counts = [one for one in cells if isinstance(one, Measure) and one.how == "count"
                  and one.of == RUN]  # fmt: skip
        if counts and all(one.given for one in counts) and not made_of and RUN not in rows:
            cells.append(_RUNS)
            self.implied = True
        needed = [one.measure for one in self.table.kept]
        needed += [one.by for one in self.table.order if isinstance(one.by, Measure)]
        cells += [one for one in needed if one not in cells and one.of]
        shown: list[Measure | str] = []
        for one in cells:
            if isinstance(one, Measure) and one.how == "percent":
                part, whole = self._share(one, cells)
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
            conditional = [each for each in counts if each.given and each.given[0].kind != "searched"]
            if conditional and not viral_rows:
                part = conditional[-1]
            elif one.total and not viral_rows and not self._of_viruses():
                part = Measure(given=(Condition("virus"),))
        if one.whole is not None:
            return part, Measure(given=one.whole, total=True) if one.whole else None
        searched = Measure(given=(Condition("searched"),))
        if viral_rows:
            if any(self._is_other(each) for each in part.given):
                return part, _RUNS
            return part, replace(searched, total=True)
        if searched in counts:
            return part, searched
        if part.given and (_RUNS in counts or any(self._is_other(each) for each in part.given)):
            return part, _RUNS
        if part.given or self._of_viruses():
            return part, searched
        return part, None

    def _is_other(self, one: Condition) -> bool:
        """Return whether a condition says something else of runs than which viruses they have."""
        return one.kind == "named" and not self._is_viral(one)

    def _has_viral_rows(self) -> bool:
        named = any(self.meant[one].group == "virus" for one in self.table.names)
        return named or any(is_of_hits(one) for one in self.table.rows)

    # --- numbers ----------------------------------------------------------------------------------

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
        source += f"\nWHERE {' AND '.join(kept)}" if kept else ""
        if cell.per_run:
            of_run = f"sum({cell.of})" if self.fields[cell.of].numeric else f"count(DISTINCT {cell.of})"
            each = f"SELECT {lead}run, {of_run} AS number\n{source}\nGROUP BY ALL"
            return f"SELECT {lead}{_rounded(cell.how, 'number', self._places())} AS {name}\nFROM (\n{each}\n){group}"
        if cell.how == "first":
            ranked = f"row_number() OVER (PARTITION BY {rows} ORDER BY runs_of_{cell.of} DESC, {name})"
            return (f"SELECT {lead}{cell.of} AS {name}, count(DISTINCT run) AS runs_of_{cell.of}\n"
                    f"{source}\nGROUP BY {lead}{cell.of}\nQUALIFY {ranked} = 1")  # fmt: skip
        if cell.how == "list":
            return (f"SELECT {lead}string_agg(DISTINCT {cell.of}, ', ' ORDER BY {cell.of}) AS {name}"
                    f"\n{source}{group}")  # fmt: skip
        if cell.how == "count":
            return f"SELECT {lead}count(DISTINCT {cell.of}) AS {name}\n{source}{group}"
        if not is_of_hits(cell.of):  # a run counts once, however many hits its row has
            source = f"FROM (SELECT DISTINCT {lead}run, {cell.of}\n{source}\n)"
        return f"SELECT {lead}{_rounded(cell.how, cell.of, self._places())} AS {name}\n{source}{group}"

    def _holds(self, one: Condition) -> str:
        """Return that a run meets a condition; where rows are sources, by what each of them says."""
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
        return (f"SELECT {keys}(SELECT count(*) FROM {runs}{kept}) AS {self.names[cell]}{source}")

    def _of_one_hit(self, cell: Measure, one: Condition) -> bool:
        """Return whether a condition on a number of hits is one on the hits themselves: the reads
        of a virus, species with an identity above 90.
        """
        return (self._is_viral(one) and is_of_hits(cell.of)) or (
            self._is_hit_bound(one) and (is_of_hits(cell.of) or self._has_viral_rows()))  # fmt: skip

    def _source(self, keys: Sequence[str], cell: Measure | None = None) -> str:
        """Return the FROM of rows with ``keys``: hits of the rows of viruses, and each value of the
        others.
        """
        wanted = [*self.table.rows, *keys]
        viral = [one for one in wanted if is_of_hits(one)]
        if viral and "source" in wanted:
            viral.append("hit_source")
        runs = self._domain(cell)
        parts = []
        given = [one for one in (cell.given if cell else ()) if cell and self._of_one_hit(cell, one)]
        named_viruses = self.table.names and self.meant[self.table.names[0]].group == "virus"
        if named_viruses:
            parts.append(self._hits_of_names(viral, runs, given))
        elif viral:
            parts.append(self._hits(viral, runs, self._hit_conditions(), given))
        if self.table.names and not named_viruses:
            parts.append(self._runs_of_names(runs))
        parts += self._values(wanted, runs, of_hits=bool(viral))
        if not parts:
            return f"FROM {runs}"
        first, *others = parts
        joins = [f"JOIN (\n{one}\n) USING (run)" for one in others]
        return "\n".join([f"FROM (\n{first}\n)", *joins])

    def _values(self, wanted: Sequence[str], runs: str, *, of_hits: bool) -> list[str]:
        """Return the SELECTs of what runs state: one of all fields that are of the same rows."""
        keys = [one for one in wanted if one != RUN and not is_of_hits(one)]
        if of_hits:
            keys = [one for one in keys if one != "source"]
        stat = [one for one in keys if self.fields[one].held == "stat"]
        made = [values_of(self.fields[one], runs, self._kept_values(one))
                for one in keys if one not in stat]  # fmt: skip
        if stat:
            selected = ", ".join(f"{self.fields[one].sql} AS {one}" for one in stat)
            made.append(f"SELECT s.run, {selected} FROM stat_hit s JOIN term t USING (curie)\n"
                        f"SEMI JOIN {runs} ON {runs}.run = s.run")  # fmt: skip
        return made

    def _domain(self, cell: Measure | None) -> str:
        """Return the query of the runs that a number is of: those with the virus, or all."""
        has_base = any(part[0] == "base" for part in self.query.parts)
        if not has_base or self._has_viral_rows():
            return "matched"
        of_whole = cell is None or cell.given == (Condition("searched"),)
        return "base" if of_whole else "matched"

    def _hits(
        self, viral: Sequence[str], runs: str, conditions: Sequence[str], given: Sequence[Condition]
    ) -> str:
        extra = []
        for one in given:
            if self._is_hit_bound(one):
                extra.append(self._hit_bound(one))
            else:
                of_them = found_condition(
                    [sense for name in one.names for sense in self.meant[name].senses])
                extra.append(f"NOT coalesce({of_them}, false)" if one.negated else of_them)
        rows = [one for one in viral if not self.fields[one].numeric and one in self.table.rows]
        stated = [f"{self.fields[one].sql} IS NOT NULL" for one in rows]
        if any(self.fields[one].held in ("virus", "risk") for one in viral):
            viral = [*viral, "taxon"]
        return hits(viral, runs=runs, conditions=[*conditions, *extra, *stated])

    def _hits_of_names(self, viral: Sequence[str], runs: str, given: Sequence[Condition]) -> str:
        selects = []
        bounds = [self._hit_bound(one) for one in self.table.where if self._is_hit_bound(one)]
        for name in self.table.names:
            of_them = found_condition(self.meant[name].senses)
            inner = self._hits(viral, runs, [of_them, *bounds], given)
            label = _quoted(self.meant[name])
            selects.append(f"SELECT *, {label} AS name FROM (\n{inner}\n)")
        return "\nUNION ALL BY NAME\n".join(selects)

    def _runs_of_names(self, runs: str) -> str:
        selects = []
        for name in self.table.names:
            carrying = runs_carrying(senses_counted(self.meant[name]))
            label = _quoted(self.meant[name])
            selects.append(f"SELECT run, {label} AS name\nFROM ({carrying}) SEMI JOIN {runs} USING (run)")
        return "\nUNION ALL\n".join(selects)

    def _kept_values(self, key: str) -> str:
        """Return the condition that keeps values to those below the names of their kind."""
        made = []
        for one in self.table.where:
            if one.kind != "named":
                continue
            named = [self.meant[name] for name in one.names if key in self.meant[name].facets]
            if not named or key == "geography":
                continue
            curies = [curie for each in named for curie in each.curies]
            values = [sense.value for each in named for sense in each.senses
                      if sense.facet == key and sense.value]  # fmt: skip
            below = f"curie IN (SELECT descendant FROM closure WHERE ancestor {equals_any(curies)})"
            parts = [f"curie {equals_any(curies)}", below] if curies else []
            parts += [f"value {equals_any(values)}"] if values else []
            if parts:
                either = " OR ".join(parts)
                made.append(f" AND {'NOT ' if one.negated else ''}coalesce({either}, false)")
        return "".join(made)

    # --- columns, order, words --------------------------------------------------------------------

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
        name = "_".join(one for one in (base, said, "of_all" if cell.total and cell.how != "percent"
                                        else "") if one)  # fmt: skip
        taken = {*self.names.values(), *self._rows()}
        number = 2
        made = name
        while made in taken:
            made = f"{name}_{number}"
            number += 1
        return made

    def _given_name(self, one: Condition) -> str:
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

    def sentence(self, one: Condition) -> str:
        """Return in words which runs a condition holds of."""
        if one.kind == "risk":
            return f"with a virus of {' or '.join(one.names)}"
        kinds = {"virus": "with a virus", "no virus": "searched and without a virus",
                 "searched": "searched for viruses"}  # fmt: skip
        if one.kind in kinds:
            return kinds[one.kind]
        if one.kind == "named":
            joint = " and " if one.at_once else " or "
            names = joint.join(self.meant[name].name for name in one.names)
            return f"known to be without {names}" if one.negated else f"of {names}"
        if one.kind == "known":
            return f"{'without' if one.negated else 'with'} a known {one.field}"
        compared = f"{SIGN_WORDS[one.sign]} {number_text(one.number)}" if one.sign else ""
        return f"with {one.field} {compared}" if one.kind == "bound" else (
            f"with {compared} {plural_of(one.field)}" if one.kind == "count" else "with such a hit")

    def _about(self) -> str:
        if not self.table.where:
            return "reads all runs of the index"
        said = [self.sentence(one) for one in self.table.where]
        said += [f"leaving out what is found in runs {self.sentence(replace(one, negated=False))}"
                 for one in self.table.nowhere]  # fmt: skip
        return "reads the runs " + " and ".join(said)

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
        for key in self.table.rows:
            if key != RUN and not is_of_hits(key) and self.fields[key].held != "title":
                made.append(f"runs that state no {key.replace('_', ' ')} are in no row")
        return made

    def _whole(self, whole: Measure | None) -> str:
        if whole is None:
            return "all runs that the table is of"
        searched = whole.given == (Condition("searched"),)
        kind = "searched runs" if searched else "runs"
        if whole.total:
            said = "" if searched else " ".join(self.sentence(one) for one in whole.given)
            return f"all {kind} {said}".strip()
        said = "" if searched else "".join(f" {self.sentence(one)}" for one in whole.given)
        return f"the {kind}{said} of the row"


def _joined(names: Sequence[str]) -> str:
    lines = ["SELECT run FROM run", *(f"SEMI JOIN {name} USING (run)" for name in dict.fromkeys(names))]
    return "\n".join(lines)


def _rounded(how: str, column: str, places: int) -> str:
    made = f"{how}({column})"
    return f"round({made}, {places})" if how in ("avg", "median") else made


def _quoted(one: Mention) -> str:
    escaped = one.label.replace("'", "''")
    return f"'{escaped}'"

"""SQL of a table that is ordered: its groups, and each number counted by itself."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from query.sql_search.compiling import Compiled, about
from query.sql_search.grammar.numbers import (
    condition,
    counted,
    grouped,
    is_made,
    is_of_runs,
    number,
    of_runs,
    row_sources,
    share_of,
    shared,
)
from query.sql_search.grammar.ordered import Cell, Given, OrderedTable
from query.sql_search.grammar.plan import Named, TablePlan, opened
from query.sql_search.grammar.sources import VIRAL, column_name, is_of_hits
from query.sql_search.statement import SqlStatement, limited_to
from query.sql_search.tables.nouns import RUN

_CHRONOLOGICAL: Final = ("year", "month")


def compile_ordered(table: OrderedTable, named: Named) -> Compiled | None:
    """Return the SQL of ``table``; None where it asks for what cannot be made so."""
    if not _is_possible(table, named):
        return None
    counts_runs = any(is_made(one) or one == Cell() for one in table.cells)
    if not counts_runs or any(one.how == "first" for one in table.cells):
        table = replace(table, cells=tuple(dict.fromkeys((*table.cells, Cell()))))
    query, plan = opened(_with_wholes(table, named), named)
    query = query.also("grouped", "runs of each row", grouped(plan))
    query, joins = _with_numbers(query, plan)
    return Compiled(query.ending(_final(plan, joins)), _explained(plan))


def _is_possible(table: OrderedTable, named: Named) -> bool:
    nouns = [one.noun for one in table.groups]
    by_source = "source" in nouns
    ruled = any(key.startswith("without") for key in named.about.groups)
    for cell in table.cells:
        given = cell.given
        unknown = given.kind == "column" and not (given.column and is_of_hits(given.column))
        elsewhere = by_source and given.kind not in ("", "searched", "virus")
        of_others = is_made(cell) and given.kind != ""
        of_hits = cell.of in VIRAL and given.kind == "named" and named.is_virus(given.text)
        of_none = cell.how == "percent" and ruled and not given.kind
        of_runs_first = (cell.how, cell.of) == ("first", RUN)
        if any((unknown, elsewhere, of_others, of_none, of_hits, of_runs_first)):
            return False
    if table.hits and not _is_of_hits_alone(table, named):
        return False
    first = table.per_first is not None and any(one.cell.of != RUN for one in table.kept)
    return not first and len(set(nouns)) == len(nouns)


def _is_of_hits_alone(table: OrderedTable, named: Named) -> bool:
    """Return whether the bounds of hits hold for each number of ``table``: none is of another
    virus.
    """
    others = any(one.given.kind in ("named", "without", "no virus") for one in table.cells)
    names = any(one.names and named.is_virus(one.names[0]) for one in table.groups)
    return not others and not names and all(is_of_hits(one.column) for one in table.hits)


def _with_wholes(table: OrderedTable, named: Named) -> OrderedTable:
    """Return ``table`` with the part and the whole beside each share."""
    plan = TablePlan(table, named, carrying="matched" if named.has_virus else "")
    cells: list[Cell] = []
    for cell in table.cells:
        if cell.how == "percent":
            given, whole = share_of(cell, plan)
            beside = [Cell(given=given)] if given.kind else []
            beside += [Cell(given=Given("searched"))] if whole == "searched" else []
            cells += [one for one in beside if one not in table.cells]
        cells.append(cell)
    return replace(table, cells=tuple(dict.fromkeys(cells)))


def _with_numbers(query: SqlStatement, plan: TablePlan) -> tuple[SqlStatement, list[str]]:
    """Return ``query`` with the runs of each row counted and its other numbers, and their joins."""
    rows = ", ".join(plan.rows)
    of_rows = [one for one in plan.table.cells if is_of_runs(one, plan)] or [Cell()]
    selected = [rows, *(f"{of_runs(one, plan)} AS {plan.name(one)}" for one in of_rows)]
    listed = ",\n       ".join(selected)
    query = query.also("counted", "runs counted", f"SELECT {listed}\nFROM grouped GROUP BY {rows}")
    joins = ["FROM counted"]
    for place, cell in enumerate(_others(plan)):
        name = f"number_{place + 1}"
        query = query.also(name, plan.name(cell).replace("_", " "), number(cell, plan))
        joins.append(f"LEFT JOIN {name} USING ({rows})")
    return query, joins


def _others(plan: TablePlan) -> list[Cell]:
    """Return the cells that count no runs, each in a query of its own."""
    return [one for one in plan.table.cells if not is_of_runs(one, plan)]


# --- the last SELECT ------------------------------------------------------------------------------


def _final(plan: TablePlan, joins: list[str]) -> str:
    table = plan.table
    lines = [f"SELECT {', '.join(_shown(plan))}", *joins]
    kept = [f"{_counted(one.cell, plan)} {one.sign} {one.number:g}" for one in table.kept]
    if kept and table.per_first is not None and not table.keeps_rows:
        lines.append(f"WHERE {_kept_first(plan)}")
    elif kept:
        lines.append(f"WHERE {' AND '.join(kept)}")
    lines += _in_order(plan)
    return "\n".join(lines) + limited_to(table.limit)


def _shown(plan: TablePlan) -> list[str]:
    """Return the columns: rows, cells in their order, and of how many runs a mean is."""
    shown = [*plan.rows]
    stating: dict[str, str] = {}
    for cell in plan.table.cells:
        name, value = plan.name(cell), _counted(cell, plan)
        shown.append(name if name == value else f"{value} AS {name}")
        if is_made(cell):
            place = _others(plan).index(cell) + 1
            stating[cell.of] = f"number_{place}.runs_with_{cell.of}"
        if cell.how == "first":
            runs = f"runs_of_{column_name(cell.of)}"
            shown += [runs, f"round(100.0 * {runs} / runs, 1) AS percent_with_it"]
    return list(dict.fromkeys([*shown, *stating.values()]))


def _counted(cell: Cell, plan: TablePlan) -> str:
    """Return the value of ``cell`` in a row: nothing counted is 0."""
    name = plan.name(cell)
    return f"coalesce({name}, 0)" if cell.how == "count" and not is_of_runs(cell, plan) else name


def _kept_first(plan: TablePlan) -> str:
    """Return the condition on the first group, where rows are the most frequent of each."""
    first = plan.rows[0]
    alone = replace(plan, table=replace(plan.table, groups=plan.table.groups[:1]))
    (source, *_) = row_sources(alone)
    kept = [
        f"{counted(condition(one.cell.given, plan))} {one.sign} {one.number:g}"
        for one in plan.table.kept
    ]
    grouping = f"GROUP BY {first} HAVING {' AND '.join(kept)}"
    return f"{first} IN (SELECT {first} FROM (\n{source}\n) {grouping})"


def _in_order(plan: TablePlan) -> list[str]:
    table = plan.table
    rows = ", ".join(plan.rows)
    by = table.by or next((one for one in table.cells if one.how != "first"), Cell())
    ranked = f"{plan.name(by)} {'ASC' if table.ascending else 'DESC'} NULLS LAST"
    if table.per_first is not None:
        first, *others = plan.rows
        inner = ", ".join([ranked, *others])
        kept = f"row_number() OVER (PARTITION BY {first} ORDER BY {inner})"
        return [f"QUALIFY {kept} <= {table.per_first}", f"ORDER BY {first}, {inner}"]
    unsorted = table.limit is None and not table.sorted
    if table.by_name or (plan.rows[0] in _CHRONOLOGICAL and unsorted):
        folded = ", ".join(f"lower({one}::VARCHAR)" for one in plan.rows)
        return [f"ORDER BY {folded}, {rows}"]
    before = f"{column_name(table.by_noun)}, " if table.by_noun else ""
    return [f"ORDER BY {before}{ranked}, {rows}"]


# --- in words -------------------------------------------------------------------------------------


def _explained(plan: TablePlan) -> tuple[str, ...]:
    cells = plan.table.cells
    each = _words(" and ".join(plan.rows))
    names = ", ".join(_words(plan.name(one)) for one in cells)
    steps = [about(plan.named.about), f"gives for each {each}: {names}"]
    shares = [one for one in cells if one.how == "percent"]
    steps += [f"{_words(plan.name(one))} is {_share_in_words(one, plan)}" for one in shares]
    if _others(plan):
        steps.append("each number by itself, of the runs that state it")
    stated = [_words(one.noun) for one in plan.table.groups if one.noun and one.noun != "source"]
    if stated:
        steps.append(f"runs that state no {' or no '.join(stated)} are in no row")
    named_virus = plan.named.has_virus
    viral = plan.viral or any(one.of in VIRAL for one in cells)
    if viral and named_virus:
        steps.append("of the viruses named alone")
    if plan.table.hits:
        steps.append(f"of hits with {plan.table.bounds} alone")
    below = [_words(one.noun) for one in plan.table.groups if plan.only(one.noun)]
    if below:
        steps.append(f"of each {' and '.join(below)} that is named, or below one that is")
    return tuple(steps)


def _share_in_words(cell: Cell, plan: TablePlan) -> str:
    _, whole = shared(cell, plan)
    of_row = "SELECT" not in whole
    if "looked" in whole:
        return "of the searched runs of the row" if of_row else "of all runs searched"
    return "of the runs of the row" if of_row else "of all runs of the table"


def _words(name: str) -> str:
    return name.replace("_", " ")

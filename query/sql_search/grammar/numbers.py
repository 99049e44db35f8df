"""SQL of the rows of a table, and of each of its numbers."""

from __future__ import annotations

from typing import Final

from query.global_search.carrying import found_condition, literal
from query.global_search.matching import group_selects
from query.sql_search.grammar.ordered import MADE, Cell, Given, Group
from query.sql_search.grammar.plan import TablePlan, is_viral, row_name
from query.sql_search.grammar.sources import VIRAL, column_name, is_of_hits, of_hits, of_noun
from query.sql_search.tables.nouns import RUN

_LOOKED: Final = "run IN (FROM looked)"
_WITH_VIRUS: Final = "run IN (SELECT run FROM detection)"
_WITH_VIRUS_BY_SOURCE: Final = "(run, source) IN (SELECT (run, source) FROM detection)"

# --- rows -----------------------------------------------------------------------------------------


def grouped(plan: TablePlan) -> str:
    """Return the SELECT of each run with the values of its rows, distinct."""
    listed = ", ".join(["run", *plan.rows])
    return f"SELECT DISTINCT {listed}\n{_joined(row_sources(plan))}"


def _joined(sources: list[str]) -> str:
    first, *others = sources
    joins = [f"JOIN (\n{one}\n) USING (run)" for one in others]
    return "\n".join([f"FROM (\n{first}\n)", *joins])


def row_sources(
    plan: TablePlan, hits: tuple[str, ...] = (), *, columns: tuple[str, ...] = (), also: str = ""
) -> list[str]:
    """Return the SELECTs that the rows are joined of; ``hits`` and ``columns`` are read of the
    same detections as the rows of viruses.
    """
    nouns = [one.noun for one in plan.table.groups if one.noun in VIRAL]
    named = [one for one in plan.table.groups if one.names]
    sources = []
    wanted = [*nouns, *(one for one in hits if one not in nouns)]
    if named and is_viral(named[0], plan.named):
        sources.append(_hits_of_names(named[0], wanted, columns, also, plan))
    elif wanted or columns or also:
        sources.append(
            of_hits(wanted, columns, runs=plan.domain, of_virus=plan.of_virus, also=also)
        )
    if named and not is_viral(named[0], plan.named):
        sources.append(_of_names(named[0], plan))
    sources += [
        of_noun(one.noun, runs=plan.domain, only=plan.only(one.noun))
        for one in plan.table.groups
        if one.noun and one.noun not in VIRAL
    ]
    return sources


def _of_names(group: Group, plan: TablePlan) -> str:
    name = row_name(group, plan.named)
    selects = []
    for text in group.names:
        of = plan.named.parts[text]
        (select, *_) = group_selects(of).values()
        label = literal(of.mentions[0].label)
        runs = f"FROM ({select}) SEMI JOIN {plan.domain} USING (run)"
        selects.append(f"SELECT run, {label} AS {name}\n{runs}")
    return "\nUNION ALL\n".join(selects)


def _hits_of_names(
    group: Group, wanted: list[str], columns: tuple[str, ...], also: str, plan: TablePlan
) -> str:
    """Return the hits of each virus that is named, with its name."""
    name = row_name(group, plan.named)
    selects = []
    for text in group.names:
        of = plan.named.parts[text]
        senses = [sense for one in of.mentions for sense in one.senses]
        hits = of_hits(
            wanted, columns, runs=plan.domain, of_virus=found_condition(senses), also=also
        )
        selects.append(f"SELECT *, {literal(of.mentions[0].label)} AS {name} FROM (\n{hits}\n)")
    return "\nUNION ALL\n".join(selects)


# --- numbers --------------------------------------------------------------------------------------


def is_of_runs(cell: Cell, plan: TablePlan) -> bool:
    """Return whether ``cell`` counts runs of the rows."""
    of_hits_too = cell.given.kind == "column" and plan.viral
    counts_runs = cell.how == "percent" or (cell.how, cell.of) == ("count", RUN)
    return counts_runs and not of_hits_too


def of_runs(cell: Cell, plan: TablePlan) -> str:
    """Return the expression of a count or a share of runs."""
    if cell.how == "percent":
        part, whole = shared(cell, plan)
        return f"round(100.0 * {part} / nullif({whole}, 0), 1)"
    if cell.given.kind == "searched" and plan.viral:
        return _constant(plan, searched=True)
    return counted(condition(cell.given, plan))


def counted(kept: str) -> str:
    """Return the expression of how many runs there are that a condition keeps, empty for all."""
    return f"count(DISTINCT run){f' FILTER ({kept})' if kept else ''}"


def condition(given: Given, plan: TablePlan) -> str:
    """Return the condition on a run of a row, empty for all."""
    by_source = "source" in plan.rows
    if given.kind == "searched":
        return "" if by_source else _LOOKED
    if given.kind == "virus":
        return _WITH_VIRUS_BY_SOURCE if by_source else _WITH_VIRUS
    if given.kind == "no virus":
        return f"{_LOOKED} AND NOT {_WITH_VIRUS}"
    carrying = f"run IN (FROM {plan.carrying})" if plan.carrying else ""
    own = _own_condition(given, plan)
    return " AND ".join(one for one in (own, carrying) if one)


def _own_condition(given: Given, plan: TablePlan) -> str:
    """Return the condition of a name, or of a number of hits; empty for none."""
    if given.kind == "named":
        return f"run IN (FROM {plan.conditions[given.text]})"
    if given.kind == "without":
        looked = f"{_LOOKED} AND " if plan.named.is_virus(given.text) else ""
        return f"{looked}NOT run IN (FROM {plan.conditions[given.text]})"
    if given.kind == "column":
        of_virus = f" AND ({plan.of_virus})" if plan.of_virus else ""
        return f"run IN (SELECT run FROM detection WHERE {_compared(given)}{of_virus})"
    return ""


def _compared(given: Given) -> str:
    return f"{given.column} {given.sign} {given.number:g}"


# --- shares ---------------------------------------------------------------------------------------


def share_of(cell: Cell, plan: TablePlan) -> tuple[Given, str]:
    """Return of which runs a percentage is, and of which whole."""
    given, whole = cell.given, cell.whole
    before = [one.given for one in plan.table.cells if (one.how, one.of) == ("count", RUN)]
    if not given.kind and not plan.viral:
        conditional = [one for one in before if one.kind in ("named", "virus", "column")]
        if conditional:
            given = conditional[-1]
        elif not plan.carrying and whole == "searched":
            given = Given("virus")
    return given, whole or _whole_meant(given, before, plan)


def shared(cell: Cell, plan: TablePlan) -> tuple[str, str]:
    """Return the part and the whole of a percentage."""
    given, whole = share_of(cell, plan)
    part = counted(condition(given, plan))
    if whole == "all" and not plan.viral:
        return part, "(SELECT count(*) FROM matched)"
    if plan.viral:
        return part, _constant(plan, searched=whole == "searched")
    if whole == "searched":
        return part, counted(condition(Given("searched"), plan))
    of_carrying = given.kind == "named" and not plan.named.is_virus(given.text)
    return part, counted(condition(Given(), plan) if of_carrying else "")


def _whole_meant(given: Given, before: list[Given], plan: TablePlan) -> str:
    """Return of what a share is that does not say it: of a virus, the searched runs."""
    of_virus = given.kind == "named" and plan.named.is_virus(given.text)
    if Given("searched") in before:
        return "searched"
    if given.kind and Given() in before and not plan.carrying:
        return "runs"
    if given.kind == "named" and not of_virus:
        return "runs"
    if plan.viral or plan.carrying or given.kind in ("virus", "column", "named"):
        return "searched"
    return "all"


def _constant(plan: TablePlan, *, searched: bool) -> str:
    """Return a whole that is the same for each row: of viruses, all runs that may carry them."""
    runs = "base" if plan.named.has_virus else "matched"
    return f"(SELECT count(*) FROM {runs}{' SEMI JOIN looked USING (run)' if searched else ''})"


# --- other numbers --------------------------------------------------------------------------------


def number(cell: Cell, plan: TablePlan) -> str:
    """Return the SELECT of one number of each row that is no count of its runs."""
    rows = ", ".join(plan.rows)
    name = plan.name(cell)
    joined = _joined(_number_sources(cell, plan)) + _kept_runs(cell.given, plan)
    of = column_name(cell.of)
    if cell.how == "first":
        counts = f"SELECT {rows}, {of} AS {name}, count(DISTINCT run) AS runs_of_{of}"
        ranked = f"row_number() OVER (PARTITION BY {rows} ORDER BY runs_of_{of} DESC, {name})"
        return f"{counts}\n{joined}\nGROUP BY {rows}, {of}\nQUALIFY {ranked} = 1"
    if cell.how == "count":
        return f"SELECT {rows}, count(DISTINCT {of}) AS {name}\n{joined}\nGROUP BY {rows}"
    if cell.per_run:
        of_run = f"sum({of})" if cell.of == "reads" else f"count(DISTINCT {of})"
        each = f"SELECT {rows}, run, {of_run} AS number\n{joined}\nGROUP BY ALL"
        made = f"{_rounded(cell.how, 'number')} AS {name}"
        return f"SELECT {rows}, {made}\nFROM (\n{each}\n)\nGROUP BY {rows}"
    made = f"{_rounded(cell.how, of)} AS {name}"
    if is_made(cell):
        made += f", count(DISTINCT run) FILTER ({of} IS NOT NULL) AS runs_with_{of}"
    if not is_of_hits(cell.of):  # a run counts once, however many hits its row has
        joined = f"FROM (SELECT DISTINCT {rows}, run, {of}\n{joined}\n)"
    return f"SELECT {rows}, {made}\n{joined}\nGROUP BY {rows}"


def _number_sources(cell: Cell, plan: TablePlan) -> list[str]:
    """Return the SELECTs that a number of the rows is joined of."""
    hits = (cell.of,) if cell.of in VIRAL else ()
    of_reads = cell.of == "reads" and cell.per_run
    columns = (cell.of,) if (is_made(cell) or of_reads) and is_of_hits(cell.of) else ()
    also = _compared(cell.given) if cell.given.kind == "column" else ""
    sources = row_sources(plan, hits, columns=columns, also=also)
    if cell.of == RUN or hits or columns or cell.of in plan.rows:
        return sources
    if is_made(cell):
        of_run = f"SELECT run, {cell.of} FROM run SEMI JOIN {plan.domain} USING (run)"
        return [*sources, of_run]
    return [*sources, of_noun(cell.of, runs=plan.domain)]


def _kept_runs(given: Given, plan: TablePlan) -> str:
    """Return the WHERE of a number: the runs that it is of."""
    kept = condition(Given() if given.kind == "column" else given, plan)
    return f"\nWHERE {kept}" if kept else ""


def is_made(cell: Cell) -> bool:
    """Return whether ``cell`` is a mean or the like of a column of numbers."""
    return cell.how in MADE and not cell.per_run and cell.of != "year"


def _rounded(how: str, column: str) -> str:
    made = f"{how}({column})"
    return f"round({made}, 3)" if how in ("avg", "median") else made

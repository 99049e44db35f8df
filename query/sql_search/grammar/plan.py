"""What the parts of a statement need to know of a table: its names, and those of its queries."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from query.global_search.carrying import LOOKED, equals_any
from query.global_search.matching import group_selects
from query.global_search.naming import group_of, name_of
from query.sql_search.compiling import virus_condition
from query.sql_search.grammar.ordered import Cell, Group, OrderedTable
from query.sql_search.grammar.sources import PLURAL_OF, VIRAL, column_name
from query.sql_search.statement import SqlStatement, identifier, query_name, semi_joined
from query.sql_search.tables.nouns import RUN

if TYPE_CHECKING:
    from query.reading.question import Question

_NOUN_OF_GROUP: Final = {"virus": "virus", "organism": "host"}
_KEPT_BELOW: Final = frozenset(["host", "tissue", "disease"])
_SIGN_WORDS: Final = {">": "over", ">=": "from", "<": "under", "<=": "up_to", "=": "of"}


@dataclass(frozen=True, slots=True)
class Named:
    """What a table is about, and what each of its conditions and rows names, by the words."""

    about: Question
    parts: dict[str, Question] = field(default_factory=dict)

    @property
    def has_virus(self) -> bool:
        """Whether the runs of the table are those with a virus that is named."""
        return any(group_of(key) == "virus" for key in self.about.groups)

    def is_virus(self, text: str) -> bool:
        """Return whether a condition or a row names a virus."""
        return any(one.group == "virus" for one in self.parts[text].mentions)


@dataclass(frozen=True, slots=True)
class TablePlan:
    """A table, its names, and the names of its queries and columns.

    ``domain``    the query of the runs that are grouped: with the virus of the table or without
    ``carrying``  the query of the runs with that virus, empty where it is the domain
    """

    table: OrderedTable
    named: Named
    domain: str = ""
    carrying: str = ""
    conditions: dict[str, str] = field(default_factory=dict)
    column_of: dict[Cell, str] = field(default_factory=dict)

    @property
    def rows(self) -> list[str]:
        """Names of the columns that rows are told apart by."""
        return [row_name(one, self.named) for one in self.table.groups]

    @property
    def of_virus(self) -> str:
        """The condition on a detection that the table is of: of its virus, within its bounds; empty
        for any.
        """
        of_virus = virus_condition(self.named.about)
        bounds = [one.sql for one in self.table.hits]
        if not bounds:
            return of_virus
        return " AND ".join([*([f"({of_virus})"] if of_virus else []), *bounds])

    def only(self, noun: str) -> str:
        """Return the condition that keeps the values of ``noun`` to those below the names of their
        kind that the table is about, empty for all: the types of a cancer, and no other disease of
        the same runs.
        """
        named = [one for one in self.named.about.mentions if noun in _KEPT_BELOW & one.facets]
        curies = dict.fromkeys(curie for one in named for curie in one.curies)
        if not curies:
            return ""
        of_terms = equals_any([*curies])
        return (
            f" AND (curie {of_terms}"
            f" OR curie IN (SELECT descendant FROM closure WHERE ancestor {of_terms}))"
        )

    @property
    def viral(self) -> bool:
        """Whether rows are of viruses, so that their runs are those with the virus."""
        return any(is_viral(one, self.named) for one in self.table.groups)

    def name(self, cell: Cell) -> str:
        """Return what the column of ``cell`` is called."""
        return self.column_of.get(cell, "runs")


def row_name(group: Group, named: Named) -> str:
    """Return what the column of a group is called."""
    if group.noun:
        return column_name(group.noun)
    (mention, *_) = named.parts[group.names[0]].mentions
    return _NOUN_OF_GROUP.get(mention.group, mention.group)


def is_viral(group: Group, named: Named) -> bool:
    """Return whether the values of a group are viruses, or say something of one."""
    return named.is_virus(group.names[0]) if group.names else group.noun in VIRAL


def opened(table: OrderedTable, named: Named) -> tuple[SqlStatement, TablePlan]:
    """Return the queries of the runs that ``table`` is about and of its conditions."""
    question = named.about
    selects = group_selects(question)
    query = SqlStatement()
    for key, select in selects.items():
        query = query.also(query_name(key), f"runs of {name_of(question, key)}", select)
    names = [query_name(key) for key in selects]
    if table.hits:
        within = f"SELECT DISTINCT run FROM detection WHERE {TablePlan(table, named).of_virus}"
        query = query.also("hit_runs", f"runs with a hit of {table.bounds}", within)
        names.append("hit_runs")
    others = [query_name(key) for key in selects if group_of(key) != "virus"]
    what = "runs of all of these" if names else "all runs"
    query = query.also("matched", what, semi_joined("run", names))
    needs_all = len(others) < len(names) and any(_needs_searched(one) for one in table.cells)
    if needs_all:
        query = query.also("base", "the same, with the virus or not", semi_joined("run", others))
    if any(_needs_searched(one) for one in table.cells):
        query = query.also("looked", "runs searched for viruses", LOOKED)
    query, conditions = _with_conditions(query, table, named)
    of_viruses = any(is_viral(one, named) for one in table.groups)
    domain = "base" if needs_all and not of_viruses else "matched"
    carrying = "matched" if domain == "base" else ""
    plan = TablePlan(table, named, domain, carrying, conditions)
    for cell in table.cells:
        plan.column_of[cell] = _unused(_column(cell, plan), plan)
    return query, plan


def _needs_searched(cell: Cell) -> bool:
    of_searched = cell.how == "percent" and cell.whole != "all"
    return of_searched or cell.given.kind in ("searched", "no virus", "without")


def _with_conditions(
    query: SqlStatement, table: OrderedTable, named: Named
) -> tuple[SqlStatement, dict[str, str]]:
    """Return ``query`` with one query for each condition that is named, and their names."""
    conditions: dict[str, str] = {}
    for cell in table.cells:
        text = cell.given.text
        if cell.given.kind not in ("named", "without") or text in conditions:
            continue
        of = named.parts[text]
        label = " and ".join(dict.fromkeys(name_of(of, key) for key in of.groups))
        said = " ".join(dict.fromkeys(one.text for one in of.mentions)) or label
        name = identifier(said.removeprefix("with "), f"condition_{len(conditions) + 1}")
        conditions[text] = f"with_{name}"
        selects = list(group_selects(of).values())
        joined = "\nINTERSECT\n".join(f"({one})" for one in selects)
        query = query.also(conditions[text], f"runs of {label}", joined)
    return query, conditions


def _unused(name: str, plan: TablePlan) -> str:
    taken = {*plan.column_of.values(), *plan.rows}
    number = 2
    unused = name
    while unused in taken:
        unused = f"{name}_{number}"
        number += 1
    return unused


def _column(cell: Cell, plan: TablePlan) -> str:
    """Return what the column of ``cell`` is to be called."""
    given = cell.given
    if cell.how == "percent":
        return "percent"
    if cell.how == "first":
        return f"most_frequent_{column_name(cell.of)}"
    if cell.how != "count":
        return f"{cell.how}_{PLURAL_OF.get(cell.of, cell.of) if cell.per_run else cell.of}"
    if given.kind == "column":
        return f"{given.column}_{_SIGN_WORDS[given.sign]}_{given.number:g}".replace(".", "_")
    with_name = plan.conditions.get(given.text, "")
    said = {
        "searched": "searched",
        "virus": "with_virus",
        "no virus": "without_virus",
        "named": with_name,
        "without": with_name.replace("with_", "without_", 1),
    }.get(given.kind, "")
    if cell.of == RUN:
        return said or PLURAL_OF[RUN]
    return "_".join(one for one in (PLURAL_OF[cell.of], said) if one)

"""Sets of runs as conditions on one relation that flags every run.

Each simple set becomes one SELECT and one boolean column of ``flagged``; ``and``, ``or`` and
``not`` become conditions over these columns, so that one pass counts every number of a tally.
A set has two conditions: that a run is in it, and that it is known not to be.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeVar

from index.store.run_values import AT_SPECIES
from query.compiler.held import NARROW, Holdings, hit_tables, value_of
from query.compiler.searched import in_scope
from query.request import Hit, Range, RequestField, field_named
from query.request.run_sets import (
    And,
    Between,
    Carries,
    Everything,
    Has,
    Mentions,
    Not,
    Or,
    RunSet,
    Searched,
    Top,
)

Simple = TypeVar("Simple", bound=RunSet)
Mode = Literal["as asked", "at 90 %", "searched", "stated"]
LONG: Final = 6
"""Letters from which on a word of a text search may be the beginning of a longer one."""
_TEXTS: Final = {
    "title": (
        "SELECT bioproject AS id, title AS text FROM bioproject "
        "UNION ALL SELECT study, title FROM study UNION ALL SELECT biosample, title FROM biosample"
    ),
    "text": (
        "SELECT bioproject AS id, concat_ws(' ', title, description) AS text FROM bioproject "
        "UNION ALL SELECT study, concat_ws(' ', title, abstract) FROM study "
        "UNION ALL SELECT biosample, title FROM biosample"
    ),
}


@dataclass(frozen=True, slots=True)
class Lens:
    """How to read a set: as the request says, or wider, for a denominator.

    ``mode``   hits that a run must have count at 90 % only; runs searched for a hit count instead
               of those with or without it; runs that state a field at all instead of some value
    ``leaf``   a simple set to leave out: every run counts (``known``: every run for which it is
               known)
    ``instead``  a simple set, and the set to use instead
    """

    mode: Mode = "as asked"
    leaf: RunSet | None = None
    known: bool = False
    instead: tuple[RunSet, RunSet] | None = None


AS_ASKED: Final = Lens()
STRICT: Final = Lens("at 90 %")
SEARCHED: Final = Lens("searched")
STATED: Final = Lens("stated")


_OF_ONE_RUN: Final = ("run", "state")
"""Sources that have one row for each run: ``run`` itself, and its row of ``run_state``."""


class Flags:
    """The simple sets of a statement, and the conditions made of them.

    The rows that sets read are grouped by run once. What ``run`` itself says needs no grouping, and
    what ``run_state`` says is tested once for all runs of a state.
    """

    def __init__(self, holdings: Holdings) -> None:
        self.holdings = holdings
        self._columns: dict[tuple[str, str], str] = {}

    def flag(self, select: str) -> str:
        """Return the column of ``flagged`` that says whether a run is in ``select``."""
        return self._column(f"({select}) d", "true")

    def of_hits(self, condition: str) -> str:
        """Return the column that says whether a run has a hit that ``condition`` holds for."""
        known = {"true": "has_virus", f"true AND {AT_SPECIES}": "has_confirmed_virus"}.get(
            condition
        )
        return self._column("state", known) if known else self._column("found", condition)

    def queries(self) -> list[str]:
        """Return the queries of the simple sets and ``flagged``, to be put behind WITH."""
        described = f"SELECT run, biosample{self._listed('run')} FROM run"
        if of_state := self._of("state"):
            of_states = f"SELECT state{self._listed('state')} FROM run_state"
            columns = ", ".join([f"biosample{self._listed('run')}", *of_state.values()])
            described = f"SELECT run, {columns} FROM run JOIN ({of_states}) USING (state)"
        grouped = self._grouped()
        if not grouped:
            return [f"flagged AS MATERIALIZED ({described})"]
        names = [name for conditions in grouped.values() for name in conditions.values()]
        parts = [_part(names, conditions, source) for source, conditions in grouped.items()]
        any_of = ", ".join(f"bool_or({name}) AS {name}" for name in names)
        known = ", ".join(f"coalesce({name}, false) AS {name}" for name in names)
        return [
            f"met AS (SELECT run, {any_of} FROM ({' UNION ALL '.join(parts)}) GROUP BY run)",
            f"flagged AS MATERIALIZED (SELECT * REPLACE ({known}) "
            f"FROM ({described}) LEFT JOIN met USING (run))",
        ]

    def _listed(self, table: str) -> str:
        """Return the columns of the sets of ``run`` or ``run_state``, to follow others."""
        named = self._of(table).items()
        return "".join(f", coalesce({what}, false) AS {name}" for what, name in named)

    def _column(self, source: str, what: str) -> str:
        """Return the column for the runs with a row of ``source`` that a condition holds for."""
        return self._columns.setdefault((source, what), f"s{len(self._columns) + 1}")

    def _of(self, source: str) -> dict[str, str]:
        return {what: name for (of, what), name in self._columns.items() if of == source}

    def _grouped(self) -> dict[str, dict[str, str]]:
        """Return the sources whose rows must be grouped by run, with their conditions."""
        sources = dict.fromkeys(source for source, _ in self._columns)
        grouped = {source: self._of(source) for source in sources if source not in _OF_ONE_RUN}
        if found := grouped.pop("found", None):
            grouped[hit_tables(" ".join(found))] = found
        return grouped

    def holds(self, runs: RunSet, lens: Lens = AS_ASKED, *, denied: bool = False) -> str:
        """Return the condition that a run is in ``runs``, or is known not to be (``denied``)."""
        if runs == lens.leaf:
            return self._known(runs) if lens.known else "true"
        if lens.instead is not None and not denied and runs == lens.instead[0]:
            return self.holds(lens.instead[1])
        match runs:
            case Everything():
                return "false" if denied else "true"
            case And(of) | Or(of):
                parts = [self.holds(part, lens, denied=denied) for part in of]
                is_all = isinstance(runs, And) is not denied
                return all_of(*parts) if is_all else f"({' OR '.join(parts)})"
            case Not(inner):
                return self.holds(inner, lens, denied=not denied)
            case Carries(hit) if lens.mode == "searched":
                return self.searched(hit)
        if denied:
            return f"({self._known(runs)} AND NOT {self._asked(runs)})"
        match runs:
            case Carries(hit) if lens.mode == "at 90 %":
                return self.hit(hit, strict=True)
            case Has(name, share=None) if lens.mode == "stated":
                return self.stated(name)
            case Between(name) if lens.mode == "stated":
                return self.measured(name)
        return self._asked(runs)

    def hit(self, hit: Hit, *, strict: bool = False) -> str:
        """Return the condition that a run has such a hit."""
        condition = self.holdings.hits(hit)
        return self.of_hits(f"{condition} AND {AT_SPECIES}" if strict else condition)

    def searched(self, hit: Hit) -> str:
        """Return the condition that a run was searched for such a hit."""
        looked = self._column("state", in_scope(self.holdings, hit.source, hit.virus))
        found = self.of_hits(self.holdings.hits(Hit(virus=hit.virus, source=hit.source)))
        return f"({looked} OR {found})"

    def among(self, condition: str) -> str:
        """Return a SELECT of the runs that a condition holds for; nothing, if it holds for all."""
        return "" if condition == "true" else f"SELECT run FROM flagged WHERE {condition}"

    def measured(self, name: str) -> str:
        """Return the condition that a run has a number or date in a field."""
        field = field_named(name)
        return self._known_value(field, self.holdings.numbers(field))

    def stated(self, name: str) -> str:
        """Return the condition that a run states a field."""
        field = field_named(name)
        if field.is_ordered:
            return self.measured(name)
        if field.facet and field.name not in NARROW:
            facet = self.holdings.parameters.bind(f"|{field.facet}|")
            return self._column("state", f"contains(facets_stated, {facet})")
        if field.facet and field.type == "term":
            return self._noted(field, "true")
        return self._known_value(field, self.holdings.stated(field))

    def _known_value(self, field: RequestField, values: str) -> str:
        return self._valued(field, values, f"{value_of(field)} IS NOT NULL")

    def _valued(self, field: RequestField, values: str, condition: str) -> str:
        """Return the condition that a value of a field of a run meets ``condition``.

        ``values`` is a SELECT of ``run, value``; columns of ``run`` need none.
        """
        if field.table == "run":
            return self._column("run", condition)
        return self._column(f"({values}) d", condition)

    def _noted(self, field: RequestField, condition: str) -> str:
        """Return the condition that a run has an annotation of a field."""
        return self._column("annotation d", f"{self.holdings.is_of(field)} AND {condition}")

    def _asked(self, runs: RunSet) -> str:
        holdings = self.holdings
        match runs:
            case Carries(hit):
                return self.hit(hit)
            case Has(name, values, share=Range() as bounds):
                return self.flag(holdings.with_share(field_named(name), values, bounds))
            case Has(name, values, below, contains):
                field = field_named(name)
                if contains is not None:
                    condition = holdings.contains(value_of(field), contains)
                    return self._valued(field, holdings.written(field), condition)
                if not values:
                    return self.stated(name)
                condition = holdings.is_one(field, values, below=below)
                if field.facet and field.type == "term":
                    return self._noted(field, condition)
                return self._valued(field, holdings.written(field), condition)
            case Between(name, bounds):
                field = field_named(name)
                condition = holdings.within(value_of(field), bounds, of=field)
                return self._valued(field, holdings.numbers(field), condition)
            case Searched():
                return self.searched(Hit(virus=runs.virus, source=runs.source))
            case Mentions(words, where):
                return self._column(self._texts(words, where), "is_said")
            case Top():
                return self.flag(self._top(runs))
        raise TypeError(f"no set of runs: {runs!r}")

    def _known(self, runs: RunSet) -> str:
        match runs:
            case Carries(hit):
                return self.searched(hit)
            case Has(name, values, share=Range()):
                return self.flag(self.holdings.resolved(field_named(name), values))
            case Has(name, values, _, contains):
                return self.stated(name) if values or contains is not None else "true"
            case Between(name, _):
                return self.measured(name)
            case Top(name, _, _):
                return self.stated(name)
            case Mentions(words, where):
                return self._column(self._texts(words, where), "true")
        return "true"

    def _texts(self, words: tuple[str, ...], where: str) -> str:
        """Return ``run, is_said``: whether a text of a run has all ``words``, or their plurals.

        A longer word also counts as the beginning of one: transplant, transplantation.
        """
        spelled = "' ' || regexp_replace(lower(text), '[^\\p{L}\\p{N}]+', ' ', 'g') || ' '"
        bind = self.holdings.parameters.bind
        conditions, begun = [], []
        for word in words:
            spaced = " ".join("".join(c if c.isalnum() else " " for c in word.lower()).split())
            begun.append(f"contains(lower(text), {bind(spaced.partition(' ')[0])})")
            is_long = len(spaced.rpartition(" ")[2]) >= LONG
            bound = [bind(f" {spaced}{end}") for end in (("",) if is_long else (" ", "s "))]
            conditions.append(f"({' OR '.join(f'contains({spelled}, {part})' for part in bound)})")
        is_said = f"CASE WHEN {' AND '.join(begun)} THEN {' AND '.join(conditions)} ELSE false END"
        texts = f"SELECT id, {is_said} AS is_said FROM ({_TEXTS[where]}) WHERE text <> ''"
        of_runs = (f"SELECT run, is_said FROM run JOIN texts ON id = {column}"
                   for column in ("bioproject", "study", "biosample"))  # fmt: skip
        return f"(WITH texts AS ({texts}) {' UNION ALL '.join(of_runs)}) d"

    def _top(self, top: Top) -> str:
        """Return a SELECT of the runs with one of the most frequent values of a field."""
        inner = Flags(self.holdings)
        condition = inner.holds(top.of)
        stated = self.holdings.at_level(field_named(top.field), None)
        n = self.holdings.parameters.bind(top.n)
        queries = [
            *inner.queries(),
            f"held AS (SELECT DISTINCT run, value FROM ({stated}))",
            "counted AS (SELECT value, count(*) AS runs FROM held "
            f"WHERE run IN (SELECT run FROM flagged WHERE {condition}) GROUP BY value)",
            f"most AS (SELECT value FROM counted QUALIFY rank() OVER (ORDER BY runs DESC) <= {n})",
        ]
        ranked = "SELECT run FROM held WHERE value IN (SELECT value FROM most)"
        return f"WITH {', '.join(queries)} {ranked}"


def _part(names: list[str], conditions: dict[str, str], source: str) -> str:
    """Return a SELECT of the rows of ``source`` that some condition holds for, often few: the run,
    and which of all sets it is in. A condition that all others narrow is tested once.
    """
    wide = _wide(conditions)
    shared = wide[0] if len(wide) == 1 else None
    values = dict.fromkeys(names, "false")
    for what, name in conditions.items():
        values[name] = "true" if what == shared else what.removeprefix(f"{shared} AND ")
    flags = ", ".join(f"{what} AS {name}" for name, what in values.items())
    some = " OR ".join(f"({what})" for what in wide)
    return f"SELECT d.run, {flags} FROM {source} WHERE {some}"


def _wide(conditions: dict[str, str]) -> list[str]:
    """Return ``conditions`` without those that imply another one."""
    return [
        what
        for what in conditions
        if not any(what.startswith(f"{other} AND ") for other in conditions)
    ]


def all_of(*conditions: str) -> str:
    """Return the condition that all of ``conditions`` hold.

    >>> all_of("a", "true", "b"), all_of("true")
    ('(a AND b)', 'true')
    """
    wanted = [condition for condition in dict.fromkeys(conditions) if condition != "true"]
    if len(wanted) > 1:
        return f"({' AND '.join(wanted)})"
    return wanted[0] if wanted else "true"


def leaves(runs: RunSet, *, denied: bool = False) -> list[tuple[RunSet, bool]]:
    """Return the simple sets of ``runs``, each once, and whether it is denied."""
    match runs:
        case And(of) | Or(of):
            found = [leaf for part in of for leaf in leaves(part, denied=denied)]
        case Not(inner):
            found = leaves(inner, denied=not denied)
        case Everything():
            found = []
        case _:
            found = [(runs, denied)]
    return list(dict.fromkeys(found))


def required(runs: RunSet, kind: type[Simple]) -> list[Simple]:
    """Return the simple sets of a ``kind`` among those of ``runs`` that are not denied."""
    return [leaf for leaf, denied in leaves(runs) if isinstance(leaf, kind) and not denied]


def all_have_hits(runs: RunSet) -> bool:
    """Return whether every run of ``runs`` carries some hit."""
    match runs:
        case Carries():
            return True
        case And(of):
            return any(all_have_hits(part) for part in of)
        case Or(of):
            return all(all_have_hits(part) for part in of)
    return False


def has_virus(runs: RunSet) -> bool:
    """Return whether some hit must be in a run for it to be in ``runs``."""
    return bool(required(runs, Carries))

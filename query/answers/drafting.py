"""An answer in the making: the request, its result, names, and further requests to the index."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import duckdb

from index.claims import Claim
from query.answer import ResultTable
from query.answers.charts import chart_of
from query.answers.names import CalledNames
from query.answers.worded import WordedAnswer
from query.compiler import Result, RunTally
from query.compiler.resolving import Resolver
from query.compiler.result import plain_cell
from query.compiler.running import run_further
from query.compiler.virus_names import Standing, standing_of
from query.request import Count, Describe, Request
from query.request.measures import Measure
from query.request.request import to_json
from query.request.run_sets import RunSet

MOST_BULLETS = 3
_MOST: Final = 140
"""Most characters of a request that is shown as a command."""


@dataclass
class Answering:
    """A request that is being answered, with the means to look further."""

    con: duckdb.DuckDBPyConnection
    request: Request
    result: Result
    names: CalledNames
    resolver: Resolver
    full: bool = False
    further: list[Result] = field(default_factory=list)
    _standings: dict[str, Standing | None] = field(default_factory=dict)

    @property
    def tally(self) -> RunTally:
        """The tally of the result; zeros for a request that is of no set of runs."""
        return self.result.of_runs

    def count(self, of: RunSet) -> int:
        """Return how many runs there are in a set."""
        return int(self.look(Count(), of).number or 0)

    def look(self, measure: Measure, of: RunSet | None = None, *, brief: bool = True) -> Result:
        """Return the result of a further request, of the same runs by default.

        ``brief`` leaves out how many runs of a list were searched and are confirmed.
        """
        request = Request(measure, self.request.of if of is None else of)
        found = run_further(self.resolver, request, brief=brief)
        self.further.append(found)
        return found

    def standing(self, curie: str) -> Standing | None:
        """Return rank, species and family of a viral taxon."""
        if curie not in self._standings:
            self._standings[curie] = standing_of(self.con, curie)
        return self._standings[curie]


@dataclass(frozen=True)
class Draft:
    """The claims of an answer by their place in it."""

    lead: Sequence[Claim]
    certainty: Sequence[Claim] = ()
    bullets: Sequence[Claim] = ()
    links: Sequence[str] = ()
    table: ResultTable | None = None
    most: int = MOST_BULLETS
    """Number of bullets that are shown, unless all are asked for."""


def worded(draft: Draft, context: Answering) -> WordedAnswer:
    """Return ``draft`` in words: at most three bullets unless all is asked for."""
    shown = draft.bullets if context.full else draft.bullets[: draft.most]
    claims = (*draft.lead, *draft.certainty, *shown)
    return WordedAnswer(
        lead=" ".join(claim.sentence() for claim in draft.lead),
        certain=tuple(claim.sentence() for claim in draft.certainty),
        bullets=tuple(claim.sentence() for claim in shown),
        links=(*draft.links, *_links_of(context.request, full=context.full)),
        claims=claims,
        results=(context.result, *context.further),
        table=draft.table,
        chart=chart_of(draft.lead),
    )


def table_of(result: Result) -> ResultTable | None:
    """Return the rows of a result as a table, days as texts; None where there are none."""
    if not result.rows:
        return None
    rows = tuple(tuple(map(plain_cell, row)) for row in result.rows)
    return ResultTable(tuple(column.name for column in result.columns), rows)


def with_column(table: ResultTable, name: str, cells: Iterable[Any]) -> ResultTable:
    """Return ``table`` with one more column behind the others."""
    rows = zip(table.rows, cells, strict=True)
    return ResultTable((*table.columns, name), tuple((*row, cell) for row, cell in rows))


def _links_of(request: Request, *, full: bool) -> list[str]:
    """Return commands to go on from the answer; with ``full``, also the request as JSON."""
    measure = request.measure
    links = []
    if isinstance(measure, Describe) and measure.kind == "community":
        links.append(f"query report {measure.id}")
    written = json.dumps(to_json(request), ensure_ascii=False)
    if full and len(written) <= _MOST:
        links.append(f"query run {shlex.quote(written)} --json")
    return links

"""An answer in the making, from its request, result and names; and the answer in words."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import duckdb

from index.claims import Claim
from query.answer import BarChart, ResultTable
from query.answers.charts import chart_of
from query.answers.names import CalledNames
from query.compiler import Result, RunTally
from query.compiler.resolving import Resolver
from query.compiler.result import plain_cell
from query.compiler.running import run_further
from query.request import Carries, Count, Measure, Request, RunSet, intersect, to_json

MOST_BULLETS = 3
_MOST: Final = 140
"""Most characters of a request that is shown as a command."""


@dataclass
class Answering:
    """A result that is being put into words, with the means to look further."""

    result: Result
    names: CalledNames
    resolver: Resolver
    full: bool = False
    further: list[Result] = field(default_factory=list)

    @property
    def con(self) -> duckdb.DuckDBPyConnection:
        """The connection to the index."""
        return self.resolver.con

    @property
    def request(self) -> Request:
        """The request that is answered."""
        return self.result.request

    @property
    def tally(self) -> RunTally:
        """The tally of the result; zeros for a request that is of no set of runs."""
        return self.result.of_runs

    @property
    def runs(self) -> RunSet:
        """The runs of the answer: those that have the hits that are asked about."""
        hits = getattr(self.request.measure, "hits", None)
        return self.request.of if hits is None else intersect(self.request.of, Carries(hits))

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


@dataclass(frozen=True, slots=True)
class WordedAnswer:
    """An answer in words, with the claims that the words were rendered from.

    ``lead``       one sentence that answers
    ``certain``    sentences on how sure, where it matters
    ``bullets``    what a virologist wants next, at most three unless the full answer is asked for
    ``links``      what to type or open next
    """

    lead: str
    certain: tuple[str, ...] = ()
    bullets: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    claims: tuple[Claim, ...] = ()
    results: tuple[Result, ...] = ()
    table: ResultTable | None = None
    chart: BarChart | None = None

    @property
    def certainty(self) -> str:
        """How sure the answer is, in one or two sentences."""
        return " ".join(self.certain)

    @property
    def text(self) -> str:
        """The answer as plain text; a table is printed separately."""
        return "\n\n".join(self._paragraphs())

    def _paragraphs(self) -> Iterator[str]:
        yield " ".join(part for part in (self.lead, self.certainty) if part)
        if self.bullets:
            yield "\n".join(f"- {bullet}" for bullet in self.bullets)
        if self.links:
            yield "\n".join(("More:", *(f"  {link}" for link in self.links)))

    def to_json(self) -> dict[str, Any]:
        """Return the answer as JSON: words, claims, and the results with their requests."""
        return {
            "text": self.text,
            "lead": self.lead,
            "certainty": self.certainty,
            "bullets": list(self.bullets),
            "links": list(self.links),
            "claims": [claim.to_json() for claim in self.claims],
            "results": [result.to_json() for result in self.results],
        }


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
    return ResultTable(tuple(result.column_names), rows)


def with_column(table: ResultTable, name: str, cells: Iterable[Any]) -> ResultTable:
    """Return ``table`` with one more column behind the others."""
    rows = zip(table.rows, cells, strict=True)
    return ResultTable((*table.columns, name), tuple((*row, cell) for row, cell in rows))


def _links_of(request: Request, *, full: bool) -> list[str]:
    """Return the command that runs the request, as JSON, if the answer is full."""
    written = json.dumps(to_json(request), ensure_ascii=False)
    return [f"query run {shlex.quote(written)} --json"] * (full and len(written) <= _MOST)

"""Whether a question was read correctly: its requests give the same result as the gold requests."""

from __future__ import annotations

from dataclasses import dataclass
from math import isclose
from typing import Final, Literal

import duckdb

from query.compiler import Result, run
from query.compiler.listing import ranked_column
from query.errors import QueryError
from query.evaluation.questions import Question
from query.reading import Reading, read
from query.request import Compare, Count, Exists, Rows, Values
from query.request.plainly import plainly

Outcome = Literal["right", "partly", "wrong", "asked back", "refused", "answered wrongly"]
ANSWERED: Final = ("right", "partly", "wrong", "answered wrongly")
_PRESENCE: Final = (Count, Exists)
"""Measures whose answers both say how many runs there are."""


@dataclass(frozen=True, slots=True)
class JudgedQuestion:
    """A question, how it was read, and the outcome.

    ``right``             every part gets the result of its gold
    ``partly``            some parts do
    ``wrong``             none does
    ``asked back``        it was answered by readings to choose from
    ``refused``           it was refused: right where the gold says so
    ``answered wrongly``  it was answered where the gold says that it cannot be
    """

    question: Question
    reading: Reading
    outcome: Outcome

    @property
    def is_right(self) -> bool:
        """Whether the outcome is what the gold wants."""
        if self.question.requests:
            return self.outcome == "right"
        return self.outcome in ("refused", "asked back")


def judge(con: duckdb.DuckDBPyConnection, question: Question) -> JudgedQuestion:
    """Return ``question`` as it was read and judged."""
    reading = read(con, question.text)
    return JudgedQuestion(question, reading, _outcome(con, question, reading))


def _outcome(con: duckdb.DuckDBPyConnection, question: Question, reading: Reading) -> Outcome:
    if reading.elsewhere is not None and not reading.requests:
        return "refused"
    if not reading.requests:
        return "refused" if reading.refusal else "asked back"
    if not question.requests:
        return "answered wrongly"
    try:
        given = [run(con, plainly(request)) for request in reading.requests]
    except QueryError:
        return "refused"
    wanted = [run(con, plainly(request)) for request in question.requests]
    found = [any(is_same(gold, result) for result in given) for gold in wanted]
    if all(found):
        return "right"
    return "partly" if any(found) else "wrong"


def is_same(gold: Result, given: Result) -> bool:
    """Return whether two results say the same: verdict, number, and the rows listed."""
    measures = (gold.request.measure, given.request.measure)
    if all(isinstance(measure, _PRESENCE) for measure in measures):
        return _runs_of(gold) == _runs_of(given)
    if type(measures[0]) is not type(measures[1]):
        return False
    if (gold.number is None) != (given.number is None):
        return False
    if isinstance(measures[0], Rows) and isinstance(measures[1], Rows):
        return _has_columns(gold, given)
    is_close = isclose(gold.number or 0, given.number or 0, rel_tol=1e-6)
    return is_close and _rows_of(gold) == _rows_of(given)


def _has_columns(gold: Result, given: Result) -> bool:
    """Return whether ``given`` lists the columns of ``gold``, in any order."""
    wanted = [column.name for column in gold.columns]
    names = [column.name for column in given.columns]
    if not set(wanted) <= set(names) or gold.total != given.total:
        return False
    places = [names.index(name) for name in wanted]
    shown = sorted(tuple(str(row[place]) for place in places) for row in given.rows)
    return shown == sorted(tuple(str(cell) for cell in row) for row in gold.rows)


def _runs_of(result: Result) -> tuple[object, ...]:
    """Return the runs counted, if a count or a yes or no is the answer."""
    measure, tally = result.request.measure, result.tally
    of_runs = not isinstance(measure, Count) or measure.unit == "run"
    if tally is None or not of_runs:
        return (result.number,)
    has_hits = isinstance(measure, Count) and measure.hits is not None
    return (tally.positive if has_hits else tally.runs,)


def _rows_of(result: Result) -> list[tuple[str, ...]]:
    """Return the rows as sorted text: for values only these and what ranks them, as ties may be in
    any order; for a comparison only the numbers, as sides may be named differently.
    """
    names = [column.name for column in result.columns]
    measure = result.request.measure
    shown = list(range(len(names)))
    if isinstance(measure, Values):
        wanted = [*measure.by, ranked_column(measure)]
        shown = [names.index(name) for name in wanted]
    if isinstance(measure, Compare):
        wanted = ["number"] if "number" in names else names[1:]
        shown = [names.index(name) for name in wanted]
    return sorted(tuple(str(row[place]) for place in shown) for row in result.rows)

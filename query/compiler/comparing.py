"""The same measure of several sets of runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple, fields, replace

from query.compiler.counting import counts
from query.compiler.result import Omission, Result, ResultColumn, RunTally
from query.compiler.statement import RunningRequest
from query.request.measures import Compare, Count, Measure, Share
from query.request.run_sets import RunSet, intersect
from query.request.saying_runs import say_clause

Measuring = Callable[[RunningRequest, Measure, RunSet], Result]


def compare(asked: RunningRequest, measure: Compare, of: RunSet, measured: Measuring) -> Result:
    """Return a row for each side, or the rows of each side with the side in front.

    ``number`` is that of the first side; ``measured`` answers one side.
    """
    sets = [intersect(of, side) for side in measure.sides]
    if isinstance(measure.measure, Count | Share):
        results = counts(asked, measure.measure, sets)
    else:
        results = [measured(asked, measure.measure, runs) for runs in sets]
    names = [say_clause(side) for side in measure.sides]
    compared = ResultColumn("side", comment="set that is compared")
    left_out = _named_left_out(names, results)
    if results[0].columns:
        rows = [(name, *row) for name, result in zip(names, results, strict=True)
                for row in result.rows]  # fmt: skip
        return Result(
            request=asked.request,
            columns=(compared, *results[0].columns),
            rows=tuple(rows),
            total=sum(result.total for result in results),
            left_out=left_out,
        )
    tallied = [ResultColumn(part.name, "runs") for part in fields(RunTally)]
    rows = [(name, result.number, *astuple(result.of_runs))
            for name, result in zip(names, results, strict=True)]  # fmt: skip
    if measure.measure.type == "share":
        tallied.append(ResultColumn("among", "runs", "of which it is known"))
        rows = [(*row, result.among) for row, result in zip(rows, results, strict=True)]
    unit = results[0].unit if measure.measure.type == "count" else measure.measure.type
    return Result(
        request=asked.request,
        columns=(compared, ResultColumn("number", unit), *tallied),
        rows=tuple(rows),
        total=len(rows),
        left_out=left_out,
    )


def _named_left_out(names: list[str], results: list[Result]) -> tuple[Omission, ...]:
    """Return what each side leaves out, with the name of the side."""
    parts = []
    for name, result in zip(names, results, strict=True):
        said = f"(of runs that {name})"
        parts += [replace(part, what=f"{part.what} {said}") for part in result.left_out]
    return tuple(parts)

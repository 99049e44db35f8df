"""The result of a request: a number or rows, with the tally and what was left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import date
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from query.compiler.resolving import Resolved
from query.request import Hit, Request, say, to_json

if TYPE_CHECKING:
    import polars as pl

Cell: TypeAlias = str | int | float | bool | date | None
Verdict = Literal["yes", "no", "never searched"]
Reason = Literal[
    "not searched",
    "not stated",
    "below 90 %",
    "no BioSample",
    "no number",
    "beyond the limit",
    "withheld",
]


@dataclass(frozen=True, slots=True)
class RunTally:
    """Every count of a set of runs, so that each number comes with its wholes.

    ``runs``      runs of the request
    ``searched``  runs that were searched for the virus, and would be among them if they had it
    ``positive``  runs of the request with a hit (of the virus counted; of any, if none is)
    ``at_90``     the same by hits of 90 % identity and more only
    ``samples``   distinct BioSamples of the runs that are the answer
    ``stated``    runs that state the fields at all, with whatever value
    """

    runs: int = 0
    searched: int = 0
    positive: int = 0
    at_90: int = 0
    samples: int = 0
    stated: int = 0

    def counted(self, hits: Hit | None) -> int:
        """Return the runs that are the answer: those with ``hits``, if hits are counted."""
        return self.runs if hits is None else self.positive


@dataclass(frozen=True, slots=True)
class ResultColumn:
    """A column of the rows: its name, unit and meaning."""

    name: str
    unit: str = ""
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Omission:
    """Runs or rows that could not be counted, or are not shown, and why."""

    reason: Reason
    number: int
    what: str


@dataclass(frozen=True)
class Result:
    """The answer to a request.

    ``number``   the headline: runs, a share, a mean; None where rows are the answer
    ``unit``     what the number counts
    ``among``    of a share: the runs for which it is known
    ``verdict``  of ``Exists``
    ``total``    rows there are; ``rows`` may be fewer
    ``names``    what the names of the request mean in this index
    """

    request: Request
    number: float | int | None = None
    unit: str = "runs"
    among: int | None = None
    verdict: Verdict | None = None
    tally: RunTally | None = None
    columns: tuple[ResultColumn, ...] = ()
    rows: tuple[tuple[Cell, ...], ...] = ()
    total: int = 0
    left_out: tuple[Omission, ...] = ()
    names: tuple[Resolved, ...] = ()

    @property
    def of_runs(self) -> RunTally:
        """The tally; zeros for a request that is of no set of runs."""
        return self.tally or RunTally()

    @property
    def column_names(self) -> list[str]:
        """The names of the columns."""
        return [column.name for column in self.columns]

    @property
    def said(self) -> str:
        """The request in canonical English."""
        return say(self.request)

    def pl(self) -> pl.DataFrame:
        """Return the rows as a Polars frame; where there are none, the tally as one row."""
        import polars as pl

        if self.columns:
            schema = self.column_names
            return pl.DataFrame(
                list(self.rows), schema=schema, orient="row", infer_schema_length=None
            )
        tally = asdict(self.tally) if self.tally else {}
        return pl.DataFrame([{"number": self.number, "verdict": self.verdict, **tally}])

    def to_json(self) -> dict[str, Any]:
        """Return the result as JSON."""
        return {
            "request": to_json(self.request),
            "asked": self.said,
            "verdict": self.verdict,
            "number": self.number,
            "unit": self.unit if self.number is not None else None,
            "among": self.among,
            "tally": asdict(self.tally) if self.tally else None,
            "columns": [_brief(asdict(column)) for column in self.columns],
            "rows": [[plain_cell(cell) for cell in row] for row in self.rows],
            "total": self.total,
            "left_out": [asdict(part) for part in self.left_out],
            "names": [
                _brief(
                    {
                        "name": name.text,
                        "meant_as": name.kind,
                        "curie": name.curie,
                        "label": name.label,
                    }
                )
                for name in self.names
            ],
        }

    def records(self) -> list[dict[str, Cell]]:
        """Return each row as a dictionary."""
        return [dict(zip(self.column_names, row, strict=True)) for row in self.rows]


def _brief(record: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in record.items() if value not in (None, "", [], ())}


def plain_cell(cell: object) -> Any:
    """Return a day as a text, and any other cell as it is."""
    return cell.isoformat() if isinstance(cell, date) else cell

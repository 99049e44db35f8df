"""How often the right way of asking is chosen, on questions with the mode that was meant."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb

from query.ask.routing import rank_modes, read_any
from query.errors import QueryError
from query.mode import Mode


@dataclass(frozen=True, slots=True)
class RoutingQuestion:
    """A question, the mode that was meant, and the source that it belongs to.

    ``mode`` names several, separated by ``|``, where each of them serves the asker equally.
    """

    mode: str
    half: str
    question: str

    @property
    def modes(self) -> tuple[str, ...]:
        """The modes that serve the asker."""
        return tuple(self.mode.split("|"))


@dataclass(frozen=True, slots=True)
class Routed:
    """A question with the mode that was chosen, "" where none suits or the question is refused."""

    asked: RoutingQuestion
    chosen: str

    @property
    def right(self) -> bool:
        """Whether a mode that was meant was chosen."""
        return self.chosen in self.asked.modes


def read_routing_questions(path: Path) -> list[RoutingQuestion]:
    """Return the questions of a tab-separated file of mode, half and question."""
    with path.open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [_read_row(row) for row in rows]


def _read_row(row: Mapping[str, str]) -> RoutingQuestion:
    return RoutingQuestion(
        mode=row["mode"],
        half=row["half"],
        question=row["question"],
    )


def route_all(
    con: duckdb.DuckDBPyConnection, questions: Sequence[RoutingQuestion], modes: Mapping[str, Mode]
) -> list[Routed]:
    """Return the questions whose mode is among ``modes``, routed, in order."""
    routed = []
    for asked in questions:
        if not modes.keys().isdisjoint(asked.modes):
            one = _route(con, asked, modes)
            routed.append(one)
    return routed


def _route(
    con: duckdb.DuckDBPyConnection, asked: RoutingQuestion, modes: Mapping[str, Mode]
) -> Routed:
    try:
        question = read_any(con, asked.question)
    except QueryError:
        return Routed(asked, "")
    routes = rank_modes(question, modes)
    if not routes:
        return Routed(asked, "")
    best = routes[0].mode
    return Routed(asked, best.name)


def accuracy(routed: Sequence[Routed], *, half: str) -> float:
    """Return the share of the questions of ``half`` that were routed right, 0-1."""
    own = [one for one in routed if one.asked.half == half]
    if not own:
        return 0.0
    right = [one for one in own if one.right]
    return len(right) / len(own)

"""How often the right way of asking is chosen, on questions with the mode that was meant."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb

from query.ask.routing import rank_modes, read_any
from query.mode import Mode


@dataclass(frozen=True, slots=True)
class RoutingQuestion:
    """A question, the mode that was meant, and the half of the set that it belongs to."""

    mode: str
    half: str
    question: str


@dataclass(frozen=True, slots=True)
class Routed:
    """A question with the mode that was chosen, "" where none suits."""

    asked: RoutingQuestion
    chosen: str

    @property
    def right(self) -> bool:
        """Whether the mode that was meant was chosen."""
        return self.chosen == self.asked.mode


def read_routing_questions(path: Path) -> list[RoutingQuestion]:
    """Return the questions of a tab-separated file of mode, half and question."""
    with path.open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [RoutingQuestion(row["mode"], row["half"], row["question"]) for row in rows]


def route_all(
    con: duckdb.DuckDBPyConnection, questions: Sequence[RoutingQuestion], modes: Mapping[str, Mode]
) -> list[Routed]:
    """Return the questions whose mode is among ``modes``, routed, in order."""
    known = [one for one in questions if one.mode in modes]
    ranked = ((one, rank_modes(read_any(con, one.question), modes)) for one in known)
    return [Routed(one, routes[0].mode.name if routes else "") for one, routes in ranked]


def accuracy(routed: Sequence[Routed], *, half: str) -> float:
    """Return the share of the questions of ``half`` that were routed right, 0-1."""
    own = [one.right for one in routed if one.asked.half == half]
    return sum(own) / len(own) if own else 0.0

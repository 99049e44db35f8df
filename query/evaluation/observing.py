"""What the product does with a question: its reading, its answer or refusal, and how long it
took.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import duckdb

from query.answer import Answer, Point
from query.config import QueryConfig
from query.errors import QueryError
from query.global_search.search import Selection, answer_from_facts, select_for
from query.reading.question import read_question
from query.reading.reading import Reading

LIST_FOLLOWS = "\n\nWhere they are\n"
"""What ends the opening of an answer."""


@dataclass(frozen=True, slots=True)
class Observation:
    """What came back for a question.

    ``opening``      the answer up to its list of communities; the reason, where it was refused
    ``text``         the whole answer
    ``communities``  those that triage chose, best first, with their scores
    ``refused``      the class of the refusal, None where there is an answer
    ``seconds``      from question to answer, without opening the index
    """

    reading: Reading
    opening: str
    text: str
    points: tuple[Point, ...] = ()
    communities: tuple[tuple[str, float], ...] = ()
    refused: str | None = None
    seconds: float = 0.0

    @property
    def headline(self) -> str:
        """The first paragraph: the direct answer."""
        first, _, _ = self.opening.partition("\n\n")
        return first


def observe(con: duckdb.DuckDBPyConnection, text: str, *, config: QueryConfig) -> Observation:
    """Return what the product makes of the question ``text`` from facts alone."""
    started = time.perf_counter()
    try:
        selection = select_for(con, text, config=config)
        answer = answer_from_facts(con, selection, config=config)
    except QueryError as error:
        seconds = time.perf_counter() - started
        return _refusal(con, text, error, seconds)
    seconds = time.perf_counter() - started
    return _answered(selection, answer, seconds)


def _refusal(
    con: duckdb.DuckDBPyConnection, text: str, error: QueryError, seconds: float
) -> Observation:
    refusal = f"{error.message}\n{error.remedy}"
    question = read_question(con, text)
    return Observation(
        reading=question.reading,
        opening=refusal,
        text=refusal,
        refused=type(error).__name__,
        seconds=seconds,
    )


def _answered(selection: Selection, answer: Answer, seconds: float) -> Observation:
    opening, _, _ = answer.answer.partition(LIST_FOLLOWS)
    chosen = [(one.community, one.score) for one in selection.triage.candidates]
    return Observation(
        reading=selection.question.reading,
        opening=opening,
        text=answer.answer,
        points=answer.points,
        communities=tuple(chosen),
        seconds=seconds,
    )

"""The questions of an evaluation: the user's own, and generated ones in canonical English."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import duckdb

from query.reading.pairs import Question as Question
from query.reading.pairs import read_questions
from query.request import (
    Carries,
    Count,
    Exists,
    Has,
    Hit,
    Measure,
    Request,
    RunSet,
    Share,
    Values,
    say,
)

_NAMED = {
    "virus": "SELECT species, count(DISTINCT run) FROM detection WHERE species IS NOT NULL",
    "host": "SELECT value, count(DISTINCT run) FROM annotation WHERE facet = 'host'",
    "tissue": "SELECT value, count(DISTINCT run) FROM annotation WHERE facet = 'tissue'",
}


def generated_questions(
    con: duckdb.DuckDBPyConnection, *, number: int, seed: int
) -> tuple[Question, ...]:
    """Return ``number`` questions in canonical English about what the index holds."""
    chance = random.Random(seed)
    names = {kind: _frequent(con, query) for kind, query in _NAMED.items()}
    made: dict[str, Question] = {}
    for request in _requests(chance, names, most=20 * number):
        text = say(request)
        made.setdefault(text, Question(text, (request,), "canonical", request.measure.type))
        if len(made) == number:
            break
    return tuple(made.values())


def _frequent(con: duckdb.DuckDBPyConnection, query: str) -> list[str]:
    rows = con.execute(f"{query} GROUP BY ALL ORDER BY 2 DESC, 1 LIMIT 50").fetchall()
    return [str(value) for value, _ in rows]


def _requests(
    chance: random.Random, names: dict[str, list[str]], *, most: int
) -> Iterator[Request]:
    """Yield measures of runs with a host, tissue or virus, at random."""
    if not all(names.values()):
        return
    for _ in range(most):
        virus = Hit(virus=(chance.choice(names["virus"]),))
        field = chance.choice(("host", "tissue"))
        has: RunSet = Has(field, (chance.choice(names[field]),))
        measures: list[tuple[Measure, RunSet]] = [
            (Count(), has & Carries(virus)),
            (Count(), Carries(virus)),
            (Exists(), has & Carries(virus)),
            (Share(Carries(virus)), has),
            (Values(("virus",), limit=5), has),
            (Values(("host",)), Carries(virus)),
        ]
        yield Request(*chance.choice(measures))


def choose_questions(
    con: duckdb.DuckDBPyConnection, path: Path | None, *, generated: int, seed: int
) -> tuple[Question, ...]:
    """Return the questions in ``path``, if given, and ``generated`` ones."""
    written = () if path is None else read_questions(path)
    return (*written, *generated_questions(con, number=generated, seed=seed))

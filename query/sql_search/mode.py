"""``query sql`` as one of the ways of asking."""

from __future__ import annotations

from typing import Final

from query.answer import Answer
from query.mode import Asking, Mode
from query.sql_search.checking import is_statement


def answer(asking: Asking) -> Answer:
    """Return the rows that answer the question with their SQL; raises as ``answer_in_sql``."""
    from query.sql_search.search import answer_in_sql, answer_of, run_own_sql

    if is_statement(asking.question):
        return answer_of(run_own_sql(asking, asking.question))
    return answer_of(answer_in_sql(asking))


MODE: Final = Mode(
    name="sql",
    title="a table and its SQL",
    can="Answer a question with a table and the SQL that made it: counts, shares, rankings, "
    "lists of runs.",
    examples=(
        "How many runs per host carry coronaviruses?",
        "List the bat runs with their country as a table",
    ),
    answer=answer,
)

"""``query search`` as one of the ways of asking."""

from __future__ import annotations

import time
from typing import Final

from query.answer import Answer
from query.config import documents_path
from query.mode import Asking, Mode


def answer(asking: Asking) -> Answer:
    """Return the passages found, of the kinds that the question asks for, if there are any.

    Raises ``QueryError`` if there is none.
    """
    from query.search.selecting import found_answer, search_asked

    started = time.perf_counter()
    store = documents_path(asking.db)
    found = search_asked(asking.con, asking.question, store)
    return found_answer(found, started=started)


MODE: Final = Mode(
    name="search",
    title="passages of text",
    can="Find passages by words and by meaning: reports, findings, studies, terms, viruses, and "
    "documents of your own.",
    examples=("bats sampled in caves", "studies of mosquito viromes"),
    answer=answer,
)

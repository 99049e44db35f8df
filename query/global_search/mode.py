"""``query global`` as one of the ways of asking."""

from __future__ import annotations

from typing import Final

from query.answer import Answer
from query.mode import Asking, Mode


def answer(asking: Asking) -> Answer:
    """Return the answer from the whole index; raises as ``answer_globally``."""
    from query.global_search.answering import answer_globally

    return answer_globally(asking)


MODE: Final = Mode(
    name="global",
    title="the whole index",
    can="Answer a question from the whole index: counted sentences, and the communities and "
    "associations behind them.",
    examples=("Which viruses are found in bats?", "How often is EBV found in human blood?"),
    answer=answer,
    interpreted=True,
)

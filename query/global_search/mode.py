"""``query global`` as one of the ways of asking."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from query.mode import Asking, Fit, Mode

if TYPE_CHECKING:
    from query.answer import Answer
    from query.reading.question import Question


def fit(question: Question) -> Fit:
    """Return how well counts over the whole index suit ``question``."""
    reading = question.reading
    if reading.beyond is not None:
        return Fit(0.1, "it says what counts cannot tell")
    if reading.of_tables is not None:
        return Fit(0.1, "it asks for a table")
    if reading.associations is not None and reading.kind == "associate":
        return Fit(0.7, "it asks for tests of association")
    held = {one.text.upper() for one in question.mentions}
    if any(one.upper() not in held for one in reading.accessions):
        return Fit(0.2, "it names a record that the index does not hold")
    if reading.kind == "compare" and reading.sides and not reading.common:
        return Fit(0.8, "it compares groups of runs")
    if question.mentions or reading.without:
        return Fit(0.6, "it names what runs of the index carry")
    if question.intent.explicit:
        return Fit(0.5, "it asks for values that the index counts")
    return Fit(0.1, "the whole index is searched where nothing else suits")


def answer(asking: Asking) -> Answer:
    """Return the answer from the whole index; raises ``QueryError`` where there is none."""
    from query.global_search.ask import ask_model

    return ask_model(asking)


MODE: Final = Mode(
    name="global",
    can="Answer a question from the whole index: viruses, hosts, tissues, diseases and places, "
    "counted over all runs and described community by community.",
    examples=(
        "Which viruses turn up in bat gut samples, and what goes with them?",
        "Where are flaviviruses found?",
    ),
    fit=fit,
    answer=answer,
    interpreted=True,
    reads=True,
)

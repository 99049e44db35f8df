"""A way of asking: what it can do, how well it suits a question, and how it answers.

Each room that answers questions has a module ``mode`` with a ``MODE``, and a line in
``query.modes``. Its command, its part of the help, routing by ``query ask`` and the prompt follow
from these two (docs/extending.md).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from query.gate import gate_choice
from query.screening import screen_question

if TYPE_CHECKING:
    from pathlib import Path

    import duckdb

    from index.models.choose import ModelChoice
    from index.models.protocol import ChatModel
    from query.answer import Answer
    from query.config import QueryConfig
    from query.reading.question import Question


@dataclass(frozen=True, slots=True)
class Asking:
    """A question with all that an answer may use.

    ``choice`` is the model that may word the answer, None where no model may be used; ``cache`` is
    the file of answers of models that were already paid for; ``level`` is that of the communities
    to read, None for whichever say most.
    """

    question: str
    con: duckdb.DuckDBPyConnection
    db: Path
    config: QueryConfig
    choice: ModelChoice | None = None
    budget_tokens: int | None = None
    cache: Path | None = None
    level: int | None = None

    @property
    def model(self) -> ChatModel | None:
        """The model that may word the answer, None where there is none."""
        return None if self.choice is None else self.choice.model

    def __post_init__(self) -> None:
        """Put the model behind the biosafety gate.

        Raises ``HarmfulQuestionError`` where no mode may answer the question.
        """
        screen_question(self.question)
        if self.choice is not None:
            gated = gate_choice(self.con, self.choice, self.config.policy)
            object.__setattr__(self, "choice", gated)


@dataclass(frozen=True, slots=True)
class Fit:
    """How well a mode suits a question: 0 (not at all) to 1, and why, in words that follow
    "because".
    """

    score: float
    why: str = ""


NO_FIT: Final = Fit(0.0)


@dataclass(frozen=True, slots=True)
class Mode:
    """One way of asking.

    ``name``      what is typed behind ``query``
    ``can``       one sentence: which questions it answers, and from what
    ``examples``  questions that it answers on the sample
    ``fit``       how well it suits a question that was read; pure
    ``answer``    the answer; raises ``QueryError`` where it has none
    """

    name: str
    can: str
    examples: tuple[str, ...]
    fit: Callable[[Question], Fit]
    answer: Callable[[Asking], Answer]

    def help_text(self) -> str:
        """Return the help of its command, with examples that can be copied."""
        examples = "\n".join(f'  query {self.name} "{question}"' for question in self.examples)
        return f"{self.can}\n\n\b\nExamples:\n{examples}\n"

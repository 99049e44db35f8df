"""A way of asking: what it can do, how well it suits a question, and how it answers.

Each room that answers questions has a module ``mode`` with a ``MODE``, and a line in
``query.modes``. Its command, its part of the help, routing by ``query ask`` and the prompt follow
from these two (docs/extending.md).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from query.gate import gate_choice
from query.reading.respelling.rules import put_plainly
from query.screening.screen import screen_question

if TYPE_CHECKING:
    from pathlib import Path

    import duckdb

    from index.models.choose import ModelChoice
    from index.models.protocol import ChatModel
    from query.answer import Answer
    from query.config import QueryConfig
    from query.reading.kinds import Kind
    from query.reading.question import Question
    from query.reading.reading import Reading
    from query.watching import Watch


@dataclass(frozen=True, slots=True)
class ReadingEdit:
    """What a person changes of how a question was read: another kind of answer, another number of
    values. None leaves what was read.
    """

    kind: Kind | None = None
    limit: int | None = None


UNEDITED: Final = ReadingEdit()


@dataclass(frozen=True, slots=True)
class Asking:
    """A question with all that an answer may use.

    ``choice`` is the model that may add to the answer, None where none may be used; ``cache`` is
    the file of answers of models that were already paid for; ``level`` is that of the communities
    to read, None for whichever say most; ``edit`` is what was changed of how it is read; ``watch``
    sees what a model does with it, and may stop that by Ctrl-C.
    """

    question: str
    con: duckdb.DuckDBPyConnection
    db: Path
    config: QueryConfig
    choice: ModelChoice | None = None
    budget_tokens: int | None = None
    cache: Path | None = None
    level: int | None = None
    edit: ReadingEdit = UNEDITED
    watch: Watch | None = None

    def read(self, text: str) -> Question:
        """Return ``text`` as it is read, with what was changed of that."""
        from query.reading.question import read_question

        return edited(read_question(self.con, text), self.edit)

    @property
    def model(self) -> ChatModel | None:
        """The model that may add to the answer, None where there is none."""
        return None if self.choice is None else self.choice.model

    def __post_init__(self) -> None:
        """Put the model behind the biosafety gate.

        Raises ``HarmfulQuestionError`` where no mode may answer the question.
        """
        screen_question(put_plainly(self.question))
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
    ``interpreted``  whether a model goes on to add to an answer that facts gave; where not, it is
                  asked for what has no answer without it
    ``reads``     whether the answer follows the reading, so that another kind of it is another one
    """

    name: str
    can: str
    examples: tuple[str, ...]
    fit: Callable[[Question], Fit]
    answer: Callable[[Asking], Answer]
    interpreted: bool = False
    reads: bool = False

    def help_text(self) -> str:
        """Return the help of its command, with examples that can be copied."""
        examples = "\n".join(f'  query {self.name} "{question}"' for question in self.examples)
        return f"{self.can}\n\n\b\nExamples:\n{examples}\n"


def edited(question: Question, edit: ReadingEdit) -> Question:
    """Return ``question`` with its reading changed by ``edit``.

    What becomes a comparison compares the names of its last group, or the only one of it with all
    others.
    """
    if edit == UNEDITED:
        return question
    reading = question.reading
    kind = edit.kind or reading.kind
    changed = replace(reading, kind=kind, limit=edit.limit or reading.limit)
    if kind == "compare" and not reading.sides:
        changed = _compared(changed)
    if edit.kind is None:
        return replace(question, reading=changed)
    intent = replace(question.intent, associations=kind == "associate")
    return replace(question, reading=changed, intent=intent)


def _compared(reading: Reading) -> Reading:
    """Return ``reading`` with its last group of names as what is compared."""
    if not reading.subjects:
        return reading
    group = reading.subjects[-1].group
    sides = tuple(one for one in reading.subjects if one.group == group)
    return replace(reading, sides=sides, against_rest=len(sides) == 1, each=())

"""A way of asking: what it can do, and how it answers.

Each room that answers questions has a module ``mode`` with a ``MODE``, and a line in
``query.modes``. Its command, its part of the help and its place in the prompt follow from these two
(docs/extending.md).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import duckdb

from query.answer import Answer, Usage
from query.config import QueryConfig
from query.errors import BeyondCountsError, UnclearQuestionError
from query.gate import gate_choice
from query.request import Request
from query.request.saying import say_all
from query.screening.screen import screen_question

if TYPE_CHECKING:
    from index.models.choose import ModelChoice
    from index.models.protocol import ChatModel
    from query.metering import Metered
    from query.reading import Reading
    from query.watching import Watch


@dataclass(frozen=True, slots=True)
class Asking:
    """A question with everything that an answer may use.

    ``choice`` is the model that may add to the answer, None if none may; ``cache`` is the file of
    model answers that were already paid for; ``level`` is the level of the communities to read,
    None for the most telling ones; ``requests`` are what the question means, if a person or a
    program says so; ``previous`` is the request that a follow-up edits; ``watch`` sees what a model
    does with the question, and may stop it by Ctrl-C.
    """

    question: str
    con: duckdb.DuckDBPyConnection
    db: Path
    config: QueryConfig
    choice: ModelChoice | None = None
    budget_tokens: int | None = None
    cache: Path | None = None
    level: int | None = None
    requests: tuple[Request, ...] = ()
    previous: Request | None = None
    watch: Watch | None = None
    _readings: list[Reading] = field(default_factory=list, init=False, repr=False, compare=False)
    _metered: list[Metered] = field(default_factory=list, init=False, repr=False, compare=False)

    def read(self) -> Reading:
        """Return the reading of the question, which is made once."""
        if not self._readings:
            self._readings.append(self._read())
        return self._readings[0]

    def readable(self) -> Reading:
        """Return the reading of the question, if it makes requests.

        Raises:
            BeyondCountsError: the index cannot answer it.
            UnclearQuestionError: it can be read in several ways, or a word is not understood.
        """
        reading = self.read()
        if reading.requests:
            return reading
        if reading.refusal is not None:
            raise BeyondCountsError(self.question, reading.refusal, near=_near(reading))
        choices = [say_all(choice) for choice in reading.choices]
        names = [f"{name.text} ({name.name})" for name in reading.names]
        raise UnclearQuestionError(
            self.question,
            unknown=reading.unknown,
            choices=choices,
            language=reading.language,
            names=names,
        )

    def _read(self) -> Reading:
        from query.reading import Reading, read
        from query.reading.proposing import may_read, read_with_model

        if self.requests:
            return Reading(self.question, self.requests)
        reading = read(self.con, self.question, previous=self.previous)
        if self.choice is None:
            return reading
        unsure = reading if _can_be_run(self.con, reading) else replace(reading, requests=())
        if not may_read(self.choice, unsure):
            return reading
        metered = self.metered()
        assert metered is not None
        if self.watch is not None:
            self.watch.step(f"{metered.model.name} reads the question")
        read_again = read_with_model(self.con, unsure, metered.model)
        return reading if read_again is unsure else read_again

    def without_model(self) -> Asking:
        """Return the same question with no model to use."""
        return replace(self, choice=None)

    @property
    def model(self) -> ChatModel | None:
        """The model that may add to the answer, None where there is none."""
        return None if self.choice is None else self.choice.model

    def metered(self, *, silence_s: float | None = None) -> Metered | None:
        """Return the model within the budget, behind its cache; None if there is no model.

        All its calls for one question are counted together, against one budget.
        """
        if self.model is None:
            return None
        from query.metering import metered_model

        metered = metered_model(
            self.model,
            budget_tokens=self.budget_tokens,
            cache=self.cache,
            silence_s=silence_s,
            spent=self._metered[-1].spent if self._metered else None,
        )
        self._metered.append(metered)
        return metered

    @property
    def usage(self) -> Usage:
        """The calls and tokens of the model so far."""
        is_asked = bool(self._metered) and self._metered[-1].spent.calls
        return self._metered[-1].usage() if is_asked else Usage()

    def __post_init__(self) -> None:
        """Put the model behind the biosafety gate.

        Raises ``HarmfulQuestionError`` where no mode may answer the question.
        """
        screen_question(self.question)
        if self.choice is not None:
            gated = gate_choice(self.con, self.choice, self.config.policy)
            object.__setattr__(self, "choice", gated)


def _near(reading: Reading) -> str:
    """Return a question about the first virus or host of a question that cannot be answered."""
    from query.request import Carries, Count, Has, Hit, Request, Values, say

    named = {name.kind: name.text for name in reversed(reading.names)}
    if "virus" in named:
        return say(Request(Count(), Carries(Hit(virus=(named["virus"],)))))
    if "host" in named:
        return say(Request(Values(("virus",)), Has("host", (named["host"],))))
    return ""


def _can_be_run(con: duckdb.DuckDBPyConnection, reading: Reading) -> bool:
    """Return whether the index knows the names in all requests of ``reading``."""
    from query.compiler import run
    from query.compiler.errors import AmbiguousNameError, UnknownNameError

    try:
        for request in reading.requests:
            run(con, request)
    except (UnknownNameError, AmbiguousNameError):
        return False
    return True


@dataclass(frozen=True, slots=True)
class Mode:
    """One way of asking.

    ``name``      what is typed after ``query``
    ``title``     what a page calls it, in words
    ``can``       one sentence: which questions it answers, and from what
    ``examples``  questions that it answers on the sample
    ``answer``    returns the answer; raises ``QueryError`` if it has none
    ``interpreted``  whether a model adds to an answer that was made from facts; if not, it is used
                  only for what has no answer without it
    """

    name: str
    title: str
    can: str
    examples: tuple[str, ...]
    answer: Callable[[Asking], Answer]
    interpreted: bool = False

    def help_text(self) -> str:
        """Return the help of its command, with examples that can be copied."""
        examples = "\n".join(f'  query {self.name} "{question}"' for question in self.examples)
        return f"{self.can}\n\n\b\nExamples:\n{examples}\n"

"""Reduce: a model chooses and groups the best statements, and a larger one interprets them.

Statements are printed in the words of the index, whoever chose them. A sentence of interpretation
is passed on as soon as it is complete, so that a waiting reader sees it while the model goes on.
What cannot be printed is sent back once with the reason; what still cannot be printed is dropped
and counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from index.checking.evidence import ShownEvidence
from index.checking.interpretation import MAX_SENTENCES, Interpretation, interpretation_of
from index.checking.names import IndexNames
from index.checking.repairing import repair_prompt
from index.errors import ModelError
from index.models.openai_stream import begun_list
from index.models.protocol import Completion, Prompt, longest_tokens
from query.answer import StatementGroup
from query.global_search.material import Writer
from query.global_search.prompting import (
    MOST_STATEMENTS,
    AnsweredQuestion,
    ChosenStatements,
    GroupOfStatements,
    answer_prompt,
    choosing_prompt,
)

RESTATED = "What the model restates"
"""Heading of statements that a model said in other words."""


@dataclass(frozen=True, slots=True)
class Reduced:
    """Grouped statements, sentences of interpretation, dropped ones, and why it ended early."""

    groups: tuple[StatementGroup, ...] = ()
    sentences: tuple[str, ...] = ()
    dropped: int = 0
    reasons: tuple[str, ...] = ()


class SentencesHeard:
    """Sentences of interpretation, read as they arrive. Each that may be printed is passed to
    ``say`` once, before the next is read. ``example`` is the one in the prompt.
    """

    def __init__(self, evidence: ShownEvidence, example: str, say: Callable[[str], None]) -> None:
        self._evidence = evidence
        self._example = example
        self._say = say
        self.said: list[str] = []
        self.restated: list[str] = []

    def hear(self, text: str) -> None:
        """Read the complete sentences of ``text``, the answer so far."""
        self.read([part for part in begun_list(text, "sentences") if isinstance(part, str)])

    def read(self, sentences: Sequence[str]) -> Interpretation:
        """Read all ``sentences`` that have come; return what each of them is."""
        given = interpretation_of(sentences, self._evidence, example=self._example)
        self.restated += [text for text in given.restated if text not in self.restated]
        for sentence in given.sentences:
            if sentence not in self.said and len(self.said) < MAX_SENTENCES:
                self.said.append(sentence)
                self._say(sentence)
        return given


async def reduce_statements(
    question: str, lead: str, statements: Sequence[str], names: IndexNames, writer: Writer
) -> Reduced:
    """Return what a model makes of ``statements``, best first, as many as fit.

    If the answer breaks off, the sentences so far are used.
    """
    if not statements:
        return Reduced()
    fitting = fitting_statements(statements, tokens=writer.reduce_tokens)
    if not writer.reads:
        return await _chosen(question, lead, fitting, writer)
    prompt = answer_prompt(question, lead, fitting)
    evidence = ShownEvidence(fitting, names, about=[question, lead])
    listener = SentencesHeard(evidence, prompt.turns[0].assistant, writer.watch.sentence)
    writer.watch.step(f"{writer.model.name} interprets the answer")
    try:
        answer = await _complete(prompt, writer, listener)
    except ModelError as error:
        return Reduced(sentences=tuple(listener.said), reasons=(error.reason,))
    groups = grouped(answer.parsed.groups, fitting)
    given = listener.read(answer.parsed.sentences)
    dropped, reasons = given.dropped, tuple[str, ...]()
    if given.faults:
        again = repair_prompt(prompt, answer.text, given.faults)
        dropped, reasons = await _repair(again, writer, listener)
    groups = _with_restated(groups, listener.restated)
    return Reduced(groups, tuple(listener.said), dropped, reasons)


async def _chosen(question: str, lead: str, statements: Sequence[str], writer: Writer) -> Reduced:
    """Return the statements that a model of less than 4 billion parameters chooses."""
    writer.watch.step(f"{writer.model.name} chooses what to show")
    prompt = choosing_prompt(question, lead, statements)
    try:
        answer = await writer.model.complete(
            prompt, ChosenStatements, max_tokens=writer.answer_tokens
        )
    except ModelError as error:
        return Reduced(reasons=(error.reason,))
    return Reduced(grouped(answer.parsed.groups, statements))


def grouped(
    groups: Iterable[GroupOfStatements], statements: Sequence[str]
) -> tuple[StatementGroup, ...]:
    """Return ``groups`` with the text of their statements: each once, at most six in all."""
    said: list[str] = []
    found: dict[str, list[str]] = {}
    for group in groups:
        for number in group.statements:
            if not 1 <= number <= len(statements) or len(said) == MOST_STATEMENTS:
                continue
            text = statements[number - 1]
            if text not in said:
                said.append(text)
                found.setdefault(group.heading, []).append(text)
    return tuple(StatementGroup(heading, tuple(texts)) for heading, texts in found.items())


def _with_restated(
    groups: tuple[StatementGroup, ...], restated: Sequence[str]
) -> tuple[StatementGroup, ...]:
    """Return ``groups`` with one more, for statements that a sentence repeated."""
    shown = {text for group in groups for text in group.statements}
    more = tuple(text for text in restated if text not in shown)
    return (*groups, StatementGroup(RESTATED, more)) if more else groups


async def _repair(
    prompt: Prompt, writer: Writer, heard: SentencesHeard
) -> tuple[int, tuple[str, ...]]:
    """Return how many sentences still cannot be printed, and why there is no answer, if so."""
    try:
        answer = await _complete(prompt, writer, heard)
    except ModelError as error:
        return 0, (error.reason,)
    return heard.read(answer.parsed.sentences).dropped, ()


async def _complete(
    prompt: Prompt, writer: Writer, heard: SentencesHeard
) -> Completion[AnsweredQuestion]:
    return await writer.model.complete(
        prompt, AnsweredQuestion, max_tokens=writer.answer_tokens, hear=heard.hear
    )


def fitting_statements(statements: Sequence[str], *, tokens: int) -> list[str]:
    """Return the first of ``statements`` that fit ``tokens``, at least one."""
    total = 0
    for place, text in enumerate(statements):
        total += longest_tokens(text)
        if total > tokens:
            return list(statements[: max(1, place)])
    return list(statements)

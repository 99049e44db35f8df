"""What a model adds to an answer: its interpretation, or which of the facts to read next.

A sentence that holds no number and no name is said as soon as it has come, so that whoever waits
reads it while the model goes on; the others are dropped and counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from index.checking.interpretation import (
    Interpretation,
    NameFinder,
    interpretation_of,
)
from index.checking.interpreted import Interpreted
from index.errors import ModelError
from index.models.openai_stream import begun_list
from index.reports.citations import CitedValue, format_reference, strip_references
from query.global_search.briefing import ANSWER_TOKENS, prompt_within
from query.global_search.from_facts import MAX_CITED
from query.global_search.mapping import fitting
from query.global_search.prompting import ChosenFacts, interpretation_prompt

if TYPE_CHECKING:
    from collections.abc import Callable

    from query.answer import Citation, Point
    from query.global_search.material import Writer

NOTHING_CHOSEN: Final = "the model chose none of the facts"
MOST_CHOSEN: Final = 2
"""Facts that a small model chooses at most."""


@dataclass(frozen=True, slots=True)
class Added:
    """What a model added: sentences of its own, or sentences of the index that it chose.

    ``dropped`` sentences of its own may not be printed; ``reasons`` say why there is no more.
    """

    interpretation: tuple[str, ...] = ()
    chosen: tuple[str, ...] = ()
    dropped: int = 0
    reasons: tuple[str, ...] = ()


class SentencesHeard:
    """Sentences of interpretation, read as they come; each that may be printed goes to ``say`` once
    before the next one is read. ``example`` is that of the prompt.
    """

    def __init__(self, names: NameFinder, example: str, say: Callable[[str], None]) -> None:
        self._names = names
        self._example = example
        self._say = say
        self._said: list[str] = []

    def hear(self, text: str) -> None:
        """Read the sentences that are whole in ``text``, the answer so far."""
        self.read([one for one in begun_list(text, "sentences") if isinstance(one, str)])

    def read(self, sentences: Sequence[str]) -> Interpretation:
        """Read all ``sentences`` that have come; return what of them may be printed."""
        given = interpretation_of(sentences, self._names, example=self._example)
        for sentence in given.sentences[len(self._said) :]:
            self._said.append(sentence)
            self._say(sentence)
        return given


async def interpret_answer(
    question: str, headline: str, points: Sequence[Point], names: NameFinder, writer: Writer
) -> Added:
    """Return what a model makes of the best ``points`` that fit, under ``headline``, which is the
    first of them where it may be shown.

    The watch of ``writer`` gets each sentence as it comes. Where the answer breaks off, those that
    had come stay.
    """
    texts = [headline] if headline else []
    texts += [strip_references(point.description) for point in points]
    shown = fitting(texts, budget_tokens=writer.reduce_tokens)
    prompt = interpretation_prompt(question, texts[:shown])
    heard = SentencesHeard(names, prompt.turns[0].assistant, writer.watch.sentence)
    text = ""

    def hear(so_far: str) -> None:
        nonlocal text
        text = so_far
        heard.hear(so_far)

    writer.watch.step(f"{writer.model.name} interprets the answer")
    try:
        answer = await writer.model.complete(
            prompt, Interpreted, max_tokens=writer.answer_tokens, hear=hear
        )
    except ModelError as error:
        begun = [one for one in begun_list(text, "sentences") if isinstance(one, str)]
        given = heard.read(begun)
        return Added(given.sentences, dropped=given.dropped, reasons=(error.reason,))
    given = heard.read(answer.parsed.sentences)
    return Added(given.sentences, dropped=given.dropped)


async def choose_facts(
    question: str, facts: Sequence[str], points: Sequence[Point], writer: Writer
) -> Added:
    """Return those of ``facts`` that a small model finds most useful besides the first, in one
    call.

    They are sentences of the index; where there is nothing to choose, none. A number that names no
    other fact is left out. Citations are those of ``points`` that a fact names.
    """
    if len(facts) <= MOST_CHOSEN + 1:
        return Added()
    prompt = prompt_within(question, facts)
    writer.watch.step(f"{writer.model.name} chooses what to read next")
    try:
        answer = await writer.model.complete(prompt, ChosenFacts, max_tokens=ANSWER_TOKENS)
    except ModelError as error:
        return Added(reasons=(error.reason,))
    numbers = dict.fromkeys(answer.parsed.facts)
    chosen = [number for number in numbers if 1 <= number < len(facts)]
    citations = [one for point in points for one in point.citations if one.key != "community"]
    sentences = tuple(_cited(facts[number], citations) for number in chosen)
    return Added(chosen=sentences, reasons=() if sentences else (NOTHING_CHOSEN,))


def _cited(fact: str, citations: Sequence[Citation]) -> str:
    """Return ``fact`` with those of ``citations`` that it names."""
    folded = fact.lower()
    named = [CitedValue(one.key, one.value) for one in citations if one.value.lower() in folded]
    distinct = list(dict.fromkeys(named))
    return f"{fact} {format_reference(distinct[:MAX_CITED])}" if distinct else fact

"""Reduce: a model interprets the best points; what holds a number or a name goes back once.

A sentence that may be printed is said as soon as it has come, so that whoever waits reads it while
the model goes on. What cannot be printed is sent back with the reason; what then still cannot is
dropped and counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from index.checking.interpretation import MAX_SENTENCES, NameFinder, interpretation_of, why_dropped
from index.checking.interpreted import Interpreted
from index.checking.sentences import split_sentences
from index.errors import ModelError
from index.models.openai_stream import begun_list
from index.models.protocol import Completion, Prompt, estimate_tokens
from query.global_search.material import Writer
from query.global_search.prompting import interpretation_prompt, repair_prompt


@dataclass(frozen=True, slots=True)
class Interpreting:
    """Sentences of a model that may be printed, how many may not, and why there are no more."""

    sentences: tuple[str, ...] = ()
    dropped: int = 0
    reasons: tuple[str, ...] = ()


class SentencesHeard:
    """Sentences of interpretation, read as they come; each that may be printed goes to ``say`` once
    before the next is read. ``example`` is that of the prompt.
    """

    def __init__(self, names: NameFinder, example: str, say: Callable[[str], None]) -> None:
        self._names = names
        self._example = example
        self._say = say
        self.said: list[str] = []

    def hear(self, text: str) -> None:
        """Read the sentences that are whole in ``text``, the answer so far."""
        self.read([part for part in begun_list(text, "sentences") if isinstance(part, str)])

    def read(self, sentences: Sequence[str]) -> int:
        """Read all ``sentences`` that have come; return how many of them cannot be printed."""
        given = interpretation_of(sentences, self._names, example=self._example)
        for sentence in given.sentences:
            if sentence not in self.said and len(self.said) < MAX_SENTENCES:
                self.said.append(sentence)
                self._say(sentence)
        return given.dropped

    def faults(self, sentences: Sequence[str]) -> list[tuple[str, str]]:
        """Return the sentences that cannot be printed, each with the reason."""
        written = [part for text in sentences for part in split_sentences(text)]
        faults = []
        for sentence in written[:MAX_SENTENCES]:
            reason = why_dropped(sentence, self._names, example=self._example)
            if reason is not None:
                faults.append((sentence, reason))
        return faults


async def interpret_points(
    question: str, texts: Sequence[str], names: NameFinder, writer: Writer
) -> Interpreting:
    """Return what a model makes of as many of ``texts``, best first, as fit.

    The watch of ``writer`` gets each sentence as it comes. Where the answer breaks off, those that
    had come stay.
    """
    if not texts:
        return Interpreting()
    prompt = interpretation_prompt(question, texts[: fitting(texts, tokens=writer.reduce_tokens)])
    heard = SentencesHeard(names, prompt.turns[0].assistant, writer.watch.sentence)
    writer.watch.step(f"{writer.model.name} interprets the answer")
    try:
        answer = await _complete(prompt, writer, heard)
    except ModelError as error:
        return Interpreting(tuple(heard.said), reasons=(error.reason,))
    dropped = heard.read(answer.parsed.sentences)
    faults = heard.faults(answer.parsed.sentences)
    if faults:
        dropped, reasons = await _repair(repair_prompt(prompt, answer.text, faults), writer, heard)
        return Interpreting(tuple(heard.said), dropped or 0, reasons)
    return Interpreting(tuple(heard.said), dropped)


async def _repair(
    prompt: Prompt, writer: Writer, heard: SentencesHeard
) -> tuple[int, tuple[str, ...]]:
    """Return how many sentences still cannot be printed, and why there was no answer."""
    try:
        answer = await _complete(prompt, writer, heard)
    except ModelError as error:
        return 0, (error.reason,)
    return heard.read(answer.parsed.sentences), ()


async def _complete(
    prompt: Prompt, writer: Writer, heard: SentencesHeard
) -> Completion[Interpreted]:
    return await writer.model.complete(
        prompt, Interpreted, max_tokens=writer.answer_tokens, hear=heard.hear
    )


def fitting(texts: Iterable[str], *, tokens: int) -> int:
    """Return how many of ``texts`` fit ``tokens``, at least the first."""
    total = 0
    count = 0
    for text in texts:
        total += estimate_tokens(text)
        if total > tokens:
            break
        count += 1
    return max(1, count)

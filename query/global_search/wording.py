"""What a model makes of the best points or facts (reduce), checked sentence by sentence.

A sentence that says more than what it was made from is dropped and counted. One that holds is said
as soon as it has come, so that whoever waits reads it while the model goes on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError

from index.checking.numbers import has_number
from index.checking.statements import gather_statements
from index.checking.verification import verify
from index.errors import ModelError
from index.models.openai_stream import begun_list
from index.reports.citations import CitedValue, format_reference, strip_references
from query.answer import Citation, Point
from query.global_search.briefing import ANSWER_TOKENS, prompt_within
from query.global_search.from_facts import MAX_CITED
from query.global_search.mapping import fitting
from query.global_search.prompting import (
    MAX_SENTENCES,
    ChosenFacts,
    WordedAnswer,
    WordedSentence,
    reduce_prompt,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from query.global_search.material import Writer

NONE_HELD: Final = "no sentence of the model held"
MOST_CHOSEN: Final = 2
"""Facts that a small model chooses at most."""


@dataclass(frozen=True, slots=True)
class CheckedSentences:
    """Sentences of a model with their references; ``dropped`` said too much; ``reasons`` why there
    are none.
    """

    sentences: tuple[str, ...] = ()
    dropped: int = 0
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelSentence:
    """A sentence of a model with what it was made from."""

    text: str
    evidence: tuple[str, ...]
    citations: tuple[Citation, ...]


class SentencesHeard:
    """Sentences of an answer that a model words from ``texts``, read as they come.

    ``citations`` are those of each text. Each sentence that holds goes to ``say`` once, with its
    references, before the next one is read.
    """

    def __init__(
        self,
        question: str,
        texts: Sequence[str],
        citations: Sequence[Sequence[Citation]],
        say: Callable[[str], None],
    ) -> None:
        self._question = question
        self._texts = texts
        self._citations = citations
        self._say = say
        self._read = 0
        self._dropped = 0
        self._kept: list[str] = []

    def hear(self, text: str) -> None:
        """Read the sentences that are whole in ``text``, the answer so far."""
        begun = begun_list(text, "sentences")
        self.read([_sentence(one) for one in begun[:MAX_SENTENCES]])

    def read(self, sentences: Sequence[WordedSentence | None]) -> None:
        """Read those of ``sentences``, all that have come, which were not read before."""
        for sentence in sentences[self._read :]:
            self._read += 1
            worded = None if sentence is None else self._made_from(sentence)
            if worded is None or not _holds(self._question, worded):
                self._dropped += 1
                continue
            cited = _cited(worded)
            if cited not in self._kept:
                self._kept.append(cited)
                self._say(cited)

    def checked(self, *failures: str) -> CheckedSentences:
        """Return the sentences that hold; ``failures`` say why no more of them came."""
        reasons = failures if failures or self._kept else (NONE_HELD,)
        return CheckedSentences(tuple(self._kept), self._dropped, reasons)

    def _made_from(self, sentence: WordedSentence) -> ModelSentence:
        numbers = dict.fromkeys(sentence.points)
        used = [number - 1 for number in numbers if 1 <= number <= len(self._texts)]
        cited = tuple(one for number in used for one in self._citations[number])
        evidence = tuple(self._texts[number] for number in used)
        return ModelSentence(sentence.text.strip(), evidence, cited)


def _sentence(element: Any) -> WordedSentence | None:
    """Return an element of a list of sentences, None where it is none."""
    try:
        return WordedSentence.model_validate(element)
    except ValidationError:
        return None


async def choose_facts(
    question: str, facts: Sequence[str], points: Sequence[Point], writer: Writer
) -> CheckedSentences:
    """Return those of ``facts`` that a small model finds most useful besides the first, in one
    call.

    They are sentences of the index; where there is nothing to choose, none. A number that names no
    other fact is dropped and counted. Citations are those of ``points`` that a fact names.
    """
    if len(facts) <= MOST_CHOSEN + 1:
        return CheckedSentences()
    prompt = prompt_within(question, facts)
    writer.watch.step(f"{writer.model.name} chooses what to read next")
    try:
        answer = await writer.model.complete(prompt, ChosenFacts, max_tokens=ANSWER_TOKENS)
    except ModelError as error:
        return CheckedSentences(reasons=(error.reason,))
    numbers = list(dict.fromkeys(answer.parsed.facts))
    chosen = [number for number in numbers if 1 <= number < len(facts)]
    cited = tuple(one for point in points for one in point.citations if one.key != "community")
    worded = [ModelSentence(facts[number], tuple(facts), cited) for number in chosen]
    sentences = tuple(_cited(one) for one in worded)
    return CheckedSentences(
        sentences, len(numbers) - len(chosen), () if sentences else (NONE_HELD,)
    )


async def word_points(
    question: str, headline: str, points: Sequence[Point], writer: Writer
) -> CheckedSentences:
    """Return the sentences that a model makes of the best ``points`` that fit, under ``headline``,
    which is the first of them where it may be shown.

    The watch of ``writer`` gets each that holds as it comes. Where the answer breaks off, those
    that had come stay.
    """
    texts = [strip_references(point.description) for point in points]
    citations = [point.citations for point in points]
    if headline:
        texts.insert(0, headline)
        citations.insert(0, ())
    shown = fitting(texts, budget_tokens=writer.reduce_tokens)
    heard = SentencesHeard(question, texts[:shown], citations[:shown], writer.watch.sentence)
    prompt = reduce_prompt(question, texts[:shown], sentences=writer.profile.findings)
    writer.watch.step(f"{writer.model.name} words the answer")
    try:
        answer = await writer.model.complete(
            prompt, WordedAnswer, max_tokens=writer.answer_tokens, hear=heard.hear
        )
    except ModelError as error:
        return heard.checked(error.reason)
    heard.read(answer.parsed.sentences)
    return heard.checked()


def _holds(question: str, one: ModelSentence) -> bool:
    """Return whether a sentence says no more than its evidence.

    It must state a number of that, or a value that is cited: what states neither cannot be checked.
    """
    if not one.text or not one.evidence:
        return False
    named = any(_names(one.text, cited) for cited in one.citations)
    if not named and not has_number(one.text):
        return False
    evidence = gather_statements(one.evidence, known=[question])
    too_much = verify(one.text, evidence)
    return not too_much


def _names(text: str, citation: Citation) -> bool:
    value = citation.value.lower()
    return value in text.lower()


def _cited(one: ModelSentence) -> str:
    """Return the sentence with those citations that it names, and the communities they come
    from.
    """
    named = []
    for cited in one.citations:
        if cited.key != "community" and not _names(one.text, cited):
            continue
        value = CitedValue(cited.key, cited.value)
        named.append(value)
    distinct = list(dict.fromkeys(named))
    if not distinct:
        return one.text
    reference = format_reference(distinct[:MAX_CITED])
    return f"{one.text} {reference}"

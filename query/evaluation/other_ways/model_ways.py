"""Answers that a model writes from reports: nearest by vector, in batches, one by one.

Nothing that the model writes is checked: these are the other ways, not the product's.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field

from index.errors import ModelError
from index.models.embeddings import embed
from index.models.metered import MeteredModel, Spent
from index.models.protocol import AnswerT, ChatModel, Prompt
from query.evaluation.other_ways.counted import ANSWER_TOKENS
from query.evaluation.other_ways.reports import ReportCorpus, fitting, nearest

MOST_MAPPED: Final = 100_000
"""Tokens of all reports above which no question is asked of every one of them."""
_ANSWER_SYSTEM: Final = (
    "Answer the question from the text only, in at most three sentences. Give the numbers and the "
    "names that the text gives. If the text does not hold the answer, say so."
)
_POINTS_SYSTEM: Final = (
    "Which sentences of the text help to answer the question? Give at most three points with their "
    "numbers and names, each with a score from 0 (no help) to 100. Give none if nothing helps."
)


class WrittenAnswer(BaseModel):
    """An answer in the model's own words."""

    model_config = ConfigDict(extra="forbid")

    answer: Annotated[str, Field(max_length=600)]


class WrittenPoint(BaseModel):
    """What a part of the reports says to a question, and how much it helps (0-100)."""

    model_config = ConfigDict(extra="forbid")

    text: Annotated[str, Field(max_length=300)]
    score: Annotated[int, Field(ge=0, le=100)]


class WrittenPoints(BaseModel):
    """What a model finds in a part of the reports."""

    model_config = ConfigDict(extra="forbid")

    points: Annotated[list[WrittenPoint], Field(max_length=3)]


@dataclass(frozen=True, slots=True)
class FreeAnswer:
    """An answer and all that was shown for it."""

    answer: str
    shown: str


Way = Callable[[str], Awaitable[FreeAnswer]]
"""From a question to what was written for it."""


class ModelWays:
    """Ways of answering from ``reports`` with ``model``, shown ``budget`` tokens at a time.

    ``spent`` and ``failed`` count what all answers so far took, and calls that gave none.
    """

    def __init__(self, reports: ReportCorpus, model: ChatModel, budget: int) -> None:
        self._reports = reports
        self._model = MeteredModel(model)
        self._budget = budget
        self.failed = 0

    @property
    def spent(self) -> Spent:
        """Calls that were answered, and their tokens."""
        return self._model.spent

    def by_name(self) -> Mapping[str, Way]:
        """Return the ways of answering that can be gone in reasonable time."""
        ways: dict[str, Way] = {"vector": self._by_vector}
        if sum(self._reports.tokens) <= MOST_MAPPED:
            ways["batches of reports"] = self._by_batches
            ways["every community"] = self._by_community
        return ways

    async def aclose(self) -> None:
        """Close the model."""
        await self._model.aclose()

    async def _by_vector(self, question: str) -> FreeAnswer:
        (vector,) = embed([question])
        ranking = nearest(self._reports, vector)
        text = fitting(self._reports, ranking, self._budget)
        return await self._answer(question, text)

    async def _by_batches(self, question: str) -> FreeAnswer:
        return await self._map(question, _batches(self._reports, self._budget))

    async def _by_community(self, question: str) -> FreeAnswer:
        return await self._map(question, self._reports.texts)

    async def _map(self, question: str, texts: Sequence[str]) -> FreeAnswer:
        """Return the answer from the points that the model finds in each of ``texts``, the best of
        them first.
        """
        points: list[WrittenPoint] = []
        for text in texts:
            points += await self._points(question, text)
        points.sort(key=lambda point: -point.score)
        read = "\n".join(point.text for point in points if point.score > 0)
        answered = await self._answer(question, read[: 4 * self._budget])
        return FreeAnswer(answered.answer, "\n".join(texts))

    async def _points(self, question: str, text: str) -> list[WrittenPoint]:
        found = await self._complete(_POINTS_SYSTEM, question, text, WrittenPoints)
        return found.points if found else []

    async def _answer(self, question: str, text: str) -> FreeAnswer:
        written = await self._complete(_ANSWER_SYSTEM, question, text, WrittenAnswer)
        return FreeAnswer(written.answer if written else "", text)

    async def _complete(
        self, system: str, question: str, text: str, shape: type[AnswerT]
    ) -> AnswerT | None:
        """Return what the model makes of ``text``; None where it fails, which is counted."""
        prompt = Prompt(system=system, user=f"Text:\n{text}\n\nQuestion: {question}")
        try:
            answer = await self._model.complete(prompt, shape, max_tokens=2 * ANSWER_TOKENS)
        except ModelError:
            self.failed += 1
            return None
        return answer.parsed


def _batches(reports: ReportCorpus, budget: int) -> list[str]:
    """Return the reports in texts of at most ``budget`` tokens, a longer one in a text of its
    own.
    """
    batches: list[list[str]] = []
    left = 0
    for text, tokens in zip(reports.texts, reports.tokens, strict=True):
        if tokens > left:
            batches.append([])
            left = budget
        batches[-1].append(text)
        left -= tokens
    return ["\n".join(batch) for batch in batches]

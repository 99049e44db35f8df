"""A model with recorded answers: it only repeats recorded answers."""

from __future__ import annotations

import json
from typing import Any, Final

from pydantic import ValidationError

from index.errors import ModelJunkError
from index.models.protocol import (
    AnswerT,
    Completion,
    Hear,
    Prompt,
    TokenCount,
    estimate_prompt,
    estimate_tokens,
)
from query.evaluation.recorded_answers import (
    NoRecordedAnswerError,
    RecordedTask,
    Task,
    recorded_answers,
)

REPLAYED: Final = "recorded-70b"
_REMEDY: Final = "write the answer anew: docs/models-tried.md"
TASK_OF: Final[dict[str, Task]] = {
    "Interpreted": "report",
    "RatedCommunities": "map",
    "AnsweredQuestion": "reduce",
    "ProposedRequests": "reading",
    "ChosenTables": "sql",
    "ChosenJoins": "sql",
    "ChosenColumns": "sql",
    "WrittenSql": "sql",
}
"""The task of a prompt, by the name of the schema of its answer."""


class ReplayedModel:
    """Answers from ``recording``; ``missing`` says of each prompt without an answer why."""

    def __init__(self, recording: RecordedTask | None = None) -> None:
        self.name = REPLAYED
        self.recording = recording or RecordedTask(recorded_answers())
        self.missing: list[str] = []

    async def complete(
        self,
        prompt: Prompt,
        schema: type[AnswerT],
        *,
        max_tokens: int,  # noqa: ARG002
        hear: Hear | None = None,
    ) -> Completion[AnswerT]:
        """Return the recorded answer; raises ``ModelJunkError`` where there is none."""
        try:
            found = self._found(prompt, schema.__name__)
            fields = {name: value for name, value in found.items() if name in schema.model_fields}
            parsed = schema.model_validate(fields)
        except (NoRecordedAnswerError, ValidationError) as error:
            self.missing.append(str(error))
            raise ModelJunkError(self.name, str(error), remedy=_REMEDY) from error
        text = json.dumps(fields, ensure_ascii=False)
        if hear is not None:
            hear(text)
        tokens = estimate_prompt(prompt).tokens
        return Completion(parsed, text, tokens, estimate_tokens(text))

    async def count_tokens(self, prompt: Prompt) -> TokenCount:
        """Return about how long ``prompt`` is."""
        return estimate_prompt(prompt)

    async def aclose(self) -> None:
        """Return: there is nothing to close."""

    def _found(self, prompt: Prompt, schema: str) -> dict[str, Any]:
        if schema not in TASK_OF:
            raise NoRecordedAnswerError(f"no answer of the kind {schema} is recorded")
        return self.recording.answer(TASK_OF[schema], prompt.user)

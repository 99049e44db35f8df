"""Replace a model that cannot be reached: only its cached answers can be had."""

from __future__ import annotations

from index.errors import ModelJunkError
from index.models.protocol import AnswerT, Completion, Hear, Prompt, TokenCount, estimate_prompt


class RecordedModel:
    """Takes the place of a model behind its cache, under its name."""

    def __init__(self, name: str) -> None:
        self.name = name

    async def complete(
        self,
        prompt: Prompt,  # noqa: ARG002
        schema: type[AnswerT],  # noqa: ARG002
        *,
        max_tokens: int,  # noqa: ARG002
        hear: Hear | None = None,  # noqa: ARG002
    ) -> Completion[AnswerT]:
        """Raise ``ModelJunkError``: the cache does not have the answer."""
        remedy = "build the index again with it"
        raise ModelJunkError(self.name, "its answer is not in the cache", remedy=remedy)

    async def count_tokens(self, prompt: Prompt) -> TokenCount:
        """Return about how long ``prompt`` is."""
        return estimate_prompt(prompt)

    async def aclose(self) -> None:
        """Return: there is nothing to close."""

"""A model that is not there: what it once answered comes from the cache, and nothing else does."""

from __future__ import annotations

from index.errors import ModelJunkError
from index.models.protocol import AnswerT, Completion, Hear, Prompt, TokenCount, estimate_prompt


class RecordedModel:
    """Stands behind a cache of answers under the name of the model that gave them."""

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
        """Raise ``ModelJunkError``: the answer is not among those kept."""
        remedy = "build the index again with it"
        raise ModelJunkError(self.name, "its answer is not in the cache", remedy=remedy)

    async def count_tokens(self, prompt: Prompt) -> TokenCount:
        """Return about how long ``prompt`` is."""
        return estimate_prompt(prompt)

    async def aclose(self) -> None:
        """Return: there is nothing to close."""

"""The protocol of a chat model: a prompt and a schema in, a parsed answer out.

Everything that words text or scores evidence talks to a ``ChatModel``; which one it is decides
``index.models.choose``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Literal, Protocol, TypedDict, TypeVar

from pydantic import BaseModel

AnswerT = TypeVar("AnswerT", bound=BaseModel)
CHARACTERS_A_TOKEN = 2.6
"""At the fewest, measured on prompts of real reports."""
Hear = Callable[[str], None]
"""Gets the text of an answer so far, each time more of it has come."""


class Message(TypedDict):
    """One turn of a conversation in the form every OpenAI-compatible server takes."""

    role: Literal["system", "user", "assistant"]
    content: str


@dataclass(frozen=True)
class Turn:
    """An example or an earlier exchange: a prompt and its answer."""

    user: str
    assistant: str


@dataclass(frozen=True)
class Prompt:
    """What a model is asked: instructions, solved examples, and the question itself."""

    system: str
    user: str
    turns: tuple[Turn, ...] = ()

    def messages(self) -> list[Message]:
        """Return the conversation, instructions first and the question last."""
        said: list[Message] = [{"role": "system", "content": self.system}]
        for turn in self.turns:
            said.append({"role": "user", "content": turn.user})
            said.append({"role": "assistant", "content": turn.assistant})
        return [*said, {"role": "user", "content": self.user}]

    def follow_up(self, answer: str, user: str) -> Prompt:
        """Return the prompt that goes on after ``answer`` with ``user``."""
        return Prompt(self.system, user, turns=(*self.turns, Turn(self.user, answer)))


@dataclass(frozen=True)
class Completion(Generic[AnswerT]):
    """An answer that satisfies its schema, and what it cost; a cached one cost nothing now."""

    parsed: AnswerT
    text: str
    prompt_tokens: int
    completion_tokens: int
    cached: bool = False


@dataclass(frozen=True)
class TokenCount:
    """Length of a prompt in tokens; ``exact`` where the model's own tokenizer counted it."""

    tokens: int
    exact: bool


class ChatModel(Protocol):
    """A model that answers prompts in JSON."""

    @property
    def name(self) -> str:
        """Name of the model, as reports and the cache record it."""

    async def complete(
        self, prompt: Prompt, schema: type[AnswerT], *, max_tokens: int, hear: Hear | None = None
    ) -> Completion[AnswerT]:
        """Return the answer to ``prompt``, parsed as ``schema``.

        ``hear`` is called with the text so far if the model streams its answer; it is not called
        if the model does not, or if the answer is cached.

        Raises:
            ModelError: one of its subclasses, by cause: unavailable, timeout, rate limit, refusal,
            truncated, junk.
        """

    async def count_tokens(self, prompt: Prompt) -> TokenCount:
        """Return the tokens of ``prompt``, without a tokenizer about one in four characters."""

    async def aclose(self) -> None:
        """Release connections, and the memory of a model in this process, until the next call."""


class WrappedModel:
    """A model around ``inner``, to which it passes on what a subclass does not change."""

    def __init__(self, inner: ChatModel) -> None:
        self.inner = inner

    @property
    def name(self) -> str:
        """Name of the model inside."""
        return self.inner.name

    async def count_tokens(self, prompt: Prompt) -> TokenCount:
        """Return the length of ``prompt``; see ``ChatModel.count_tokens``."""
        return await self.inner.count_tokens(prompt)

    async def aclose(self) -> None:
        """Close the model."""
        await self.inner.aclose()


def estimate_tokens(text: str) -> int:
    """Return about how many tokens ``text`` has: four characters each, as usual for English.

    >>> estimate_tokens("Rhinolophus affinis")
    5
    """
    return math.ceil(len(text) / 4)


def longest_tokens(text: str) -> int:
    """Return how many tokens ``text`` has at most, for any tokenizer of a small model.

    Names and numbers take more tokens than prose: 2.6 characters each, measured on real reports.

    >>> longest_tokens("Rhinolophus affinis")
    8
    """
    return math.ceil(len(text) / CHARACTERS_A_TOKEN)


def content_tokens(prompt: Prompt) -> int:
    """Return about how many tokens the messages of ``prompt`` have."""
    return sum(estimate_tokens(message["content"]) for message in prompt.messages())


def estimate_prompt(prompt: Prompt) -> TokenCount:
    """Return about how many tokens ``prompt`` has, with four more for each message."""
    return TokenCount(content_tokens(prompt) + 4 * len(prompt.messages()), exact=False)


def json_schema(schema: type[BaseModel]) -> dict[str, Any]:
    """Return the JSON schema of an answer, without titles, which cost tokens and say nothing."""
    shape: dict[str, Any] = _without_titles(schema.model_json_schema())
    return shape


def _without_titles(node: Any) -> Any:
    if isinstance(node, list):
        return [_without_titles(item) for item in node]
    if not isinstance(node, dict):
        return node
    return {
        k: _without_titles(v) for k, v in node.items() if k != "title" or not isinstance(v, str)
    }

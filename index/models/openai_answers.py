"""Answers in the OpenAI protocol: what they say, parsed, or why they say nothing."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError

from index.errors import (
    ModelJunkError,
    ModelRefusalError,
    ModelTruncatedError,
)
from index.models.protocol import (
    AnswerT,
)
from index.models.transport import (
    without,
)

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletion


_NO_COMPLETION: Final = "the server's answer is not a chat completion"
_THINKS: Final = "<think>"
_THOUGHT: Final = "</think>"
MOST_SAID: Final = 200
"""Characters of what a server says that are shown."""


def parse_answer(text: str, schema: type[AnswerT], *, model: str) -> AnswerT:
    """Return ``text`` as ``schema``; thinking before the JSON and fences around it are let pass.

    Raises:
        ModelJunkError: no JSON object in it, or one of another shape.
    """
    answer = answer_part(text)
    end = answer.rfind("}") + 1
    try:
        return schema.model_validate_json(answer[:end])
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        reason = f"answer is not the JSON asked for: {where} {first['msg']}"
        raise ModelJunkError(model, reason.strip()) from error


def answer_part(text: str) -> str:
    """Return ``text`` from its first brace on, without the thinking before it.

    >>> answer_part('<think>{?}</think> So: {"facts": [1]'), answer_part("<think>{?")
    ('{"facts": [1]', '')
    """
    if _THINKS in text and _THOUGHT not in text:
        return ""
    answer = text.rpartition(_THOUGHT)[2]
    _, brace, rest = answer.partition("{")
    return brace + rest


def checked_answer(read: Callable[[], Any], *, model: str) -> ChatCompletion:
    """Return what ``read`` makes of a body; raises ``ModelJunkError`` where it is no answer."""
    import openai

    try:
        answer = read()
    except (openai.OpenAIError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise ModelJunkError(model, _NO_COMPLETION) from error
    if not isinstance(answer, openai.types.chat.ChatCompletion):
        raise ModelJunkError(model, _NO_COMPLETION)
    return answer


def content_of(answer: ChatCompletion, model: str, *, secrets: tuple[str, ...] = ()) -> str:
    """Return what the model said; raise where it refused, was cut off or said nothing."""
    choices = getattr(answer, "choices", None)
    if not isinstance(choices, list) or not choices:
        raise ModelJunkError(model, "the answer holds no choice")
    choice = choices[0]
    message = getattr(choice, "message", None)
    refusal = getattr(message, "refusal", None)
    if refusal:
        said = without(str(refusal), secrets)[:MOST_SAID]
        raise ModelRefusalError(model, f"refused: {said}")
    finished = getattr(choice, "finish_reason", None)
    if finished == "content_filter":
        raise ModelRefusalError(model, "the content filter cut the answer")
    if finished == "length":
        raise ModelTruncatedError(model, "the answer ran into max_tokens")
    content = getattr(message, "content", None)
    if not content:
        raise ModelJunkError(model, "the answer is empty")
    if not isinstance(content, str):
        raise ModelJunkError(model, "the answer is not text")
    return content


def yes_and_no(answer: ChatCompletion) -> dict[str, float]:
    """Return the probability of yes and of no as the first token.

    Raises ``AttributeError``, ``TypeError``, ``IndexError`` or ``OverflowError`` where the answer
    has no probabilities of tokens.
    """
    logprobs: Any = answer.choices[0].logprobs
    mass = {"yes": 0.0, "no": 0.0}
    for token in logprobs.content[0].top_logprobs:
        word = token.token.strip().lower()
        if word in mass:
            mass[word] += math.exp(min(token.logprob, 0.0))
    return mass

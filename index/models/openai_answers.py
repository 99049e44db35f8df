"""Answers in the OpenAI protocol: what they say, parsed, or why they say nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError

from index.errors import ModelJunkError, ModelRefusalError, ModelTruncatedError
from index.models.openai_errors import MOST_SAID, error_text, stated_error
from index.models.protocol import AnswerT
from index.models.transport import without

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletion


_NO_COMPLETION: Final = "the server's answer is not a chat completion"
_THINKS: Final = "<think>"
_THOUGHT: Final = "</think>"
_MESSAGE: Final = "<|message|>"
"""Markers before the messages of gpt-oss, the last of which is the answer."""
_WEB_PAGE: Final = "the server answers with a web page"
_PAGE_REMEDY: Final = "correct OPENAI_BASE_URL; it mostly ends in /v1"
_REASONS_ONLY: Final = "the model wrote its reasoning and no answer"
_REASONS_REMEDY: Final = (
    "switch its reasoning off where it is served, or name another: VIROME_MODEL"
)
_REASONING: Final = ("reasoning_content", "reasoning")
_MOST_OBJECTS: Final = 20
"""Objects that are searched for the requested one."""
_DECODER: Final = json.JSONDecoder(strict=False)


def parse_answer(text: str, schema: type[AnswerT], *, model: str) -> AnswerT:
    """Return the first JSON object in ``text`` that is a ``schema``.

    Thinking, prose and fences around it are let pass, and whatever follows it.

    Raises:
        ModelJunkError: no JSON object in it, or one of another shape.
    """
    answer = answer_part(text)
    first_error: ValidationError | None = None
    for found in _objects(answer):
        try:
            return schema.model_validate_json(found)
        except ValidationError as error:
            first_error = first_error or error
    if not answer:
        said = " ".join(text.split())[:MOST_SAID]
        raise ModelJunkError(model, f"the answer contains no JSON object: {said}")
    if first_error is None:
        try:
            return schema.model_validate_json(answer)
        except ValidationError as error:
            first_error = error
    first = first_error.errors(include_url=False, include_context=False)[0]
    where = ".".join(str(part) for part in first["loc"])
    reason = f"answer is not the expected JSON: {where} {first['msg']}"
    raise ModelJunkError(model, reason.strip()) from first_error


def answer_part(text: str) -> str:
    """Return ``text`` from its first brace on, without the thinking before or after it.

    >>> answer_part('<think>{?}</think> So: {"facts": [1]'), answer_part("<think>{?")
    ('{"facts": [1]', '')
    >>> answer_part('{"facts": []}<think>{?'), answer_part('{?}</think>{"facts": []}')
    ('{"facts": []}', '{"facts": []}')
    """
    before, *thoughts = text.rpartition(_MESSAGE)[2].split(_THINKS)
    spoken = before + "".join(thought.partition(_THOUGHT)[2] for thought in thoughts)
    unmarked, _, answer = spoken.rpartition(_THOUGHT)
    if "{" not in answer:
        answer = unmarked
    _, brace, rest = answer.partition("{")
    return brace + rest


def _objects(text: str) -> Iterator[str]:
    """Yield the JSON objects in ``text`` that are whole, one after another."""
    start = 0
    for _ in range(_MOST_OBJECTS):
        start = text.find("{", start)
        if start < 0:
            return
        try:
            _, end = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            start += 1
            continue
        yield text[start:end]
        start = end


def checked_answer(read: Callable[[], Any], *, model: str) -> ChatCompletion:
    """Return what ``read`` makes of a body; raises ``ModelJunkError`` if it is not an answer."""
    import openai

    try:
        answer = read()
    except json.JSONDecodeError as error:
        raise _no_completion(error.doc, model) from error
    except (openai.OpenAIError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise ModelJunkError(model, _NO_COMPLETION) from error
    if not isinstance(answer, openai.types.chat.ChatCompletion):
        raise _no_completion(answer, model)
    return answer


def _no_completion(body: object, model: str) -> ModelJunkError:
    """Return the error for a body that is not an answer: usually a web page at a wrong address."""
    if isinstance(body, str) and body.lstrip().startswith("<"):
        return ModelJunkError(model, _WEB_PAGE, remedy=_PAGE_REMEDY)
    return ModelJunkError(model, _NO_COMPLETION)


def content_of(answer: ChatCompletion, model: str, *, secrets: tuple[str, ...] = ()) -> str:
    """Return the text of the answer; raise if it was refused, cut off or empty."""
    choices = getattr(answer, "choices", None)
    choice = choices[0] if isinstance(choices, list) and choices else None
    said = error_text(getattr(answer, "error", None)) or error_text(getattr(choice, "error", None))
    if said:
        raise stated_error(without(said, secrets), model, otherwise="the server fails")
    if choice is None:
        raise ModelJunkError(model, "the answer contains no choice")
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
    content = _joined(getattr(message, "content", None))
    if not content and any(getattr(message, name, None) for name in _REASONING):
        raise ModelJunkError(model, _REASONS_ONLY, remedy=_REASONS_REMEDY)
    if not content:
        raise ModelJunkError(model, "the answer is empty")
    if not isinstance(content, str):
        raise ModelJunkError(model, "the answer is not text")
    return content


def _joined(content: Any) -> Any:
    """Return the text of an answer that came in parts; anything else as it is."""
    if not isinstance(content, list):
        return content
    texts = [part.get("text") for part in content if isinstance(part, dict)]
    return "".join(text for text in texts if isinstance(text, str)) or content

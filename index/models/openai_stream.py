"""Read the answer of an OpenAI-compatible endpoint while it streams.

Callers must check the pieces themselves: a part of an answer need not be a valid one.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import httpx2
from pydantic_core import from_json

from index.errors import ModelJunkError, ModelTimeoutError, ModelUnavailableError
from index.models.openai_answers import answer_part
from index.models.openai_errors import error_text, stated_error
from index.models.transport import AnswerTooLargeError, without

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from openai.lib.streaming.chat import ChatCompletionStreamState
    from openai.types.chat import ChatCompletion, ChatCompletionChunk

    from index.models.protocol import Hear

EVENT_STREAM: Final = "text/event-stream"
_DONE: Final = b"[DONE]"
STREAMED: Final[dict[str, Any]] = {"stream": True, "stream_options": {"include_usage": True}}
"""What a request adds that asks for its answer piece by piece, and for its tokens at the end."""


def is_stream(headers: httpx2.Headers) -> bool:
    """Return whether a server streams its answer; some send it whole all the same."""
    kind: str = headers.get("content-type", "")
    return kind.lower().startswith(EVENT_STREAM)


def answer_in(body: bytes) -> ChatCompletion:
    """Return the answer in ``body``; raises ``ValueError`` or ``TypeError`` where it holds none."""
    from openai.types.chat import ChatCompletion

    return ChatCompletion.construct(**json.loads(body))


async def heard_stream(
    response: httpx2.Response, hear: Hear, *, model: str, secrets: tuple[str, ...]
) -> ChatCompletion:
    """Return the whole answer of a stream, and call ``hear`` with the text so far after each piece.

    Events that are not pieces of an answer, such as those that only keep the connection open, are
    skipped.

    Raises:
        ModelTimeoutError: nothing comes for too long.
        ModelUnavailableError: the connection breaks before the end, or the server says it fails.
        ModelJunkError: what comes is not pieces of an answer.
    """
    from openai.lib.streaming.chat import ChatCompletionStreamState

    state = ChatCompletionStreamState()
    pieces = 0
    try:
        async for record in _records(response):
            said = error_text(record.get("error"))
            if said:
                raise stated_error(without(said, secrets), model, otherwise="the server fails")
            if not isinstance(record.get("choices"), list):
                continue
            state.handle_chunk(_piece(record))
            pieces += 1
            hear(without(_text_so_far(state), secrets))
    except AnswerTooLargeError as error:
        raise ModelJunkError(model, str(error)) from error
    except httpx2.TimeoutException as error:
        raise ModelTimeoutError(model, "no answer within the time limit") from error
    except httpx2.HTTPError as error:
        raise ModelUnavailableError(model, "its answer broke off") from error
    except (AttributeError, LookupError, TypeError, ValueError, RuntimeError) as error:
        raise ModelJunkError(
            model, "the server's answer is not a stream of a completion"
        ) from error
    finally:
        await response.aclose()
    if not pieces:
        raise ModelJunkError(model, "the stream contains no answer")
    return state.current_completion_snapshot


def _piece(record: dict[str, Any]) -> ChatCompletionChunk:
    """Return a piece of an answer; a choice that adds nothing may lack its delta."""
    from openai.types.chat import ChatCompletionChunk

    choices = [{"index": 0, "delta": {}, **choice} for choice in record["choices"]]
    return ChatCompletionChunk.construct(**{**record, "choices": choices})


async def _records(response: httpx2.Response) -> AsyncIterator[dict[str, Any]]:
    """Yield the JSON objects that the events of ``response`` carry, up to its end or ``[DONE]``.

    Raises ``ValueError`` where an object is cut.
    """
    data: list[bytes] = []
    async for line in _lines(response):
        field, _, value = line.partition(b":")
        if field == b"data":
            data.append(value.removeprefix(b" "))
        if line:
            continue
        carried, data = b"\n".join(data).strip(), []
        if carried.startswith(_DONE):
            return
        if carried.startswith(b"{"):
            yield json.loads(carried)


async def _lines(response: httpx2.Response) -> AsyncIterator[bytes]:
    """Yield the lines of ``response``, and an empty one at the end, which ends its last event."""
    rest = b""
    async for chunk in response.aiter_bytes():
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            yield line.removesuffix(b"\r")
    yield rest.removesuffix(b"\r")
    yield b""


def _text_so_far(state: ChatCompletionStreamState) -> str:
    choices = state.current_completion_snapshot.choices
    content = choices[0].message.content if choices else None
    return content if isinstance(content, str) else ""


def begun_list(text: str, field: str) -> list[Any]:
    """Return the elements of the list ``field`` that are whole in the begun JSON object ``text``.

    The last one begun is left out: more of it may come.

    >>> begun_list('{"sentences": ["One.", "Tw', "sentences")
    ['One.']
    >>> begun_list('{"sentences": "', "sentences"), begun_list("<think>{}", "sentences")
    ([], [])
    """
    try:
        begun = from_json(answer_part(text), allow_partial="trailing-strings")
    except ValueError:
        return []
    elements = begun.get(field) if isinstance(begun, dict) else None
    return elements[:-1] if isinstance(elements, list) else []

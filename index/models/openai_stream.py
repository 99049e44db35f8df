"""An answer in the OpenAI protocol that comes piece by piece, heard while it comes.

What is heard is checked by whoever hears it: a piece of an answer is no answer yet.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import httpx2
from pydantic_core import from_json

from index.errors import ModelJunkError, ModelUnavailableError
from index.models.openai_answers import answer_part
from index.models.transport import AnswerTooLargeError, without

if TYPE_CHECKING:
    from openai import AsyncStream
    from openai.lib.streaming.chat import ChatCompletionStreamState
    from openai.types.chat import ChatCompletion, ChatCompletionChunk

    from index.models.protocol import Hear

EVENT_STREAM: Final = "text/event-stream"
STREAMED: Final[dict[str, Any]] = {"stream": True, "stream_options": {"include_usage": True}}
"""What a request adds that asks for its answer piece by piece, and for its tokens at the end."""


def is_stream(headers: httpx2.Headers) -> bool:
    """Return whether a server sends what it was asked for: one that cannot sends a whole answer."""
    kind: str = headers.get("content-type", "")
    return kind.lower().startswith(EVENT_STREAM)


def answer_in(body: bytes) -> ChatCompletion:
    """Return the answer in ``body``; raises ``ValueError`` or ``TypeError`` where it holds none."""
    from openai.types.chat import ChatCompletion

    return ChatCompletion.construct(**json.loads(body))


async def heard_stream(
    stream: AsyncStream[ChatCompletionChunk], hear: Hear, *, model: str, secrets: tuple[str, ...]
) -> ChatCompletion:
    """Return the whole answer of ``stream``, after ``hear`` got its text so far with each piece.

    Raises:
        ModelUnavailableError: the connection breaks before the end.
        ModelJunkError: what comes are no pieces of an answer.
    """
    import openai
    from openai.lib.streaming.chat import ChatCompletionStreamState

    state = ChatCompletionStreamState()
    pieces = 0
    try:
        async with stream:
            async for piece in stream:
                state.handle_chunk(piece)
                pieces += 1
                hear(without(_text_so_far(state), secrets))
    except openai.APITimeoutError:
        raise
    except (openai.APIConnectionError, httpx2.HTTPError) as error:
        cause = error.__cause__ or error
        if isinstance(cause, AnswerTooLargeError):
            raise ModelJunkError(model, str(cause)) from error
        raise ModelUnavailableError(model, "its answer broke off") from error
    except (AttributeError, IndexError, TypeError, ValueError, RuntimeError) as error:
        raise ModelJunkError(model, "the server's answer is no stream of a completion") from error
    if not pieces:
        raise ModelJunkError(model, "the stream holds no answer")
    return state.current_completion_snapshot


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

"""The cause of a failed call to an OpenAI-compatible endpoint, as one of our ``ModelError``s.

Servers say what is wrong in bodies of many shapes, and with any status: 200 and 500 as well as 400.
So the words decide where they are plain, and the status where they are not.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from index.errors import (
    ModelError,
    ModelJunkError,
    ModelRateLimitError,
    ModelRefusalError,
    ModelTimeoutError,
    ModelTruncatedError,
    ModelUnavailableError,
)
from index.models.transport import AnswerTooLargeError, shown_address

if TYPE_CHECKING:
    import openai

MOST_SAID: Final = 200
"""Characters of what a server says that are shown."""
_DEEPEST: Final = 6
_WORDED_AS: Final = ("message", "error", "detail", "msg", "errors", "error_description", "title")
_TOO_LONG: Final = re.compile(
    r"context[ _-]?(length|size|window)|context .{0,20}overflow|maximum context"
    r"|(prompt|input|request)\b.{0,60}\b(too long|longer than)|too many tokens"
    r"|token count .{0,30}exceeds|maximum (number of tokens|model length)"
    r"|`inputs` tokens",
    re.IGNORECASE,
)
_FILTERED: Final = re.compile(r"content[ _-]?(filter|policy|management)", re.IGNORECASE)
_LOADING: Final = re.compile(
    r"loading (the )?model|(still|currently|being|is) load(ing|ed)|warming up", re.IGNORECASE
)
_SHAPED: Final = re.compile(
    r"response_format|json_schema|json schema|additionalProperties|\bgrammar\b|structured output",
    re.IGNORECASE,
)
_LONGER_CONTEXT: Final = (
    "give the model a larger context where it is served (llama.cpp: -c, Ollama: num_ctx, vLLM: "
    "--max-model-len), or name one that has it: VIROME_MODEL"
)
_OPTIONAL: Final = (
    "response_format", "json_object", "seed", "temperature", "max_tokens", "stream_options",
    "stream",
)  # fmt: skip
_BAD_REQUEST: Final = (400, 422)
_PAY: Final = "top the account up, or run with --no-llm"
_FORBIDDEN: Final = {
    401: ("the key is refused", "set OPENAI_API_KEY, or run with --no-llm"),
    402: ("the account has to be paid for", _PAY),
    403: (
        "the server does not allow it",
        "check what OPENAI_API_KEY may use, or run with --no-llm",
    ),
}
"""What a status says, and what to do."""
_UNCONNECTED: Final = (
    (r"name or service not known|nodename nor servname|getaddrinfo|name resolution",
     "no machine is called so", "correct OPENAI_BASE_URL"),
    (r"ssl|certificate|tls",
     "no secure connection is possible",
     "try http:// in OPENAI_BASE_URL, or trust its certificate"),
    (r"refused|all connection attempts failed|unreachable|no route",
     "nothing listens there", "start the server, or correct OPENAI_BASE_URL"),
    (r"illegal|malformed|invalid http",
     "no model server listens there", "correct OPENAI_BASE_URL"),
    (r"", "the connection broke before the answer was whole",
     "look into the log of the server, and run again"),
)  # fmt: skip
"""Words of a failed connection, what they mean, and what to do."""


def model_error(error: openai.OpenAIError, model: str) -> ModelError:
    """Return the ``ModelError`` of a client error, by cause."""
    import openai

    match error:
        case openai.APITimeoutError():
            return ModelTimeoutError(model, "no answer within the time limit")
        case openai.APIConnectionError() if isinstance(error.__cause__, AnswerTooLargeError):
            return ModelJunkError(model, str(error.__cause__))
        case openai.APIConnectionError():
            return _unconnected(error, model)
        case openai.RateLimitError() if error.code == "insufficient_quota":
            return ModelUnavailableError(model, "the account's quota is spent", remedy=_PAY)
        case openai.RateLimitError():
            seconds = _retry_after_s(error)
            reason = _with_words("rate limit reached", error)
            remedy = "run again later" if seconds is None else f"run again in {seconds:.0f} s"
            return ModelRateLimitError(model, reason, retry_after_s=seconds, remedy=remedy)
        case openai.NotFoundError():
            return _not_found(error, model)
        case openai.APIStatusError() if error.status_code in _FORBIDDEN:
            reason, remedy = _FORBIDDEN[error.status_code]
            return ModelUnavailableError(model, _with_words(reason, error), remedy=remedy)
        case openai.APIStatusError() if error.response.has_redirect_location:
            return _redirected(error, model)
        case openai.APIStatusError() if error.status_code < 500:
            return stated_error(_all_said(error), model, otherwise="the server refuses the request")
        case openai.APIStatusError():
            failed = f"the server fails with status {error.status_code}"
            return stated_error(_all_said(error), model, otherwise=failed)
        case openai.APIResponseValidationError():
            return ModelJunkError(model, "the server's answer is not a chat completion")
        case openai.APIError():
            return stated_error(_all_said(error), model, otherwise="the server fails")
        case _:
            return ModelUnavailableError(model, f"{type(error).__name__}: {error}")


def _unconnected(error: openai.APIConnectionError, model: str) -> ModelUnavailableError:
    """Return the error of a connection that could not be made or broke, by what its cause says."""
    words = str(error.__cause__ or error).lower()
    _, reason, remedy = next(row for row in _UNCONNECTED if re.search(row[0], words))
    address = shown_address(str(error.request.url))
    return ModelUnavailableError(
        model, f"{reason}: {address}", remedy=f"{remedy}; or run with --no-llm"
    )


def _not_found(error: openai.NotFoundError, model: str) -> ModelUnavailableError:
    """Return the error of a model that the server does not have, or of an address without one."""
    said = _all_said(error)
    if "model" in said.lower():
        remedy = "load it on the server, or name one that it has: VIROME_MODEL"
        return ModelUnavailableError(
            model, f"the server has no such model: {said[:MOST_SAID]}", remedy=remedy
        )
    address = shown_address(str(error.request.url))
    remedy = "correct OPENAI_BASE_URL; it mostly ends in /v1"
    return ModelUnavailableError(model, f"no model is served at {address}", remedy=remedy)


def _with_words(reason: str, error: openai.APIStatusError) -> str:
    """Return ``reason`` with what the server says of it."""
    said = _all_said(error)[:MOST_SAID]
    return f"{reason}: {said}" if said else reason


def stated_error(said: str, model: str, *, otherwise: str) -> ModelError:
    """Return the error for the cause in ``said``, or ``otherwise`` with that text."""
    shown = said[:MOST_SAID]
    if _FILTERED.search(said):
        return ModelRefusalError(model, f"the content filter refused the prompt: {shown}")
    if _TOO_LONG.search(said):
        reason = f"the prompt is longer than the model's context: {shown}"
        return ModelTruncatedError(model, reason, remedy=_LONGER_CONTEXT)
    if _LOADING.search(said):
        reason = f"its server is still loading it: {shown}"
        return ModelUnavailableError(model, reason, remedy="wait until it is loaded, and run again")
    return ModelUnavailableError(model, f"{otherwise}: {shown}" if shown else otherwise)


def error_text(body: object, *, depth: int = 0) -> str:
    """Return what the body of an error says, whatever its shape: OpenAI's, FastAPI's, a list, text.

    >>> error_text({"error": {"code": 503, "message": "Loading model"}})
    'Loading model'
    >>> error_text([{"error": {"message": "no"}}]), error_text({"error": "too long"})
    ('no', 'too long')
    >>> error_text({"detail": [{"loc": ["body", "seed"], "msg": "extra"}]})
    'body.seed: extra'
    """
    if depth > _DEEPEST:
        return ""
    if isinstance(body, str):
        text = " ".join(body.split())
        return "" if text.startswith("<") else text
    if isinstance(body, list):
        said = (error_text(element, depth=depth + 1) for element in body)
        return "; ".join(text for text in said if text)
    if not isinstance(body, dict):
        return ""
    values = (error_text(body.get(name), depth=depth + 1) for name in _WORDED_AS)
    text = next((value for value in values if value), "")
    return f"{_place(body['loc'])}: {text}" if text and "loc" in body else text


def is_loading(error: openai.APIStatusError) -> bool:
    """Return whether the server has not loaded its model yet."""
    return error.status_code >= 500 and _LOADING.search(_all_said(error)) is not None


def refused_parameter(error: ModelError, known: set[str]) -> str | None:
    """Return the optional parameter that a server refuses; None where something else is wrong.

    What is in ``known`` was refused before.
    """
    import openai

    if type(error) is not ModelUnavailableError:
        return None
    cause = error.__cause__
    named = error.reason
    if isinstance(cause, openai.APIStatusError):
        named = f"{cause.param or ''} {_all_said(cause)}"
        fails_on_shape = cause.status_code >= 500 and _SHAPED.search(named) is not None
        if cause.status_code not in _BAD_REQUEST and not fails_on_shape:
            return None
    elif cause is not None:
        return None
    for parameter in _OPTIONAL:
        is_shape = parameter in ("response_format", "json_object")
        mentioned = _SHAPED.search(named) is not None if is_shape else parameter in named
        if mentioned and parameter not in known:
            return parameter
    return None


def _all_said(error: openai.APIError) -> str:
    """Return the code, the type and the words of ``error``."""
    said = error_text(error.body)
    named = (name for name in (error.code, error.type) if isinstance(name, str))
    marks = " ".join(name for name in named if not name.isdecimal() and name not in said)
    if not said and error.body is None:
        said = error.message
    return f"{said} ({marks})" if said and marks else said or marks


def _place(parts: Any) -> str:
    return ".".join(str(part) for part in parts) if isinstance(parts, list) else str(parts)


def _redirected(error: openai.APIStatusError, model: str) -> ModelUnavailableError:
    """Return the error of an endpoint that sends its caller elsewhere; nothing was sent there."""
    target = error.response.headers["location"]
    host = urlsplit(target).netloc or urlsplit(str(error.request.url)).netloc
    remedy = "set OPENAI_BASE_URL to where the model is, or run with --no-llm"
    return ModelUnavailableError(
        model, f"its server redirects to {host}, and no redirect is followed", remedy=remedy
    )


def _retry_after_s(error: openai.RateLimitError) -> float | None:
    try:
        return float(error.response.headers["retry-after"])
    except (KeyError, ValueError):
        return None

"""The cause of a failed call to an OpenAI-compatible endpoint, as one of our ``ModelError``s."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final
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

_TOO_LONG: Final = re.compile(
    r"context[ _](length|size|window)|too many tokens|maximum context", re.IGNORECASE
)
_FILTERED: Final = re.compile(r"content[ _-]?(filter|policy|management)", re.IGNORECASE)


def model_error(error: openai.OpenAIError, model: str) -> ModelError:
    """Return the ``ModelError`` of a client error, by cause."""
    import openai

    match error:
        case openai.APITimeoutError():
            return ModelTimeoutError(model, "no answer within the time limit")
        case openai.APIConnectionError() if isinstance(error.__cause__, AnswerTooLargeError):
            return ModelJunkError(model, str(error.__cause__))
        case openai.APIConnectionError():
            remedy = "start the server, correct OPENAI_BASE_URL, or run with --no-llm"
            return ModelUnavailableError(
                model, f"nothing listens at {shown_address(str(error.request.url))}", remedy=remedy
            )
        case openai.RateLimitError() if error.code == "insufficient_quota":
            return ModelUnavailableError(
                model, "the account's quota is spent", remedy="top it up, or run with --no-llm"
            )
        case openai.RateLimitError():
            return ModelRateLimitError(
                model, "rate limit reached", retry_after_s=_retry_after_s(error)
            )
        case openai.AuthenticationError() | openai.PermissionDeniedError():
            return ModelUnavailableError(
                model, "the key is refused", remedy="set OPENAI_API_KEY, or run with --no-llm"
            )
        case openai.NotFoundError():
            return ModelUnavailableError(
                model, "no such model or path", remedy="correct VIROME_MODEL, OPENAI_BASE_URL"
            )
        case openai.APIStatusError() if error.response.has_redirect_location:
            return _redirected(error, model)
        case openai.APIStatusError() if error.status_code < 500:
            return _bad_request(error, model)
        case openai.APIStatusError():
            return ModelUnavailableError(model, f"the server fails with status {error.status_code}")
        case openai.APIResponseValidationError():
            return ModelJunkError(model, "the server's answer is not a chat completion")
        case _:
            return ModelUnavailableError(model, f"{type(error).__name__}: {error}")


def _redirected(error: openai.APIStatusError, model: str) -> ModelUnavailableError:
    """Return the error of an endpoint that sends its caller elsewhere; nothing was sent there."""
    target = error.response.headers["location"]
    host = urlsplit(target).netloc or urlsplit(str(error.request.url)).netloc
    remedy = "set OPENAI_BASE_URL to where the model is, or run with --no-llm"
    return ModelUnavailableError(
        model, f"its server redirects to {host}, and no redirect is followed", remedy=remedy
    )


def _bad_request(error: openai.APIStatusError, model: str) -> ModelError:
    said = f"{error.code or ''} {error.type or ''} {error.message}"
    if _FILTERED.search(said):
        return ModelRefusalError(model, "the content filter refused the prompt")
    if _TOO_LONG.search(said):
        return ModelTruncatedError(model, "the prompt is longer than the model's context")
    return ModelUnavailableError(model, f"the server refuses the request: {error.message[:200]}")


def _retry_after_s(error: openai.RateLimitError) -> float | None:
    try:
        return float(error.response.headers["retry-after"])
    except (KeyError, ValueError):
        return None

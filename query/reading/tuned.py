"""Questions said in canonical English by the embedded 135M, tuned for this one task.

The question goes in with its names masked, canonical English comes out, and only what reads back
as a request counts. The adapter (``data/reader.gguf``) was tuned on pairs of masked questions and
canonical English (``python -m query.reading.tune``); without the model or the adapter nothing is
read so. Decision 0303.
"""

from __future__ import annotations

import functools
import math
import secrets
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from query.reading.canonical import read_canonical
from query.reading.masking import MaskedQuestion, unmasked
from query.reading.wordings import NONE
from query.request import Request

if TYPE_CHECKING:
    import xllamacpp

ADAPTER: Final = Path(__file__).parent / "data" / "reader.gguf"
CONTEXT_TOKENS: Final = 1024
MOST_TOKENS: Final = 240
BETWEEN: Final = " + "
"""What stands between two requests of one question."""
_LOCK: Final = threading.Lock()


@dataclass(frozen=True, slots=True)
class TunedReading:
    """What the model made of a question, and how sure it is.

    ``requests`` are empty where it declines; ``share`` is the probability of what it said, of
    several requests that of the least likely;
    ``repeats`` says that it said one request twice, so that a part of the question is lost.
    """

    requests: tuple[Request, ...]
    share: float
    repeats: bool = False


def read_tuned(question: MaskedQuestion) -> TunedReading | None:
    """Return what the tuned model reads, nothing where it says no request; None without it."""
    answer = _said(question.text)
    if answer is None:
        return None
    said, share = answer
    if said == NONE:
        return TunedReading((), share)
    requests: list[Request] = []
    for sentence in said.split(BETWEEN):
        request = read_canonical(sentence)
        named = unmasked(request, question.names) if request is not None else None
        if named is None:
            return TunedReading((), 0.0)
        requests.append(named)
    distinct = tuple(dict.fromkeys(requests))
    return TunedReading(distinct, share, repeats=len(distinct) < len(requests))


def prompted(text: str) -> str:
    """Return the prompt in which a masked question is put, when it is tuned and when it is read."""
    return f"Q: {text}\nA:"


@functools.lru_cache(maxsize=1_000)
def _said(text: str) -> tuple[str, float] | None:
    """Return what the model says of a masked question, and how likely that is; None without it."""
    server = _server()
    if server is None:
        return None
    asked: dict[str, Any] = {
        "prompt": prompted(text),
        "n_predict": MOST_TOKENS,
        "temperature": 0.0,
        "stop": ["\n"],
        "n_probs": 1,
        "cache_prompt": False,
    }
    with _LOCK:
        answer = server.handle_completions(asked)["choices"][0]
    tokens = [(token["token"], token["logprob"]) for token in answer["logprobs"]["content"]]
    return str(answer["text"]).strip(), least_likely(tokens)


def least_likely(tokens: Sequence[tuple[str, float]]) -> float:
    """Return the probability of the least likely of several requests, of their tokens and
    logarithms: each is to be right, however many are asked.

    >>> round(least_likely([("How", -0.1), (" many", 0.0), (" +", 0.0), (" List", -0.5)]), 2)
    0.61
    """
    sums = [0.0]
    for token, logarithm in tokens:
        if token.strip() == BETWEEN.strip():
            sums.append(0.0)
        sums[-1] += logarithm
    return math.exp(min(sums))


@functools.cache
def _server() -> xllamacpp.Server | None:
    """Return the model with its adapter, or None where one of them is not installed."""
    from index.errors import ModelUnavailableError
    from index.models.embedded import bundled_gguf, serve_gguf

    path = bundled_gguf()
    if path is None or not ADAPTER.exists():
        return None
    key = secrets.token_hex(16)
    try:
        return serve_gguf(
            path, context_tokens=CONTEXT_TOKENS, api_key=key, adapter=ADAPTER, threads=1
        )
    except ModelUnavailableError:
        return None

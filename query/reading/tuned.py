"""Questions said in canonical English by the embedded 135M, tuned for this one task.

The question goes in with its names masked, canonical English comes out, and only what reads back
as a request counts. The adapter (``data/reader.gguf``) was tuned on pairs of masked questions and
canonical English (``python -m query.reading.tune``); without the model or the adapter nothing is
read so. Decision 0304.
"""

from __future__ import annotations

import functools
import secrets
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from query.reading.canonical import read_canonical
from query.reading.likeliest import END, LikelyToken, likeliest_texts, likelihood, text_of
from query.reading.masking import MaskedQuestion, unmasked
from query.reading.wordings import NONE
from query.request import Evidence, Request

if TYPE_CHECKING:
    import xllamacpp

ADAPTER: Final = Path(__file__).parent / "data" / "reader.gguf"
CONTEXT_TOKENS: Final = 1024
MOST_TOKENS: Final = 240
MOST_TRIES: Final = 6
"""Most texts that are completed for a question."""
BEHIND: Final = [f"{END}{turn}" for turn in ("system", "user", "ass", END)]
"""What the model says after the end of a text: stopping there would hide its probability.
"""
OTHERS: Final = 3
"""Number of other tokens that are considered in the place of each."""
LEAST: Final = 0.03
"""Minimum probability of the beginning of a text for it to be completed."""
CERTAIN: Final = 0.8
"""From this probability of a text on, no other is looked for, if it leaves nothing out."""
BETWEEN: Final = " + "
"""Separates two requests of one question."""
_LOCK: Final = threading.Lock()


@dataclass(frozen=True, slots=True)
class TunedReading:
    """Something that a question may ask, and the probability with which the model says it.

    ``requests`` are empty if it declines. ``repeats`` means that it said one request twice, so a
    part of the question is lost; evidence answers several.
    """

    requests: tuple[Request, ...]
    share: float
    repeats: bool = False


def read_tuned(
    question: MaskedQuestion, *, certain: float = CERTAIN
) -> tuple[TunedReading, ...] | None:
    """Return the readings of the model, the likeliest first; None without the model.

    It is one reading if that is at least as likely as ``certain``.
    Texts that do not read back as a request, or use a name differently from the question, are left
    out.
    """
    texts = _likeliest(question.text, certain)
    if texts is None:
        return None
    readings = (_reading_of(said, share, question) for said, share in texts)
    return tuple(reading for reading in readings if reading is not None)


def _reading_of(said: str, share: float, question: MaskedQuestion) -> TunedReading | None:
    if said == NONE:
        return TunedReading((), share)
    requests: list[Request] = []
    for sentence in said.split(BETWEEN):
        request = read_canonical(sentence)
        named = unmasked(request, question.names) if request is not None else None
        if named is None:
            return None
        requests.append(named)
    distinct = tuple(dict.fromkeys(requests))
    others = [request for request in requests if not isinstance(request.measure, Evidence)]
    return TunedReading(distinct, share, repeats=len(set(others)) < len(others))


def prompted(text: str) -> str:
    """Return the prompt in which a masked question is put, when it is tuned and when it is read."""
    return f"Q: {text}\nA:"


def _likeliest(text: str, certain: float) -> tuple[tuple[str, float], ...] | None:
    """Return the likeliest texts that the model says of a masked question, with their
    probabilities; None without it.
    """
    server = _server()
    if server is None:
        return None
    texts = likeliest_texts(
        functools.partial(_completed, server, prompted(text)),
        tries=MOST_TRIES,
        least=LEAST,
        certain=certain,
    )
    return tuple((text_of(tokens), likelihood(tokens)) for tokens in texts)


@functools.lru_cache(maxsize=2_000)
def _completed(server: xllamacpp.Server, prompt: str, begun: str) -> tuple[LikelyToken, ...]:
    """Return the tokens with which the model continues ``begun``, and likely alternatives for each.

    The end of the text is one of them.
    """
    parameters: dict[str, Any] = {
        "prompt": prompt + begun,
        "n_predict": MOST_TOKENS,
        "temperature": 0.0,
        "stop": BEHIND,
        "n_probs": 1 + OTHERS,
        "cache_prompt": False,
    }
    with _LOCK:
        said = server.handle_completions(parameters)["choices"][0]["logprobs"] or {"content": []}
    tokens: list[LikelyToken] = []
    for token in said["content"]:
        likely = [(other["token"], other["logprob"]) for other in token["top_logprobs"]]
        ends = likely[0][0].startswith(END)
        text = END if ends else token["token"]
        tokens.append(LikelyToken(text, token["logprob"], tuple(likely[1:])))
        if ends:
            break
    return tuple(tokens)


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

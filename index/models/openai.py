"""A chat model behind any OpenAI-compatible endpoint: OpenAI, Ollama, vLLM, llama.cpp.

Each call sends one request to ``chat/completions`` with a JSON schema, temperature 0 and a seed.
Where a server refuses one of these, the request is repeated without it, now and from then on. The
client library retries what may succeed later (429 with its retry-after, 5xx, broken connections);
any other failure is raised as the ``ModelError`` of its cause. Redirects are not followed: a prompt
goes to the configured endpoint and nowhere else.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import httpx2

from index.errors import ModelError, ModelTimeoutError, ModelUnavailableError
from index.models.endpoint import is_loopback
from index.models.openai_answers import checked_answer, content_of, parse_answer
from index.models.openai_errors import is_loading, model_error, refused_parameter
from index.models.openai_stream import STREAMED, answer_in, heard_stream, is_stream
from index.models.openai_tokens import exact_tokens
from index.models.protocol import (
    AnswerT,
    Completion,
    Hear,
    Prompt,
    TokenCount,
    content_tokens,
    estimate_prompt,
    estimate_tokens,
    json_schema,
)
from index.models.rate_limit import RateLimiter
from index.models.transport import (
    bound_answer,
    check_endpoint,
    hide,
    secrets_of,
    tokens_or,
    without,
)

if TYPE_CHECKING:
    import openai
    from openai.types.chat import ChatCompletion


@dataclass(frozen=True)
class Patience:
    """How long an answer is waited for, and how often a call that may succeed later is repeated."""

    timeout_s: float = 120.0
    max_retries: int = 5
    loading_pause_s: float = 2.0
    """Between two tries where the server is still loading its model."""

    @property
    def total_s(self) -> float:
        """Seconds after which a call is given up, however often it is repeated."""
        return 2 * self.timeout_s

    @property
    def loading_s(self) -> float:
        """Seconds for which a server may still be loading its model."""
        return self.timeout_s


REMOTE: Final = Patience()
LOCAL: Final = Patience(timeout_s=600.0, max_retries=1)
"""A small model needs a minute for a long prompt, and answers one call after another."""


class OpenAIModel:
    """``name`` at ``base_url`` (None: the vendor's own); ``transport`` replaces the network."""

    def __init__(
        self,
        name: str,
        *,
        base_url: str | None = None,
        api_key: str = "none",
        patience: Patience | None = None,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        local = is_loopback(base_url)
        self.name = name
        self.base_url = base_url
        self._api_key = api_key or "none"
        self._patience = patience or (LOCAL if local else REMOTE)
        self._local = local
        self._transport = transport
        self._opened: tuple[asyncio.AbstractEventLoop, openai.AsyncOpenAI] | None = None
        self._limiter = RateLimiter()
        self._refused: set[str] = set()
        self._counts_tokens = base_url is not None
        self._secrets = secrets_of(base_url, self._api_key)
        check_endpoint(name, base_url, self._api_key)

    async def complete(
        self, prompt: Prompt, schema: type[AnswerT], *, max_tokens: int, hear: Hear | None = None
    ) -> Completion[AnswerT]:
        """Return the answer to ``prompt``, parsed as ``schema``; see ``ChatModel.complete``."""
        prompt_tokens = content_tokens(prompt)
        await self._limiter.acquire(tokens=prompt_tokens + max_tokens)
        answer, said = await self._ask(prompt, schema, max_tokens, hear)
        text = without(said, self._secrets)
        usage = getattr(answer, "usage", None)
        stated = getattr(usage, "prompt_tokens", None), getattr(usage, "completion_tokens", None)
        return Completion(
            parsed=parse_answer(text, schema, model=self.name),
            text=text,
            prompt_tokens=tokens_or(stated[0], prompt_tokens),
            completion_tokens=tokens_or(stated[1], estimate_tokens(text)),
        )

    async def count_tokens(self, prompt: Prompt) -> TokenCount:
        """Return the length of ``prompt``, exact where the server tokenizes (llama.cpp)."""
        if self._counts_tokens:
            exact = await exact_tokens(self.client(), str(self.base_url), prompt)
            if exact is not None:
                return TokenCount(exact, exact=True)
            self._counts_tokens = False
        return estimate_prompt(prompt)

    async def aclose(self) -> None:
        """Close the connections; the next call opens new ones."""
        if self._opened is None:
            return
        loop, client = self._opened
        self._opened = None
        if loop is asyncio.get_running_loop():
            await client.close()

    # --- the request ------------------------------------------------------------------------------

    def request(self, prompt: Prompt, schema: type[AnswerT], max_tokens: int) -> dict[str, Any]:
        """Return the body of the request, without what this server refused before."""
        messages: list[dict[str, Any]] = [dict(message) for message in prompt.messages()]
        request: dict[str, Any] = {
            "model": self.name,
            "messages": messages,
            "temperature": 0,
            "seed": 42,
        }
        request["max_completion_tokens" if "max_tokens" in self._refused else "max_tokens"] = (
            max_tokens
        )
        shape = json_schema(schema)
        if "response_format" not in self._refused:
            definition = {"name": schema.__name__, "schema": shape, "strict": True}
            request["response_format"] = {"type": "json_schema", "json_schema": definition}
        else:
            messages[0]["content"] += f"\nAnswer with one JSON object of this schema: {shape}"
            if "json_object" not in self._refused:
                request["response_format"] = {"type": "json_object"}
        return {
            key: value
            for key, value in request.items()
            if key not in self._refused or key == "response_format"
        }

    async def _ask(
        self, prompt: Prompt, schema: type[AnswerT], max_tokens: int, hear: Hear | None
    ) -> tuple[ChatCompletion, str]:
        """Send the request, again without each parameter the server refuses."""
        while True:
            try:
                request = self.request(prompt, schema, max_tokens)
                answer = await self._send(request, hear)
                said = content_of(answer, self.name, secrets=self._secrets)
            except ModelError as error:
                refused = refused_parameter(error, self._refused)
                if refused is None:
                    raise
                self._refused.add(refused)
            else:
                return answer, said

    async def _send(self, request: dict[str, Any], hear: Hear | None = None) -> ChatCompletion:
        """Return the answer to ``request``, streamed where ``hear`` is given."""
        import openai

        try:
            async with asyncio.timeout(self._patience.total_s):
                return await self._send_loaded(request, hear)
        except openai.OpenAIError as error:
            raise hide(model_error(error, self.name), self._secrets) from error
        except TimeoutError as error:
            raise ModelTimeoutError(self.name, "no whole answer within the time limit") from error
        except (httpx2.InvalidURL, UnicodeError, ValueError) as error:
            reason = f"its address or key cannot be used ({type(error).__name__})"
            raise ModelUnavailableError(self.name, reason) from error

    async def _send_loaded(self, request: dict[str, Any], hear: Hear | None) -> ChatCompletion:
        """Return the answer to ``request``; a server that is loading its model is waited for."""
        import openai

        clock = asyncio.get_running_loop().time
        deadline = clock() + self._patience.loading_s
        while True:
            try:
                return await self._send_once(request, hear)
            except openai.APIStatusError as error:
                pause = self._patience.loading_pause_s
                if not is_loading(error) or clock() + pause > deadline:
                    raise
            await asyncio.sleep(pause)

    async def _send_once(self, request: dict[str, Any], hear: Hear | None) -> ChatCompletion:
        if hear is not None and "stream" not in self._refused:
            return await self._send_heard(request, hear)
        raw = await self.client().chat.completions.with_raw_response.create(**request)
        self._limiter.update(raw.headers)
        return checked_answer(raw.parse, model=self.name)

    async def _send_heard(self, request: dict[str, Any], hear: Hear) -> ChatCompletion:
        """Return the answer to ``request``; pass its pieces to ``hear``, if the server streams."""
        streamed = {key: value for key, value in STREAMED.items() if key not in self._refused}
        raw = await self.client().chat.completions.with_raw_response.create(**request, **streamed)
        self._limiter.update(raw.headers)
        response = raw.http_response
        if not is_stream(raw.headers):
            body = await response.aread()
            return checked_answer(partial(answer_in, body), model=self.name)
        return await heard_stream(response, hear, model=self.name, secrets=self._secrets)

    def client(self) -> openai.AsyncOpenAI:
        """Return the client of the running event loop, which connections belong to."""
        import openai

        loop = asyncio.get_running_loop()
        if self._opened is None or self._opened[0] is not loop:
            http = openai.DefaultAsyncHttpxClient(
                transport=self._transport,
                trust_env=not self._local,
                follow_redirects=False,
                headers={"accept-encoding": "identity"},
                event_hooks={"response": [bound_answer]},
            )
            client = openai.AsyncOpenAI(
                base_url=self.base_url,
                api_key=self._api_key,
                timeout=openai.Timeout(self._patience.timeout_s, connect=10.0),
                max_retries=self._patience.max_retries,
                http_client=http,
            )
            self._opened = (loop, client)
        return self._opened[1]

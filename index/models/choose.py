"""Which model words the reports and answers the questions: the one place that reads the environment
for it.

VIROME_MODEL       name of the model; ``embedded`` forces the one in this process, ``none`` does without
VIROME_GGUF        path of a GGUF file to run in this process
OPENAI_BASE_URL    any OpenAI-compatible endpoint: Ollama, vLLM, llama.cpp, a provider
OPENAI_API_KEY     its key; local servers take any

This module is also the front door of the package's models: import from here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from index.models.cache import CachedModel, ResponseCache
from index.models.embedded import BUNDLED_PACKAGE, EmbeddedModel, bundled_gguf
from index.models.openai import OpenAIModel, is_loopback, served_model
from index.models.profiles import ModelProfile, profile_of
from index.models.protocol import ChatModel, Completion, Prompt, TokenCount, Turn

__all__ = [
    "CachedModel", "ChatModel", "Completion", "EmbeddedModel", "ModelChoice", "ModelProfile", "OpenAIModel", "Prompt",
    "ResponseCache", "TokenCount", "Turn", "choose_model", "profile_of",
]  # fmt: skip

DEFAULT_REMOTE_MODEL: Final = "gpt-4.1-mini"


@dataclass(frozen=True)
class ModelChoice:
    """The model to use (None: do without), what it can be trusted with, and why it was chosen."""

    model: ChatModel | None
    profile: ModelProfile | None
    reason: str
    local: bool = True
    """Whether the text stays on this machine."""


def choose_model(environment: Mapping[str, str]) -> ModelChoice:
    """Return the model that ``environment`` asks for, else the embedded one, else none, always with
    the reason.

    Nothing is started or contacted, except that an endpoint without VIROME_MODEL is asked which
    model it serves.
    """
    name = environment.get("VIROME_MODEL", "")
    gguf = environment.get("VIROME_GGUF", "")
    base_url = environment.get("OPENAI_BASE_URL") or None
    key = environment.get("OPENAI_API_KEY", "")
    if name == "none":
        return ModelChoice(None, None, "VIROME_MODEL=none")
    if gguf:
        return _embedded(Path(gguf), "VIROME_GGUF")
    if name != "embedded" and (base_url or key):
        return _endpoint(name, base_url, key)
    bundled = bundled_gguf()
    if bundled is None:
        reason = f"no endpoint is configured and {BUNDLED_PACKAGE} is not installed (make setup installs it)"
        return ModelChoice(None, None, reason)
    return _embedded(
        bundled, "VIROME_MODEL=embedded" if name == "embedded" else "no endpoint is configured"
    )


def _embedded(path: Path, why: str) -> ModelChoice:
    profile = profile_of(path.stem)
    model = EmbeddedModel(path, context_tokens=min(profile.context_tokens, 8192))
    return ModelChoice(model, profile, f"{model.name} in this process: {why}")


def _endpoint(name: str, base_url: str | None, key: str) -> ModelChoice:
    local = is_loopback(base_url)
    where = base_url or "api.openai.com"
    model = name or (served_model(base_url, api_key=key) if base_url else DEFAULT_REMOTE_MODEL)
    if model is None:
        return ModelChoice(
            None, None, f"{where} does not say which model it serves: set VIROME_MODEL", local
        )
    client = OpenAIModel(model, base_url=base_url, api_key=key)
    return ModelChoice(client, profile_of(model), f"{model} at {where}", local)

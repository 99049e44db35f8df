"""Which model interprets reports and answers, as the environment asks.

No other module reads the environment for it.

VIROME_MODEL       name of the model; ``embedded`` forces the model in this process, ``none`` means
                   no model
VIROME_GGUF        path of a GGUF file to run in this process
VIROME_MODELS      folder of fetched models; where nothing above names a model, that of ``query
                   models use`` comes before the embedded one
OPENAI_BASE_URL    any OpenAI-compatible endpoint: Ollama, vLLM, llama.cpp, a provider
OPENAI_API_KEY     its key; local servers take any

This module is also the front door of the package's models: import from here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from index.errors import ModelUnavailableError
from index.models.cache import ResponseCache, open_cache
from index.models.cached import CachedModel
from index.models.embedded import BUNDLED_PACKAGE, EmbeddedModel, bundled_gguf
from index.models.endpoint import is_loopback, served_model
from index.models.gallery import EMBEDDED, chosen_file, models_folder
from index.models.openai import OpenAIModel, Patience
from index.models.profiles import ModelProfile, profile_of
from index.models.protocol import ChatModel, Completion, Prompt, TokenCount, Turn
from index.models.transport import check_endpoint, shown_address

__all__ = [
    "CachedModel", "ChatModel", "Completion", "EmbeddedModel", "ModelChoice", "ModelProfile",
    "OpenAIModel", "Patience", "Prompt", "ResponseCache", "TokenCount", "Turn", "choose_model",
    "open_cache", "profile_of",
]  # fmt: skip

DEFAULT_REMOTE_MODEL: Final = "gpt-4.1-mini"
_NO_ENDPOINT: Final = (
    "VIROME_MODEL names it, and nothing says where it is: "
    "neither OPENAI_API_KEY nor OPENAI_BASE_URL"
)
_ENDPOINT_REMEDY: Final = (
    "set OPENAI_API_KEY (a provider) or OPENAI_BASE_URL (a server), "
    "or VIROME_MODEL=embedded for the small model of this program, or VIROME_MODEL=none"
)


@dataclass(frozen=True)
class ModelChoice:
    """The model to use (None: do without), what it can be trusted with, and why it was chosen."""

    model: ChatModel | None
    profile: ModelProfile | None
    reason: str
    local: bool = True
    """Whether the text stays on this machine."""


def choose_model(environment: Mapping[str, str]) -> ModelChoice:
    """Return the model that ``environment`` names, or the embedded model, or none.

    The choice says why. Nothing is started or contacted, but where VIROME_MODEL is not set, the
    endpoint is queried for the model that it serves.

    Raises:
        ModelUnavailableError: VIROME_MODEL asks for a model that cannot be reached.
    """
    name = environment.get("VIROME_MODEL", "")
    gguf = environment.get("VIROME_GGUF", "")
    base_url = environment.get("OPENAI_BASE_URL") or None
    key = environment.get("OPENAI_API_KEY", "")
    if name == "none":
        return ModelChoice(None, None, "VIROME_MODEL=none")
    if gguf:
        return _embedded(Path(gguf), "VIROME_GGUF")
    if name != EMBEDDED and (base_url or key):
        return _endpoint(name, base_url, key)
    if name not in ("", EMBEDDED):
        raise ModelUnavailableError(name, _NO_ENDPOINT, remedy=_ENDPOINT_REMEDY)
    chosen = chosen_file(models_folder(environment)) if name != EMBEDDED else None
    if chosen is not None:
        return _embedded(chosen, "query models use")
    return _bundled(asked=name == EMBEDDED)


def _bundled(*, asked: bool) -> ModelChoice:
    """Return the embedded model, or none if it is neither installed nor requested."""
    bundled = bundled_gguf()
    if bundled is None and asked:
        reason = f"VIROME_MODEL={EMBEDDED}, and {BUNDLED_PACKAGE} is not installed"
        raise ModelUnavailableError(
            EMBEDDED, reason, remedy="make setup installs it; or VIROME_MODEL=none"
        )
    if bundled is None:
        reason = (
            f"no endpoint is configured and {BUNDLED_PACKAGE} is not installed "
            "(make setup installs it)"
        )
        return ModelChoice(None, None, reason)
    return _embedded(bundled, f"VIROME_MODEL={EMBEDDED}" if asked else "no endpoint is configured")


def _embedded(path: Path, why: str) -> ModelChoice:
    profile = profile_of(path.stem)
    model = EmbeddedModel(path, context_tokens=min(profile.context_tokens, 8192))
    return ModelChoice(model, profile, f"{model.name} in this process: {why}")


def _endpoint(name: str, base_url: str | None, key: str) -> ModelChoice:
    check_endpoint(name or "at OPENAI_BASE_URL", base_url, key)
    local = is_loopback(base_url)
    where = shown_address(base_url)
    model = name or (served_model(base_url, api_key=key) if base_url else DEFAULT_REMOTE_MODEL)
    if model is None:
        return ModelChoice(
            None, None, f"{where} does not say which model it serves: set VIROME_MODEL", local
        )
    client = OpenAIModel(model, base_url=base_url, api_key=key)
    return ModelChoice(client, profile_of(model), f"{model} at {where}", local)

"""An OpenAI-compatible endpoint: whether it is on this machine, and what it serves."""

from __future__ import annotations

import ipaddress
from typing import Final
from urllib.parse import urlsplit

MOST_CHARACTERS: Final = 200
"""Characters of the name of a model."""


def served_model(base_url: str, *, api_key: str = "none") -> str | None:
    """Return the first model the endpoint lists, or None where it does not answer or lists none."""
    import openai

    http = openai.DefaultHttpxClient(trust_env=not is_loopback(base_url), follow_redirects=False)
    with openai.OpenAI(
        base_url=base_url,
        api_key=api_key or "none",
        timeout=5.0,
        max_retries=0,
        http_client=http,
    ) as client:
        try:
            name = next((model.id for model in client.models.list()), None)
        except (openai.OpenAIError, AttributeError, TypeError, ValueError, RecursionError):
            return None  # a page, or anything else that lists no models
    is_name = isinstance(name, str) and name.isprintable() and 0 < len(name) <= MOST_CHARACTERS
    return name if is_name else None


def is_loopback(base_url: str | None) -> bool:
    """Return whether the endpoint is on this machine.

    >>> is_loopback("http://127.0.0.1:8135/v1"), is_loopback("http://localhost:11434/v1")
    (True, True)
    >>> is_loopback(None)
    False
    """
    try:
        host = urlsplit(base_url or "").hostname or ""
    except ValueError:
        return False
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"

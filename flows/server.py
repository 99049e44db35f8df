"""Find the Prefect server: the configured one, otherwise one on this machine."""

from __future__ import annotations

import os
import urllib.error
import urllib.request
from typing import Final

from flows.errors import NoServerError

API_URL: Final = "PREFECT_API_URL"
TIMEOUT_S: Final = 5.0


def find_server() -> str:
    """Return the address of the Prefect server that answers, and set it for this process and its
    children.

    Raises ``NoServerError``. Left to itself Prefect would start a server that ends with the
    command, and the runs with it.
    """
    url = os.environ.get(API_URL) or _configured() or local_url()
    if not answers(url):
        raise NoServerError(url)
    os.environ[API_URL] = url
    return url


def local_url() -> str:
    """Return where ``prefect server start`` listens under the settings of this process."""
    from prefect.settings import get_current_settings

    api = get_current_settings().server.api
    return f"http://{api.host}:{api.port}/api"


def answers(url: str) -> bool:
    """Return whether something answers at ``url``; a refusal counts."""
    if not url.startswith(("http://", "https://")):
        return False
    try:
        with urllib.request.urlopen(f"{url}/health", timeout=TIMEOUT_S):
            return True
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False


def _configured() -> str | None:
    """Return the address in a profile or settings file; loading Prefect takes a second."""
    from prefect.settings import get_current_settings

    return get_current_settings().api.url

"""What to type next: the same request as JSON, the report of a community, the runs as a list."""

from __future__ import annotations

import json
import shlex
from typing import Final

from query.request import Describe, Request
from query.request.request import to_json

_MOST: Final = 140
"""Characters of a request that are shown as a command."""


def links_of(request: Request, *, full: bool) -> list[str]:
    """Return commands that go on from the answer; where all is shown, the request as JSON, too."""
    links = []
    measure = request.measure
    if isinstance(measure, Describe) and measure.kind == "community":
        links.append(f"query report {measure.id}")
    return [*links, *_as_json(request)] if full else links


def _as_json(request: Request) -> list[str]:
    written = json.dumps(to_json(request), ensure_ascii=False)
    if len(written) > _MOST:
        return []
    return [f"query run {shlex.quote(written)} --json"]

"""The pages: the atlas of the published index with its live parts, and the interface's own page."""

from __future__ import annotations

import html
from importlib.resources import files
from pathlib import Path
from threading import Lock
from typing import Any, Final

from index.store.published import read_published
from query.atlas.content import MOST_REPORTS, gather_content
from query.atlas.page import PolicedPage, live_page_of, plain_page

SCRIPT: Final = files("query.web.assets").joinpath("live.js").read_text(encoding="utf-8")


class LivePages:
    """The pages for one index; the atlas is made again when another index is published."""

    def __init__(self, db: Path) -> None:
        self._db = db
        self._lock = Lock()
        self._made: tuple[tuple[int, int], PolicedPage] | None = None

    def atlas(self) -> PolicedPage:
        """Return the atlas with its live parts."""
        seen = self._db.stat()
        version = (seen.st_ino, seen.st_mtime_ns)
        with self._lock:
            if self._made is None or self._made[0] != version:
                with read_published(self._db) as con:
                    content = gather_content(con, most_reports=MOST_REPORTS)
                page = live_page_of(content, SCRIPT)
                self._made = (version, page)
            _, made = self._made
            return made

    def interface(self, described: dict[str, Any]) -> PolicedPage:
        """Return a page that lists the operations of an OpenAPI description."""
        schemas = described["components"]["schemas"]
        calls = [
            _call(f"{verb.upper()} {path}", operation, schemas)
            for path, operations in described["paths"].items()
            for verb, operation in operations.items()
        ]
        body = (
            f"<h2>{html.escape(described['info']['title'])} {described['info']['version']}</h2>"
            f"<p>{html.escape(described['info']['summary'])} Described for programs in "
            '<a href="/openapi.json">openapi.json</a>. Back to the <a href="/">atlas</a>.</p>'
            f"<dl>{''.join(calls)}</dl>"
        )
        return plain_page("Interface", body)


def _call(call: str, operation: dict[str, Any], schemas: dict[str, Any]) -> str:
    """Return an operation as a term of a list: what it gives, and what it takes."""
    about = operation.get("description", operation.get("summary", ""))
    kind, takes = "Parameters", [given["name"] for given in operation.get("parameters", [])]
    if "requestBody" in operation:
        reference = operation["requestBody"]["content"]["application/json"]["schema"]["$ref"]
        kind, takes = "JSON", schemas[reference.rsplit("/", 1)[1]].get("properties", ())
    names = ", ".join(f"<code>{html.escape(name)}</code>" for name in takes)
    shown = f'<dd class="quiet">{kind}: {names}</dd>' if takes else ""
    return f"<dt><code>{html.escape(call)}</code></dt><dd>{html.escape(about)}</dd>{shown}"

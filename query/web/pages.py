"""The pages: the atlas of the published index with its live parts, and the interface's own page."""

from __future__ import annotations

import html
from importlib.resources import files
from pathlib import Path
from threading import Lock
from typing import Any, Final

from index.store.read import open_index
from query.atlas.content import MOST_REPORTS, gather_content
from query.atlas.page import PolicedPage, live_page_of, plain_page

SCRIPT: Final = files("query.web.assets").joinpath("live.js").read_text(encoding="utf-8")


class LivePages:
    """The pages over one index; the atlas is made anew when another index was published."""

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
                with open_index(self._db) as con:
                    content = gather_content(con, most_reports=MOST_REPORTS)
                page = live_page_of(content, SCRIPT)
                self._made = (version, page)
            _, made = self._made
            return made

    def interface(self, described: dict[str, Any]) -> PolicedPage:
        """Return a page that lists the operations of an OpenAPI description."""
        rows = []
        for path, operations in described["paths"].items():
            for verb, operation in operations.items():
                rows.append(_operation(verb.upper(), path, operation))
        body = (
            f"<h2>{html.escape(described['info']['title'])} {described['info']['version']}</h2>"
            f"<p>{html.escape(described['info']['summary'])} Described for programs in "
            '<a href="/openapi.json">openapi.json</a>. Back to the <a href="/">atlas</a>.</p>'
            '<div class="scroll"><table>'
            "<thead><tr><th>call</th><th>parameters</th><th>gives</th></tr>"
            f"</thead><tbody>{''.join(rows)}</tbody></table></div>"
        )
        return plain_page("Interface", body)


def _operation(verb: str, path: str, operation: dict[str, Any]) -> str:
    parameters = operation.get("parameters", [])
    names = [one["name"] for one in parameters]
    if "requestBody" in operation:
        schema = _body_schema(operation["requestBody"])
        names.append(f"body: {schema}")
    summary = operation.get("summary", "")
    about = operation.get("description", summary)
    call = f"{verb} {path}"
    listed = ", ".join(names)
    cells = [_cell(text) for text in (call, listed, about)]
    row = "".join(cells)
    return f"<tr>{row}</tr>"


def _cell(text: str) -> str:
    escaped = html.escape(text)
    return f"<td>{escaped}</td>"


def _body_schema(body: dict[str, Any]) -> str:
    """Return the name of the schema of the JSON that an operation takes."""
    content = body["content"]["application/json"]
    reference: str = content["schema"]["$ref"]
    return reference.rsplit("/", 1)[1]

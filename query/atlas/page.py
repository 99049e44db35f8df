"""The page: assets and content put together into one HTML text.

Content is compressed and in base64, so that no text of the data can end a script; scripts run only
where their digest is the one that the page's own policy names.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from dataclasses import dataclass
from importlib.resources import files
from string import Template
from typing import Final

from query.atlas.content import Content

REPORTS_PER_CHUNK: Final = 200
ASSETS: Final = "query.atlas.assets"
_BLOCK: Final = '<script type="application/gzip" id="{name}">{text}</script>'


@dataclass(frozen=True, slots=True)
class PolicedPage:
    """A page and the policy that says which scripts run on it."""

    text: str
    policy: str


def page_of(content: Content) -> str:
    """Return the atlas as one HTML text; equal content gives an equal page."""
    script = _asset("atlas.js")
    page = _page(content, script, connects="'none'")
    return page.text


def live_page_of(content: Content, script: str) -> PolicedPage:
    """Return the atlas with ``script`` beside its own, which may call the server it came from."""
    own = _asset("atlas.js")
    both = f"{own}\n{script}"
    return _page(content, both, connects="'self'")


def plain_page(title: str, body: str) -> PolicedPage:
    """Return a page of ``body``, which is HTML, in the style of the atlas; no script runs, so it is
    dark where the system is.
    """
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    style = _asset("atlas.css").replace(
        '&[data-shade="dark"]', "@media (prefers-color-scheme: dark)"
    )
    width = '<meta name="viewport" content="width=device-width, initial-scale=1">'
    head = f'<meta charset="utf-8">{width}<title>{title}</title><style>{style}</style>'
    text = f'<!doctype html><html lang="en">{head}<body><main>{body}</main></body></html>'
    return PolicedPage(text, policy)


def _page(content: Content, script: str, *, connects: str) -> PolicedPage:
    charts = _asset("echarts.min.js")
    digests = [_digest(one) for one in (charts, script)]
    policy = (
        f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; connect-src {connects}; "
        f"script-src {' '.join(digests)}"
    )
    page = Template(_asset("atlas.html"))
    blocks = _blocks(content)
    text = page.substitute(
        policy=policy,
        style=_asset("atlas.css"),
        charts=charts,
        script=script,
        data="\n".join(blocks),
    )
    return PolicedPage(text, policy)


def _blocks(content: Content) -> list[str]:
    """Return the content as blocks of the page: the index, the outlines of land, the reports."""
    chunk_of = {}
    of_reports = []
    for number, chunk in enumerate(_chunks(sorted(content.reports))):
        reports = {}
        for community in chunk:
            chunk_of[community] = number
            reports[community] = content.reports[community]
        of_reports.append(_block(f"reports-{number}", reports))
    index = {**content.index, "chunks": chunk_of}
    land = json.loads(_asset("land.json"))
    return [_block("index", index), _block("land", land), *of_reports]


def _chunks(names: list[str]) -> list[list[str]]:
    """Return ``names`` in lists of at most ``REPORTS_PER_CHUNK``."""
    chunks = []
    for start in range(0, len(names), REPORTS_PER_CHUNK):
        end = start + REPORTS_PER_CHUNK
        chunks.append(names[start:end])
    return chunks


def _block(name: str, value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    packed = gzip.compress(text.encode(), mtime=0)
    encoded = base64.b64encode(packed)
    return _BLOCK.format(name=name, text=encoded.decode())


def _digest(script: str) -> str:
    """Return the digest of ``script`` as a policy names it, in quotation marks."""
    digest = hashlib.sha256(script.encode())
    encoded = base64.b64encode(digest.digest())
    return f"'sha256-{encoded.decode()}'"


def _asset(name: str) -> str:
    path = files(ASSETS).joinpath(name)
    return path.read_text(encoding="utf-8")

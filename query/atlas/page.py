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

from query.atlas.content import Content, Record

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
    return _page(content, _asset("atlas.js"), connects="'none'").text


def live_page_of(content: Content, script: str) -> PolicedPage:
    """Return the atlas with a further ``script``, which may call the server of the page."""
    return _page(content, f"{_asset('atlas.js')}\n{script}", connects="'self'")


def plain_page(title: str, body: str) -> PolicedPage:
    """Return a page of the HTML ``body`` in the style of the atlas, dark where the system is."""
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    dark = "@media (prefers-color-scheme: dark)"
    style = _asset("atlas.css").replace('&[data-shade="dark"]', dark)
    width = '<meta name="viewport" content="width=device-width, initial-scale=1">'
    head = f'<meta charset="utf-8">{width}<title>{title}</title><style>{style}</style>'
    text = f'<!doctype html><html lang="en">{head}<body><main>{body}</main></body></html>'
    return PolicedPage(text, policy)


def _page(content: Content, script: str, *, connects: str) -> PolicedPage:
    charts = _asset("echarts.min.js")
    policy = (
        f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; connect-src {connects}; "
        f"script-src {_digest(charts)} {_digest(script)}"
    )
    text = Template(_asset("atlas.html")).substitute(
        policy=policy,
        style=_asset("atlas.css"),
        charts=charts,
        script=script,
        data="\n".join(_blocks(content)),
    )
    return PolicedPage(text, policy)


def _blocks(content: Content) -> list[str]:
    """Return the content as blocks of the page: the index, the outlines of land, the reports."""
    names = sorted(content.reports)
    chunk_of = {name: place // REPORTS_PER_CHUNK for place, name in enumerate(names)}
    chunks: dict[int, dict[str, Record]] = {}
    for name, chunk in chunk_of.items():
        chunks.setdefault(chunk, {})[name] = content.reports[name]
    index = {**content.index, "chunks": chunk_of}
    blocks = [_block("index", index), _block("land", json.loads(_asset("land.json")))]
    return blocks + [_block(f"reports-{chunk}", reports) for chunk, reports in chunks.items()]


def _block(name: str, value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    packed = base64.b64encode(gzip.compress(text.encode(), mtime=0))
    return _BLOCK.format(name=name, text=packed.decode())


def _digest(script: str) -> str:
    """Return the digest of ``script`` as a policy names it, in quotation marks."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest())
    return f"'sha256-{digest.decode()}'"


def _asset(name: str) -> str:
    return files(ASSETS).joinpath(name).read_text(encoding="utf-8")

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
    return _page(content, _asset("atlas.js"), connects="'none'").text


def live_page_of(content: Content, script: str) -> PolicedPage:
    """Return the atlas with ``script`` beside its own, which may call the server it came from."""
    return _page(content, f"{_asset('atlas.js')}\n{script}", connects="'self'")


def plain_page(title: str, body: str) -> PolicedPage:
    """Return a page of ``body``, which is HTML, in the style of the atlas; no script runs."""
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    text = (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>'
        f"<style>{_asset('atlas.css')}</style><body><main>{body}</main></body></html>"
    )
    return PolicedPage(text, policy)


def _page(content: Content, script: str, *, connects: str) -> PolicedPage:
    charts = _asset("echarts.min.js")
    digests = " ".join(f"'{_digest(one)}'" for one in (charts, script))
    policy = (
        f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; connect-src {connects}; "
        f"script-src {digests}"
    )
    page = Template(_asset("atlas.html"))
    text = page.substitute(
        policy=policy,
        style=_asset("atlas.css"),
        charts=charts,
        script=script,
        data="\n".join(_blocks(content)),
    )
    return PolicedPage(text, policy)


def _blocks(content: Content) -> list[str]:
    """Return the content as blocks of the page: the index, the outlines of land, the reports."""
    chunks = _chunks(sorted(content.reports))
    chunk_of = {}
    for number, chunk in enumerate(chunks):
        for community in chunk:
            chunk_of[community] = number
    land = json.loads(_asset("land.json"))
    blocks = [
        _block("index", {**content.index, "chunks": chunk_of}),
        _block("land", land),
    ]
    for number, chunk in enumerate(chunks):
        reports = {community: content.reports[community] for community in chunk}
        blocks.append(_block(f"reports-{number}", reports))
    return blocks


def _chunks(names: list[str]) -> list[list[str]]:
    """Return ``names`` in lists of at most ``REPORTS_PER_CHUNK``."""
    starts = range(0, len(names), REPORTS_PER_CHUNK)
    return [names[start : start + REPORTS_PER_CHUNK] for start in starts]


def _block(name: str, value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    packed = gzip.compress(text.encode(), mtime=0)
    return _BLOCK.format(name=name, text=base64.b64encode(packed).decode())


def _digest(script: str) -> str:
    digest = hashlib.sha256(script.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def _asset(name: str) -> str:
    return files(ASSETS).joinpath(name).read_text(encoding="utf-8")

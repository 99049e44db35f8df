"""The page: assets and content put together into one HTML text.

Content is compressed and in base64, so that no text of the data can end a script; scripts run only
where their digest is the one that the page's own policy names.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from importlib.resources import files
from string import Template
from typing import Final

from query.atlas.content import Content

REPORTS_PER_CHUNK: Final = 200
ASSETS: Final = "query.atlas.assets"
_BLOCK: Final = '<script type="application/gzip" id="{name}">{text}</script>'


def page_of(content: Content) -> str:
    """Return the atlas as one HTML text; equal content gives an equal page."""
    charts, script = _asset("echarts.min.js"), _asset("atlas.js")
    digests = " ".join(f"'{_digest(one)}'" for one in (charts, script))
    page = Template(_asset("atlas.html"))
    return page.substitute(
        policy=f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src {digests}",
        style=_asset("atlas.css"),
        charts=charts,
        script=script,
        data="\n".join(_blocks(content)),
    )


def _blocks(content: Content) -> list[str]:
    """Return the content as blocks of the page: the index, the outlines of land, the reports."""
    names = sorted(content.reports)
    chunks = [
        names[start : start + REPORTS_PER_CHUNK]
        for start in range(0, len(names), REPORTS_PER_CHUNK)
    ]
    places = {name: number for number, chunk in enumerate(chunks) for name in chunk}
    blocks = [_block("index", {**content.index, "chunks": places})]
    blocks.append(_block("land", json.loads(_asset("land.json"))))
    for number, chunk in enumerate(chunks):
        reports = {name: content.reports[name] for name in chunk}
        blocks.append(_block(f"reports-{number}", reports))
    return blocks


def _block(name: str, value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)
    packed = gzip.compress(text.encode(), mtime=0)
    return _BLOCK.format(name=name, text=base64.b64encode(packed).decode())


def _digest(script: str) -> str:
    digest = hashlib.sha256(script.encode()).digest()
    return f"sha256-{base64.b64encode(digest).decode()}"


def _asset(name: str) -> str:
    return files(ASSETS).joinpath(name).read_text(encoding="utf-8")

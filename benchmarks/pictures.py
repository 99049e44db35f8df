"""Draw the pages of ``query serve`` as pictures: light and dark, on a screen and on a phone.

    python -m benchmarks.pictures data/index/demo.duckdb --out docs/img

Writes ``VIEW-SHADE-WIDTH.png`` for an answer, the map and the best report. Needs Chromium on the
path (``apt-get install chromium``).
"""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from urllib.parse import urlencode

from PIL import Image

from query.web.app import make_app
from query.web.guard import LOOPBACK
from query.web.served_index import ServedIndex
from tests.chromium import CHROMIUM, Page, opened_page
from tests.serving import listening

QUESTION: Final = "Which viruses turn up in bat gut samples?"
HEIGHTS: Final = {1400: 1180, 400: 860}
"""Height of the picture for each width of the page, in pixels."""
SHADES: Final = ("light", "dark")
COLOURS: Final = 192
"""Colours in a saved picture: fewer make a smaller file."""
BEST_REPORT: Final = "index.communities.community[index.communities.rating.indexOf(Math.max(...index.communities.rating))]"  # noqa: E501
DRAWN: Final = {
    "ask": "document.querySelector('#answer .lead') && !document.querySelector('[role=status]').textContent",  # noqa: E501
    "map": "document.querySelector('.map button')",
    "report": "document.querySelector('ol.findings')",
}
"""For each view, what is true of the page once it is drawn."""


def main() -> None:
    """Draw each view of an index."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("db", type=Path, help="index to show")
    parser.add_argument("--out", type=Path, default=Path("docs/img"), help="folder to write to")
    parser.add_argument("--question", default=QUESTION, help="question to answer")
    given = parser.parse_args()
    if CHROMIUM is None:
        parser.error("Chromium is not installed: apt-get install chromium")
    given.out.mkdir(parents=True, exist_ok=True)
    app = make_app(ServedIndex(given.db, LOOPBACK))
    with (
        TemporaryDirectory() as profile,
        listening(app, "127.0.0.1") as port,
        opened_page(Path(profile)) as page,
    ):
        draw_views(page, f"http://127.0.0.1:{port}/", given.question, given.out)


def draw_views(page: Page, site: str, question: str, out: Path) -> None:
    """Write a picture of each view of ``site``, in each shade and width."""
    page.go(f"{site}#/map")
    views = {
        "ask": f"?{urlencode({'question': question})}#/ask",
        "map": "?#/map",
        "report": f"?#/{page.run(BEST_REPORT)}",
    }
    for shade in SHADES:
        scheme = {"name": "prefers-color-scheme", "value": shade}
        page.send("Emulation.setEmulatedMedia", features=[scheme])
        for width, height in HEIGHTS.items():
            page.width(width, height)
            for view, address in views.items():
                page.go(f"{site}{address}")
                page.wait(DRAWN[view])
                file = out / f"{view}-{shade}-{width}.png"
                page.picture(file)
                shrink(file)


def shrink(picture: Path) -> None:
    """Save ``picture`` anew with few colours."""
    with Image.open(picture) as drawn:
        few = drawn.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    few.save(picture, optimize=True)


if __name__ == "__main__":
    main()

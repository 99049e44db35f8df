"""What a person does with the atlas and with ``query serve``, done in headless Chromium."""

from __future__ import annotations

import csv
import time
from collections.abc import Iterator
from pathlib import Path

import duckdb
import numpy as np
import pytest
from matplotlib.image import imread

from query.atlas.content import gather_content
from query.atlas.page import page_of
from query.web.app import make_app
from query.web.guard import LOOPBACK
from query.web.served_index import ServedIndex
from tests.chromium import CHROMIUM, Page
from tests.conftest import BuiltIndex
from tests.serving import listening

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
BATS = "Which viruses are found in bats?"
VIEWS = {
    "map": "Communities",
    "reports": "Reports",
    "relations": "Viruses and hosts",
    "pairs": "Is the virus at home in this host?",
    "predictions": "Novel viruses and predictions",
    "associations": "Associations with metadata",
    "places": "Places",
    "about": "About this index",
}
MANY = """
for (const [name, column] of Object.entries(index.communities)) {
  const named = name === "community" || name === "parent";
  const copies = Array.from({ length: 2400 }, (_, copy) =>
    column.map((value) => (named && value ? `${value}-${copy}` : value)));
  index.communities[name] = copies.flat();
}
delete index.below;
"""
"""Makes 2,400 of each community of the sample."""
WITH_CHARTS = ("pairs", "associations", "places")


def one(selector: str, place: int = 0) -> str:
    """Return the expression of an element."""
    return f"document.querySelectorAll('{selector}')[{place}]"


@pytest.fixture(scope="module")
def served(sample_index: BuiltIndex) -> Iterator[str]:
    """Yield the address of the site of ``query serve``; questions are read without the tuned
    model.
    """
    with pytest.MonkeyPatch.context() as monkey:
        monkey.setattr("query.reading.reader.read_tuned", lambda _question: None)
        app = make_app(ServedIndex(sample_index.path, LOOPBACK))
        with listening(app, "127.0.0.1") as port:
            yield f"http://127.0.0.1:{port}"


def saved(file: Path) -> Path:
    """Return ``file`` as soon as the browser has saved it."""
    until = time.monotonic() + 20
    while not file.exists() and time.monotonic() < until:
        time.sleep(0.05)
    return file


def show(page: Page, view: str, heading: str) -> None:
    """Go to a view of the page that is open, and wait for its heading."""
    page.run(f"location.hash = '#/{view}'")
    page.wait(f"{one('main h2')}.textContent === {heading!r}")


def test_every_view_of_the_atlas_is_drawn_and_can_be_used_by_all(
    page: Page, sample_db: duckdb.DuckDBPyConnection, tmp_path: Path
) -> None:
    file = tmp_path / "atlas.html"
    file.write_text(page_of(gather_content(sample_db, most_reports=20_000)), encoding="utf-8")
    page.width(1280)
    page.go(f"file://{file}?shade=light")

    found = {}
    for view, heading in VIEWS.items():
        show(page, view, heading)
        if view in WITH_CHARTS:
            page.wait(one("canvas"))
        found[view] = page.violations()
    page.click(one("#shade"))
    page.run("location.hash = '#/' + index.communities.community[0]")
    page.wait(one("ol.findings li"))
    found["report in the dark"] = page.violations()

    assert {view: said for view, said in found.items() if said} == {}
    assert page.errors == []


def test_a_field_of_the_map_opens_into_its_parts_and_the_way_back_is_shown(page: Page) -> None:
    page.run("location.hash = '#/reports'")
    show(page, "map", "Communities")
    page.wait(one(".map button"))

    page.press(f"{one('.map')}", 20, 20)
    page.wait(f"{one('.crumbs a')}")

    parts = "[...childrenOf().get(index.communities.community[0])].length"
    assert page.run(parts) == page.run("fields(index.communities.community[0]).length") > 1
    page.click(one(".crumbs button"))
    page.wait(f"!{one('.crumbs a')}")


def test_the_map_is_walked_with_arrow_keys_and_coloured_by_virus_or_host(page: Page) -> None:
    page.run("location.hash = '#/reports'")
    show(page, "map", "Communities")
    page.wait(one(".map button"))
    coloured = "[...document.querySelectorAll('.map button')].map((f) => f.style.background)"
    by_virus = page.run(coloured)
    page.run(f"{one('.map button')}.focus()")

    page.arrow("ArrowDown")
    page.arrow("ArrowUp")
    assert page.run("document.activeElement.ariaLabel") == page.run(
        f"{one('.map button')}.ariaLabel"
    )
    page.arrow("ArrowRight")
    assert page.run("document.activeElement.offsetLeft") > 0
    assert page.run("document.querySelectorAll('.map [tabindex=\"0\"]').length") == 1
    page.run(
        f"{one('.controls select')}.value = 'host group';"
        f"{one('.controls select')}.dispatchEvent(new Event('input'))"
    )

    assert page.run(coloured) != by_virus
    assert "humans" in page.run(f"{one('.legend')}.textContent")


@pytest.mark.parametrize(
    ("view", "name"),
    [
        ("map", "communities"),
        ("relations", "virus-families-by-hosts"),
        ("pairs", "pairs-per-class-of-plausibility"),
        ("places", "world-map-of-places-with-runs"),
    ],
)
def test_a_picture_is_saved_as_it_is_seen(
    page: Page, browser_folder: Path, view: str, name: str
) -> None:
    show(page, view, VIEWS[view])

    page.click(one("main button[aria-label^=PNG]"))

    picture = imread(saved(browser_folder / f"{name}.png"))
    _, pixels = np.unique(picture[::4, ::4].reshape(-1, 4), axis=0, return_counts=True)
    assert min(picture.shape[:2]) > 200
    assert len(pixels) > 20
    assert pixels.max() < 0.995 * pixels.sum()


def test_of_ninety_thousand_communities_the_page_draws_a_few_hundred(page: Page) -> None:
    page.run(MANY)
    reports = page.run("index.communities.community.length")

    show(page, "about", VIEWS["about"])
    show(page, "map", VIEWS["map"])
    page.wait(one(".map button"))
    drawn = page.run("document.querySelectorAll('.map button').length")
    rest = page.run("document.querySelector('.map button:last-child').ariaLabel")
    show(page, "reports", VIEWS["reports"])
    rows = page.run("document.querySelectorAll('main tbody tr').length")

    assert reports >= 80_000
    assert (drawn, rows) == (121, 100)
    assert "smaller communities" in rest
    assert page.errors == []


def test_from_a_question_to_its_runs_and_out_as_csv(
    page: Page, served: str, browser_folder: Path
) -> None:
    page.width(1280)
    page.go(f"{served}/?shade=light#/ask")
    page.click(one("#question"))
    page.type(BATS)
    page.click(one("form button"))
    page.wait(one("#answer li [role=button].cite"))

    assert "Read as: List" in page.run(f"{one('#reading')}.textContent")
    assert "runs from bats" in page.run(f"{one('#answer .lead')}.textContent")
    community = page.run(f"{one('#answer li a.cite')}.hash.slice(2)")
    page.click(one("#answer li [role=button].cite"))
    page.wait(one(".runs tbody tr"))
    assert page.run(f"{one('.runs a')}.textContent") == community
    before = page.run("document.querySelectorAll('.runs tbody tr').length")
    page.click(one(".runs input"))
    accession = page.run(f"{one('.runs tbody td')}.textContent")
    page.type(accession)
    page.wait(f"document.querySelectorAll('.runs tbody tr').length < {before}")
    shown = page.run("[...document.querySelectorAll('.runs tbody tr')].map((r) => r.innerText)")
    assert shown
    assert [row for row in shown if accession not in row] == []
    assert page.violations() == []

    page.click(one(".runs a[download]"))
    rows = list(csv.DictReader(saved(browser_folder / "runs.csv").read_text().splitlines()))
    total = page.run(f"{one('.runs p')}.textContent").split(" runs")[0].split(" ")[-1]
    assert len(rows) == int(total)
    assert page.errors == []


def test_a_name_that_was_read_can_be_taken_out_of_the_question(page: Page, served: str) -> None:
    page.go(f"{served}/?question=Which+viruses+are+found+in+bats+from+Gabon%3F#/ask")
    page.wait("document.querySelectorAll('#reading button').length === 2")

    page.click(one("#reading button", 1))

    page.wait(f"!{one('#question')}.value.includes('Gabon')")
    page.wait(f"{one('#answer .lead')}?.textContent.match(/runs from bats(?! from)/)")


def test_one_of_the_questions_that_may_be_meant_is_picked_and_then_changed(
    page: Page, served: str
) -> None:
    page.go(f"{served}/?question=Which+bats+have+coronavirus+reactivation%3F#/ask")
    page.wait(one("#answer ol button"))
    picked = page.run(f"{one('#answer ol button')}.textContent")
    assert page.run(f"{one('#follow-up')}.offsetParent") is None
    assert page.violations() == []

    page.click(one("#answer ol button"))
    page.wait(one("#answer .lead"))

    assert page.run(f"{one('#question')}.value") == picked
    assert picked in page.run(f"{one('#reading')}.textContent")
    page.wait(f"{one('#follow-up')}.offsetParent")
    page.click(one("#follow-up"))
    page.type("and in pigs?")
    page.click(one("form button", 1))
    page.wait(f"{one('#reading')}.textContent.includes('pigs as host')")
    page.wait(f"{one('#question')}.value.includes('pigs as host')")
    assert "coronavirus" in page.run(f"{one('#reading')}.textContent")
    assert page.violations() == []
    assert page.errors == []


def test_a_ranking_has_its_chart_and_the_link_of_the_page_holds_the_request_and_the_build(
    page: Page, served: str
) -> None:
    page.go(f"{served}/?question=Which+hosts+carry+Coronaviridae%3F#/ask")
    page.wait(one("#answer canvas"))
    lead = page.run(f"{one('#answer .lead')}.textContent")
    linked = page.run("location.href")
    assert page.run(f"{one('#answer details')}.open") is False

    page.go(linked.replace("question=Which", "question=Whatever"))
    page.wait(one("#answer .lead"))
    assert page.run(f"{one('#answer .lead')}.textContent") == lead
    page.run(f"location.href = {linked!r}.replace(/build=\\w+/, 'build=another')")
    page.wait("document.body.innerText.includes('another build')")


def test_the_keyboard_reaches_every_control_and_shows_where_it_is(page: Page, served: str) -> None:
    page.go(f"{served}/?shade=light#/ask")
    page.wait(one("form button"))
    wanted = page.run(
        "[...document.querySelectorAll('a, button, input, select, textarea')]"
        ".filter((e) => e.offsetParent !== null || e.classList.contains('skip')).length"
    )
    reached = []
    for _ in range(wanted):
        page.tab()
        reached.append(
            page.run(
                "[document.activeElement.outerHTML.slice(0, 90), "
                "getComputedStyle(document.activeElement).outlineStyle]"
            )
        )

    assert len({html for html, _ in reached}) == wanted
    assert [html for html, outline in reached if outline == "none"] == []


def test_at_the_width_of_a_telephone_nothing_runs_over_the_edge(page: Page, served: str) -> None:
    page.width(400, 800)
    page.go(f"{served}/?shade=light&question=Which+viruses+are+found+in+bats%3F#/ask")
    page.wait(one("#answer .lead"))

    wide = {}
    for view, heading in {"ask": "Ask", "sql": "SQL", **VIEWS}.items():
        show(page, view, heading)
        wide[view] = page.run("document.documentElement.scrollWidth")
    tall = page.run(f"{one('header')}.getBoundingClientRect().height")

    assert {view: width for view, width in wide.items() if width > 400} == {}
    assert tall < 200
    assert page.violations() == []
    assert page.errors == []

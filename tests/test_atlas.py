"""``query atlas``: one page that needs no network, shows what the index holds, and runs no data."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import re
from typing import Any

import duckdb
import pytest

from index.store.build import open_index
from query.atlas.content import Content, gather_content
from query.atlas.page import page_of
from tests.conftest import BuiltIndex

HOSTILE = '</script><img src=x onerror="alert(1)"> {{community: C0-x}}'


def unpacked(page: str, name: str) -> Any:
    """Return the content of one block of a page."""
    found = re.search(rf'<script type="application/gzip" id="{name}">([^<]+)</script>', page)
    assert found, name
    return json.loads(gzip.decompress(base64.b64decode(found.group(1))))


@pytest.fixture(scope="module")
def content(sample_index: BuiltIndex) -> Content:
    with open_index(sample_index.path) as connection:
        return gather_content(connection, most_reports=20_000)


@pytest.fixture(scope="module")
def page(content: Content) -> str:
    return page_of(content)


def test_the_page_of_the_sample_is_below_five_megabytes(page: str) -> None:
    assert 1_000_000 < len(page.encode()) < 5_000_000


def test_equal_content_gives_an_equal_page(content: Content, page: str) -> None:
    assert page_of(content) == page


def test_nothing_is_loaded_from_elsewhere(page: str) -> None:
    tags = re.findall(r"<(?:script|link|img|iframe)\b[^>]*(?:src|href)=", page.split("<main", 1)[0])

    assert tags == []
    assert "default-src 'none'" in page


def test_only_the_scripts_that_the_policy_names_run(page: str) -> None:
    policy = re.search(r'content="(default-src[^"]+)"', page)
    assert policy
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)

    digests = {
        base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts
    }

    assert len(scripts) == 2
    assert digests == set(re.findall(r"sha256-([^']+)", policy.group(1)))


def test_every_report_is_in_the_page_with_its_findings(
    page: str, sample_db: duckdb.DuckDBPyConnection
) -> None:
    index = unpacked(page, "index")
    reports = unpacked(page, "reports-0")

    stored = sample_db.execute(
        "SELECT community, count(*) FROM finding GROUP BY community ORDER BY community"
    ).fetchall()
    assert set(reports) == set(index["communities"]["community"]) == set(index["chunks"])
    shown = [(name, len(report["findings"])) for name, report in sorted(reports.items())]
    assert [(name, count) for name, count in shown if count] == stored


def test_runs_behind_a_citation_have_what_is_cited(
    page: str, sample_db: duckdb.DuckDBPyConnection
) -> None:
    reports = unpacked(page, "reports-0")
    hosts = [
        (name, key.removeprefix("host: "), run)
        for name, report in reports.items()
        for key, runs in report["cited"].items()
        if key.startswith("host: ")
        for run in runs
    ]

    assert hosts
    for community, host, run in hosts[:40]:
        found = sample_db.execute(
            "SELECT count(*) FROM annotation JOIN community_member ON entity = run "
            "WHERE run = $1 AND community = $2 AND facet = 'host' AND lower(value) = lower($3)",
            [run, community, host],
        ).fetchall()
        assert found[0][0] > 0, (community, host, run)


def test_shares_of_the_parent_are_those_of_its_own_facts(
    page: str, sample_db: duckdb.DuckDBPyConnection
) -> None:
    reports = unpacked(page, "reports-0")
    compared = [
        (name, fact["facet"], fact["value"], fact["parent"])
        for name, report in reports.items()
        for fact in report["facts"]
        if fact["parent"] is not None
    ]

    assert compared
    for community, facet, value, share in compared[:20]:
        rows = sample_db.execute(
            "SELECT f.share FROM distinct_community d JOIN fact f ON f.community = d.parent "
            "WHERE d.community = $1 AND f.facet = $2 AND f.value = $3",
            [community, facet, value],
        ).fetchall()
        assert rows[0][0] == pytest.approx(share, rel=1e-3)


def test_reports_beyond_the_limit_are_counted_and_stay_in_the_list(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    few = gather_content(sample_db, most_reports=10)

    everything = len(few.index["communities"]["community"])
    assert everything == sample_db.table("report").shape[0] > 10
    assert len(few.reports) == 10
    assert few.left_out == everything - 10


@pytest.mark.parametrize("shown", [0, 1, 4])
def test_a_page_of_few_reports_cites_runs(sample_db: duckdb.DuckDBPyConnection, shown: int) -> None:
    few = gather_content(sample_db, most_reports=shown)

    assert len(few.reports) == shown
    assert all(report["cited"] for report in few.reports.values())


def test_text_of_the_data_cannot_become_part_of_the_page(content: Content) -> None:
    hostile = json.loads(json.dumps(content.index))
    hostile["communities"]["title"][0] = HOSTILE

    page = page_of(Content(hostile, content.reports, content.left_out))

    assert HOSTILE not in page
    assert unpacked(page, "index")["communities"]["title"][0] == HOSTILE

"""Drift between two releases, and spellings of identifiers."""

from __future__ import annotations

import polars as pl

from ontology_etl.releases.drift import drift, touched


def terms(text: str) -> pl.DataFrame:
    """Return Term columns from ``curie | label | replaced_by``; a row with a third cell is
    obsolete, "-" is no term.
    """
    cells = [[cell.strip() for cell in line.split("|")] for line in text.strip().split("\n")]
    rows = [
        (curie, label, bool(rest), rest[0] if rest and rest[0] != "-" else None)
        for curie, label, *rest in cells
    ]
    return pl.DataFrame(
        rows,
        schema={"curie": str, "label": str, "obsolete": bool, "replaced_by": str},
        orient="row",
    )


OLD = terms("""
    DOID:1 | influenza
    DOID:2 | grippe
    DOID:3 | ague
    DOID:4 | vapours
    DOID:5 | gout
    DOID:6 | dropsy | -
    DOID:7 | old   | -
    """)
NEW = terms("""
    DOID:1 | influenza A
    DOID:2 | grippe  | DOID:1
    DOID:3 | ague    | -
    DOID:5 | gout
    DOID:6 | dropsy
    DOID:7 | older   | DOID:1
    DOID:8 | COVID-19
    DOID:9 | never live | -
    """)


def test_each_kind_of_change_is_recognised() -> None:
    assert drift(OLD, NEW).rows() == [
        ("added", "DOID:6", None, "dropsy"),
        ("added", "DOID:8", None, "COVID-19"),
        ("merged", "DOID:2", "grippe", "DOID:1"),
        ("obsoleted", "DOID:3", "ague", None),
        ("obsoleted", "DOID:4", "vapours", None),
        ("renamed", "DOID:1", "influenza", "influenza A"),
    ]


def test_equal_releases_do_not_drift() -> None:
    assert drift(OLD, OLD).is_empty()
    assert drift(OLD, OLD).columns == ["change", "curie", "old", "new"]


def test_changes_that_touch_annotations_are_ranked_by_use() -> None:
    used = pl.Series("curie", ["DOID:1", "DOID:3", "DOID:3", "DOID:5", None])
    assert touched(drift(OLD, NEW), used).select("change", "curie", "uses").rows() == [
        ("obsoleted", "DOID:3", 2),
        ("renamed", "DOID:1", 1),
    ]


def test_first_release_adds_every_live_term() -> None:
    assert drift(OLD.clear(), NEW)["change"].to_list() == ["added"] * 4

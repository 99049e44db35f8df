"""Drift between two releases, and spellings of identifiers."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontology_etl.curies import (
    Curie,
    has_prefix,
    normalise,
    parse,
    prefix_of,
    taxid_of,
    taxon_curie,
)
from ontology_etl.drift import drift, touched


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


def test_each_kind_of_change_is_told_apart() -> None:
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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("NCBITaxon:9606", "NCBITaxon:9606"),
        ("ncbitaxon_9606", "NCBITaxon:9606"),
        ("taxid:9606", "NCBITaxon:9606"),
        ("txid9606", "NCBITaxon:9606"),
        (" DOID:8469 ", "DOID:8469"),
        ("doid:8469", "DOID:8469"),
        ("http://purl.obolibrary.org/obo/BTO_0000763", "BTO:0000763"),
        ("https://purl.obolibrary.org/obo/DOID_8469", "DOID:8469"),
        ("UBERON:0002048", "UBERON:0002048"),
        ("9606", None),
        ("lung", None),
        ("", None),
        ("influenza A:1", None),
    ],
)
def test_spellings_of_an_identifier_become_one_curie(text: str, expected: str | None) -> None:
    assert normalise(text) == expected


@given(st.text(max_size=30))
def test_whatever_normalises_is_a_curie_and_stays_as_it_is(text: str) -> None:
    curie = normalise(text)
    assert curie is None or (str(parse(curie)) == curie and normalise(curie) == curie)


def test_curie_has_two_parts_and_nothing_else_parses() -> None:
    assert parse("NCBITaxon:9606") == Curie("NCBITaxon", "9606")
    with pytest.raises(ValueError, match="not a CURIE: 'lung'"):
        parse("lung")


def test_columns_of_curies_are_taken_apart_and_put_together() -> None:
    frame = pl.DataFrame({"curie": ["NCBITaxon:9606", "BTO:0000763", None]})
    assert frame.select(prefix_of(pl.col("curie")))["curie"].to_list() == ["NCBITaxon", "BTO", None]
    assert frame.select(has_prefix(pl.col("curie"), "BTO"))["curie"].to_list() == [
        False,
        True,
        None,
    ]
    assert frame.select(t=taxid_of(pl.col("curie")))["t"].to_list() == [9606, None, None]
    taxa = frame.select(c=taxon_curie(taxid_of(pl.col("curie"))))
    assert taxa["c"].to_list() == ["NCBITaxon:9606", None, None]

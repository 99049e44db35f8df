"""Identifiers: their spellings, their parts, and the one module that splits them."""

from __future__ import annotations

import re

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ontology_etl.curies import (
    CURIE,
    has_prefix,
    normalise,
    ontology_of,
    prefix_of,
    taxid_of,
    taxon_curie,
)
from tests.conftest import ROOT


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
    assert curie is None or (re.fullmatch(CURIE, curie) and normalise(curie) == curie)


def test_columns_of_curies_are_split_and_joined() -> None:
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


def test_an_identifier_is_split_in_one_module_only() -> None:
    splits = re.compile(
        r"""curie\w*(\.str)?\.(split|rsplit|partition|startswith|removeprefix|strip_prefix)\("""
        r"""|split_part\(\s*\w*\.?(curie|ancestor|descendant)"""
    )
    elsewhere = []
    for folder in ("ontology_etl", "index", "query", "flows", "benchmarks"):
        for file in (ROOT / folder).rglob("*.*"):
            if file.suffix in (".py", ".sql") and file.name != "curies.py":
                elsewhere += [
                    f"{file.relative_to(ROOT)}: {line.strip()}"
                    for line in file.read_text().splitlines()
                    if splits.search(line)
                ]
    assert elsewhere == []


def test_the_ontology_of_an_identifier_is_its_prefix() -> None:
    assert ontology_of("NCBITaxon:9606") == "NCBITaxon"

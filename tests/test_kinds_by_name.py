"""Diseases that their name places below another disease."""

from __future__ import annotations

import polars as pl
import pytest

from ontology_etl.sources.kinds_by_name import kinds_by_name
from ontology_etl.tables import TermEdge

TERMS = """
DOID:1  | adenocarcinoma
DOID:2  | lung adenocarcinoma
DOID:3  | mucinous lung adenocarcinoma
DOID:4  | Hodgkin's lymphoma
DOID:5  | non-Hodgkin lymphoma
DOID:6  | eclampsia
DOID:7  | pre-eclampsia
DOID:8  | syndrome
DOID:9  | Down syndrome
DOID:10 | thoracic dysplasia with or without polydactyly
DOID:11 | polydactyly
DOID:12 | spinocerebellar ataxia 14
DOID:13 | autosomal recessive spinocerebellar ataxia 14
DOID:14 | colon carcinoma
DOID:15 | carcinoma
DOID:16 | infectious disease, measles
DOID:17 | measles
DOID:18 | obsolete adenocarcinoma
"""
KINDS = """
DOID:2 | DOID:1
DOID:3 | DOID:2
"""


def pairs(table: str) -> list[tuple[str, str]]:
    listed = [line.split("|") for line in table.strip().splitlines()]
    return [(first.strip(), second.strip()) for first, second in listed]


@pytest.mark.parametrize(("subject", "object_"), [("DOID:14", "DOID:15"), ("DOID:15", "DOID:14")])
def test_a_name_adds_what_no_edge_says_of_a_pair(subject: str, object_: str) -> None:
    term = pl.DataFrame(pairs(TERMS), schema=["curie", "label"], orient="row")
    term = term.with_columns(obsolete=pl.col("curie") == "DOID:18")
    edge = [(subject, "is_a", object_)]
    stated = pl.DataFrame(edge, schema=TermEdge.column_names(), orient="row")
    found = kinds_by_name(term, stated).sort("subject")
    assert found.select("subject", "object").rows() == pairs(KINDS)
    assert found["predicate"].unique().to_list() == ["kind_by_name"]

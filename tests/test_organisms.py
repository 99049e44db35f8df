"""Hosts, environments and libraries of a virus are distinguished from the organism as submitted."""

from __future__ import annotations

import dataframely as dy
import polars as pl

from index.annotation.annotate import annotate
from index.records import Records
from index.tables import BiosampleAttribute, Run
from ontology_etl.tables import conform
from tests.taxa import vocabulary_of

TAXA = """
1 | root
  131567 | cellular organisms
    7157 | Culicidae
    9606 | Homo sapiens
    562 | Escherichia coli
    9031 | Gallus gallus
  10239 | Viruses
    11082 | West Nile virus
  408169 | metagenomes
    939928 | mosquito metagenome
    408170 | human gut metagenome
    410658 | soil metagenome
    1234904 | chicken litter metagenome
"""
SYNONYMS = """
7157 | mosquito
9606 | human
9031 | chicken
"""

CASES = """
    organism                  | host attribute  | host             | environment               | virus
    Homo sapiens              |                 | Homo sapiens     |                           |
    Escherichia coli          | Homo sapiens    | Homo sapiens     |                           |
    mosquito metagenome       |                 | Culicidae        | mosquito metagenome       |
    human gut metagenome      |                 | Homo sapiens     | human gut metagenome      |
    human gut metagenome      | Gallus gallus   | Gallus gallus    | human gut metagenome      |
    soil metagenome           |                 |                  | soil metagenome           |
    chicken litter metagenome |                 |                  | chicken litter metagenome |
    West Nile virus           |                 |                  |                           | West Nile virus
    West Nile virus           | mosquito        | Culicidae        |                           | West Nile virus
    Homo sapiens              | West Nile virus | Homo sapiens     |                           |
    Homo sapiens              | soil metagenome | Homo sapiens     |                           |
"""  # noqa: E501


def text_table(text: str) -> list[list[str]]:
    lines = text.strip().splitlines()[1:]
    return [[cell.strip() for cell in line.split("|")] for line in lines]


def test_what_was_sequenced_is_recognised() -> None:
    cases = text_table(CASES)
    runs = [{"run": f"SYNR{n}", "biosample": f"SYNS{n}", "organism": organism}
            for n, (organism, *_) in enumerate(cases)]  # fmt: skip
    stated = [{"biosample": f"SYNS{n}", "attribute": "host", "value": host}
              for n, (_, host, *_) in enumerate(cases) if host]  # fmt: skip
    records = Records(run=_rows(Run, runs), biosample_attribute=_rows(BiosampleAttribute, stated))
    annotation = annotate(records, vocabulary_of(TAXA, synonyms=SYNONYMS)).annotation
    for n, (organism, _, host, environment, virus) in enumerate(cases):
        values = dict(annotation.filter(run=f"SYNR{n}").select("facet", "value").iter_rows())
        expected = {"label": organism, "host": host, "environment": environment, "virus": virus}
        assert values == {facet: value for facet, value in expected.items() if value}, cases[n]


def _rows(contract: type[dy.Schema], rows: list[dict[str, str]]) -> pl.DataFrame:
    return conform(pl.DataFrame(rows, schema=contract.create_empty().schema), contract)

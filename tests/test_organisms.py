"""Hosts, environments and libraries of a virus are distinguished from the organism as submitted."""

from __future__ import annotations

import dataframely as dy
import polars as pl

from index.annotation.annotate import annotate
from index.records import Records
from index.tables import BiosampleAttribute, Run
from ontology_etl.tables import conform
from ontology_etl.vocabulary import Vocabulary, build_vocabulary

TAXA = """
    131567  cellular organisms
    7157    Culicidae
    9606    Homo sapiens
    562     Escherichia coli
    10239   Viruses
    11082   West Nile virus
    408169  metagenomes
    939928  mosquito metagenome
    408170  human gut metagenome
    410658  soil metagenome
    1234904 chicken litter metagenome
    9031    Gallus gallus
"""
PARENTS = {
    7157: 131567, 9606: 131567, 562: 131567, 9031: 131567, 11082: 10239, 939928: 408169,
    408170: 408169, 410658: 408169, 1234904: 408169,
}  # fmt: skip
SYNONYMS = {7157: "mosquito", 9606: "human", 9031: "chicken"}

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


def taxonomy() -> Vocabulary:
    pairs = [line.strip().split(maxsplit=1) for line in TAXA.strip().splitlines()]
    term = pl.DataFrame(
        {
            "curie": [f"NCBITaxon:{taxid}" for taxid, _ in pairs],
            "label": [name for _, name in pairs],
        }
    ).with_columns(
        ontology=pl.lit("NCBITaxon"),
        rank=pl.lit(None, pl.String),
        obsolete=pl.lit(False),
        replaced_by=pl.lit(None, pl.String),
    )
    synonym = pl.DataFrame(
        {
            "curie": [f"NCBITaxon:{taxid}" for taxid in SYNONYMS],
            "synonym": list(SYNONYMS.values()),
            "scope": ["EXACT"] * len(SYNONYMS),
        }
    )
    edge = pl.DataFrame(
        {
            "subject": [f"NCBITaxon:{taxid}" for taxid in PARENTS],
            "object": [f"NCBITaxon:{taxid}" for taxid in PARENTS.values()],
        }
    ).with_columns(predicate=pl.lit("parent"))
    return build_vocabulary(term, synonym, edge)


def test_what_was_sequenced_is_recognised() -> None:
    cases = text_table(CASES)
    runs = [{"run": f"SYNR{n}", "biosample": f"SYNS{n}", "organism": organism}
            for n, (organism, *_) in enumerate(cases)]  # fmt: skip
    stated = [{"biosample": f"SYNS{n}", "attribute": "host", "value": host}
              for n, (_, host, *_) in enumerate(cases) if host]  # fmt: skip
    records = Records(run=_rows(Run, runs), biosample_attribute=_rows(BiosampleAttribute, stated))
    annotation = annotate(records, taxonomy()).annotation
    for n, (organism, _, host, environment, virus) in enumerate(cases):
        values = dict(annotation.filter(run=f"SYNR{n}").select("facet", "value").iter_rows())
        expected = {"label": organism, "host": host, "environment": environment, "virus": virus}
        assert values == {facet: value for facet, value in expected.items() if value}, cases[n]


def _rows(contract: type[dy.Schema], rows: list[dict[str, str]]) -> pl.DataFrame:
    return conform(pl.DataFrame(rows, schema=contract.create_empty().schema), contract)

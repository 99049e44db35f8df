"""Several ontologies may serve one facet: tissues of BTO and, where a manifest names it, Uberon."""

from __future__ import annotations

from pathlib import Path

import pytest

from index.sources.manifest import read_manifest
from ontology_etl.grounding import ground_text
from ontology_etl.load import load_ontologies
from ontology_etl.vocabulary import Vocabulary, build_vocabulary

UBERON = """format-version: 1.2
ontology: uberon

[Term]
id: UBERON:0000061
name: anatomical structure

[Term]
id: UBERON:0002421
name: hippocampal formation
synonym: "hippocampus" EXACT []
is_a: UBERON:0000061 ! anatomical structure

[Term]
id: UBERON:0002048
name: lung
is_a: UBERON:0000061 ! anatomical structure
"""
BTO = """format-version: 1.2
ontology: bto

[Term]
id: BTO:0000763
name: lung
"""
CASES = """
    text             | terms
    lung             | BTO:0000763
    hippocampus      | UBERON:0002421
    UBERON:0002421   | UBERON:0002421
    BTO:0000763      | BTO:0000763
"""


@pytest.fixture(scope="module")
def vocabulary(tmp_path_factory: pytest.TempPathFactory) -> Vocabulary:
    folder = tmp_path_factory.mktemp("tissues")
    paths = {"BTO": folder / "bto.obo", "UBERON": folder / "uberon.obo"}
    paths["BTO"].write_text(BTO)
    paths["UBERON"].write_text(UBERON)
    loaded = load_ontologies(paths)
    return build_vocabulary(loaded.term, loaded.synonym, loaded.term_edge)


@pytest.mark.parametrize(
    ("text", "terms"),
    [[cell.strip() for cell in line.split("|")] for line in CASES.strip().splitlines()[1:]],
)
def test_tissue_is_a_term_of_the_most_trusted_ontology_that_names_it(
    text: str, terms: str, vocabulary: Vocabulary
) -> None:
    found = ground_text(text, vocabulary, facet="tissue")
    assert ", ".join(found["curie"].drop_nulls()) == terms


def test_optional_ontology_is_loaded_only_where_a_manifest_names_it(tmp_path: Path) -> None:
    (tmp_path / "uberon.obo").write_text(UBERON)
    (tmp_path / "runs.csv").write_text("Run\nSYN1\n")
    runs = '[[input]]\nformat = "sra_run_info"\npath = "runs.csv"\n'
    plain, named = tmp_path / "plain.toml", tmp_path / "named.toml"
    plain.write_text(runs)
    named.write_text(f'{runs}[ontologies]\nUBERON = "uberon.obo"\n')
    usual = [source.name for source in read_manifest(plain).ontologies.listed]
    asked = [source.name for source in read_manifest(named).ontologies.listed]
    assert usual == ["NCBITaxon", "BTO", "DOID"]
    assert asked == [*usual, "UBERON"]

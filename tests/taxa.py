"""Small taxonomies as indented text: a line for each taxon, below its parent."""

from __future__ import annotations

import polars as pl

from ontology_etl.vocabulary import Vocabulary, build_vocabulary
from tests.tiny_index import read_text_table


def taxa(text: str) -> dict[str, str]:
    """Return the tables ``term`` and ``term_edge`` of an index, written as text.

    A line is an NCBI taxid (or the CURIE of another term), a name, and perhaps a rank; a taxon
    stands two blanks deeper than its parent.
    """
    above: list[str] = []
    terms, edges = ["curie | label | rank"], ["subject | object"]
    for line in text.strip("\n").splitlines():
        depth = (len(line) - len(line.lstrip())) // 2
        taxid, *described = (cell.strip() for cell in line.split("|"))
        curie = taxid if ":" in taxid else f"NCBITaxon:{taxid}"
        terms.append(" | ".join([curie, *described, ""][:3]))
        edges += [f"{curie} | {above[depth - 1]}"] if depth else []
        above[depth:] = [curie]
    return {"term": "\n".join(terms), "term_edge": "\n".join(edges)}


def vocabulary_of(text: str, *, synonyms: str = "") -> Vocabulary:
    """Return the vocabulary of a taxonomy and its ``synonyms`` (``taxid | name``)."""
    tables = {name: read_text_table(name, table) for name, table in taxa(text).items()}
    ontology = pl.col("curie").str.split(":").list.first().alias("ontology")
    named = [f"NCBITaxon:{line}" for line in synonyms.strip().splitlines()]
    synonym = read_text_table("synonym", "\n".join(["curie | synonym", *named]))
    return build_vocabulary(tables["term"].with_columns(ontology), synonym, tables["term_edge"])

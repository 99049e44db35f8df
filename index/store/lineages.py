"""Ancestors of any taxa: the table ``closure`` has those of the taxa that an index uses."""

from __future__ import annotations

from typing import Final

import duckdb
import polars as pl

from ontology_etl.closure import PARENT, taxon_closure

USED_TERMS: Final = """
SELECT curie, label, ontology, rank FROM term
WHERE curie IN (SELECT ancestor FROM closure UNION SELECT curie FROM annotation) ORDER BY curie
"""
"""SELECT of the rows of ``used_term``, which joins read in place of millions of terms."""
_TAXON_EDGES: Final = f"SELECT subject, object FROM term_edge WHERE predicate = '{PARENT}'"


def taxon_edges(con: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    """Return subject, object of NCBI Taxonomy: each taxon of the index and its parent."""
    edges: pl.DataFrame = con.sql(_TAXON_EDGES).pl()
    return edges


def lineage_of(con: duckdb.DuckDBPyConnection, taxa: pl.Series) -> pl.DataFrame:
    """Return descendant, ancestor, distance of ``taxa`` (CURIEs of NCBI Taxonomy) and of all above
    them, each its own ancestor at distance 0.
    """
    known = taxa.drop_nulls().unique().sort()
    edges = taxon_edges(con)
    if not len(known) or not len(edges):
        itself = pl.DataFrame({"descendant": known, "ancestor": known})
        return itself.with_columns(distance=pl.lit(0, pl.Int32))
    return taxon_closure(edges, known)

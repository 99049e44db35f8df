"""The names of viruses that detections are resolved with, and the ontologies they come from."""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from ontology_etl.closure import close_over
from ontology_etl.viruses.names import VirusNames


class VirusTaxonomy(NamedTuple):
    """Names of viruses with the tables ``term``, ``term_edge`` and ``synonym``."""

    names: VirusNames
    term: pl.DataFrame
    term_edge: pl.DataFrame
    synonym: pl.DataFrame

    def above(self, taxa: pl.Series) -> pl.DataFrame:
        """Return descendant, ancestor, distance of ``taxa`` and of all taxa above them."""
        return close_over(self.names.parent, taxa.drop_nulls().unique().sort())

    def terms(self, curies: pl.Series) -> pl.DataFrame:
        """Return the rows of ``term`` of ``curies``."""
        return self.term.filter(pl.col("curie").is_in(curies.drop_nulls().unique().implode()))

"""Statements of a source about its ontology, before they are checked against contracts."""

from __future__ import annotations

from dataclasses import dataclass, field

import polars as pl

from ontology_etl.tables import Rejected, Synonym, TermEdge, Xref


@dataclass(frozen=True)
class Statements:
    """Statements of one ontology file; columns as in ``ontology_etl.tables``, rows in any order.

    ``version`` is the release as the file states it; ``repairs`` counts the rows that were read
    after a correction.
    """

    term: pl.DataFrame
    version: str
    synonym: pl.DataFrame = field(default_factory=Synonym.create_empty)
    term_edge: pl.DataFrame = field(default_factory=TermEdge.create_empty)
    xref: pl.DataFrame = field(default_factory=Xref.create_empty)
    rejected: pl.DataFrame = field(default_factory=Rejected.create_empty)
    repairs: int = 0

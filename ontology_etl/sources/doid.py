"""Human Disease Ontology.

Source: https://purl.obolibrary.org/obo/doid.obo. Licence: CC0 1.0. Baron et al. 2024,
doi:10.1093/nar/gkad1051.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl

from ontology_etl.curies import DOID
from ontology_etl.sources.obo import read_obo
from ontology_etl.sources.statements import Statements


def read(path: Path) -> Statements:
    """Return all statements of the DO release at ``path``. Raises as ``obo.read_obo``.

    DO puts the word "obsolete" before the label of an obsolete term. It is left out, because the
    column ``obsolete`` says it.
    """
    statements = read_obo(path, prefix=DOID)
    shortened = pl.col("label").str.strip_prefix("obsolete ")
    label = pl.when(pl.col("obsolete")).then(shortened).otherwise("label")
    return replace(
        statements,
        term=statements.term.with_columns(label.alias("label")),
    )

"""BRENDA Tissue Ontology: tissues, cell types, cell lines.

Source: https://purl.obolibrary.org/obo/bto.obo. Licence: CC BY 4.0. Chang et al. 2021,
doi:10.1093/nar/gkaa1025. Its synonyms are nearly all RELATED, so that scope must count when text is
grounded.
"""

from __future__ import annotations

from pathlib import Path

from ontology_etl.curies import BTO
from ontology_etl.sources.obo import read_obo
from ontology_etl.sources.statements import Statements


def read(path: Path) -> Statements:
    """Return all statements of the BTO release at ``path``. Raises as ``obo.read_obo``."""
    return read_obo(path, prefix=BTO)

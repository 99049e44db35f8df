"""Uberon, the multi-species anatomy ontology: an optional second ontology of tissues.

Source: https://purl.obolibrary.org/obo/uberon.obo. Licence: CC BY 3.0. Mungall et al. 2012,
doi:10.1186/gb-2012-13-1-r5.
"""

from __future__ import annotations

from pathlib import Path

from ontology_etl.sources.obo import read_obo
from ontology_etl.sources.statements import Statements


def read(path: Path) -> Statements:
    """Return all statements of the Uberon release at ``path``. Raises as ``obo.read_obo``."""
    return read_obo(path, prefix="UBERON")

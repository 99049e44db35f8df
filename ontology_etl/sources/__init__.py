"""One module per ontology, which turns its file into ``Statements``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from ontology_etl.curies import BTO, DOID, ICTV, NCBI_TAXON
from ontology_etl.sources import bto, doid, ictv, ncbi_taxonomy, uberon
from ontology_etl.sources.statements import Statements

SOURCES: Final[Mapping[str, Callable[[Path], Statements]]] = {
    NCBI_TAXON: ncbi_taxonomy.read,
    BTO: bto.read,
    DOID: doid.read,
    "UBERON": uberon.read,
    ICTV: ictv.read,
}
"""Reader of each ontology, by name; each raises errors of ``ontology_etl.errors.InputError``."""

__all__ = ["SOURCES", "Statements"]

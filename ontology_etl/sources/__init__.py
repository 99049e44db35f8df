"""Readers of ontologies: each turns a file into ``Statements``. An OBO file without peculiarities
needs no more than its prefix.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Final

from ontology_etl.curies import BTO, DOID, ICTV, NCBI_TAXON
from ontology_etl.sources import doid, ictv, ncbi_taxonomy
from ontology_etl.sources.obo import read_obo
from ontology_etl.sources.statements import Statements

SOURCES: Final[Mapping[str, Callable[[Path], Statements]]] = {
    NCBI_TAXON: ncbi_taxonomy.read,
    BTO: partial(read_obo, prefix=BTO),
    DOID: doid.read,
    "UBERON": partial(read_obo, prefix="UBERON"),
    ICTV: ictv.read,
}
"""Reader of each ontology, by name; each raises errors of ``ontology_etl.errors.InputError``."""

__all__ = ["SOURCES", "Statements"]

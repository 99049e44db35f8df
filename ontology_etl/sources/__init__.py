"""Readers of ontologies: each turns a file into ``Statements``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Final

from ontology_etl.curies import BTO, DOID, ICTV, NCBI_TAXON
from ontology_etl.sources import ictv, ncbi_taxonomy
from ontology_etl.sources.obo import read_doid, read_obo
from ontology_etl.tables import Statements

SOURCES: Final[Mapping[str, Callable[[Path], Statements]]] = {
    NCBI_TAXON: ncbi_taxonomy.read,
    BTO: partial(read_obo, prefix=BTO),
    DOID: read_doid,
    "UBERON": partial(read_obo, prefix="UBERON"),
    ICTV: ictv.read,
}
"""Reader of each ontology, by name; each raises errors of ``ontology_etl.errors.InputError``."""

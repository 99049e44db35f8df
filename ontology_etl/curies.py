"""Identifiers of ontology terms as CURIEs: ``NCBITaxon:9606``; only this module splits them.

Source: W3C CURIE Syntax 1.0, as the OBO Foundry uses it. Polars is imported where it is used, so
that a reader of one identifier does not wait for it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ontology_etl.facets import FACET_OF_ONTOLOGY

if TYPE_CHECKING:
    import polars as pl

CURIE: Final = r"^[A-Za-z][A-Za-z0-9_.]*:[A-Za-z0-9_.\-]+$"
NCBI_TAXON: Final = "NCBITaxon"
BTO: Final = "BTO"
DOID: Final = "DOID"
ICTV: Final = "ICTV"

_OTHER_SPELLINGS: Final = {
    "taxon": NCBI_TAXON,
    "taxid": NCBI_TAXON,
    "txid": NCBI_TAXON,
    "ncbi_taxid": NCBI_TAXON,
    "taxonomy": NCBI_TAXON,
    "ncbi": NCBI_TAXON,
    "do": DOID,
    "ictv": ICTV,
}
_SPELLINGS: Final = {name.lower(): name for name in FACET_OF_ONTOLOGY} | _OTHER_SPELLINGS
_LOOSE: Final = re.compile(
    r"^(?:https?://\S*[/#])?([A-Za-z_]+?)(?:[:_|]\s*|(?<=txid))([0-9]+)$", re.IGNORECASE
)


def ontology_of(curie: str) -> str:
    """Return the ontology of ``curie``: its prefix, unchecked.

    >>> ontology_of("DOID:8469")
    'DOID'
    """
    return curie.partition(":")[0]


def normalise(text: str) -> str | None:
    """Return ``text`` as a CURIE of one of our ontologies, or None.

    Other spellings and OBO addresses are read too.

    >>> normalise("doid_8469")
    'DOID:8469'
    >>> normalise("http://purl.obolibrary.org/obo/BTO_0000763")
    'BTO:0000763'
    >>> normalise("lung") is None
    True
    """
    found = _LOOSE.fullmatch(text.strip())
    if found is None:
        return None
    prefix = _SPELLINGS.get(found[1].lower())
    return f"{prefix}:{found[2]}" if prefix else None


def taxon_curie(taxid: pl.Expr) -> pl.Expr:
    """Return NCBI Taxonomy CURIEs of a column of integer taxids; null stays null."""
    import polars as pl

    return pl.lit(f"{NCBI_TAXON}:") + taxid.cast(pl.String)


def taxid_of(curie: pl.Expr) -> pl.Expr:
    """Return the integer taxids of a column of CURIEs; null for CURIEs of other ontologies."""
    import polars as pl

    local = curie.str.strip_prefix(f"{NCBI_TAXON}:")
    taxid = local.cast(pl.Int32, strict=False)
    return pl.when(has_prefix(curie, NCBI_TAXON)).then(taxid)


def prefix_of(curie: pl.Expr) -> pl.Expr:
    """Return the prefixes of a column of CURIEs: the ontology each term belongs to."""
    return curie.str.extract("^([^:]+):")


def has_prefix(curie: pl.Expr, prefix: str) -> pl.Expr:
    """Return whether each CURIE of a column belongs to the ontology ``prefix``."""
    return curie.str.starts_with(f"{prefix}:")

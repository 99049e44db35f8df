"""Host groups that ICTV and NCBI Taxonomy state for viruses, as taxa.

NCBI's host.dmp and ICTV's host source use the same dozen words. Some mean several taxa:
invertebrates are animals without vertebrates, protists and algae are many branches.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from ontology_etl.curies import taxon_curie

HAS_HOST: Final = "has_host"
"""Predicate of what a virus is stated to infect."""

HOST_GROUPS: Final[dict[str, tuple[int, ...]]] = {
    "human": (9606,),
    "vertebrates": (7742,),
    "invertebrates": (33317, 6073, 7586, 6040),  # Protostomia, Cnidaria, Echinodermata, Porifera
    "plants": (33090,),
    "land plants": (3193,),
    "fungi": (4751,),
    "bacteria": (2,),
    "archaea": (2157,),
    "algae": (3041, 2763, 2696291, 2830, 3027),
    "diatom": (2836,),
    "protists": (2698737, 554915, 2611352, 2611341),  # SAR, Amoebozoa, Discoba, Metamonada
    "protozoa": (2698737, 554915, 2611352, 2611341),
    "eukaryotic algae": (3041, 2763, 2696291, 2830, 3027),
    "oomycetes": (4762,),
}
"""Word -> taxids; a word that is not here (``environment``, ``air``) is not a host."""


def with_group_taxa(stated: pl.DataFrame, column: str) -> pl.DataFrame:
    """Return ``stated`` with ``column`` replaced by ``host``: one row per taxon of each group."""
    groups = pl.DataFrame(
        {
            "word": list(HOST_GROUPS),
            "taxid": list(HOST_GROUPS.values()),
        }
    )
    taxa = groups.explode("taxid").select(
        "word",
        taxon_curie(pl.col("taxid")).alias("host"),
    )
    word = pl.col(column).str.strip_chars().str.to_lowercase()
    with_word = stated.with_columns(word=word)
    return with_word.join(taxa, on="word").drop(column, "word")

"""The taxa that each search can find, from the viruses that its source names.

A name counts at the rank at which a detection of it would be stated
(``index.annotation.identity``): a relative of a virus at 40 % identity puts its family into the
scope, not that virus.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from index.annotation.called import with_called
from index.annotation.identity import state_viruses, virus_lineage
from index.annotation.sotu_names import name_by_evidence
from index.annotation.virus_taxonomy import VirusTaxonomy
from index.annotation.viruses import find_viruses
from index.tables import SourceScope
from ontology_etl.tables import conform, with_absent

_OF_DETECTIONS: Final = {
    "run": pl.String, "reads": pl.Int64, "coverage": pl.Float64, "congener": pl.String,
    "congener_ratio": pl.Float64,
}  # fmt: skip
"""Columns of detections that a scope does not have."""


def resolve_scopes(
    scope: pl.DataFrame, taxonomy: VirusTaxonomy, sotu_name: pl.DataFrame
) -> pl.DataFrame:
    """Return the taxa of ``scope`` (``index.records.SCOPE_SCHEMA``) as contract SourceScope.

    An sOTU that ``sotu_name`` names by its evidence is in the scope as that virus. Everything below
    a taxon counts as searched for if the scope says so, or if the taxon is a species or below: a
    search that finds one member of a family does not find all of them.
    """
    found = name_by_evidence(find_viruses(scope, taxonomy.names), sotu_name)
    lineage = with_called(virus_lineage(found["virus"], taxonomy), taxonomy)
    stated = state_viruses(with_absent(found, _OF_DETECTIONS), lineage)
    taxa = stated.select(
        "source",
        "search",
        "family",
        virus=pl.coalesce("taxon", "virus"),
        below=pl.coalesce("below", pl.col("its_species_curie") == pl.col("taxon"), False),
    )
    widest = taxa.drop_nulls("virus").sort("below", descending=True)
    key = SourceScope.primary_key()
    return conform(widest.unique(key, keep="first"), SourceScope)

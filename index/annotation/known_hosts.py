"""Recorded hosts of viruses: pairs from the literature, host groups that taxonomies state, and
hosts that viruses are named after.

The name of a virus that was found with something (*Cane toad associated endornavirus*) claims no
host. Its pairs are not records: otherwise every relative would be expected in toads.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from index.annotation.hosts_in_names import hosts_in_names
from index.annotation.virus_taxonomy import VirusTaxonomy
from index.tables import KnownHost
from ontology_etl.curies import ICTV, NCBI_TAXON, has_prefix
from ontology_etl.host_groups import HAS_HOST, with_group_taxa
from ontology_etl.tables import conform

NCBI_SAYS: Final = "NCBI Taxonomy"
"""Source of the host groups of NCBI Taxonomy: only strains in the index are used, of 200,000."""
_PAIR: Final = ("virus", "host", "source")
_FOUND_WITH: Final = r"(?i)[ -]associated\b"
_CAUSE_OF: Final = (
    r"(?i)\b(?:adeno|dependo|\w*oma|\w*itis|\w*osis|neoplasia|diarrh\w*|disease)[ -]associated\b"
)
"""A helper virus or a disease before "associated" says what a virus needs or causes."""


def resolve_hosts(
    known_host: pl.DataFrame, taxonomy: VirusTaxonomy, viruses: pl.Series
) -> pl.DataFrame:
    """Return the table ``known_host``: recorded pairs, the host groups of ICTV, those that NCBI
    Taxonomy states for ``viruses`` and their species, and the hosts that these are named after.
    Viruses that are not live are left out.
    """
    edges = taxonomy.term_edge.filter(pl.col("predicate") == HAS_HOST)
    parts = [
        _with_claim(known_host.select(_PAIR), taxonomy),
        _of_taxonomy(edges),
        _of_ictv(edges, taxonomy),
        hosts_in_names(viruses, taxonomy).select(_PAIR),
    ]
    live = _of_live_taxa(pl.concat(parts), taxonomy)
    wanted = _met_or_related(viruses, taxonomy)
    is_met = pl.col("virus").is_in(wanted.implode())
    relevant = live.filter((pl.col("source") != NCBI_SAYS) | is_met)

    return conform(relevant.unique(), KnownHost)


def _with_claim(pairs: pl.DataFrame, taxonomy: VirusTaxonomy) -> pl.DataFrame:
    """Return ``pairs`` without viruses that are named after what they were found with."""
    label = pl.col("label")
    is_found_with = label.str.contains(_FOUND_WITH) & ~label.str.contains(_CAUSE_OF)
    unclaimed = taxonomy.terms(pairs["virus"]).filter(is_found_with).select(virus="curie")
    return pairs.join(unclaimed, on="virus", how="anti")


def _of_taxonomy(edges: pl.DataFrame) -> pl.DataFrame:
    """Return the pairs of ``_PAIR`` that NCBI Taxonomy states."""
    of_taxa = edges.filter(has_prefix(pl.col("subject"), NCBI_TAXON))
    return of_taxa.select(virus="subject", host="object", source=pl.lit(NCBI_SAYS))


def _of_ictv(edges: pl.DataFrame, taxonomy: VirusTaxonomy) -> pl.DataFrame:
    """Return the pairs of ``_PAIR`` that ICTV states: one per taxon of each host group."""
    listed = taxonomy.term.filter(pl.col("ontology") == ICTV)
    labels = listed.select(object="curie", group="label")
    groups = edges.join(labels, on="object")
    of_species = groups.join(taxonomy.names.ictv, left_on="subject", right_on="ictv")
    stated = of_species.select(virus="species", source=pl.lit("ICTV"), group="group")
    return with_group_taxa(stated, "group").select(_PAIR)


def _of_live_taxa(pairs: pl.DataFrame, taxonomy: VirusTaxonomy) -> pl.DataFrame:
    """Return ``pairs`` with each virus and host as the live taxon it is now."""
    taxa = taxonomy.names.live.rename({"virus": "taxon"})
    live = pairs.join(taxa, left_on="virus", right_on="curie")
    moved = taxonomy.term.filter("obsolete").select(host="curie", now="replaced_by")
    redirected = live.join(moved, on="host", how="left")
    return redirected.select("source", virus="taxon", host=pl.coalesce("now", "host"))


def _met_or_related(viruses: pl.Series, taxonomy: VirusTaxonomy) -> pl.Series:
    """Return ``viruses``, the live taxa they are, and the species of these."""
    names = taxonomy.names
    listed = viruses.implode()
    live = names.live.filter(pl.col("curie").is_in(listed))["virus"]
    kin = names.species.filter(pl.col("virus").is_in(live.implode()))
    return pl.concat([live, kin["species"], viruses]).unique()

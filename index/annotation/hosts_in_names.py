"""Hosts that the names of viruses state: *Cucumis melo alphaendornavirus*, soybean cyst nematode
virus 5.

ICTV and GenBank name many viruses after the host they were found in, then the kind of virus. Such a
name only records that host: its source in ``known_host`` is ``name``. A single word before a bare
"virus" is just as often a place (Aroa virus; a genus of moths has the same name), so it is not
used, and neither is a name that several taxa share.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from index.annotation.virus_taxonomy import VirusTaxonomy
from ontology_etl.curies import NCBI_TAXON
from ontology_etl.reviewed_lists import read_reviewed
from ontology_etl.viruses.names import VirusNames

NAME_SAYS: Final = "name"
"""Source of hosts that the name of a virus states."""
_HOST_AND_KIND: Final = (
    r"(?i)^(?<named>.+?) (?<kind>(?:\S+-like )?\S*virus)(?: (?:type )?[A-Z0-9]{1,3})?$"
)
_OF_NAMES: Final = ("label", "synonym", "name", "former")
"""Kinds of virus names that are read; abbreviations and everyday names state no host."""


def hosts_in_names(viruses: pl.Series, taxonomy: VirusTaxonomy) -> pl.DataFrame:
    """Return ``virus, host, source``: hosts that begin the names of ``viruses`` or their species.

    A host counts if its name is that of exactly one taxon, and not of a virus.
    """
    named = _named_first(viruses, taxonomy.names)
    taxa = _taxa_called(named["called"], taxonomy)
    found = named.join(taxa, on="called").select("virus", "host")
    return found.unique().with_columns(source=pl.lit(NAME_SAYS)).sort("virus", "host")


def _named_first(viruses: pl.Series, names: VirusNames) -> pl.DataFrame:
    """Return ``virus, called``: what is before the kind of virus in each name, in lower case."""
    of_met = names.species.filter(pl.col("virus").is_in(viruses.implode()))
    all_viruses = pl.concat([viruses.rename("virus"), of_met["species"].rename("virus")]).unique()
    listed = names.names.filter(pl.col("kind").is_in(_OF_NAMES))
    of_viruses = listed.filter(pl.col("virus").is_in(all_viruses.implode()))
    parts = of_viruses["name"].str.extract_groups(_HOST_AND_KIND).struct.unnest()
    split = pl.concat([of_viruses.select("virus"), parts], how="horizontal").drop_nulls("kind")
    several_words = pl.col("named").str.contains(" ")
    of_a_kind = pl.col("kind").str.to_lowercase() != "virus"
    telling = split.filter(several_words | of_a_kind)

    return telling.select("virus", called=pl.col("named").str.to_lowercase()).unique()


def _taxa_called(called: pl.Series, taxonomy: VirusTaxonomy) -> pl.DataFrame:
    """Return ``called, host`` of names that mean one taxon.

    A subgenus may have the name of its genus; a reviewed name outranks the others.
    """
    lower = called.unique()
    forms = pl.concat([lower, lower.str.head(1).str.to_uppercase() + lower.str.slice(1)])
    is_meant = pl.col("name").is_in(forms.implode())
    taxa = taxonomy.term.filter(pl.col("ontology") == NCBI_TAXON, ~pl.col("obsolete"))
    labels = taxa.select("curie", name="label").filter(is_meant)
    synonyms = taxonomy.synonym.select("curie", name="synonym").filter(is_meant)
    reviewed = read_reviewed("names.tsv").filter(pl.col("facet") == "label")
    everyday = reviewed.select("curie", "name").filter(is_meant)
    ranks = taxa.select("curie", "rank")
    others = pl.concat([labels, synonyms]).join(everyday, on="name", how="anti")
    listed = pl.concat([everyday, others]).join(ranks, on="curie")
    cellular = listed.join(taxonomy.names.live, on="curie", how="anti")
    usual = cellular.filter(pl.col("rank").fill_null("") != "subgenus")
    keyed = usual.select(called=pl.col("name").str.to_lowercase(), host="curie").unique()

    return keyed.filter(pl.len().over("called") == 1)

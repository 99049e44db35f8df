"""Contracts of names: of terms that questions are read with, and of viruses beside the taxonomy."""

from __future__ import annotations

import dataframely as dy

from ontology_etl.curies import CURIE


class Name(dy.Schema):
    """A name of a term that questions are read with, looked up by its first letters.

    Left out are scientific names of species that no run carries and nothing else names.
    """

    start = dy.String(primary_key=True, description="first three letters of the name in lower case")
    name = dy.String(primary_key=True, description="the name as its ontology spells it")
    curie = dy.String(primary_key=True, regex=CURIE, description="term it names")
    scope = dy.String(
        primary_key=True,
        regex="^(LABEL|EXACT|NARROW|BROAD|RELATED)$",
        description="LABEL for the preferred name, else the OBO scope of the synonym",
    )
    label = dy.String(description="preferred name of the term")
    ontology = dy.String(description="ontology of the term")
    rank = dy.String(nullable=True, description="rank of the term; null outside NCBI Taxonomy")
    obsolete = dy.Bool(description="true for a retired identifier")
    replaced_by = dy.String(
        nullable=True, regex=CURIE, description="live identifier an obsolete one resolves to"
    )


class VirusName(dy.Schema):
    """A name of a viral taxon beside its labels and synonyms in NCBI Taxonomy: ICTV's, reviewed
    ones, abbreviations, and names the taxonomy gives to another taxon that is the same virus.
    """

    key = dy.String(
        primary_key=True, description="what names are compared by: folded, no blanks, no hyphens"
    )
    name = dy.String(primary_key=True, min_length=1, description="the name as it is written")
    virus = dy.String(primary_key=True, regex=CURIE, description="taxon it names")
    kind = dy.String(
        primary_key=True,
        regex="^(everyday|label|synonym|name|former|abbreviation)$",
        description="everyday (reviewed), label or synonym (taxonomy), name or former name (ICTV), "
        "abbreviation",
    )

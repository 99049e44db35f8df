"""Contracts of names: of all terms, and of viruses beyond the taxonomy."""

from __future__ import annotations

import dataframely as dy

from ontology_etl.curies import CURIE


class Name(dy.Schema):
    """A term name, keyed by the hash of its folded form (case, spelling and plurals normalised):
    all labels and synonyms of all ontologies.

    The name itself is in the row of ``term`` or ``synonym`` that ``place`` points to.
    """

    hash = dy.Int64(
        primary_key=True, min=0, description="first 32 bits of the MD5 of the folded name"
    )
    scope = dy.String(
        primary_key=True,
        regex="^(LABEL|EXACT|NARROW|BROAD|RELATED)$",
        description="LABEL for the preferred name, else the OBO scope of the synonym",
    )
    place = dy.Int32(
        primary_key=True,
        min=0,
        description="rowid of the name: in term for a LABEL, otherwise in synonym",
    )


class VirusName(dy.Schema):
    """A viral taxon's name other than its NCBI Taxonomy labels and synonyms: ICTV names, reviewed
    names, abbreviations, and names the taxonomy gives to another taxon that is the same virus.
    """

    key = dy.String(
        primary_key=True, description="form used to compare names: folded, no spaces or hyphens"
    )
    name = dy.String(primary_key=True, min_length=1, description="the name as it is written")
    virus = dy.String(primary_key=True, regex=CURIE, description="taxon it names")
    kind = dy.String(
        primary_key=True,
        regex="^(everyday|label|synonym|name|former|abbreviation)$",
        description="everyday (reviewed), label or synonym (taxonomy), name or former name (ICTV), "
        "abbreviation",
    )

"""Contracts of viruses: taxa with their lineage, and the hosts they are known from."""

from __future__ import annotations

from typing import Final

import dataframely as dy

from ontology_etl.curies import CURIE


class Virus(dy.Schema):
    """A viral taxon that a detection names, with its lineage."""

    virus = dy.String(
        primary_key=True,
        regex=CURIE,
        description="taxon, e.g. NCBITaxon:10298; a species, its virus and its strains have "
        "separate rows: count species by the species or name column, never by virus",
    )
    name = dy.String(
        description="name in facts and answers: for a strain, its species; for a species, the "
        "name virologists use (Lassa virus); the scientific name is term.label"
    )
    rank = dy.String(nullable=True, description="rank of the taxon; null where it has none")
    ictv_name = dy.String(nullable=True, description="species as ICTV's master list names it")
    abbreviation = dy.String(
        nullable=True, description="abbreviations ICTV lists for the species, ;-separated"
    )
    species = dy.String(
        nullable=True,
        description="scientific name of the species it is or belongs to; rows may share one; null "
        "above species",
    )
    genus = dy.String(nullable=True, description="genus of its lineage")
    family = dy.String(nullable=True, description="family of its lineage, current name")
    order = dy.String(
        nullable=True, description="order of its lineage; quote the column name in SQL"
    )
    phylum = dy.String(nullable=True, description="phylum of its lineage")
    realm = dy.String(nullable=True, description="realm of its lineage")
    genome = dy.String(
        nullable=True,
        description="ICTV genome type, e.g. ssRNA(+): of its species, otherwise of its genus or "
        "family if all agree",
    )
    hosts_recorded = dy.String(
        nullable=True, description="host sources ICTV states for its species, ;-separated"
    )


class SotuName(dy.Schema):
    """An sOTU whose source name is contradicted by other evidence in its runs.

    Evidence of a run: the organism label of a library that is a virus, and hits of other sources at
    90% identity and more, of the family that the sOTU is reported in. The other sOTUs keep the
    names that their sources give.
    """

    source = dy.String(primary_key=True, description="source of detections: detection.source")
    sotu = dy.String(primary_key=True, description="virus sOTU: detection.sotu")
    reported_name = dy.String(description="virus as the source names it")
    reported = dy.String(regex=CURIE, description="viral taxon that this name denotes")
    virus = dy.String(regex=CURIE, description="viral taxon that its evidence points to")
    runs = dy.Int64(min=1, description="distinct runs of the sOTU")
    runs_with_evidence = dy.Int64(min=1, description="of these, runs that hold evidence")
    runs_agreeing = dy.Int64(min=1, description="of these, runs that support virus")
    runs_with_hits = dy.Int64(
        min=0,
        description="of the runs agreeing, those with a hit from another source; if none, only "
        "labels are evidence and the sOTU keeps its reported name",
    )
    runs_as_reported = dy.Int64(
        min=0, description="of the runs with evidence, those that support reported"
    )


class KnownHost(dy.Schema):
    """A host in which a virus is recorded; a host group (vertebrates) is given as its taxon."""

    virus = dy.String(primary_key=True, regex=CURIE, description="viral taxon")
    host = dy.String(
        primary_key=True, regex=CURIE, description="host, or taxon of a group of hosts"
    )
    source = dy.String(
        primary_key=True,
        description="virion; the ontology whose host groups say so; or name: the virus is named "
        "after the host",
    )


class Sequenced(dy.Schema):
    """A library from an organism other than its sample's host, e.g. a worm from a mouse."""

    run = dy.String(primary_key=True, description="run.run")
    host = dy.String(primary_key=True, regex=CURIE, description="host of the run, as in annotation")
    organism = dy.String(regex=CURIE, description="cellular organism named by the library's label")


class OtherByKmers(dy.Schema):
    """A run whose k-mers are mostly from an organism outside the order of its stated host and
    label; runs labelled as metagenomes are excluded.
    """

    run = dy.String(primary_key=True, description="run.run")
    host = dy.String(
        regex=CURIE, description="host of the run, as in annotation; the first if several"
    )
    organism = dy.String(
        regex=CURIE, description="most specific cellular taxon with over half of the k-mers"
    )
    share = dy.Float64(min=0.5, max=1, description="its share of the k-mers, 0-1")


_KINDS: Final = "^(recorded|new within class|unexpected|resident|library|unknown)$"
_MEANING: Final = (
    "recorded: the virus is known from the organism, its group or the stated host; new within "
    "class: known from other hosts of the organism's class; unexpected: known from none of these, "
    "so possibly contamination or a new host; resident: it lives in the run's cell line; library: "
    "the virus itself was sequenced; unknown: no host is recorded for the virus or its family"
)


class RunPlausibility(dy.Schema):
    """A virus and a host found in one run, and how expected that is."""

    run = dy.String(primary_key=True, description="run.run")
    virus = dy.String(primary_key=True, regex=CURIE, description="viral taxon that is stated")
    host = dy.String(
        primary_key=True,
        regex=CURIE,
        description="host as in annotation, or the virus a library is labelled with",
    )
    organism = dy.String(
        regex=CURIE,
        description="organism it is judged against: what was sequenced (the host unless the table "
        "sequenced has another), or the host if the virus is recorded only there",
    )
    plausibility = dy.String(regex=_KINDS, description=_MEANING)


class Plausibility(dy.Schema):
    """A virus and an organism found together in runs, and how expected that is."""

    virus = dy.String(
        primary_key=True,
        regex=CURIE,
        description="stated viral taxon: a strain if one is stated, so a species may have several "
        "rows, and a run may count in each",
    )
    host = dy.String(
        primary_key=True,
        regex=CURIE,
        description="run_plausibility.organism: the host, the sequenced organism if different, or "
        "the virus a library is labelled with",
    )
    plausibility = dy.String(primary_key=True, regex=_KINDS, description=_MEANING)
    runs = dy.Int64(min=1, description="distinct runs with both, judged this way")

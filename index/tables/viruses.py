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
        description="taxon, e.g. NCBITaxon:10298; a species, its virus and its strains are rows of "
        "their own: count species by species or name, never by virus",
    )
    name = dy.String(
        description="what facts and answers call it: a strain by its species, a species as "
        "virologists do (Lassa virus); the scientific name is term.label"
    )
    rank = dy.String(nullable=True, description="rank of the taxon; null where it has none")
    ictv_name = dy.String(nullable=True, description="species as ICTV's master list names it")
    abbreviation = dy.String(
        nullable=True, description="abbreviations ICTV lists for the species, ;-separated"
    )
    species = dy.String(
        nullable=True,
        description="species it is or belongs to, as its scientific name; several rows share one; "
        "null above species",
    )
    genus = dy.String(nullable=True, description="genus of its lineage")
    family = dy.String(nullable=True, description="family of its lineage, today's name")
    order = dy.String(nullable=True, description="order of its lineage; quote it in SQL")
    phylum = dy.String(nullable=True, description="phylum of its lineage")
    realm = dy.String(nullable=True, description="realm of its lineage")
    genome = dy.String(
        nullable=True,
        description="genome type at ICTV, e.g. ssRNA(+): of its species, "
        "else of its whole genus or family where all agree",
    )
    hosts_recorded = dy.String(
        nullable=True, description="host sources ICTV states for its species, ;-separated"
    )


class SotuName(dy.Schema):
    """A sOTU whose name at its source is contradicted by what else its runs hold.

    Evidence of a run: the organism label of a library that is a virus, and hits of other sources at
    90 % identity and more, of the family that the sOTU is reported in. The other sOTUs keep the
    names that their sources give.
    """

    source = dy.String(primary_key=True, description="source of detections: detection.source")
    sotu = dy.String(primary_key=True, description="virus sOTU: detection.sotu")
    reported_name = dy.String(description="virus as the source names it")
    reported = dy.String(regex=CURIE, description="viral taxon that this name means")
    virus = dy.String(regex=CURIE, description="viral taxon that it is by its evidence")
    runs = dy.Int64(min=1, description="distinct runs of the sOTU")
    runs_with_evidence = dy.Int64(min=1, description="of these, runs that hold evidence")
    runs_agreeing = dy.Int64(min=1, description="of these, runs that speak for virus")
    runs_with_hits = dy.Int64(
        min=0,
        description="of these, runs with a hit of another source; without any, labels alone speak "
        "and the sOTU keeps its reported name",
    )
    runs_as_reported = dy.Int64(
        min=0, description="of the runs with evidence, those that speak for reported"
    )


class KnownHost(dy.Schema):
    """A host that a virus is recorded in; a group of hosts (vertebrates) by its taxon."""

    virus = dy.String(primary_key=True, regex=CURIE, description="viral taxon")
    host = dy.String(
        primary_key=True, regex=CURIE, description="host, or taxon of a group of hosts"
    )
    source = dy.String(
        primary_key=True,
        description="virion, the ontology whose host groups say so, or name: the virus is named "
        "after the host",
    )


class Sequenced(dy.Schema):
    """A library of another organism than the host its sample is from: a worm from a mouse."""

    run = dy.String(primary_key=True, description="run.run")
    host = dy.String(primary_key=True, regex=CURIE, description="host of the run, as in annotation")
    organism = dy.String(
        regex=CURIE, description="cellular organism that the library is labelled with"
    )


class OtherByKmers(dy.Schema):
    """A run whose k-mers are mostly of another organism than the host and the label that it states,
    not even of its order; runs labelled as metagenomes are not among them.
    """

    run = dy.String(primary_key=True, description="run.run")
    host = dy.String(
        regex=CURIE, description="host of the run, as in annotation; the first of several"
    )
    organism = dy.String(
        regex=CURIE, description="most specific cellular taxon with over half of the k-mers"
    )
    share = dy.Float64(min=0.5, max=1, description="its share of the k-mers, 0-1")


_KINDS: Final = "^(recorded|new within class|unexpected|resident|library|unknown)$"
_MEANING: Final = (
    "recorded: the virus is known from the organism or its group, or from the host that was "
    "stated; new within class: from other hosts of its class; unexpected: from neither, so "
    "possibly contamination or a new host; resident: it lives in the cell line of the run; "
    "library: the virus was sequenced itself; unknown: no host is recorded for the virus or its "
    "family"
)


class RunPlausibility(dy.Schema):
    """A virus and a host that one run carries, and how expected that is in this run."""

    run = dy.String(primary_key=True, description="run.run")
    virus = dy.String(primary_key=True, regex=CURIE, description="viral taxon that is stated")
    host = dy.String(
        primary_key=True,
        regex=CURIE,
        description="host as in annotation, or the virus a library is labelled with",
    )
    organism = dy.String(
        regex=CURIE,
        description="what it is judged in: what was sequenced, which is the host unless the table "
        "sequenced has another; the host where the virus is recorded in that alone",
    )
    plausibility = dy.String(regex=_KINDS, description=_MEANING)


class Plausibility(dy.Schema):
    """A virus and an organism that runs carry together, and how expected that is."""

    virus = dy.String(
        primary_key=True,
        regex=CURIE,
        description="viral taxon that is stated: a strain where one is, so a species may have "
        "several rows; a run may be in each",
    )
    host = dy.String(
        primary_key=True,
        regex=CURIE,
        description="run_plausibility.organism: the host, what was sequenced where that is "
        "another, or the virus a library is labelled with",
    )
    plausibility = dy.String(primary_key=True, regex=_KINDS, description=_MEANING)
    runs = dy.Int64(min=1, description="distinct runs that carry both and of which this holds")

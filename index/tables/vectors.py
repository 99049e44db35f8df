"""Contracts of what is predicted of viruses from what they are found with, and of novel ones."""

from __future__ import annotations

from typing import Final

import dataframely as dy

from ontology_etl.curies import CURIE

DIMENSIONS: Final = 64
"""Numbers of a vector."""
_VIRUS: Final = "species of a virus, or a sOTU that no species is stated for"
_SCORE: Final = "how well host and virus fit: the cosine of their vectors"
_PROBABILITY: Final = (
    "calibrated on studies that were hidden: of the studies of this host that search for the "
    "virus, the share that would find it"
)


class VirusVector(dy.Schema):
    """A unit vector of a virus, learned from what it is found with; a prediction, not a fact."""

    virus = dy.String(primary_key=True, description=_VIRUS)
    name = dy.String(description="what facts and answers call it; of a sOTU what is stated of it")
    family = dy.String(nullable=True, description="virus family; null where unknown")
    studies = dy.Int64(min=1, description="studies and hosts of theirs that it is found in")
    vector = dy.Array(
        dy.Float32(), DIMENSIONS, description="unit length, so the dot product is the cosine"
    )
    neighbourhood = dy.Int64(
        min=1, description="virus_neighbourhood.neighbourhood: viruses of the same kinds of samples"
    )


class VirusNeighbourhood(dy.Schema):
    """Viruses that are found in the same kinds of samples, which need not be related: a
    prediction. Each is joined to the ten nearest by its vector, and Leiden finds the groups.
    """

    neighbourhood = dy.Int64(
        primary_key=True, min=1, description="number; 1 has most viruses, then falling"
    )
    viruses = dy.Int64(min=1, description="viruses in it")
    studies = dy.Int64(
        min=1, description="studies and hosts of theirs that any of its viruses is found in"
    )
    families = dy.String(
        nullable=True, description="families of most of its viruses, ;-separated, three at most"
    )
    hosts = dy.String(
        nullable=True,
        description="hosts that most of its studies state, ;-separated, three at most",
    )
    samples = dy.String(
        nullable=True,
        description="tissues, diseases and environments that most of its studies state, "
        ";-separated, three at most",
    )
    members = dy.String(
        description="viruses found in most studies, ;-separated, five at most; all: virus_vector"
    )


class PredictedPair(dy.Schema):
    """A virus and a host that no run carries together and no source records: a prediction.

    The hosts of highest score of every virus, and the viruses of highest probability of every host.
    """

    virus = dy.String(primary_key=True, description=f"virus_vector.virus: {_VIRUS}")
    host = dy.String(primary_key=True, regex=CURIE, description="host that other runs state")
    score = dy.Float64(description=_SCORE)
    probability = dy.Float64(min=0, max=1, description=_PROBABILITY)
    searched = dy.Int64(
        min=0, description="studies of the host that searched for the virus, and did not find it"
    )


class UnlikelyPair(dy.Schema):
    """A virus and a host that runs carry together and no source records, and how likely that was,
    as predicted from all other studies; a low probability may mean contamination or a new host."""

    virus = dy.String(primary_key=True, description=f"virus_vector.virus: {_VIRUS}")
    host = dy.String(primary_key=True, regex=CURIE, description="host that the runs state")
    score = dy.Float64(description=_SCORE)
    probability = dy.Float64(min=0, max=1, description=_PROBABILITY)
    studies = dy.Int64(min=1, description="studies of the host in which it is found")
    searched = dy.Int64(min=1, description="studies of the host that searched for it")


class NovelVirus(dy.Schema):
    """A sOTU far from anything known: below the identity of a species, or without any name."""

    sotu = dy.String(primary_key=True, description="detection.sotu")
    identity = dy.Float64(
        nullable=True, min=0, max=100, description="highest identity to a reference, percent"
    )
    nearest = dy.String(
        nullable=True,
        description="what is stated of most of its hits: a genus or family it is like",
    )
    family = dy.String(nullable=True, description="virus family that its source gives")
    phylum = dy.String(nullable=True, description="virus phylum that its source gives")
    runs = dy.Int64(min=1, description="distinct runs that it is found in")
    studies = dy.Int64(
        min=0, description="distinct projects or studies of these runs; 0: none is stated"
    )
    coverage = dy.Float64(nullable=True, min=0, description="highest mean coverage, fold")
    hosts = dy.String(
        nullable=True, description="hosts that most of its runs state, ;-separated, three at most"
    )
    places = dy.String(
        nullable=True, description="places that most of its runs state, ;-separated, three at most"
    )
    community = dy.String(
        nullable=True, description="community of level 0 that most of its runs are in"
    )

"""Contracts of what is predicted of viruses from what they are found with, and of novel ones."""

from __future__ import annotations

from typing import Final

import dataframely as dy

from ontology_etl.curies import CURIE

DIMENSIONS: Final = 64
"""Numbers of a vector."""
_VIRUS: Final = "a virus species, or an sOTU with no stated species"
_SCORE: Final = "how well host and virus fit: the cosine of their vectors"
_PROBABILITY: Final = (
    "of this host's studies that search for the virus, the expected share that find it; "
    "calibrated on held-out studies"
)


class VirusVector(dy.Schema):
    """A unit vector for a virus, learned from its co-occurrences; a prediction, not a fact."""

    virus = dy.String(primary_key=True, description=_VIRUS)
    name = dy.String(
        description="name used in facts and answers; for an sOTU, what is stated of it"
    )
    family = dy.String(nullable=True, description="virus family; null where unknown")
    studies = dy.Int64(min=1, description="study-host pairs in which it is found")
    vector = dy.Array(
        dy.Float32(), DIMENSIONS, description="unit length, so the dot product is the cosine"
    )
    neighbourhood = dy.Int64(
        min=1, description="virus_neighbourhood.neighbourhood: viruses of the same kinds of samples"
    )


class VirusNeighbourhood(dy.Schema):
    """A predicted group of viruses found in the same kinds of samples; they need not be related.
    Each is linked to its ten nearest by vector, and Leiden finds the groups.
    """

    neighbourhood = dy.Int64(
        primary_key=True, min=1, description="numbered by size; 1 has the most viruses"
    )
    viruses = dy.Int64(min=1, description="viruses in it")
    studies = dy.Int64(min=1, description="study-host pairs in which any of its viruses is found")
    families = dy.String(
        nullable=True,
        description="most frequent families of its viruses, ;-separated, at most three",
    )
    hosts = dy.String(
        nullable=True,
        description="hosts most often stated by its studies, ;-separated, at most three",
    )
    samples = dy.String(
        nullable=True,
        description="tissues, diseases and environments most often stated by its studies, "
        ";-separated, at most three",
    )
    members = dy.String(
        description="viruses found in the most studies, ;-separated, at most five; all: "
        "virus_vector"
    )


class PredictedPair(dy.Schema):
    """A predicted virus-host pair that no run contains and no source records.

    The hosts of highest score of every virus, and the viruses of highest probability of every host.
    """

    virus = dy.String(primary_key=True, description=f"virus_vector.virus: {_VIRUS}")
    host = dy.String(primary_key=True, regex=CURIE, description="host that other runs state")
    score = dy.Float64(description=_SCORE)
    probability = dy.Float64(min=0, max=1, description=_PROBABILITY)
    searched = dy.Int64(
        min=0, description="the host's studies that searched for the virus but did not find it"
    )


class UnlikelyPair(dy.Schema):
    """A virus-host pair found in runs but recorded by no source, and its likelihood predicted from
    all other studies; a low probability may mean contamination or a new host.
    """

    virus = dy.String(primary_key=True, description=f"virus_vector.virus: {_VIRUS}")
    host = dy.String(primary_key=True, regex=CURIE, description="host that the runs state")
    score = dy.Float64(description=_SCORE)
    probability = dy.Float64(min=0, max=1, description=_PROBABILITY)
    studies = dy.Int64(min=1, description="studies of the host in which it is found")
    searched = dy.Int64(min=1, description="studies of the host that searched for it")


class NovelVirus(dy.Schema):
    """An sOTU far from anything known: below species-level identity, or unnamed."""

    sotu = dy.String(primary_key=True, description="detection.sotu")
    identity = dy.Float64(
        nullable=True, min=0, max=100, description="highest identity to a reference, percent"
    )
    nearest = dy.String(
        nullable=True,
        description="genus or family most of its hits are said to resemble",
    )
    family = dy.String(nullable=True, description="virus family that its source gives")
    phylum = dy.String(nullable=True, description="virus phylum that its source gives")
    runs = dy.Int64(min=1, description="distinct runs in which it is found")
    studies = dy.Int64(
        min=0, description="distinct projects or studies of these runs; 0: none stated"
    )
    coverage = dy.Float64(nullable=True, min=0, description="highest mean coverage, fold")
    hosts = dy.String(
        nullable=True, description="hosts most often stated by its runs, ;-separated, at most three"
    )
    places = dy.String(
        nullable=True,
        description="places most often stated by its runs, ;-separated, at most three",
    )
    community = dy.String(
        nullable=True, description="level 0 community that holds most of its runs"
    )

"""Draw what is found in the runs of a cohort: viruses, their sOTUs and reads, planted effects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl
from scipy.special import ndtri

from benchmarks.cohort_ecology import Bools, Ecology, Ints
from benchmarks.cohort_shape import Cohort, Sotus

READS_PER_FOLD: Final = 50  # reads on an 8 kb genome for each fold of coverage
PLANTED_RPM: Final = 20.0  # reads per million of the contrasted family at a fold change of 1
MISSED: Final = 0.85  # share of detections of the contrasted family that the other group loses
CARRIED: Final = 0.8  # share of the true group that gets the contrasted family


@dataclass(frozen=True)
class Libraries:
    """The runs of a block, row by row: their project in the block, its kind of study, whether
    their sample is of the group that carries the contrasted family, and their reads.
    """

    project: Ints
    study: Ints
    carrier: Bools
    spots: Ints

    @property
    def contrasted(self) -> Bools:
        """Return, per project, whether any of its samples is of the carrying group."""
        projects = np.zeros(int(self.project.max()) + 1, dtype=bool)
        projects[self.project[self.carrier]] = True
        return projects


@dataclass(frozen=True)
class Finds:
    """Viruses found, row by row: the run, the column of its virus in the kind of study, and whether
    the virus is of the contrasted family.
    """

    run: Ints
    column: Ints
    contrasted: Bools

    def __getitem__(self, kept: Bools) -> Finds:
        """Return the finds that ``kept`` is true of."""
        return Finds(self.run[kept], self.column[kept], self.contrasted[kept])


def draw_detections(rng: np.random.Generator, cohort: Cohort, libraries: Libraries) -> pl.DataFrame:
    """Return what is found in the runs: run, sotu, species, family, phylum, identity,
    node_identity, coverage, reads.
    """
    ecology, sotus = cohort.ecology, cohort.sotus
    drawn = _finds(rng, cohort, libraries)
    finds = drawn[~_lost(rng, libraries, drawn)]
    run = finds.run
    species = ecology.species_number[libraries.study[run], finds.column]
    number = _sotu_numbers(rng, sotus, species, libraries.project[run])
    reads = _reads(rng, cohort, libraries, finds)
    found = pl.DataFrame(
        {
            "run": run,
            "sotu": number,
            "species": np.array(ecology.species, dtype=object)[species],
            "identity": sotus.identity[number],
            "node_identity": np.round(90 + 10 * np.sqrt(rng.random(len(run))), 1),
            "coverage": np.round(reads / READS_PER_FOLD, 2),
            "reads": reads,
        },
        schema_overrides={"species": pl.String},
    )
    family = pl.col("species").replace_strict(ecology.family_of, default="").alias("family")
    phylum = pl.col("family").replace_strict(ecology.phylum, default="").alias("phylum")
    kept = found.unique(
        ["run", "sotu"],
        keep="first",
        maintain_order=True,
    )
    return kept.with_columns(family).with_columns(phylum).sort("run", "sotu")


def _finds(rng: np.random.Generator, cohort: Cohort, libraries: Libraries) -> Finds:
    """Return viruses of positive runs as their kind of study has them, then the contrasted virus
    of most runs of the carrying group.
    """
    ecology, study = cohort.ecology, libraries.study
    positive = rng.random(len(study)) < cohort.shape.positive_share
    depth = cohort.calibration.quantiles[cohort.shape.sotus_per_run]
    per_run = np.floor(depth.draw(rng.random(len(study)))).astype(np.int64)
    usual = np.repeat(np.arange(len(study)), np.where(positive, per_run, 0))
    usual_column = ecology.virus.pick(study[usual], rng.random(len(usual)))
    extra = np.flatnonzero(libraries.carrier & (rng.random(len(study)) < CARRIED))
    run = np.concatenate([usual, extra])
    column = np.concatenate([usual_column, _contrasted_virus(ecology)[study[extra]]])
    contrasted = ecology.family[study[run], column] == ecology.contrast[study[run], 3]
    return Finds(run, column, contrasted)


def _lost(rng: np.random.Generator, libraries: Libraries, finds: Finds) -> Bools:
    """Return which finds of the contrasted family the group without the value loses."""
    other = ~libraries.carrier[finds.run] & libraries.contrasted[libraries.project[finds.run]]
    return finds.contrasted & other & (rng.random(len(finds.run)) < MISSED)


def _reads(rng: np.random.Generator, cohort: Cohort, libraries: Libraries, finds: Finds) -> Ints:
    """Return the reads of each find: by coverage, or per million where an effect is planted."""
    run, spots = finds.run, libraries.spots[finds.run]
    coverage = cohort.calibration.quantiles["coverage"].draw(rng.random(len(run)))
    log2_fold = cohort.ecology.log2_fold[libraries.study[run]]
    fold = np.where(libraries.carrier[run], 2.0**log2_fold, 1.0)
    rpm = PLANTED_RPM * fold * np.exp(0.6 * ndtri(rng.random(len(run))))
    set_apart = finds.contrasted & libraries.contrasted[libraries.project[run]]
    reads = np.where(set_apart, rpm * spots / 1e6, coverage * READS_PER_FOLD)
    whole: Ints = np.clip(np.floor(reads), 1, spots // 2).astype(np.int64)
    return whole


def _contrasted_virus(ecology: Ecology) -> Ints:
    """Return, per kind of study, the column of the commonest virus of the contrasted family."""
    weight = np.diff(
        ecology.virus.cumulative,
        axis=1,
        prepend=0.0,
    )
    columns: Ints = np.argmax(
        np.where(ecology.family == ecology.contrast[:, 3:4], weight, -1.0), axis=1
    )
    return columns


def _sotu_numbers(rng: np.random.Generator, sotus: Sotus, species: Ints, project: Ints) -> Ints:
    """Return an sOTU of each species: a project keeps meeting the same few, as the hosts of one
    place do.
    """
    home = (project * 7_919 + species * 104_729) % sotus.count[species]
    drift = np.floor(3 * rng.random(len(species)) ** 2).astype(np.int64)
    numbers: Ints = sotus.first[species] + (home + drift) % sotus.count[species]
    return numbers

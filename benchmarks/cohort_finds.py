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
        count = int(self.project.max()) + 1
        projects = np.zeros(
            count,
            dtype=bool,
        )
        carrying = self.project[self.carrier]
        projects[carrying] = True
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
    family = (
        pl.col("species")
        .replace_strict(
            ecology.family_of,
            default="",
        )
        .alias("family")
    )
    phylum = (
        pl.col("family")
        .replace_strict(
            ecology.phylum,
            default="",
        )
        .alias("phylum")
    )
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
    ecology = cohort.ecology
    study = libraries.study
    runs = len(study)
    positive = rng.random(runs) < cohort.shape.positive_share
    depth = cohort.calibration.quantiles[cohort.shape.sotus_per_run]
    per_run = np.floor(depth.draw(rng.random(runs))).astype(np.int64)
    found = np.where(positive, per_run, 0)
    usual = np.repeat(np.arange(runs), found)
    usual_column = ecology.virus.pick(study[usual], rng.random(len(usual)))

    chosen = rng.random(runs) < CARRIED
    extra = np.flatnonzero(libraries.carrier & chosen)
    extra_column = _contrasted_virus(ecology)[study[extra]]
    run = np.concatenate([usual, extra])
    column = np.concatenate([usual_column, extra_column])
    family = ecology.family[study[run], column]
    contrasted = family == ecology.contrast[study[run], 3]
    return Finds(run, column, contrasted)


def _lost(rng: np.random.Generator, libraries: Libraries, finds: Finds) -> Bools:
    """Return which finds of the contrasted family the group without the value loses."""
    project = libraries.project[finds.run]
    in_contrast = libraries.contrasted[project]
    other = ~libraries.carrier[finds.run] & in_contrast
    missed = rng.random(len(finds.run)) < MISSED
    return finds.contrasted & other & missed


def _reads(rng: np.random.Generator, cohort: Cohort, libraries: Libraries, finds: Finds) -> Ints:
    """Return the reads of each find: by coverage, or per million where an effect is planted."""
    run = finds.run
    spots = libraries.spots[run]
    coverage = cohort.calibration.quantiles["coverage"].draw(rng.random(len(run)))
    log2_fold = cohort.ecology.log2_fold[libraries.study[run]]
    fold = np.where(libraries.carrier[run], 2.0**log2_fold, 1.0)
    noise = 0.6 * ndtri(rng.random(len(run)))
    rpm = PLANTED_RPM * fold * np.exp(noise)

    in_contrast = libraries.contrasted[libraries.project[run]]
    planted = finds.contrasted & in_contrast
    by_rpm = rpm * spots / 1e6
    by_coverage = coverage * READS_PER_FOLD
    reads = np.floor(np.where(planted, by_rpm, by_coverage))
    whole: Ints = np.clip(reads, 1, spots // 2).astype(np.int64)
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
    count = sotus.count[species]
    home = (project * 7_919 + species * 104_729) % count
    near = rng.random(len(species)) ** 2
    drift = np.floor(3 * near).astype(np.int64)
    place = (home + drift) % count
    numbers: Ints = sotus.first[species] + place
    return numbers

"""Draw a cohort: projects, runs, samples, detections, k-mer shares, as numpy columns in Polars
frames.

A cohort is drawn in blocks of projects, each from its own random stream, so that memory does not
grow with the cohort and a block does not depend on the others. Only ``Generator.random`` is used:
its stream is fixed for a seed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy.special import ndtri

from benchmarks.cohort_calibration import Calibration
from benchmarks.cohort_ecology import Choice, Ecology, Floats, Ints

BLOCK_PROJECTS: Final = 20_000
SAMPLE_SOTUS: Final = (
    300  # sOTUs at SAMPLE_RUNS runs; grows as runs ** SOTU_GROWTH, which meets the published graph
)
SAMPLE_RUNS: Final = 2_500
SOTU_GROWTH: Final = 0.927
READS_PER_FOLD: Final = 50  # reads on an 8 kb genome for each fold of coverage
PLANTED_RPM: Final = 20.0  # reads per million of the contrasted family at a fold change of 1
MISSED: Final = 0.85  # share of detections of the contrasted family that the other group loses
CARRIED: Final = 0.8  # share of the true group that gets the contrasted family
STAT_RUNS: Final = 0.7  # share of runs with k-mer counts
MIN_RUNS_PLANTED: Final = 14

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Shape:
    """What a cohort is to look like: its size, and how deep its projects and viromes are."""

    runs: int
    seed: int
    projects: int | None = None  # None: as many as the published sizes of projects give
    positive_share: float = 0.306
    sotus_per_run: str = "sotus_per_run_all"  # name of a calibrated distribution
    stat_taxa: int = (
        0  # further organisms in the k-mers of each run of a project, as a laboratory leaves them
    )
    described_share: float = (
        1.0  # projects whose samples have titles, attributes and places (Parquet only)
    )

    @property
    def sotus(self) -> int:
        """Return the number of sOTUs of a cohort of this size."""
        return math.ceil(SAMPLE_SOTUS * math.pow(self.runs / SAMPLE_RUNS, SOTU_GROWTH))


@dataclass(frozen=True)
class Sotus:
    """The sOTUs of a cohort: those of one species are numbered in a row, the nearest to the named
    virus first.
    """

    first: Ints  # (species,)
    count: Ints  # (species,)
    identity: Floats  # (sotus,) percent identity to the named virus


@dataclass(frozen=True)
class Block:
    """Some projects and all that belongs to them. Numbers count over the whole cohort, from 1."""

    project: pl.DataFrame  # project, study, organism, host, place, planted, year
    run: pl.DataFrame  # run, sample, project, spots, bases, day
    sample: pl.DataFrame  # sample, project, tissue, disease, carrier
    detection: (
        pl.DataFrame
    )  # run, sotu, species, family, phylum, identity, node_identity, coverage, reads
    stat: pl.DataFrame  # run, taxon, share


def draw_sotus(shape: Shape, ecology: Ecology, calibration: Calibration) -> Sotus:
    """Return the sOTUs of the cohort, shared out among the species of ``ecology``."""
    rng = np.random.default_rng([shape.seed, 0])
    weight = np.exp(0.6 * ndtri(rng.random(len(ecology.species))))
    count = 1 + _shared_out(max(0, shape.sotus - len(weight)), weight)
    first = np.concatenate([[0], np.cumsum(count)[:-1]])
    identity = calibration.quantiles["identity"].draw(rng.random(int(count.sum())))
    identity[first] = np.maximum(identity[first], 97.0)
    order = np.lexsort((-identity, np.repeat(np.arange(len(count)), count)))
    return Sotus(first, count, np.round(identity[order], 1))


def draw_blocks(
    shape: Shape, ecology: Ecology, calibration: Calibration, sotus: Sotus
) -> Iterator[Block]:
    """Yield the cohort, ``BLOCK_PROJECTS`` projects at a time."""
    sizes = project_sizes(shape, calibration)
    run, sample = 1, 1
    for start in range(0, len(sizes), BLOCK_PROJECTS):
        rng = np.random.default_rng([shape.seed, 1, start])
        block = _draw_block(
            rng, shape, ecology, calibration, sotus, sizes[start : start + BLOCK_PROJECTS], start
        )
        yield _renumbered(block, run, sample, start + 1)
        run, sample = run + len(block.run), sample + len(block.sample)


def project_sizes(shape: Shape, calibration: Calibration) -> Ints:
    """Return the number of runs of each project; they sum to ``shape.runs``."""
    rng = np.random.default_rng([shape.seed, 2])
    distribution = calibration.quantiles["runs_per_bioproject"]
    if shape.projects is not None:
        drawn = distribution.draw(rng.random(shape.projects))
        free = shape.runs - shape.projects * MIN_RUNS_PLANTED
        sizes: Ints = MIN_RUNS_PLANTED + np.floor(drawn / drawn.sum() * free).astype(np.int64)
        sizes[np.argsort(-sizes, kind="stable")[0]] += shape.runs - sizes.sum()
        return sizes
    sizes = np.empty(0, dtype=np.int64)
    while sizes.sum() < shape.runs:
        drawn = np.floor(distribution.draw(rng.random(max(64, shape.runs // 4)))).astype(np.int64)
        sizes = np.concatenate([sizes, drawn])
    kept: Ints = sizes[: int(np.searchsorted(np.cumsum(sizes), shape.runs)) + 1]
    kept[-1] -= kept.sum() - shape.runs
    return kept


def _draw_block(
    rng: np.random.Generator,
    shape: Shape,
    ecology: Ecology,
    calibration: Calibration,
    sotus: Sotus,
    sizes: Ints,
    first_project: int,
) -> Block:
    n_projects, n_runs = len(sizes), int(sizes.sum())
    study = (first_project + np.arange(n_projects)) % len(ecology.keys)
    project = np.repeat(np.arange(n_projects), sizes)
    sample = _samples(rng, project, calibration.shares["runs_sharing_a_biosample"])
    n_samples = int(sample[-1]) + 1
    owner = project[np.concatenate([[True], np.diff(sample) > 0])]
    planted = sizes >= MIN_RUNS_PLANTED
    carrier = planted[owner] & (rng.random(n_samples) < 0.45)
    projects = _project_table(rng, ecology, study, planted)
    samples = pl.DataFrame(
        {
            "sample": np.arange(n_samples),
            "project": owner,
            "tissue": _label(ecology.tissue, study[owner], rng.random(n_samples)),
            "disease": _label(ecology.disease, study[owner], rng.random(n_samples)),
            "carrier": carrier,
        }
    )
    spots = np.floor(calibration.quantiles["spots"].draw(rng.random(n_runs))).astype(np.int64)
    runs = pl.DataFrame(
        {
            "run": np.arange(n_runs),
            "sample": sample,
            "project": project,
            "spots": spots,
            "bases": spots * np.where(rng.random(n_projects)[project] < 0.7, 300, 202),
            "day": np.floor(rng.random(n_projects)[project] * 365).astype(np.int64),
        }
    )
    detections = _detections(
        rng, shape, ecology, calibration, sotus, runs, study[project], carrier[sample]
    )
    stat = _stat(rng, ecology, study, project, projects, further=shape.stat_taxa)
    return Block(projects, runs, _contrasted(samples, ecology, study), detections, stat)


def _shared_out(total: int, weight: Floats) -> Ints:
    """Return whole numbers in proportion to ``weight`` that sum to ``total``: largest remainders
    round up.
    """
    exact = total * weight / weight.sum()
    whole: Ints = np.floor(exact).astype(np.int64)
    largest = np.argsort(-(exact - whole), kind="stable")[: total - int(whole.sum())]
    whole[largest] += 1
    return whole


def _samples(rng: np.random.Generator, project: Ints, shared: float) -> Ints:
    """Return the sample of each run: now and then the one of the run before, within a project."""
    again = (rng.random(len(project)) < shared) & (np.diff(project, prepend=-1) == 0)
    return np.cumsum(~again) - 1


def _project_table(
    rng: np.random.Generator, ecology: Ecology, study: Ints, planted: Bools
) -> pl.DataFrame:
    n_projects = len(study)
    organism = ecology.organism.pick(study, rng.random(n_projects))
    return pl.DataFrame(
        {
            "project": np.arange(n_projects),
            "study": study,
            "organism": ecology.organism.label(study, organism),
            "host": ecology.host.label(study, organism),
            "place": _label(
                ecology.place, ecology.place_row[study, organism], rng.random(n_projects)
            ),
            "planted": planted,
            "year": 2014 + np.floor(rng.random(n_projects) * 10).astype(np.int64),
        }
    )


def _contrasted(samples: pl.DataFrame, ecology: Ecology, study: Ints) -> pl.DataFrame:
    """Return samples whose tissue or disease follows their group, where that is what the project
    contrasts.
    """
    kinds = study[samples["project"].to_numpy()]
    attribute, true, other, _ = (ecology.contrast[kinds, column] for column in range(4))
    value = np.where(samples["carrier"].to_numpy(), true, np.where(other == "healthy", "", other))
    return samples.with_columns(
        pl.Series(
            name, np.where(attribute == name, value, samples[name].to_numpy()), dtype=pl.String
        )
        for name in ("tissue", "disease")
    )


def _detections(
    rng: np.random.Generator,
    shape: Shape,
    ecology: Ecology,
    calibration: Calibration,
    sotus: Sotus,
    runs: pl.DataFrame,
    study: Ints,
    carrier: Bools,
) -> pl.DataFrame:
    n_runs = len(study)
    project, spots = runs["project"].to_numpy(), runs["spots"].to_numpy()
    positive = rng.random(n_runs) < shape.positive_share
    per_run = np.floor(calibration.quantiles[shape.sotus_per_run].draw(rng.random(n_runs))).astype(
        np.int64
    )
    run = np.repeat(np.arange(n_runs), np.where(positive, per_run, 0))
    column = ecology.virus.pick(study[run], rng.random(len(run)))
    extra = np.flatnonzero(carrier & (rng.random(n_runs) < CARRIED))
    run = np.concatenate([run, extra])
    column = np.concatenate([column, _contrasted_virus(ecology)[study[extra]]])
    contrasted = ecology.family[study[run], column] == ecology.contrast[study[run], 3]
    planted = np.zeros(int(project.max()) + 1, dtype=bool)
    planted[project[carrier]] = True
    lost = contrasted & ~carrier[run] & planted[project[run]] & (rng.random(len(run)) < MISSED)
    run, column, contrasted = run[~lost], column[~lost], contrasted[~lost]
    species = ecology.species_number[study[run], column]
    number = _sotu_numbers(rng, sotus, species, project[run])
    coverage = calibration.quantiles["coverage"].draw(rng.random(len(run)))
    fold = np.where(carrier[run], 2.0 ** ecology.log2_fold[study[run]], 1.0)
    rpm = PLANTED_RPM * fold * np.exp(0.6 * ndtri(rng.random(len(run))))
    set_apart = contrasted & planted[project[run]]
    reads = np.where(set_apart, rpm * spots[run] / 1e6, coverage * READS_PER_FOLD)
    reads = np.clip(np.floor(reads), 1, spots[run] // 2).astype(np.int64)
    names = np.array(ecology.species, dtype=object)[species]
    drawn = pl.DataFrame(
        {
            "run": run,
            "sotu": number,
            "species": names,
            "identity": sotus.identity[number],
            "node_identity": np.round(90 + 10 * np.sqrt(rng.random(len(run))), 1),
            "coverage": np.round(reads / READS_PER_FOLD, 2),
            "reads": reads,
        },
        schema_overrides={"species": pl.String},
    )
    family = pl.col("species").replace_strict(ecology.family_of, default="").alias("family")
    phylum = pl.col("family").replace_strict(ecology.phylum, default="").alias("phylum")
    kept = drawn.unique(["run", "sotu"], keep="first", maintain_order=True)
    return kept.with_columns(family).with_columns(phylum).sort("run", "sotu")


def _contrasted_virus(ecology: Ecology) -> Ints:
    """Return, per kind of study, the column of the commonest virus of the contrasted family."""
    weight = np.diff(ecology.virus.cumulative, axis=1, prepend=0.0)
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


def _stat(
    rng: np.random.Generator,
    ecology: Ecology,
    study: Ints,
    project: Ints,
    projects: pl.DataFrame,
    *,
    further: int,
) -> pl.DataFrame:
    n_runs = len(project)
    counted = np.flatnonzero(rng.random(n_runs) < STAT_RUNS)
    kind = study[project[counted]]
    own = np.where(projects["host"] == "", projects["organism"], projects["host"])[project[counted]]
    share = ecology.stat_share[kind] * np.exp(
        0.6 * ndtri(rng.random((len(counted), ecology.stat_share.shape[1])))
    )
    rest = np.maximum(0.0, 1 - share.sum(axis=1)) * (0.6 + 0.35 * rng.random(len(counted)))
    others = pl.DataFrame(
        {
            "run": np.repeat(counted, share.shape[1]),
            "taxon": ecology.stat.labels[kind].ravel(),
            "share": share.ravel(),
        },
        schema_overrides={"taxon": pl.String},
    )
    hosts = pl.DataFrame(
        {"run": counted, "taxon": own, "share": rest}, schema_overrides={"taxon": pl.String}
    )
    pool = np.unique(ecology.stat.labels[ecology.stat.labels != ""])
    left_behind = pool[np.floor(rng.random((len(projects), further)) * len(pool)).astype(np.int64)]
    contaminants = pl.DataFrame(
        {
            "run": np.repeat(counted, further),
            "taxon": left_behind[project[counted]].ravel(),
            "share": 0.01 + 0.04 * rng.random(len(counted) * further),
        },
        schema_overrides={"taxon": pl.String},
    )
    named = (pl.col("taxon") != "") & ~pl.col("taxon").str.ends_with("metagenome")
    listed = pl.concat([hosts, others, contaminants]).filter(named & (pl.col("share") > 0.001))
    return listed.with_columns(pl.col("share").clip(0, 0.99).round(4)).sort("run", "taxon")


def _label(choice: Choice, study: Ints, uniform: Floats) -> pl.Series:
    return pl.Series(choice.label(study, choice.pick(study, uniform)), dtype=pl.String)


def _renumbered(block: Block, first_run: int, first_sample: int, first_project: int) -> Block:
    """Return ``block`` with numbers that count over the cohort, not positions in the block."""
    run, sample, project = (
        pl.col("run") + first_run,
        pl.col("sample") + first_sample,
        pl.col("project") + first_project,
    )
    return Block(
        block.project.with_columns(project),
        block.run.with_columns(run, sample, project),
        block.sample.with_columns(sample, project),
        block.detection.with_columns(run),
        block.stat.with_columns(run),
    )

"""Draw a cohort: projects, runs, samples, detections, k-mer shares, as numpy columns in Polars
frames.

A cohort is drawn in blocks of projects, each from its own random stream, so that memory does not
grow with the cohort and a block does not depend on the others. Only ``Generator.random`` is used:
its stream is fixed for a seed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import polars as pl
from scipy.special import ndtri

from benchmarks.cohort_calibration import Calibration
from benchmarks.cohort_ecology import Bools, Choice, Ecology, Floats, Ints
from benchmarks.cohort_finds import Libraries, draw_detections
from benchmarks.cohort_shape import Cohort, Shape

BLOCK_PROJECTS: Final = 20_000
CARRIERS: Final = 0.45  # share of samples of the true group, where a project contrasts groups
STAT_RUNS: Final = 0.7  # share of runs with k-mer counts
MIN_RUNS_PLANTED: Final = 14


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


def draw_blocks(cohort: Cohort) -> Iterator[Block]:
    """Yield the cohort, ``BLOCK_PROJECTS`` projects at a time."""
    sizes = project_sizes(cohort.shape, cohort.calibration)
    run = 1
    sample = 1
    for start in range(0, len(sizes), BLOCK_PROJECTS):
        rng = np.random.default_rng([cohort.shape.seed, 1, start])
        stop = start + BLOCK_PROJECTS
        block = _draw_block(rng, cohort, sizes[start:stop], start)
        yield _renumbered(block, run, sample, start + 1)
        run += len(block.run)
        sample += len(block.sample)


def project_sizes(shape: Shape, calibration: Calibration) -> Ints:
    """Return the number of runs of each project; they sum to ``shape.runs``."""
    rng = np.random.default_rng([shape.seed, 2])
    distribution = calibration.quantiles["runs_per_bioproject"]
    if shape.projects is not None:
        drawn = distribution.draw(rng.random(shape.projects))
        return _stretched(drawn, shape.runs)
    sizes = np.empty(0, dtype=np.int64)
    batch = max(64, shape.runs // 4)
    while sizes.sum() < shape.runs:
        drawn = np.floor(distribution.draw(rng.random(batch)))
        sizes = np.concatenate([sizes, drawn.astype(np.int64)])
    so_far = np.cumsum(sizes)
    last = int(np.searchsorted(so_far, shape.runs))
    kept: Ints = sizes[: last + 1]
    kept[-1] -= kept.sum() - shape.runs
    return kept


def _stretched(drawn: Floats, runs: int) -> Ints:
    """Return sizes in proportion to ``drawn`` that sum to ``runs``, each large enough for a planted
    effect; the largest takes what rounding leaves.
    """
    free = runs - len(drawn) * MIN_RUNS_PLANTED
    share = drawn / drawn.sum()
    further = np.floor(share * free).astype(np.int64)
    sizes: Ints = MIN_RUNS_PLANTED + further
    largest_first = np.argsort(-sizes, kind="stable")
    sizes[largest_first[0]] += runs - sizes.sum()
    return sizes


def _draw_block(rng: np.random.Generator, cohort: Cohort, sizes: Ints, first_project: int) -> Block:
    """Return the block of the projects of ``sizes`` runs, numbered from 0."""
    ecology = cohort.ecology
    number = np.arange(len(sizes))
    study = (first_project + number) % len(ecology.keys)
    project = np.repeat(number, sizes)
    shared = cohort.calibration.shares["runs_sharing_a_biosample"]
    sample = _samples(rng, project, shared)
    is_first = np.concatenate([[True], np.diff(sample) > 0])
    owner = project[is_first]
    planted = sizes >= MIN_RUNS_PLANTED
    chosen = rng.random(len(owner)) < CARRIERS
    carrier = planted[owner] & chosen

    projects = _project_table(rng, ecology, study, planted)
    samples = _sample_table(rng, ecology, study, owner, carrier)
    runs = _run_table(rng, cohort, project, sample)
    spots = runs["spots"].to_numpy()
    libraries = Libraries(project, study[project], carrier[sample], spots)
    detections = draw_detections(rng, cohort, libraries)
    stat = _stat(rng, ecology, libraries, projects, further=cohort.shape.stat_taxa)
    contrasted = _contrasted(samples, ecology, study)
    return Block(projects, runs, contrasted, detections, stat)


def _sample_table(
    rng: np.random.Generator, ecology: Ecology, study: Ints, owner: Ints, carrier: Bools
) -> pl.DataFrame:
    """Return the samples, with a tissue and a disease of the kind of their project (``owner``)."""
    return pl.DataFrame(
        {
            "sample": np.arange(len(owner)),
            "project": owner,
            "tissue": _label(ecology.tissue, study[owner], rng.random(len(owner))),
            "disease": _label(ecology.disease, study[owner], rng.random(len(owner))),
            "carrier": carrier,
        }
    )


def _run_table(
    rng: np.random.Generator, cohort: Cohort, project: Ints, sample: Ints
) -> pl.DataFrame:
    """Return the runs; read length and day of release are those of their project."""
    n_projects, n_runs = int(project[-1]) + 1, len(project)
    spots = np.floor(cohort.calibration.quantiles["spots"].draw(rng.random(n_runs)))
    whole = spots.astype(np.int64)
    return pl.DataFrame(
        {
            "run": np.arange(n_runs),
            "sample": sample,
            "project": project,
            "spots": whole,
            "bases": whole * np.where(rng.random(n_projects)[project] < 0.7, 300, 202),
            "day": np.floor(rng.random(n_projects)[project] * 365).astype(np.int64),
        }
    )


def _samples(rng: np.random.Generator, project: Ints, shared: float) -> Ints:
    """Return the sample of each run: now and then the one of the run before, within a project."""
    drawn = rng.random(len(project)) < shared
    same_project = np.diff(project, prepend=-1) == 0
    again = drawn & same_project
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


def _stat(
    rng: np.random.Generator,
    ecology: Ecology,
    libraries: Libraries,
    projects: pl.DataFrame,
    *,
    further: int,
) -> pl.DataFrame:
    """Return the k-mer shares of most runs: run, taxon, share; ``further`` taxa are left behind by
    the laboratory of a project.
    """
    project = libraries.project
    counted = np.flatnonzero(rng.random(len(project)) < STAT_RUNS)
    kind = libraries.study[counted]
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
        {
            "run": counted,
            "taxon": own,
            "share": rest,
        },
        schema_overrides={"taxon": pl.String},
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

"""What a cohort is drawn from: its shape, the ecology, published marginals, and its sOTUs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import ndtri

from benchmarks.cohort_calibration import Calibration
from benchmarks.cohort_ecology import Ecology, Floats, Ints

SAMPLE_SOTUS: Final = 300
"""sOTUs at ``SAMPLE_RUNS`` runs; they grow as runs ** SOTU_GROWTH, which meets the published
graph.
"""
SAMPLE_RUNS: Final = 2_500
SOTU_GROWTH: Final = 0.927


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
class Cohort:
    """What the blocks of one cohort are drawn from."""

    shape: Shape
    ecology: Ecology
    calibration: Calibration
    sotus: Sotus


def draw_cohort(shape: Shape, ecology: Ecology, calibration: Calibration) -> Cohort:
    """Return the cohort that ``shape`` asks for, its sOTUs drawn."""
    return Cohort(shape, ecology, calibration, draw_sotus(shape, ecology, calibration))


def draw_sotus(shape: Shape, ecology: Ecology, calibration: Calibration) -> Sotus:
    """Return the sOTUs of the cohort, shared out among the species of ``ecology``."""
    rng = np.random.default_rng([shape.seed, 0])
    species = len(ecology.species)
    normal = ndtri(rng.random(species))
    weight = np.exp(0.6 * normal)
    further = max(0, shape.sotus - species)
    count = 1 + _shared_out(further, weight)
    ends = np.cumsum(count)
    first = np.concatenate([[0], ends[:-1]])

    uniform = rng.random(int(count.sum()))
    identity = calibration.quantiles["identity"].draw(uniform)
    identity[first] = np.maximum(identity[first], 97.0)
    owner = np.repeat(np.arange(species), count)
    best_first = np.lexsort((-identity, owner))
    return Sotus(
        first,
        count,
        identity=np.round(identity[best_first], 1),
    )


def _shared_out(total: int, weight: Floats) -> Ints:
    """Return whole numbers in proportion to ``weight`` that sum to ``total``: largest remainders
    round up.
    """
    exact = total * weight / weight.sum()
    whole: Ints = np.floor(exact).astype(np.int64)
    remainder = exact - whole
    left = total - int(whole.sum())
    largest_first = np.argsort(-remainder, kind="stable")
    whole[largest_first[:left]] += 1
    return whole

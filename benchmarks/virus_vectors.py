"""How well vectors of viruses find what was hidden, against baselines, with intervals over seeds.

    python -m benchmarks.virus_vectors --db INDEX                 # baselines and walks, five seeds
    python -m benchmarks.virus_vectors --db INDEX --network       # the graph network (extra gnn)
    python -m benchmarks.virus_vectors --db INDEX --leaks         # what leaks would add
    python -m benchmarks.virus_vectors --db INDEX --neighbourhoods
    python -m benchmarks.virus_vectors --db INDEX --map map.svg   # vectors in two dimensions

Protocol and results: docs/virus-vectors.md.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Final, NamedTuple

import duckdb
import numpy as np
import polars as pl
from scipy import sparse
from scipy.stats import t

from benchmarks.virus_baselines import BASELINES
from benchmarks.virus_judging import (
    HIDDEN_PART,
    Mask,
    Verdict,
    hidden_studies,
    hidden_viruses,
    host_pairs,
    judge_hosts,
    judge_links,
    judge_studies,
    without_hosts,
    without_pairs,
)
from index.drawing import new_figure, save_figure
from index.graph.metrics import agreement
from index.store.read import open_locked
from index.vectors.factors import Score, by_cosine, walk_vectors, weights_of
from index.vectors.neighbourhoods import find_neighbourhoods
from index.vectors.predicted import known_pairs
from index.vectors.sightings import Sightings, read_sightings

TASKS: Final = ("studies", "hosts of viruses", "pairs", "recorded pairs")
_FAMILIES: Final = 11

Fit = Callable[[Sightings], Score]
Split = tuple[Sightings, Callable[[Score], Verdict]]


class World(NamedTuple):
    """What is learned from, and the pairs of virus and host that sources record."""

    sightings: Sightings
    recorded: Mask | None = None


def main() -> None:
    """Print the table of one run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--db", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--task", choices=TASKS, action="append", help="what is hidden (all)")
    parser.add_argument("--network", action="store_true")
    parser.add_argument("--leaks", action="store_true")
    parser.add_argument("--neighbourhoods", action="store_true")
    parser.add_argument("--map", type=Path)
    given = parser.parse_args()
    with open_locked(given.db) as con:
        world = read_world(con)
        leaky = leaky_worlds(con, world) if given.leaks else {}
    sightings = world.sightings
    print(f"{len(sightings.study):,} groups of {len(np.unique(sightings.study)):,} studies, "
          f"{len(sightings.virus):,} viruses, {len(sightings.term):,} terms")  # fmt: skip
    if given.neighbourhoods:
        print_neighbourhoods(sightings, seeds=given.seeds)
    elif given.map:
        draw_map(sightings, given.map)
    elif given.leaks:
        print_leaks(leaky, seeds=given.seeds, with_network=given.network)
    else:
        tasks = given.task or TASKS
        print_table(world, tasks, seeds=given.seeds, with_network=given.network)


def read_world(con: duckdb.DuckDBPyConnection) -> World:
    """Return what an index holds."""
    sightings = read_sightings(con)
    recorded, _ = known_pairs(con, sightings)
    return World(sightings, recorded)


def leaky_worlds(con: duckdb.DuckDBPyConnection, world: World) -> dict[tuple[str, str], World]:
    """Return what is judged with and without each leak, by what is said of it and the task.

    Without leaks, a study is one under all of its names, a virus one with all of its segments, and
    a virus is hidden with all of its genus.
    """
    own = world.sightings
    segments = read_sightings(con, virus="sotu")
    named = read_sightings(con, study_of=names_of_studies)
    each = replace(own, study=np.arange(len(own.study)))
    hosts, studies, pairs = "hosts of viruses", "studies", "pairs"
    return {
        ("none: whole studies are hidden", studies): world,
        ("a study under two names is two", studies): World(named),
        ("groups are hidden one by one", studies): World(each),
        ("pairs of group and virus are hidden at random", "links"): world,
        ("none: whole genera are hidden", hosts): world,
        ("congeners stay", hosts): World(one_by_one(own)),
        ("congeners and other segments stay", hosts): World(one_by_one(segments)),
        ("none: a pair is hidden in every study", pairs): world,
        ("a segment is a virus", pairs): World(segments),
    }


def names_of_studies(run: pl.DataFrame) -> list[int]:
    """Return a number for each row [study, bioproject]: that of the one name that it has first."""
    name = pl.coalesce("study", "bioproject").rank("dense")
    return run.select(name)["study"].to_list()


def one_by_one(sightings: Sightings) -> Sightings:
    """Return ``sightings`` in which no two viruses are of one genus."""
    alone = sightings.virus.with_columns(genus=sightings.virus["virus"])
    return replace(sightings, virus=alone)


def print_table(world: World, tasks: Sequence[str], *, seeds: int, with_network: bool) -> None:
    """Print AUC, AP and hits of each method and task: the mean and half the 95 % interval."""
    found: dict[tuple[str, str], list[Verdict]] = {}
    for seed, task in product(range(seeds), tasks):
        methods = {"graph network": _network(seed)} if with_network else BASELINES
        left, judge = split(task, world, seed=seed)
        for name, fit in methods.items():
            started = time.process_time()
            one = judge(fit(left))
            found.setdefault((name, task), []).append(one)
            said = f"{one.auc:.3f} {one.ap:.3f} {one.hits:.3f} {one.positives}"
            seconds = f"{time.process_time() - started:.0f} s of CPU"
            print("  ", seed, name, task, said, seconds, flush=True)
    for (name, task), verdicts in found.items():
        print(f"| {name} | {task} | {' | '.join(numbers(verdicts))} |")


def split(task: str, world: World, *, seed: int) -> Split:
    """Return what is learned from when a part is hidden, and what judges a score of it."""
    own = world.sightings
    if task == "studies":
        groups = hidden_studies(own, seed=seed)
        return own.of_groups(~groups), partial(
            judge_studies, sightings=own, hidden=groups, seed=seed
        )
    draw = np.random.default_rng(seed)
    if task == "links":
        found = own.found.toarray() > 0
        links = found & (draw.random(found.shape) < HIDDEN_PART)
        left = replace(own, found=sparse.csr_array((found & ~links).astype(np.float32)))
        return left, partial(judge_links, sightings=own, links=links, seed=seed)
    pairs, _ = host_pairs(own)
    if task == "hosts of viruses":
        viruses = hidden_viruses(own, seed=seed)
        hidden = np.broadcast_to(viruses[:, None], pairs.shape)
        left = without_hosts(own, viruses)
        return left, partial(judge_hosts, sightings=own, pairs=hidden, seed=seed)
    recorded = world.recorded if task == "recorded pairs" else None
    hidden = pairs & (draw.random(pairs.shape) < HIDDEN_PART)
    if recorded is not None:
        hidden[:, own.hosts()] &= recorded
    judge = partial(judge_hosts, sightings=own, pairs=hidden, recorded=recorded, seed=seed)
    return without_pairs(own, hidden), judge


def interval(values: list[float]) -> str:
    """Return the mean of ``values`` and half its 95 % interval.

    >>> interval([0.8, 0.8])
    '.800 ± .000'
    >>> interval([0.8])
    '.800'
    """
    if len(values) == 1:
        return f"{values[0]:.3f}".replace("0.", ".")
    half = t.ppf(0.975, len(values) - 1) * np.std(values, ddof=1) / len(values) ** 0.5
    return f"{np.mean(values):.3f} ± {half:.3f}".replace("0.", ".")


def print_leaks(worlds: dict[tuple[str, str], World], *, seeds: int, with_network: bool) -> None:
    """Print what walks, or the network, seem to be worth with each leak."""
    for (said, task), world in worlds.items():
        found = []
        for seed in range(seeds):
            fit = _network(seed) if with_network else BASELINES["random walks"]
            left, judge = split(task, world, seed=seed)
            found.append(judge(fit(left)))
        print(f"| {task} | {said} | {' | '.join(numbers(found))} |", flush=True)


def numbers(verdicts: list[Verdict]) -> list[str]:
    """Return AUC, AP and hits of some seeds, each with its interval."""
    return [interval([getattr(one, part) for one in verdicts]) for part in ("auc", "ap", "hits")]


def print_neighbourhoods(sightings: Sightings, *, seeds: int) -> None:
    """Print how many neighbourhoods walks give, their sizes, and how they agree (NMI) between
    seeds of Leiden and with families.
    """
    vectors, _ = walk_vectors(sightings)
    unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    found = [find_neighbourhoods(unit, seed=seed) for seed in range(seeds)]
    family = sightings.virus["family"].fill_null("").rank("dense").cast(pl.Int64).to_numpy()
    for seed, one in enumerate(found):
        sizes = np.bincount(one)[1:]
        alike = [agreement(one, other)[1] for other in (found[0], family)]
        print(f"seed {seed}: {len(sizes)} of {sizes.min()} to {sizes.max()} viruses, NMI with "
              f"seed 0 {alike[0]:.3f}, with families {alike[1]:.3f}")  # fmt: skip


def draw_map(sightings: Sightings, path: Path) -> None:
    """Write a map of the vectors of viruses by family, the nearest side by side."""
    vectors, _ = walk_vectors(sightings)
    places = spread(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9))
    family = sightings.virus["family"].fill_null("unknown")
    largest = family.value_counts(sort=True)["family"].head(_FAMILIES + 1).to_list()
    figure = new_figure(8.0, 6.0)
    axes = figure.subplots()
    others = ~family.is_in(largest).to_numpy()
    axes.scatter(*places[others].T, s=6, color="#d4d4d4", linewidths=0, label="other families")
    for number, name in enumerate(largest):
        some = (family == name).to_numpy()
        marker = "o" if number < 10 else "^"
        colour, said = f"C{number % 10}", f"{name} ({some.sum()})"
        axes.scatter(*places[some].T, s=9, color=colour, marker=marker, linewidths=0, label=said)
    axes.legend(fontsize=7, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    axes.set_axis_off()
    save_figure(figure, path)


def spread(unit: np.ndarray, *, steps: int = 50, near: int = 10) -> np.ndarray:
    """Return places in the plane in which each of the ``unit`` vectors is drawn to its ``near``
    nearest and pushed from all others.
    """
    likeness = unit @ unit.T
    np.fill_diagonal(likeness, -1)
    nearest = np.argsort(-likeness, axis=1, kind="stable")[:, :near]
    left, values, _ = np.linalg.svd(unit - unit.mean(axis=0), full_matrices=False)
    places = left[:, :2] * values[:2] * 10
    for step in range(steps):
        pull = places[nearest].mean(axis=1) - places
        apart = places[:, None, :] - places[None, :, :]
        push = (apart / (1 + (apart**2).sum(axis=2, keepdims=True))).mean(axis=1)
        places = places + (1 - step / steps) * (0.5 * pull + 4 * push)
    return places


def _network(seed: int) -> Fit:
    from index.vectors.network import network_vectors

    def fit(sightings: Sightings) -> Score:
        return by_cosine(*network_vectors(sightings, seed=seed), weights_of(sightings))

    return fit


if __name__ == "__main__":
    main()

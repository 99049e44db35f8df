"""How well vectors of viruses find what was hidden, against baselines, with intervals over seeds.

    python -m benchmarks.virus_vectors --db INDEX                 # baselines and walks, five seeds
    python -m benchmarks.virus_vectors --db INDEX --network       # the graph network (extra gnn)
    python -m benchmarks.virus_vectors --db INDEX --leaks         # what leaks would add
    python -m benchmarks.virus_vectors --db INDEX --map map.svg   # vectors in two dimensions

Protocol and results: docs/virus-vectors.md.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np
from scipy.stats import t

from index.drawing import new_figure, save_figure
from index.store.read import open_locked
from index.vectors.baselines import BASELINES, Score, by_cosine, walk_vectors, weights_of
from index.vectors.judging import (
    Verdict,
    hidden_studies,
    hidden_viruses,
    host_pairs,
    judge_hosts,
    judge_studies,
    without_hosts,
    without_pairs,
)
from index.vectors.sightings import Sightings, read_sightings

TASKS: Final = ("studies", "hosts of viruses", "pairs")
_FAMILIES: Final = 11
_PAIRS: Final = 0.2

Fit = Callable[[Sightings], Score]


def main() -> None:
    """Print the table of one run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--db", type=Path, required=True)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--network", action="store_true")
    parser.add_argument("--leaks", action="store_true")
    parser.add_argument("--map", type=Path)
    given = parser.parse_args()
    with open_locked(given.db) as con:
        sightings = read_sightings(con)
    print(f"{len(sightings.study):,} groups of {len(np.unique(sightings.study)):,} studies, "
          f"{len(sightings.virus):,} viruses, {len(sightings.term):,} terms")  # fmt: skip
    if given.map:
        draw_map(sightings, given.map)
    elif given.leaks:
        print_leaks(sightings, seeds=given.seeds)
    else:
        print_table(sightings, seeds=given.seeds, with_network=given.network)


def print_table(sightings: Sightings, *, seeds: int, with_network: bool) -> None:
    """Print AUC, AP and hits of each method and task: the mean and half the 95 % interval."""
    found: dict[tuple[str, str], list[Verdict]] = {}
    for seed in range(seeds):
        methods = {"graph network": _network(seed)} if with_network else BASELINES
        for name, fit in methods.items():
            started = time.perf_counter()
            for task in TASKS:
                verdict = judged(task, fit, sightings, seed=seed)
                found.setdefault((name, task), []).append(verdict)
            seconds = time.perf_counter() - started
            shown = [found[name, task][-1] for task in TASKS]
            said = [f"{one.auc:.3f} {one.ap:.3f} {one.hits:.3f} {one.positives}" for one in shown]
            print("  ", seed, name, *said, f"{seconds:.0f} s", flush=True)
    for (name, task), verdicts in found.items():
        numbers = [interval([getattr(one, part) for one in verdicts])
                   for part in ("auc", "ap", "hits")]  # fmt: skip
        print(f"| {name} | {task} | {' | '.join(numbers)} |")


def judged(task: str, fit: Fit, sightings: Sightings, *, seed: int) -> Verdict:
    """Return the verdict of a method on one task."""
    pairs, _ = host_pairs(sightings)
    if task == "studies":
        hidden = hidden_studies(sightings, seed=seed)
        return judge_studies(fit(sightings.of_groups(~hidden)), sightings, hidden, seed=seed)
    if task == "pairs":
        hidden = pairs & (np.random.default_rng(seed).random(pairs.shape) < _PAIRS)
        return judge_hosts(fit(without_pairs(sightings, hidden)), sightings, hidden, seed=seed)
    viruses = hidden_viruses(sightings, seed=seed)
    hidden = np.broadcast_to(viruses[:, None], pairs.shape)
    return judge_hosts(fit(without_hosts(sightings, viruses)), sightings, hidden, seed=seed)


def interval(values: list[float]) -> str:
    """Return the mean of ``values`` and half its 95 % interval.

    >>> interval([0.8, 0.8])
    '.800 ± .000'
    """
    half = t.ppf(0.975, len(values) - 1) * np.std(values, ddof=1) / len(values) ** 0.5
    return f"{np.mean(values):.3f} ± {half:.3f}".replace("0.", ".")


def print_leaks(sightings: Sightings, *, seeds: int) -> None:
    """Print what walks seem to be worth where groups are hidden one by one, not whole studies, and
    where viruses are hidden one by one, not whole genera.
    """
    each = replace(sightings, study=np.arange(len(sightings.study)))
    alone = replace(
        sightings,
        virus=sightings.virus.with_columns(genus=sightings.virus["virus"]),
    )
    for said, world, task in (
        ("whole studies hidden", sightings, "studies"),
        ("groups hidden one by one", each, "studies"),
        ("whole genera hidden", sightings, "hosts of viruses"),
        ("viruses hidden one by one", alone, "hosts of viruses"),
    ):
        fit = BASELINES["random walks"]
        found = [judged(task, fit, world, seed=seed).auc for seed in range(seeds)]
        print(f"| {said} | {interval(found)} |", flush=True)


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

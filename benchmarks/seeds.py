"""Measure how far communities depend on chance: Leiden with several seeds, compared level by level.

    python -m benchmarks.seeds INDEX.duckdb --seeds 10

Prints, for each level, how many communities a seed finds and how far two seeds agree on the runs
(mean and least over all pairs of seeds): normalised mutual information and adjusted Rand index. The
index is opened read-only and clustered anew with the default configuration.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path

import duckdb
import numpy as np

from index.config import GraphConfig
from index.graph.arrays import (
    IntArray,
    build_clustered_graph,
    clustered_relationships,
    in_order,
    linked_mask,
    run_mask,
)
from index.graph.hierarchy import nested_partitions
from index.graph.metrics import agreement

Partitions = Sequence[IntArray]


def partitions_by_seed(
    con: duckdb.DuckDBPyConnection, *, seeds: Sequence[int], config: GraphConfig
) -> list[Partitions]:
    """Return the partition of the linked runs at each level, coarsest first, for each seed."""
    entity = con.table("entity").pl()
    linked = clustered_relationships(con.table("relationship").pl(), config=config)
    graph = build_clustered_graph(entity, linked, config=config)
    is_run = run_mask(entity)
    is_linked_run = is_run & linked_mask(in_order(entity["entity"]), linked)

    found = []
    for seed in seeds:
        seeded = config.model_copy(update={"seed": seed})
        partitions = nested_partitions(graph, is_run, config=seeded)
        found.append([partition[is_linked_run] for partition in partitions])
    return found


def level_lines(found: Sequence[Partitions]) -> list[str]:
    """Return one line for each level that every seed has.

    >>> level_lines([[np.array([0, 0, 1, 1])], [np.array([1, 1, 0, 0])]])
    ['level 0: 2 to 2 communities; NMI mean 1.000, least 1.000; ARI mean 1.000, least 1.000']
    """
    lines = []
    for level, partitions in enumerate(zip(*found, strict=False)):
        sizes = [len(np.unique(partition)) for partition in partitions]
        pairs = [agreement(left, right) for left, right in combinations(partitions, 2)]
        ari, nmi = np.array(pairs).T
        lines.append(
            f"level {level}: {min(sizes):,} to {max(sizes):,} communities; "
            f"NMI mean {nmi.mean():.3f}, least {nmi.min():.3f}; "
            f"ARI mean {ari.mean():.3f}, least {ari.min():.3f}"
        )
    return lines


def main() -> None:
    """Print the agreement of seeds on an index."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("index", type=Path)
    parser.add_argument("--seeds", type=int, default=10)
    options = parser.parse_args()
    with duckdb.connect(str(options.index), read_only=True) as con:
        seeds = range(1, options.seeds + 1)
        found = partitions_by_seed(con, seeds=seeds, config=GraphConfig())
    print("\n".join(level_lines(found)))


if __name__ == "__main__":
    main()

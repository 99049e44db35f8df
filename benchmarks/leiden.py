"""Community detection beside its peers: the same planted graph through each engine, each in a
process of its own.

    python -m benchmarks.leiden --edges 1e6,1e7
    python -m benchmarks.leiden --edges 1e7 --engines ours,ours-networkit,graspologic

``ours`` is the whole nested hierarchy of the product; ``graspologic`` is the clustering step of
Microsoft GraphRAG with its list of string tuples; igraph, leidenalg and networkit find one flat
level. networkit and graspologic-native are in the extra ``bench``; an engine that is not installed
is passed over. Seconds are CPU seconds of the one thread that works, so a busy machine does not
change them much; memory is the peak of the process.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import polars as pl

from benchmarks.leiden_graphs import planted_graph
from benchmarks.leiden_report import as_markdown, merge_rows, plot
from benchmarks.places import add_record_option, results_folder
from benchmarks.processes import measured_apart, peak_mb
from index.config import GraphConfig
from index.graph.arrays import Graph, IntArray, renumber
from index.graph.engines import networkit_leiden
from index.graph.hierarchy import nested_partitions
from index.graph.metrics import agreement, modularity

MAX_SIZE = 1000
SEED = 42


def ours(graph: Graph, resolution: float, *, engine: str = "igraph") -> list[IntArray]:
    """Return the levels the product makes of ``graph``, every node counting as a run."""
    config = GraphConfig(
        engine=engine,
        resolution=resolution,
        max_runs=MAX_SIZE,
        seed=SEED,
    )
    return nested_partitions(graph, np.ones(graph.n, dtype=bool), config=config)


def ours_networkit(graph: Graph, resolution: float) -> list[IntArray]:
    """Return the levels with networkit as engine."""
    return ours(
        graph,
        resolution,
        engine="networkit",
    )


def igraph_flat(graph: Graph, resolution: float) -> list[IntArray]:
    """Return one level: igraph, modularity, two iterations."""
    import igraph

    built = igraph.Graph(
        n=graph.n, edges=zip(graph.source.tolist(), graph.target.tolist(), strict=True)
    )
    random.seed(SEED)
    found = built.community_leiden(
        "modularity", graph.weight.tolist(), resolution=resolution, n_iterations=2
    )
    return [np.asarray(found.membership)]


def leidenalg_flat(graph: Graph, resolution: float) -> list[IntArray]:
    """Return one level: leidenalg, Reichardt-Bornholdt modularity, two iterations."""
    import igraph
    import leidenalg

    built = igraph.Graph(
        n=graph.n, edges=zip(graph.source.tolist(), graph.target.tolist(), strict=True)
    )
    quality = leidenalg.RBConfigurationVertexPartition
    weights = graph.weight.tolist()
    found = leidenalg.find_partition(
        built, quality, weights=weights, resolution_parameter=resolution, n_iterations=2, seed=SEED
    )
    return [np.asarray(found.membership)]


def networkit_flat(graph: Graph, resolution: float) -> list[IntArray]:
    """Return one level: networkit ParallelLeiden on one thread, three iterations."""
    return [networkit_leiden(graph, resolution=resolution, seed=SEED)]


def graspologic_levels(graph: Graph, resolution: float) -> list[IntArray]:
    """Return the levels of hierarchical_leiden; a node whose cluster is not split further keeps it
    on deeper levels.
    """
    import graspologic_native  # type: ignore[import-not-found]

    names = graph.nodes.to_list()
    edges = [
        (names[source], names[target], weight)
        for source, target, weight in zip(
            graph.source.tolist(), graph.target.tolist(), graph.weight.tolist(), strict=True
        )
    ]
    clusters = graspologic_native.hierarchical_leiden(
        edges,
        starting_communities=None,
        resolution=resolution,
        randomness=0.001,
        iterations=1,
        use_modularity=True,
        max_cluster_size=MAX_SIZE,
        seed=SEED,
    )
    rows = pl.DataFrame(
        [(c.node, c.level, c.cluster) for c in clusters],
        schema=["entity", "level", "c"],
        orient="row",
    )
    levels: list[IntArray] = []
    label = pl.DataFrame({"entity": graph.nodes}).with_row_index("whole")
    current = label.select("entity", (pl.col("whole").cast(pl.Int64) + len(rows)).alias("c"))
    for level in range(int(rows["level"].max()) + 1):  # type: ignore[arg-type]
        here = rows.filter(pl.col("level") == level).select("entity", pl.col("c").cast(pl.Int64))
        current = current.update(here, on="entity", how="left", maintain_order="left")
        levels.append(renumber(current["c"].to_numpy()))
    return levels


class Peer(NamedTuple):
    """An engine: how it is run and the distribution it comes from."""

    levels: Callable[[Graph, float], list[IntArray]]
    distribution: str


PEERS: Final = {
    "ours": Peer(ours, "igraph"),
    "ours-networkit": Peer(ours_networkit, "networkit"),
    "igraph": Peer(igraph_flat, "igraph"),
    "leidenalg": Peer(leidenalg_flat, "leidenalg"),
    "networkit": Peer(networkit_flat, "networkit"),
    "graspologic": Peer(graspologic_levels, "graspologic-native"),
}


def measure(name: str, graph_file: Path, resolution: float) -> dict[str, Any]:
    """Return what ``name`` needs and finds on the graph in ``graph_file``; run in a fresh process
    for its memory.
    """
    arrays = np.load(graph_file)
    n = len(arrays["fine"])
    nodes = pl.Series("entity", np.arange(n)).cast(pl.String).str.zfill(9)
    graph = Graph(nodes, arrays["source"], arrays["target"], arrays["weight"])
    importlib.import_module(_module(name))
    cpu, wall = time.process_time(), time.perf_counter()
    levels = PEERS[name].levels(graph, resolution)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    peak_gb = peak_mb() / 1024
    coarsest, finest = renumber(levels[0]), renumber(levels[-1])
    return {
        "engine": name,
        "version": importlib.metadata.version(PEERS[name].distribution),
        "edges": len(graph.weight),
        "cpu_s": round(cpu, 1),
        "wall_s": round(wall, 1),
        "peak_gb": round(peak_gb, 2),
        "modularity": round(modularity(graph, coarsest, resolution=resolution), 4),
        "levels": len(levels),
        "communities": [int(level.max()) + 1 for level in map(renumber, levels)],
        "nmi_coarse": max(
            round(agreement(arrays["coarse"], renumber(level))[1], 3) for level in levels
        ),
        "nmi_fine": round(agreement(arrays["fine"], finest)[1], 3),
    }


def compare(
    names: list[str], *, n_edges: int, resolution: float, seed: int
) -> list[dict[str, Any]]:
    """Return a measurement per engine on a planted graph; absent engines have only their name."""
    planted = planted_graph(n_edges, seed=seed)
    with tempfile.TemporaryDirectory() as folder:
        graph_file = Path(folder) / "graph.npz"
        np.savez(
            graph_file,
            source=planted.graph.source,
            target=planted.graph.target,
            weight=planted.graph.weight,
            fine=planted.fine,
            coarse=planted.coarse,
        )
        del planted
        return [_measure_apart(name, graph_file, resolution) for name in names]


def main() -> None:
    """Run the comparison, or one engine of it; write the figures as each size is done and print the
    tables.
    """
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--edges", default="1e6", help="sizes, comma-separated (default: %(default)s)"
    )
    parser.add_argument(
        "--engines", default=",".join(PEERS), help=f"comma-separated, of {', '.join(PEERS)}"
    )
    parser.add_argument("--resolution", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=7)
    add_record_option(parser)
    parser.add_argument(
        "--measure",
        nargs=2,
        metavar=("ENGINE", "GRAPH"),
        help=argparse.SUPPRESS,
    )
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(options.measure[0], Path(options.measure[1]), options.resolution)))
        return
    for n_edges in (int(float(text)) for text in options.edges.split(",")):
        names = options.engines.split(",")
        rows = compare(
            names,
            n_edges=n_edges,
            resolution=options.resolution,
            seed=options.seed,
        )
        file = results_folder(record=options.record) / "leiden.json"
        print(publish(merge_rows(file, rows), file))


def publish(rows: list[dict[str, Any]], file: Path) -> str:
    """Write the table and the drawing of ``rows`` beside ``file``; return the table."""
    table = as_markdown(rows)
    file.with_suffix(".md").write_text(table, encoding="utf-8")
    plot(rows, file.with_suffix(".svg"))
    return table


def _measure_apart(name: str, graph_file: Path, resolution: float) -> dict[str, Any]:
    if importlib.util.find_spec(_module(name)) is None:
        return {"engine": name}
    print(f"{name} ...", file=sys.stderr, flush=True)
    arguments = ["--resolution", str(resolution), "--measure", name, str(graph_file)]
    row = measured_apart("benchmarks.leiden", arguments)
    print(json.dumps(row), file=sys.stderr, flush=True)
    return row


def _module(name: str) -> str:
    return PEERS[name].distribution.replace("-", "_")


if __name__ == "__main__":
    main()

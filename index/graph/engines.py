"""Leiden engines behind one function: weighted edges and node masses in, a partition out.

Quality is the sum over communities of (edge weight inside - mass squared / 2). With mass = strength
* sqrt(gamma / 2m) that is modularity at resolution gamma (Reichardt and Bornholdt 2006) times m;
because the mass is given per node, one call can cluster any number of separate parts, each with a
null model of its own (``index.graph.hierarchy``).

- ``igraph``: the default.
- ``leidenalg``: the reference implementation, ten times slower; it agrees in quality. Only it has
  layers of relationship types and limits of size (``find_layered_partition``).
- ``networkit``: one thread of ParallelLeiden finds the start, one iteration of igraph finishes it;
  twice as fast from a million edges up (benchmarks/leiden.py). It is installed with the extra
  ``networkit``.

igraph draws from Python's global ``random`` unless it gets a generator. Other threads, such as
Prefect's, draw from the global one meanwhile, so each call gets its own seeded generator. The
source of the method is Traag, Waltman and van Eck 2019, doi 10.1038/s41598-019-41695-z; of
networkit's variant Nguyen 2021.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

import numpy as np

from index.config import GraphConfig
from index.errors import EngineMissingError
from index.graph.arrays import FloatArray, Graph, IntArray, renumber

STRICT: Final = 1e6
"""Weight of the size limit in leidenalg: at its default the limit does nothing, at this it
holds."""

Engine = Callable[[Graph, FloatArray, GraphConfig], IntArray]


def find_partition(graph: Graph, mass: FloatArray, *, config: GraphConfig) -> IntArray:
    """Return the community of each node, numbered from 0 by first member, shape (n,).

    An isolated node is a community of its own.
    """
    engine = ENGINES[config.engine]
    is_linked = np.zeros(graph.n, dtype=bool)
    is_linked[graph.source] = True
    is_linked[graph.target] = True
    membership = np.arange(graph.n, dtype=np.int64)
    if not is_linked.any():
        return membership
    if is_linked.all():
        return renumber(engine(graph, mass, config))
    place = np.cumsum(is_linked) - 1
    nodes = graph.nodes.filter(is_linked)
    linked = Graph(nodes, place[graph.source], place[graph.target], graph.weight)
    membership[is_linked] = graph.n + engine(linked, mass[is_linked], config)
    return renumber(membership)


def find_layered_partition(
    layers: Sequence[tuple[Graph, float]], *, config: GraphConfig
) -> IntArray:
    """Return the community of each node by multiplex Leiden, shape (n,).

    Communities are numbered from 0 by first member. ``layers`` are graphs of the same nodes, each
    with its weight. What is maximised is the weighted sum over layers of modularity at the
    configured resolution times the edge weight of the layer, each against a null model of its own
    (Mucha et al. 2010, doi 10.1126/science.1184819, without links between layers). No community has
    more than ``config.max_entities`` nodes, where that is not 0.
    """
    import leidenalg

    if not layers:
        return np.empty(0, dtype=np.int64)
    partitions = [
        leidenalg.RBConfigurationVertexPartition(
            _igraph_graph(graph),
            weights=graph.weight.tolist(),
            resolution_parameter=config.resolution,
        )
        for graph, _ in layers
    ]
    layer_weights = [weight for _, weight in layers]
    optimiser = leidenalg.Optimiser()
    optimiser.set_rng_seed(config.seed)
    optimiser.max_comm_size = config.max_entities
    optimiser.community_constraint_enforcement = STRICT
    optimiser.optimise_partition_multiplex(
        partitions, layer_weights=layer_weights, n_iterations=config.iterations
    )
    return renumber(np.asarray(partitions[0].membership, dtype=np.int64))


def modularity_mass(graph: Graph, resolution: float) -> FloatArray:
    """Return the mass per node under which quality is modularity at ``resolution``, shape (n,)."""
    strength = graph.strength
    total = strength.sum()
    return strength * np.sqrt(resolution / total) if total > 0 else strength


@contextmanager
def seeded_igraph(seed: int) -> Iterator[None]:
    """Let igraph use its own random generator in the block, seeded with ``seed``."""
    import igraph

    igraph.set_random_number_generator(random.Random(seed))
    try:
        yield
    finally:
        igraph.set_random_number_generator(random)


def _networkit(graph: Graph, mass: FloatArray, config: GraphConfig) -> IntArray:
    resolution = float(mass.sum() ** 2 / graph.strength.sum())
    start = networkit_leiden(graph, resolution=resolution, seed=config.seed)
    once = config.model_copy(update={"iterations": 1})
    return _igraph(graph, mass, once, start=start.tolist())


def networkit_leiden(graph: Graph, *, resolution: float, seed: int) -> IntArray:
    """Return a partition by ParallelLeiden on one thread, the only number that is deterministic.

    Raises ``EngineMissingError`` where networkit, an optional dependency, is not installed.
    """
    try:
        import networkit
    except ModuleNotFoundError as error:
        raise EngineMissingError("networkit") from error

    threads = networkit.getMaxNumberOfThreads()
    networkit.setNumberOfThreads(1)
    networkit.setSeed(seed, False)
    ends = graph.source.view(np.uint64), graph.target.view(np.uint64)
    built = networkit.GraphFromCoo((graph.weight, ends), n=graph.n, weighted=True, directed=False)
    leiden = networkit.community.ParallelLeiden(
        built, iterations=3, randomize=False, gamma=resolution
    )
    leiden.run()
    networkit.setNumberOfThreads(threads)
    return renumber(np.asarray(leiden.getPartition().getVector(), dtype=np.int64))


def _igraph(
    graph: Graph, mass: FloatArray, config: GraphConfig, *, start: list[int] | None = None
) -> IntArray:
    with seeded_igraph(config.seed):
        clustering = _igraph_graph(graph).community_leiden(
            objective_function="CPM",
            weights=graph.weight,
            node_weights=mass,
            resolution=1.0,
            beta=config.theta,
            n_iterations=config.iterations,
            initial_membership=start,
        )
    return np.asarray(clustering.membership, dtype=np.int64)


def _leidenalg(graph: Graph, mass: FloatArray, config: GraphConfig) -> IntArray:
    import leidenalg

    partition = leidenalg.find_partition(
        _igraph_graph(graph),
        leidenalg.CPMVertexPartition,
        weights=graph.weight.tolist(),
        node_sizes=mass.tolist(),
        resolution_parameter=1.0,
        correct_self_loops=True,
        n_iterations=config.iterations,
        seed=config.seed,
    )
    return np.asarray(partition.membership, dtype=np.int64)


def _igraph_graph(graph: Graph):  # type: ignore[no-untyped-def]
    """Return the graph as igraph's.

    Edges are read through views: as lists they would take several times their own memory.
    """
    import igraph

    edges = zip(graph.source.data, graph.target.data, strict=True)
    return igraph.Graph(n=graph.n, edges=edges)


ENGINES: Final[dict[str, Engine]] = {
    "igraph": _igraph,
    "leidenalg": _leidenalg,
    "networkit": _networkit,
}

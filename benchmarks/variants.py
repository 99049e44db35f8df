"""Compare what may be clustered: links of studies, damping, further links, layers, resolutions.

    python -m benchmarks.variants INDEX.duckdb [INDEX.duckdb …] [--seeds 10] [--only "default"]

Prints a Markdown table for each index, a row per variant, from the relationships that it stores
(nothing is written to it). Columns, of level 1 unless said:

communities  with at least two runs; singletons are those of one run, giants hold a tenth of them
joint        a virus and a metadata value (host, tissue, disease, environment) are together in 30 %
             of the runs, from at least three studies
one study    nine tenths of the runs are of one study; in brackets of how many at level 2
NMI          with the virus, tissue and host of the runs that have exactly one; *kind* is the kind
             of study that a synthetic cohort was drawn from (its title, without the place)
seeds        mean adjusted Rand index between the seeds, of linked runs
new runs     mean adjusted Rand index with the clustering of nine tenths of the runs, three draws

A seed costs a clustering; layers take leidenalg, which is slower.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any, Final

import duckdb
import numpy as np
import polars as pl

from index.config import GraphConfig
from index.graph.arrays import (
    STUDY_EDGES,
    IntArray,
    build_clustered_graph,
    build_layers,
    clustered_relationships,
    in_order,
    linked_mask,
    run_mask,
)
from index.graph.hierarchy import nested_partitions
from index.graph.metrics import agreement
from index.store.read import open_index

JOINT_SHARE: Final = 0.3
FEWEST_STUDIES: Final = 3
ONE_STUDY: Final = 0.9
GIANT: Final = 0.1
LEFT_OUT: Final = 0.1
DRAWS: Final = 3
SEED: Final = 42


@dataclass(frozen=True)
class GraphVariant:
    """What is clustered, and how: weights of types multiply those stored; ``also`` are facets."""

    name: str
    config: Mapping[str, Any] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    also: tuple[str, ...] = ()


_STUDIES: Final = {"study_edges": True}
_LAYERS: Final = {
    "layers": {"run-sotu": 1.0, "run-host": 1.0, "run-tissue": 1.0, "run-environment": 1.0}
}
VARIANTS: Final = (
    GraphVariant("study links 0.5, not damped", {**_STUDIES, "hub_damping": False}),
    GraphVariant("study links 0.5", _STUDIES),
    GraphVariant("study links 0.1", _STUDIES, dict.fromkeys(STUDY_EDGES, 0.2)),
    GraphVariant("not damped", {"hub_damping": False}),
    GraphVariant("default"),
    GraphVariant("and place, biome at 0.1", also=("geography", "biome")),
    GraphVariant("without k-mers", weights={"run-stat": 0.0}),
    GraphVariant("k-mers five times", weights={"run-stat": 5.0}),
    GraphVariant("resolution 3", {"resolution": 3.0}),
    GraphVariant("resolution 10", {"resolution": 10.0}),
    GraphVariant("virus, host, tissue, environment as layers", _LAYERS),
)
COLUMNS: Final = (
    "variant", "communities", "singletons", "giants", "joint", "one study",
    "NMI virus / tissue / host", "NMI kind", "seeds", "new runs",
)  # fmt: skip


@dataclass(frozen=True)
class Clustered:
    """What an index says of its runs, as the variants need it."""

    entity: pl.DataFrame
    relationship: pl.DataFrame
    study: pl.DataFrame
    virus: pl.DataFrame
    value: pl.DataFrame
    kind: pl.DataFrame


def read_index(con: duckdb.DuckDBPyConnection) -> Clustered:
    """Return the tables that variants are made of and judged by."""
    return Clustered(*(con.sql(query).pl() for query in _QUERIES))


_QUERIES: Final = (
    "SELECT * FROM entity",
    "SELECT source, target, predicate, weight FROM relationship",
    "SELECT run, coalesce(bioproject, study, run) AS study FROM run",
    "SELECT DISTINCT run, coalesce(virus, sotu) AS virus FROM detection "
    "WHERE coalesce(virus, sotu) IS NOT NULL",
    "SELECT DISTINCT run, facet, coalesce(curie, value) AS value FROM annotation "
    "WHERE facet IN ('host', 'tissue', 'disease', 'environment', 'geography', 'biome')",
    "SELECT run, regexp_replace(coalesce(b.title, s.title), ', [^,]*$', '') AS kind "
    "FROM run r LEFT JOIN bioproject b USING (bioproject) LEFT JOIN study s ON s.study = r.study "
    "WHERE starts_with(run, 'SYN') AND coalesce(b.title, s.title) IS NOT NULL",
)


def measure(index: Clustered, variant: GraphVariant, *, seeds: int) -> dict[str, str]:
    """Return the cells of the row of ``variant``, by column."""
    entity, relationship = _linked(index, variant)
    found = _partitions(entity, relationship, variant, seed=SEED, levels=3)
    further = [
        _partitions(entity, relationship, variant, seed=SEED + number, levels=2)[1]
        for number in range(1, seeds)
    ]
    clustered = clustered_relationships(relationship, config=GraphConfig(**variant.config))
    nodes = in_order(entity["entity"])
    is_run = run_mask(entity) & linked_mask(nodes, clustered)
    runs = [one[is_run] for one in (found[1], *further)]
    pairs = [agreement(left, right)[0] for left, right in combinations(runs, 2)]
    level_1, level_2 = (
        pl.DataFrame({"run": nodes.filter(pl.Series(is_run)), "community": part[is_run]})
        for part in (found[1], found[-1])
    )
    draws = [_with_new_runs(entity, relationship, variant, level_1, draw) for draw in range(DRAWS)]
    return {
        "variant": variant.name,
        **_sizes(level_1),
        "joint": str(_joint(level_1, index)),
        "one study": f"{_of_one_study(level_1, index)} ({_of_one_study(level_2, index)} "
        f"of {_several(level_2)})",
        "NMI virus / tissue / host": " / ".join(_informed(level_1, index)),
        "NMI kind": _nmi(level_1, index.kind),
        "seeds": f"{np.mean(pairs):.3f}" if pairs else "",
        "new runs": f"{np.mean(draws):.3f}",
    }


def _linked(index: Clustered, variant: GraphVariant) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the entities and relationships of ``variant``."""
    weights = pl.col("predicate").replace_strict(
        variant.weights, default=1.0, return_dtype=pl.Float64
    )
    weighted = index.relationship.with_columns(weight=pl.col("weight") * weights)
    further = index.value.filter(pl.col("facet").is_in(list(variant.also))).select(
        source="run",
        target=pl.format("{}:{}", "facet", "value"),
        predicate=pl.format("run-{}", "facet"),
        weight=pl.lit(0.1),
    )
    of_runs = further.join(index.entity, left_on="source", right_on="entity", how="semi")
    named = of_runs.select(entity="target", kind=pl.lit("place")).unique()
    entity = pl.concat([index.entity.select("entity", "kind"), named])
    relationship = pl.concat([weighted, of_runs]).filter(pl.col("weight") > 0)
    return entity, relationship


def _partitions(
    entity: pl.DataFrame,
    relationship: pl.DataFrame,
    variant: GraphVariant,
    *,
    seed: int,
    levels: int,
) -> list[IntArray]:
    config = GraphConfig(**variant.config, seed=seed, max_levels=levels)
    clustered = clustered_relationships(relationship, config=config)
    layers = build_layers(entity, clustered, config=config) if config.constrained else []
    graph = build_clustered_graph(entity, clustered, config=config)
    return nested_partitions(graph, run_mask(entity), config=config, layers=layers)


def _with_new_runs(
    entity: pl.DataFrame,
    relationship: pl.DataFrame,
    variant: GraphVariant,
    level_1: pl.DataFrame,
    draw: int,
) -> float:
    """Return how far the runs that were there before stay together once the others are added."""
    runs = level_1["run"]
    new = runs.sample(fraction=LEFT_OUT, seed=draw).implode()
    before = relationship.filter(~pl.col("source").is_in(new), ~pl.col("target").is_in(new))
    known = entity.filter(~pl.col("entity").is_in(new))
    partition = _partitions(known, before, variant, seed=SEED, levels=2)[1]
    earlier = pl.DataFrame({"run": in_order(known["entity"]), "before": partition})
    both = level_1.join(earlier, on="run")
    return agreement(both["community"].to_numpy(), both["before"].to_numpy())[0]


def _sizes(level: pl.DataFrame) -> dict[str, str]:
    sizes = level.group_by("community").len()["len"]
    return {
        "communities": f"{(sizes > 1).sum():,}",
        "singletons": str((sizes == 1).sum()),
        "giants": str((sizes >= GIANT * len(level)).sum()),
    }


def _several(level: pl.DataFrame) -> int:
    return int((level.group_by("community").len()["len"] > 1).sum())


def _joint(level: pl.DataFrame, index: Clustered) -> int:
    """Return the number of communities with a virus and a value together over several studies."""
    sampled = index.value.filter(~pl.col("facet").is_in(["geography", "biome"]))
    placed = level.join(index.study, on="run")
    size = placed.group_by("community").len("size")
    key = ["community", "virus", "facet", "value"]
    together = placed.join(index.virus, on="run").join(sampled, on="run").group_by(key)
    counted = together.agg(pl.len().alias("runs"), pl.col("study").n_unique().alias("studies"))
    is_large = pl.col("runs") >= JOINT_SHARE * pl.col("size")
    joint = counted.join(size, on="community").filter(is_large, pl.col("studies") >= FEWEST_STUDIES)
    return joint["community"].n_unique()


def _of_one_study(level: pl.DataFrame, index: Clustered) -> int:
    counted = level.join(index.study, on="run").group_by("community", "study").len()
    whole = counted.group_by("community").agg(pl.col("len").max() / pl.col("len").sum())
    sizes = counted.group_by("community").agg(pl.col("len").sum().alias("size"))
    single = whole.join(sizes, on="community").filter(
        pl.col("len") >= ONE_STUDY, pl.col("size") > 1
    )
    return len(single)


def _informed(level: pl.DataFrame, index: Clustered) -> list[str]:
    facets = {name: index.value.filter(facet=name) for name in ("tissue", "host")}
    tables = [index.virus, *(facets[name].select("run", "value") for name in facets)]
    return [_nmi(level, table) for table in tables]


def _nmi(level: pl.DataFrame, stated: pl.DataFrame) -> str:
    """Return the NMI of the communities with what the runs state that state one thing."""
    named = stated.select("run", value=stated.columns[-1]).drop_nulls().unique()
    single = named.filter(pl.len().over("run") == 1)
    both = level.join(single, on="run")
    if both.is_empty():
        return ""
    codes = both["value"].cast(pl.Categorical).to_physical().to_numpy()
    return f"{agreement(both['community'].to_numpy(), codes.astype(np.int64))[1]:.3f}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a table of variants for each index."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("indexes", nargs="+", type=Path)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--only", action="append", help="a variant by its name; may be repeated")
    options = parser.parse_args(arguments)
    for path in options.indexes:
        with open_index(path) as con:
            index = read_index(con)
        print(f"\n{path.name}\n\n| {' | '.join(COLUMNS)} |\n|---|{'---:|' * (len(COLUMNS) - 1)}")
        for variant in VARIANTS:
            if options.only and variant.name not in options.only:
                continue
            row = measure(index, variant, seeds=options.seeds)
            print(f"| {' | '.join(row[column] for column in COLUMNS)} |", flush=True)


if __name__ == "__main__":
    main()

"""What a rank and a threshold cost a graph of k-mer profiles: size, communities, and what is lost.

    python -m benchmarks.stat_graph --db data/index/virome.duckdb
    python -m benchmarks.stat_graph --db data/index/virome.duckdb --runs 5000
    python -m benchmarks.stat_graph --db data/index/virome.duckdb --runs 20000 --parts 4

The taxonomy is that of an index; profiles are its own, or drawn. A drawn run has a dominant species
of 200 and a tail of others of 2,000; every taxon above is listed with the k-mers of all below, as
NCBI STAT lists it, and a twentieth of the k-mers go no deeper than a genus, as in 87,333 real rows
of one genus. For every rank and threshold: edges, taxa, runs with any edge, the mean share of the
k-mers that the edges hold, nodes once identical runs are merged, communities of level 1, how well
these agree with the dominant taxon (NMI), CPU seconds and memory of the process so far.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from pathlib import Path
from typing import Any, Final

import duckdb
import numpy as np
import polars as pl

from benchmarks.places import add_record_option, results_folder
from index.annotation.kmers import profile_runs
from index.config import GraphConfig
from index.drawing import new_figure, save_figure
from index.graph.arrays import build_clustered_graph
from index.graph.edges import merge_edges, run_stat
from index.graph.hierarchy import fine_partition
from index.graph.identical_runs import merge_identical_runs
from index.graph.metrics import agreement
from index.store.lineages import lineage_of

RANKS: Final = ("", "phylum", "class", "order", "family", "genus", "species")
SHARES: Final = (0.001, 0.01, 0.05, 0.1)
SEED: Final = 1
STUDIED: Final = 200
POOL: Final = 2_000
TAIL: Final = 20
"""Further species of a drawn run."""
AT_GENUS: Final = 0.05
"""Share of the k-mers that are assigned to a genus and to no species of it."""
LEAST: Final = 0.0005
"""Shares below it are not listed."""


def main() -> None:
    """Measure every rank and threshold, write the figures and print them as a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--db", type=Path, required=True, help="index whose taxonomy is used")
    parser.add_argument("--runs", type=int, help="draw profiles of so many runs")
    parser.add_argument("--parts", type=int, help="roll up k-mers in so many parts of the runs")
    add_record_option(parser)
    options = parser.parse_args()
    con = taxonomy(options.db)
    own = "INSERT INTO stat_hit FROM indexed.stat_hit"
    if options.runs:
        con.register("drawn", draw_profiles(con, options.runs))
        own = "INSERT INTO stat_hit SELECT run, curie, share FROM drawn"
    con.execute(own)
    keep_lineages(con)
    if options.parts:
        print_parts(con, options.parts)
        return
    measured = [measure(con, rank, share) for rank in RANKS for share in SHARES]
    kind = f"drawn_{options.runs}" if options.runs else "real"
    file = results_folder(record=options.record) / f"stat_graph_{kind}.json"
    file.write_text(json.dumps(measured, indent=1) + "\n", encoding="utf-8")
    draw_growth(measured, file.with_suffix(".svg"))
    print(as_markdown(measured))


def taxonomy(db: Path) -> duckdb.DuckDBPyConnection:
    """Return a database with the taxonomy of the index at ``db`` and no profiles."""
    con = duckdb.connect()
    con.execute(f"ATTACH '{db}' AS indexed (READ_ONLY)")
    for table in ("term", "term_edge"):
        con.execute(f"CREATE VIEW {table} AS FROM indexed.{table}")
    con.execute("CREATE TABLE stat_hit (run VARCHAR, curie VARCHAR, share DOUBLE)")
    return con


def keep_lineages(con: duckdb.DuckDBPyConnection) -> None:
    """Reduce the taxonomy to the taxa of profiles and those above, so that only these are timed."""
    taxa = con.sql("SELECT DISTINCT curie FROM stat_hit").pl()["curie"]
    con.register("line", lineage_of(con, taxa).select(pl.col("ancestor").unique()))
    for table, column in (("term", "curie"), ("term_edge", "subject")):
        con.execute(f"DROP VIEW {table}")
        kept = f"SELECT * FROM indexed.{table} WHERE {column} IN (SELECT ancestor FROM line)"
        con.execute(f"CREATE TABLE {table} AS {kept}")


def draw_profiles(con: duckdb.DuckDBPyConnection, runs: int) -> pl.DataFrame:
    """Return run, curie, share of ``runs`` profiles that list every taxon down to the species."""
    rng = np.random.default_rng(SEED)
    species = con.sql(_SPECIES).pl()["curie"].to_numpy()
    studied, pool = species[:STUDIED], species[STUDIED:]
    # a few species are in most studies: Zipf
    weight = 1 / np.arange(1, STUDIED + 1)
    own = rng.choice(STUDIED, size=runs, p=weight / weight.sum())
    dominant = rng.beta(6, 2, size=runs)
    tail = rng.dirichlet(np.full(TAIL, 0.3), size=runs) * (1 - dominant)[:, None]
    number = np.arange(runs)
    names = np.char.add("SYNR", np.char.zfill(number.astype(str), 9))
    leaves = pl.DataFrame({
        "run": np.concatenate([names, np.repeat(names, TAIL)]),
        "species": np.concatenate([studied[own], rng.choice(pool, size=runs * TAIL)]),
        "share": np.concatenate([dominant, tail.ravel()]),
    })  # fmt: skip
    line = lineage_of(con, leaves["species"])
    kept = pl.when(pl.col("distance") == 0).then(1 - AT_GENUS).otherwise(1.0)
    listed = leaves.join(line, left_on="species", right_on="descendant")
    summed = listed.group_by("run", pl.col("ancestor").alias("curie")).agg(
        (pl.col("share") * kept).sum()
    )
    return summed.filter(pl.col("share") > LEAST).with_columns(pl.col("share").clip(0, 1))


_SPECIES: Final = f"""
SELECT curie FROM (
    SELECT t.curie FROM term AS t
    JOIN term_edge AS e ON e.subject = t.curie AND e.predicate = 'parent'
    JOIN term AS g ON g.curie = e.object AND g.rank = 'genus'
    WHERE t.rank = 'species' AND NOT t.obsolete
) ORDER BY hash(curie), curie LIMIT {STUDIED + POOL}
"""


def measure(con: duckdb.DuckDBPyConnection, rank: str, share: float) -> dict[str, Any]:
    """Return the figures of a graph at a rank and a threshold."""
    started = time.process_time()
    profile: pl.DataFrame = profile_runs(con, rank=rank, min_share=share)
    rolled = time.process_time()
    ((every,),) = con.execute("SELECT count(DISTINCT run) FROM stat_hit").fetchall()
    config = GraphConfig(of="stat", stat_rank=rank, stat_min_share=share)
    edges = merge_edges(run_stat(profile, factor=1.0)).relationship
    nodes = pl.concat([profile["run"].unique(), profile["curie"].unique().alias("run")])
    graph = build_clustered_graph(pl.DataFrame({"entity": nodes}), edges, config=config)
    is_run = ~graph.nodes.str.starts_with("NCBITaxon:").to_numpy()
    merged = merge_identical_runs(graph, is_run).graph.n if graph.n else 0
    found = fine_partition(graph, is_run, config=config) if graph.n else np.zeros(0, np.int64)
    dominant = con.sql(_DOMINANT).pl()
    placed = pl.DataFrame({"run": graph.nodes, "community": found}).join(dominant, on="run")
    taxon = placed["curie"].rank("dense").cast(pl.Int64).to_numpy()
    _, information = agreement(placed["community"].to_numpy(), taxon) if len(placed) else (0, 0.0)
    # of taxa as listed, nested shares would count twice
    held = profile.group_by("run").agg(pl.col("share").sum()) if rank else profile.clear()
    return {
        "rank": rank or "as listed",
        "share": share,
        "edges": len(edges),
        "taxa": profile["curie"].n_unique(),
        "runs": profile["run"].n_unique(),
        "runs_without": every - profile["run"].n_unique(),
        "kmers_held": round(float(held["share"].clip(0, 1).sum()) / every, 4) if rank else None,
        "merged_nodes": merged,
        "communities": len(np.unique(found)),
        "nmi": round(float(information), 3),
        "roll_up_cpu_s": round(rolled - started, 2),
        "cpu_s": round(time.process_time() - started, 2),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10,
    }


def print_parts(con: duckdb.DuckDBPyConnection, parts: int) -> None:
    """Print what rolling up costs as a whole and in parts of the runs, and whether it is equal."""
    config = GraphConfig(of="stat")
    rank, share = config.stat_rank, config.stat_min_share
    con.execute("ALTER TABLE stat_hit RENAME TO every_hit")
    rolled = []
    for part in (None, *range(parts)):
        chosen = "true" if part is None else f"hash(run) % {parts} = {part}"
        con.execute(f"CREATE OR REPLACE TABLE stat_hit AS FROM every_hit WHERE {chosen}")
        ((rows, runs),) = con.sql("SELECT count(*), count(DISTINCT run) FROM stat_hit").fetchall()
        started = time.process_time()
        profile = profile_runs(con, rank=rank, min_share=share)
        seconds = time.process_time() - started
        said = "whole" if part is None else f"part {part + 1}"
        print(f"{said}: {runs:,} runs, {rows:,} rows, {len(profile):,} edges, {seconds:.2f} s CPU")
        rolled.append(profile.select("run", "curie", pl.col("share").round(9)))
    together = pl.concat(rolled[1:]).sort("run", "curie")
    is_equal = together.equals(rolled[0].sort("run", "curie"))
    print(f"parts together are {'equal to' if is_equal else 'NOT'} the whole; peak "
          f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10:,} MB")  # fmt: skip


_DOMINANT: Final = """
WITH ranked AS (SELECT run, curie, share, rank FROM stat_hit JOIN term USING (curie))
SELECT run, arg_max(curie, share) AS curie FROM ranked
WHERE rank = (SELECT max(rank) FROM ranked WHERE rank IN ('order', 'species'))
GROUP BY run
"""
"""The largest species of each run; of profiles without species the largest order."""


def as_markdown(measured: list[dict[str, Any]]) -> str:
    """Return the figures as a table."""
    names = list(measured[0])
    lines = [f"| {' | '.join(names)} |", f"|---|{'---:|' * (len(names) - 1)}"]
    for row in measured:
        cells = ["" if row[name] is None else str(row[name]) for name in names]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def draw_growth(measured: list[dict[str, Any]], path: Path) -> None:
    """Draw edges and held k-mers by threshold, a line a rank."""
    figure = new_figure(9, 3.6)
    panels = figure.subplots(1, 2)
    for axes, name in zip(panels, ("edges", "kmers_held"), strict=True):
        for rank in dict.fromkeys(row["rank"] for row in measured):
            own = [row for row in measured if row["rank"] == rank and row[name] is not None]
            if own:
                axes.plot([r["share"] for r in own], [r[name] for r in own], "o-", label=rank)
        axes.set_xscale("log")
        axes.set_xlabel("k-mer share from which there is an edge")
    panels[0].set_yscale("log")
    panels[0].set_ylabel("edges between runs and taxa")
    panels[1].set_ylabel("mean share of the k-mers on edges")
    panels[0].legend(fontsize="small")
    save_figure(figure, path)


if __name__ == "__main__":
    main()

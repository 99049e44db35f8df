"""Small graphs with known shapes, and the text tables that tests of the graph are written in."""

from __future__ import annotations

from collections.abc import Sequence

import dataframely as dy
import numpy as np
import polars as pl

from index.tables import Entity, Relationship
from ontology_etl.tables import conform

Link = tuple[str, str, float]


def table(text: str, schema: type[dy.Schema]) -> pl.DataFrame:
    """Return a table from text: a header, then rows split at blanks; ``.`` is null, other columns
    are null too.
    """
    header, *rows = [line.split() for line in text.strip().splitlines()]
    cells = [[None if cell == "." else cell for cell in row] for row in rows]
    frame = pl.DataFrame(cells, schema=dict.fromkeys(header, pl.String), orient="row")
    flags = [
        pl.col(name) == "true"
        for name, column in schema.columns().items()
        if isinstance(column, dy.Bool) and name in header
    ]
    return filled(frame.with_columns(flags), schema)


def filled(frame: pl.DataFrame, schema: type[dy.Schema], **constants: object) -> pl.DataFrame:
    """Return ``frame`` as a table of ``schema``: ``constants``, and null in all other columns."""
    absent = dict.fromkeys(set(schema.column_names()).difference(frame.columns)) | constants
    return conform(frame.with_columns(**{name: pl.lit(absent[name]) for name in absent}), schema)


def graph_tables(
    links: Sequence[Link], *, alone: Sequence[str] = (), predicate: str = "run-sotu"
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return (entity, relationship); a name that starts with ``r`` is a run, any other an sOTU."""
    names = sorted({end for source, target, _ in links for end in (source, target)} | set(alone))
    kinds = ["run" if name.startswith("r") else "sotu" for name in names]
    entity = pl.DataFrame(
        {"entity": names, "kind": kinds, "label": names}, schema=dict.fromkeys(ENTITY, pl.String)
    )
    rows = [(*sorted((source, target)), predicate, weight) for source, target, weight in links]
    schema = {
        "source": pl.String,
        "target": pl.String,
        "predicate": pl.String,
        "weight": pl.Float64,
    }
    return conform(entity, Entity), conform(
        pl.DataFrame(rows, schema=schema, orient="row"), Relationship
    )


def clique(names: Sequence[str], *, weight: float = 0.5) -> list[Link]:
    return [(a, b, weight) for i, a in enumerate(names) for b in names[i + 1 :]]


def star(centre: str, leaves: Sequence[str], *, weight: float = 0.5) -> list[Link]:
    return [(centre, leaf, weight) for leaf in leaves]


def numbered(letter: str, count: int) -> list[str]:
    return [f"{letter}{i:03d}" for i in range(count)]


def random_links(*, runs: int, viruses: int, links: int, seed: int) -> list[Link]:
    chance = np.random.default_rng(seed)
    drawn = zip(
        chance.integers(0, runs, links).tolist(),
        chance.integers(0, viruses, links).tolist(),
        strict=True,
    )
    return [
        (f"r{a:03d}", f"v{b:03d}", float(chance.choice([0.1, 0.5, 1.0])))
        for a, b in sorted(set(drawn))
    ]


ENTITY = ("entity", "kind", "label")
ZOO: dict[str, tuple[pl.DataFrame, pl.DataFrame]] = {
    "nothing at all": graph_tables([]),
    "one isolated run": graph_tables([], alone=["r1"]),
    "isolated runs only": graph_tables([], alone=numbered("r", 5)),
    "a project with one run": graph_tables([("r1", "project", 0.5)]),
    "one pair beside an isolated run": graph_tables([("r1", "v1", 0.5)], alone=["r2"]),
    "two cliques and a bridge": graph_tables(
        [*clique(["r1", "r2", "v1", "v2"]), *clique(["r3", "r4", "v3", "v4"]), ("r1", "r3", 0.1)]
    ),
    "one giant clique": graph_tables(clique(numbered("r", 40))),
    "a star of twins": graph_tables(star("hub", numbered("r", 60))),
    "stars that share a hub": graph_tables(
        [
            *star("p1", numbered("ra", 30)),
            *star("p2", numbered("rb", 30)),
            *star("host", numbered("ra", 30)),
            *star("host", numbered("rb", 30)),
        ]
    ),
    "a ring of runs and viruses": graph_tables(
        [(f"r{i:03d}", f"v{j:03d}", 0.5) for i in range(30) for j in (i, (i + 1) % 30)]
    ),
    "weights of very different size": graph_tables(
        [("r1", "v1", 1e-9), ("r1", "v2", 1e9), ("r2", "v1", 1.0)]
    ),
    "terms without runs": graph_tables(
        [("t1", "t2", 0.5), ("t2", "t3", 0.5), ("r1", "v1", 0.5), ("r2", "v1", 0.5)]
    ),
    "a random cohort": graph_tables(
        random_links(runs=80, viruses=25, links=220, seed=1), alone=["r900"]
    ),
}

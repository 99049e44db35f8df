"""What a stage needs of the tables that earlier stages stored: the rows and columns it uses, read
back from the file.

Nothing lives from stage to stage but the file, so the memory of a build is that of its largest
stage.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

import duckdb
import polars as pl

from index.config import GraphConfig
from index.facets import KIND_OF_FACET
from index.graph.metrics import PURITY_FACETS
from index.mwas.splits import GROUPING_FACETS
from index.records import Records

_DETECTION: Final = ("run", "sotu", "virus", "stated", "taxon", "identity", "source")
_ANNOTATION: Final = ("run", "facet", "value", "curie")


@dataclass(frozen=True)
class GraphTables:
    """What entities and relationships are made of; tables hold only the columns that are used."""

    records: Records
    annotation: pl.DataFrame
    term: pl.DataFrame


def read_graph_tables(connection: duckdb.DuckDBPyConnection, *, config: GraphConfig) -> GraphTables:
    """Return runs, detections, STAT hits, alignments, annotations and terms, as the weights of
    ``config`` need them.
    """
    weights = config.weights
    facets = [facet for facet, kind in KIND_OF_FACET.items() if getattr(weights, f"run_{kind}") > 0]
    records = Records(
        run=_read(connection, "run", ["run", "bioproject", "study"]),
        bioproject=_read(connection, "bioproject", ["bioproject", "title"]),
        study=_read(connection, "study", ["study", "title"]),
        detection=_read(connection, "detection", _DETECTION),
        stat_hit=_read(
            connection,
            "stat_hit",
            where=f"share > {config.stat_min_share}",
        ),
        sotu_alignment=_read(connection, "sotu_alignment"),
    )
    term = _read(connection, "term", ["curie", "label", "ontology", "rank", "obsolete"])
    return GraphTables(records, read_annotation(connection, facets), term)


def read_graph(
    connection: duckdb.DuckDBPyConnection, *, config: GraphConfig
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return entity, kind of every entity and source, target, weight of every relationship, for
    layers its type too.
    """
    edge = ["source", "target", "weight", *(["predicate"] if config.constrained else [])]
    return _read(connection, "entity", ["entity", "kind"]), _read(connection, "relationship", edge)


def read_association_records(connection: duckdb.DuckDBPyConnection) -> tuple[Records, pl.DataFrame]:
    """Return runs, attributes, detections and searched runs, and the annotations that group samples
    with the attribute each was read from.
    """
    records = Records(
        run=_read(connection, "run", ["run", "biosample", "bioproject", "spots"]),
        biosample_attribute=_read(connection, "biosample_attribute"),
        run_attribute=_read(connection, "run_attribute"),
        detection=_read(connection, "detection"),
        searched=_read(connection, "searched"),
    )
    columns = (*_ANNOTATION, "attribute")
    return records, read_annotation(connection, GROUPING_FACETS, columns=columns)


def read_purity_values(connection: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    """Return run, facet, value, curie of the annotations that the purity of communities is measured
    by.
    """
    return read_annotation(connection, PURITY_FACETS)


def read_annotation(
    connection: duckdb.DuckDBPyConnection,
    facets: Collection[str],
    *,
    columns: Collection[str] = _ANNOTATION,
) -> pl.DataFrame:
    """Return ``columns`` (run, facet, value, curie) of the annotations of ``facets``."""
    listed = ", ".join(f"'{facet}'" for facet in facets) or "NULL"
    return _read(connection, "annotation", columns, where=f"facet IN ({listed})")


def _read(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    columns: Collection[str] = ("*",),
    *,
    where: str = "true",
) -> pl.DataFrame:
    frame: pl.DataFrame = connection.sql(
        f"SELECT {', '.join(columns)} FROM {table} WHERE {where}"
    ).pl()
    return frame

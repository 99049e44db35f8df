"""Read back the rows and columns of stored tables that a stage needs.

Only the file persists from stage to stage, so the memory of a build is that of its largest stage.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final

import duckdb
import polars as pl

from index.config import STAT, VIRUSES, GraphConfig
from index.facets import KIND_OF_FACET
from index.graph.arrays import STUDY_EDGES
from index.graph.metrics import PURITY_FACETS
from index.mwas.splits import GROUPING_FACETS
from index.records import Records
from index.store.scopes import SEARCHES_OF_FAMILIES
from index.tables import KMER_SOURCE
from ontology_etl.errors import ContractError

_DETECTION: Final = (
    "run", "sotu", "virus", "stated", "taxon", "identity", "source", "closest", "congener_ratio",
)  # fmt: skip
_NAMES_A_VIRUS: Final = "sotu IS DISTINCT FROM phylum"
"""A phylum is not a virus that runs share: it would link thousands of them."""
_ABUNDANCE: Final = ("run", "family", "reads", "coverage", "source")
_ANNOTATION: Final = ("run", "facet", "value", "curie")

_ALL_RUNS: Final = "true"
_PROFILED: Final = "run IN (SELECT run FROM stat_hit)"
"""Condition on a run that it has a k-mer profile."""
_ANNOTATED_VALUES: Final = """
SELECT min(run) AS run, facet, value, curie FROM annotation
WHERE facet IN ({facets}) AND {runs} GROUP BY facet, value, curie
"""
_RUNS_BY_STUDY: Final = """
SELECT run, biosample, coalesce(bioproject, study) AS bioproject, spots FROM run ORDER BY run
"""
_PROFILES_BY_STUDY: Final = """
SELECT run, biosample, coalesce(bioproject, study) AS bioproject, 1000000::BIGINT AS spots
FROM run SEMI JOIN stat_hit USING (run) ORDER BY run
"""
"""A run counts as a million k-mers; a biosample has the mean of its runs, per million."""
_KMER_AMOUNTS: Final = f"""
SELECT run, coalesce(label, curie) AS family, round(share * 1e6)::BIGINT AS reads,
       NULL::DOUBLE AS coverage, '{KMER_SOURCE}' AS source
FROM kmer_profile LEFT JOIN term USING (curie) ORDER BY run, curie
"""
_PROFILED_RUNS: Final = f"""
SELECT DISTINCT run, '{KMER_SOURCE}' AS source, '{KMER_SOURCE}' AS search FROM stat_hit ORDER BY run
"""
_NUMBERED_EDGES: Final = """
SELECT s.rowid::UINTEGER AS source, t.rowid::UINTEGER AS target, weight{layer}
FROM relationship AS r
LEFT JOIN entity AS s ON s.entity = r.source
LEFT JOIN entity AS t ON t.entity = r.target
{left_out}
"""


@dataclass(frozen=True)
class GraphTables:
    """Tables behind entities and relationships, with only the columns in use.

    ``annotation`` has each value of a facet once, with one of the runs that have it.
    """

    records: Records
    annotation: pl.DataFrame
    term: pl.DataFrame


def read_graph_tables(connection: duckdb.DuckDBPyConnection, *, config: GraphConfig) -> GraphTables:
    """Return runs, detections, k-mer profiles, alignments, annotated values and terms, as far as
    the weights of ``config`` need them.

    In a graph of k-mer profiles, the runs are those with a profile, and viruses are not part of it.
    """
    weights = config.weights
    runs = graph_runs(config)
    viral = "false" if config.of == STAT else "true"
    facets = [facet for facet, kind in KIND_OF_FACET.items() if getattr(weights, f"run_{kind}") > 0]
    records = Records(
        run=_read(connection, "run", ["run", "bioproject", "study"], where=runs),
        bioproject=_read(connection, "bioproject", ["bioproject", "title"]),
        study=_read(connection, "study", ["study", "title"]),
        detection=_read(connection, "detection", _DETECTION, where=f"{viral} AND {_NAMES_A_VIRUS}"),
        kmer_profile=_read(connection, "kmer_profile"),
        sotu_alignment=_read(connection, "sotu_alignment", where=viral),
    )
    term = _read(connection, "term", ["curie", "label", "ontology", "rank", "obsolete"])
    listed = _listed(facets)
    annotated = _ANNOTATED_VALUES.format(facets=listed, runs=runs)
    values: pl.DataFrame = connection.sql(annotated).pl()
    return GraphTables(records, values, term)


def graph_runs(config: GraphConfig) -> str:
    """Return the SQL condition that a run is a node of the graph."""
    return _PROFILED if config.of == STAT else _ALL_RUNS


def read_graph(
    connection: duckdb.DuckDBPyConnection, *, config: GraphConfig
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return the entities with their kinds, and source, target, weight of the relationships to
    cluster; for layers also their type.

    Ends are the places of entities in their sorted order, which is that of the table: numbers take
    a quarter of the memory of names. Raises ``ContractError`` where entities are not in order.
    """
    entity = _read(connection, "entity", ["entity", "kind"])
    if not entity["entity"].is_sorted():
        raise ContractError("Entity", {"is not stored in its order": len(entity)})
    layer = ", predicate" if config.constrained else ""
    left_out = "" if config.study_edges else f"WHERE predicate NOT IN {STUDY_EDGES}"
    query = _NUMBERED_EDGES.format(layer=layer, left_out=left_out)
    relationship: pl.DataFrame = connection.sql(query).pl()
    return entity, relationship


def read_association_records(
    connection: duckdb.DuckDBPyConnection, *, of: str = VIRUSES
) -> Records:
    """Return runs, attributes, detections, searched runs and scopes.

    The ``bioproject`` of a run without one is its SRA study: samples of a study are compared. Where
    the graph is ``of`` k-mer profiles, detections are k-mers of its taxa, per million in a run.
    """
    attributes = {
        name: _read(connection, name) for name in ("biosample_attribute", "run_attribute")
    }
    if of == STAT:
        return Records(
            **attributes,
            run=connection.sql(_PROFILES_BY_STUDY).pl(),
            detection=connection.sql(_KMER_AMOUNTS).pl(),
            searched=connection.sql(_PROFILED_RUNS).pl(),
        )
    return Records(
        **attributes,
        run=connection.sql(_RUNS_BY_STUDY).pl(),
        detection=_read(connection, "detection", _ABUNDANCE),
        searched=_read(connection, "searched"),
        searches=connection.sql(SEARCHES_OF_FAMILIES).pl(),
    )


def read_grouping_terms(connection: duckdb.DuckDBPyConnection, runs: pl.Series) -> pl.DataFrame:
    """Return run, facet, value, curie of the terms that group samples, with their attribute, for
    ``runs``.
    """
    connection.register("wanted", runs.to_frame("run"))
    try:
        where = f"facet IN ({_listed(GROUPING_FACETS)}) AND curie IS NOT NULL"
        of_runs = f"{where} AND run IN (SELECT run FROM wanted)"
        return _read(connection, "annotation", (*_ANNOTATION, "attribute"), where=of_runs)
    finally:
        connection.unregister("wanted")


def read_purity_values(connection: duckdb.DuckDBPyConnection) -> Iterator[pl.DataFrame]:
    """Yield run, facet, curie of the annotations that measure purity, one facet at a time."""
    for facet in PURITY_FACETS:
        yield read_annotation(connection, [facet], columns=("run", "facet", "curie"))


def read_annotation(
    connection: duckdb.DuckDBPyConnection,
    facets: Collection[str],
    *,
    columns: Collection[str] = _ANNOTATION,
    runs: str = _ALL_RUNS,
) -> pl.DataFrame:
    """Return ``columns`` (run, facet, value, curie) of the annotations of ``facets``, for runs that
    meet the condition ``runs``.
    """
    where = f"facet IN ({_listed(facets)}) AND {runs}"
    return _read(connection, "annotation", columns, where=where)


def _listed(facets: Collection[str]) -> str:
    return ", ".join(f"'{facet}'" for facet in facets) or "NULL"


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

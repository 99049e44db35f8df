"""The graph of the index for programs that draw or analyse networks.

GraphML and GEXF are written by networkx; node and edge tables have the columns that BioCypher and
``neo4j-admin import`` read, with the classes of Biolink (``query.exports.biolink``).
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import duckdb
import networkx as nx
from pyarrow import csv

from index.store.whole_file import whole_file
from query.errors import GraphTooLargeError
from query.exports.biolink import category, edge_label, write_schema
from query.exports.biolink import predicate as biolink_predicate

MOST_EDGES: Final = 2_000_000
"""XML graphs above it are more than the programs that read them can show."""
_NODES: Final = """
SELECT e.entity, e.kind, e.label, m.community
FROM entity e
LEFT JOIN (
    SELECT entity, min(community) AS community
    FROM community_member JOIN community USING (community)
    WHERE level = $level
    GROUP BY entity
) m USING (entity)
ORDER BY e.entity
"""
_EDGES: Final = """
SELECT source, target, predicate, weight
FROM relationship
ORDER BY source, target, predicate
"""
_DIRECTED: Final = """
SELECT CASE WHEN is_turned THEN target ELSE source END AS source,
       CASE WHEN is_turned THEN source ELSE target END AS target,
       predicate, weight
FROM (
    SELECT r.*, CASE
        WHEN predicate = 'term-parent' THEN below.descendant IS NOT NULL
        ELSE ends.kind = split_part(predicate, '-', 1) AND starts.kind <> ends.kind
    END AS is_turned
    FROM relationship r
    JOIN entity starts ON starts.entity = r.source
    JOIN entity ends ON ends.entity = r.target
    LEFT JOIN closure below
        ON predicate = 'term-parent' AND below.descendant = r.target AND below.ancestor = r.source
)
"""
"""Relationships with the end that their predicate names first as the start, a term before its
parent: the table ``relationship`` sorts the ends of a pair by name."""
_NODE_TABLE: Final = """
SELECT entity AS ":ID", label AS "name", community AS "community", category AS "category",
       kind AS ":LABEL"
"""
_EDGE_TABLE: Final = """
SELECT source AS ":START_ID", target AS ":END_ID", weight AS "weight:double",
       biolink AS "predicate", label AS ":TYPE"
"""
_CLASSES: Final = """
CREATE OR REPLACE TEMP TABLE entity_class AS
SELECT unnest($1::VARCHAR[]) AS kind, unnest($2::VARCHAR[]) AS category
"""
_PREDICATES: Final = """
CREATE OR REPLACE TEMP TABLE edge_class AS
SELECT unnest($1::VARCHAR[]) AS predicate, unnest($2::VARCHAR[]) AS biolink,
       unnest($3::VARCHAR[]) AS label
"""
_CLASSED_NODES: Final = f"{_NODE_TABLE} FROM ({_NODES}) JOIN entity_class USING (kind) ORDER BY 1"
_CLASSED_EDGES: Final = (
    f"{_EDGE_TABLE} FROM ({_DIRECTED}) JOIN edge_class USING (predicate) ORDER BY 1, 2, 5"
)


def export_graph(con: duckdb.DuckDBPyConnection, path: Path, *, level: int = 0) -> tuple[int, int]:
    """Write entities and relationships to ``path``; return how many of each.

    The suffix decides: ``.graphml`` or ``.gexf``. Entities carry their kind, their label and their
    community of ``level``; relationships their predicate and weight.

    Raises:
        GraphTooLargeError: the graph has more than ``MOST_EDGES`` relationships.
        OSError: the file cannot be written.
    """
    ((edges,),) = con.execute("SELECT count(*) FROM relationship").fetchall()
    if edges > MOST_EDGES:
        raise GraphTooLargeError(
            f"{edges:,} relationships are more than {path.suffix} files can be used with",
            remedy="export node and edge tables: query export FOLDER --as graph-tables",
        )
    graph = _network(con, level=level)
    write = nx.write_gexf if path.suffix == ".gexf" else nx.write_graphml
    with whole_file(path) as working:
        write(graph, working)
    return graph.number_of_nodes(), graph.number_of_edges()


def export_graph_tables(
    con: duckdb.DuckDBPyConnection, folder: Path, *, level: int = 0
) -> tuple[int, int]:
    """Write ``nodes.csv``, ``edges.csv`` and BioCypher's schema; return the rows of each table."""
    kinds = _distinct(con, "SELECT DISTINCT kind FROM entity ORDER BY 1")
    predicates = _distinct(con, "SELECT DISTINCT predicate FROM relationship ORDER BY 1")
    con.execute(_CLASSES, [kinds, [category(kind) for kind in kinds]])
    names = [biolink_predicate(name) for name in predicates]
    con.execute(_PREDICATES, [predicates, names, [edge_label(name) for name in predicates]])
    nodes = con.sql(_CLASSED_NODES, params={"level": level}).to_arrow_table()
    edges = con.sql(_CLASSED_EDGES).to_arrow_table()
    for name, table in (("nodes.csv", nodes), ("edges.csv", edges)):
        with whole_file(folder / name) as working:
            csv.write_csv(table, working)
    write_schema(folder, kinds, predicates)
    return nodes.num_rows, edges.num_rows


def _distinct(con: duckdb.DuckDBPyConnection, query: str) -> list[str]:
    return [str(name) for (name,) in con.execute(query).fetchall()]


def _network(con: duckdb.DuckDBPyConnection, *, level: int) -> nx.Graph:
    """Return the graph of the index; two entities with several predicates have them listed."""
    graph = nx.MultiGraph()
    for entity, kind, label, community in con.execute(_NODES, {"level": level}).fetchall():
        graph.add_node(entity, kind=kind, label=label, community=community or "")
    for source, target, predicate, weight in con.execute(_EDGES).fetchall():
        graph.add_edge(source, target, key=predicate, predicate=predicate, weight=weight)
    return graph

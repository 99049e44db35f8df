"""Stages over what is stored: relationships, communities, associations and facts.

Each reads from the file what it needs and writes what it made. Nothing here computes: what a stage
does lives in ``index``.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import duckdb
import polars as pl

from flows.stage_tables import GraphTables, read_association_records, read_purity_values
from index.config import IndexConfig
from index.errors import StoreError
from index.graph.build_entries import change_entries, quality_entries, relationship_entries
from index.graph.communities import Communities, detect_communities
from index.graph.edges import build_relationships
from index.graph.entities import build_entities, used_terms
from index.mwas.associate import associate
from index.mwas.correction import adjust
from index.mwas.imported import check_imported
from index.mwas.meta import combine_projects
from index.reports.facts import compute_facts
from index.reports.plausibility import weigh_plausibility
from index.store.build import Build, open_index, stored_table
from index.store.names import write_names
from ontology_etl.closure import closure

Clustered = tuple[pl.DataFrame, pl.DataFrame]
"""Entities and relationships, as ``flows.stage_tables.read_graph`` returns them."""


def store_closure(build: Build, stored: GraphTables, *, config: IndexConfig) -> pl.DataFrame:
    """Write the ancestors of every term in use, and the names that questions are read with; return
    the ancestors.
    """
    taxa = used_terms(
        stored.records,
        stored.annotation,
        config=config.graph,
    )
    edge = stored_table(build.connection, "term_edge")
    ancestors = closure(
        edge,
        stored.term,
        taxa=taxa,
    )
    build.write("closure", ancestors)
    write_names(build.connection)
    return ancestors


def store_entities(
    build: Build, stored: GraphTables, ancestors: pl.DataFrame, *, config: IndexConfig
) -> None:
    """Write the nodes of the graph."""
    entity = build_entities(
        stored.records, stored.annotation, stored.term, ancestors, config=config.graph
    )
    build.append("entity", entity)


def store_relationships(
    build: Build, stored: GraphTables, ancestors: pl.DataFrame, *, config: IndexConfig
) -> None:
    """Write the weighted edges of the graph and note how many there are of each type."""
    edges = build_relationships(stored.records, stored.annotation, ancestors, config=config.graph)
    build.append("relationship", edges.relationship)
    build.write("rejected", edges.rejected)
    build.note(relationship_entries(edges.relationship))


def store_communities(
    build: Build, graph: Clustered, *, config: IndexConfig, say: Callable[[str], None]
) -> Communities:
    """Cluster ``graph`` and write its communities; return them with what became of earlier ones."""
    previous = previous_communities(build.path)
    found = detect_communities(
        *graph,
        config=config.graph,
        previous=previous,
        on_progress=say,
    )
    build.append("community", found.community)
    build.append("community_member", found.community_member)
    build.note(change_entries(found.changes))
    return found


def note_quality(
    build: Build, graph: Clustered, found: Communities, *, config: IndexConfig
) -> None:
    """Measure the communities and note the figures."""
    values = read_purity_values(build.connection)
    tables = (*graph, values, found.community, found.community_member)
    build.note(quality_entries(*tables, config=config.graph))


def store_associations(build: Build, given: pl.DataFrame, *, config: IndexConfig) -> None:
    """Compute the associations, join them with those ``given``, correct and store all, and combine
    over projects.
    """
    records, annotation = read_association_records(build.connection)
    computed = associate(records, annotation, config=config.mwas)
    imported = check_imported(given, min_group=config.mwas.min_group)
    build.append("association", adjust(pl.concat([imported, computed.association])))
    build.write("meta_association", combine_projects(computed.association))
    build.note({f"mwas.skipped.{reason}": count for reason, count in computed.skipped.iter_rows()})
    build.note({"mwas.tests": computed.tests})


def store_facts(build: Build) -> None:
    """Compute plausibility and the facts of all communities in SQL and write them."""
    build.append("plausibility", weigh_plausibility(build.connection))
    build.append("fact", compute_facts(build.connection))


def previous_communities(db: Path) -> tuple[pl.DataFrame, pl.DataFrame] | None:
    """Return community and community_member of the index this build replaces, or None where none
    can be read.
    """
    try:
        with open_index(db) as connection:
            return stored_table(connection, "community"), stored_table(
                connection, "community_member"
            )
    except (StoreError, duckdb.Error):  # what cannot be read is built over
        return None

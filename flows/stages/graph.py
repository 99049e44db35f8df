"""Stages over stored tables: relationships, communities, associations and facts.

Each reads from the file what it needs and writes what it made. Nothing here computes: what a stage
does lives in ``index``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import duckdb
import polars as pl

from flows.scaling.associations import associate_on
from flows.scaling.parts import Cluster
from flows.stages.held import Held
from flows.stages.tables import (
    GraphTables,
    graph_runs,
    read_annotation,
    read_association_records,
    read_grouping_terms,
    read_purity_values,
)
from index.config import IndexConfig
from index.errors import StoreError
from index.graph.arrays import in_order
from index.graph.build_entries import (
    change_entries,
    quality_entries,
    relationship_entries,
    unlinked_entries,
)
from index.graph.communities import detect_communities, summarise_changes
from index.graph.edges import weigh_types
from index.graph.entities import build_entities, term_roles, used_terms
from index.graph.metrics import run_terms
from index.graph.quality import IndexTables
from index.mwas.by_blocks import associate_by_blocks
from index.mwas.correction import adjust
from index.mwas.imported import check_imported
from index.mwas.meta import combine_projects
from index.reports.facts import compute_facts
from index.reports.other_by_kmers import find_other_by_kmers
from index.reports.plausibility import count_pairs, weigh_plausibility
from index.reports.sequenced import find_sequenced
from index.store.build import Build, stored_table, tables_hash
from index.store.lineages import USED_TERMS
from index.store.read import open_carried
from index.store.sorted_parts import SortedParts, sorted_parts
from index.tables import Relationship
from index.vectors.novel import find_novel
from index.vectors.predicted import learn_vectors
from ontology_etl.closure import closure

CHANGES: Final = "changes"
"""What became of the communities of the previous index, set aside for the summary."""
OF_VECTORS: Final = (
    "run", "run_state", "detection", "annotation", "closure", "used_term", "searched",
    "source_scope", "known_host", "plausibility", "virus", "community", "community_member",
)  # fmt: skip
"""Tables that vectors and what they predict are made of."""
COMMUNITY_TABLES: Final = ("community", "community_member")
_CHANGE_NOTES: Final = "SELECT key, value FROM build WHERE starts_with(key, 'communities.')"
_NOTED: Final = "SELECT value FROM build WHERE key = $1"

Clustered = tuple[pl.DataFrame, pl.DataFrame]
"""Entities and relationships, as ``flows.stages.tables.read_graph`` returns them."""


def store_closure(build: Build, stored: Held[GraphTables], *, config: IndexConfig) -> None:
    """Write the ancestors of all terms in use, taxa of k-mer profiles, and viruses searched for;
    and all of these terms once more, which are few.
    """
    tables = stored()
    taxa = used_terms(
        tables.records,
        tables.annotation,
        config=config.graph,
    )
    searched_for = stored_table(build.connection, "source_scope")["virus"]
    listed = build.connection.sql("SELECT DISTINCT curie FROM stat_hit").pl()["curie"]
    edge = stored_table(build.connection, "term_edge")
    ancestors = closure(
        edge,
        tables.term,
        taxa=pl.concat([taxa.rename("curie"), searched_for.rename("curie"), listed]).unique(),
    )
    build.write("closure", ancestors)
    build.append("used_term", build.connection.sql(USED_TERMS).pl())


def store_entities(build: Build, stored: Held[GraphTables], *, config: IndexConfig) -> None:
    """Write the nodes of the graph."""
    tables = stored()
    ancestors = stored_table(build.connection, "closure")
    entity = build_entities(
        tables.records, tables.annotation, tables.term, ancestors, config=config.graph
    )
    build.append("entity", entity)


def store_relationships(build: Build, stored: Held[GraphTables], *, config: IndexConfig) -> None:
    """Write the weighted edges of the graph, and note their number per type.

    Each type is written out before the next is made; the order over all types is made on disk.
    """
    with sorted_parts(build.path, Relationship.primary_key()) as types:
        rejected = _weigh_into(types, build, stored, config=config)
        build.note(relationship_entries(types.frames()))
        for part in types.parts():
            build.write("relationship", part)
    build.write("rejected", rejected)


def _weigh_into(
    types: SortedParts, build: Build, stored: Held[GraphTables], *, config: IndexConfig
) -> pl.DataFrame:
    """Add the relationships of each type to ``types``; return those that could not be made.

    The memory of their inputs is freed at the end.
    """
    graph = config.graph
    records = stored().records
    used = term_roles(records, stored().annotation, config=graph)["entity"].unique()
    stored.drop()
    rejected = []
    weighed = weigh_types(
        records,
        lambda facet: read_annotation(build.connection, [facet], runs=graph_runs(graph)),
        stored_table(build.connection, "closure"),
        used=used,
        config=graph,
    )
    for edges in weighed:
        types.add(edges.relationship)
        rejected.append(edges.rejected)
    return pl.concat(rejected)


def store_communities(
    build: Build, graph: Held[Clustered], *, config: IndexConfig, say: Callable[[str], None]
) -> None:
    """Cluster ``graph``, write its communities, and set aside what became of earlier ones.

    If all are those of the published index, its notes on earlier changes stay.
    """
    published = published_communities(build.path)
    found = detect_communities(
        *graph(),
        config=config.graph,
        previous=None if published is None else published.tables,
        on_progress=say,
    )
    build.append("community", found.community)
    build.append("community_member", found.community_member)
    build.set_aside(CHANGES, found.changes)
    if published is not None and found.unchanged:
        build.note(published.notes)
    else:
        build.note(change_entries(found.changes))


def note_quality(build: Build, graph: Held[Clustered], *, config: IndexConfig) -> None:
    """Measure the communities and note the results."""
    entity, relationship = graph()
    nodes = in_order(entity["entity"])
    build.note(unlinked_entries(entity, relationship))
    terms = [run_terms(values, nodes) for values in read_purity_values(build.connection)]
    found = [stored_table(build.connection, name) for name in COMMUNITY_TABLES]
    tables = IndexTables(entity, relationship, pl.concat(terms), *found)
    build.note(quality_entries(tables, config=config.graph))


def store_associations(build: Build, *, config: IndexConfig, cluster: Cluster | None) -> None:
    """Compute associations, here or by ``cluster``; add imported ones, correct and store all, and
    combine them over projects.
    """
    records = read_association_records(build.connection, of=config.graph.of)
    annotation_of = partial(read_grouping_terms, build.connection)
    if cluster is None:
        computed = associate_by_blocks(records, annotation_of, config=config.mwas)
    else:
        annotation = annotation_of(records.run["run"])
        computed = associate_on(cluster, records, annotation, config=config.mwas)
    imported = check_imported(build.aside("read.association"), min_group=config.mwas.min_group)
    build.append("association", adjust(pl.concat([imported, computed.association])))
    build.write("meta_association", combine_projects(computed.association))
    build.note({f"mwas.skipped.{reason}": count for reason, count in computed.skipped.iter_rows()})
    build.note({"mwas.tests": computed.tests})


def store_facts(build: Build) -> None:
    """Compute plausibility and the facts of all communities in SQL, and write them."""
    build.append("sequenced", find_sequenced(build.connection))
    build.append("other_by_kmers", find_other_by_kmers(build.connection))
    weighed = weigh_plausibility(build.connection)
    build.append("run_plausibility", weighed)
    build.append("plausibility", count_pairs(weighed))
    build.append("fact", compute_facts(build.connection))


def store_vectors(build: Build, *, config: IndexConfig) -> None:
    """Learn vectors of viruses; write them, their neighbourhoods, the virus-host pairs that they
    predict, and novel viruses. Note the quality of the predictions.
    """
    learned = learn_vectors(build.connection, config=config.vectors)
    build.append("novel_virus", find_novel(build.connection))
    build.append("virus_vector", learned.virus_vector)
    build.append("virus_neighbourhood", learned.virus_neighbourhood)
    build.append("predicted_pair", learned.predicted_pair)
    build.append("unlikely_pair", learned.unlikely_pair)
    build.note(learned.notes)


@dataclass(frozen=True)
class PublishedCommunities:
    """Communities of the index to be replaced: ``community`` and ``community_member``, and its
    notes of earlier changes.
    """

    tables: tuple[pl.DataFrame, pl.DataFrame]
    notes: dict[str, object]


def published_communities(db: Path) -> PublishedCommunities | None:
    """Return the communities of the index at ``db``; None if it cannot be read."""
    try:
        with open_carried(db) as connection:
            community, member = (stored_table(connection, name) for name in COMMUNITY_TABLES)
            notes = dict(connection.execute(_CHANGE_NOTES).fetchall())
    except (StoreError, duckdb.Error):  # an unreadable index is overwritten
        return None
    return PublishedCommunities((community, member), notes)


def ancestry(db: Path, graph: str) -> str:
    """Return what names of communities depend on besides the graph with digest ``graph``.

    These are the communities at ``db``, or "none". An index of the same graph has the same
    communities, named after earlier ones: then it is the ancestry that this index notes.
    """
    try:
        with open_carried(db) as connection:
            if _noted(connection, "stage.graph") == graph:
                return _noted(connection, "stage.ancestry")
            return tables_hash(connection, COMMUNITY_TABLES)
    except (StoreError, duckdb.Error):
        return "none"


def describe_changes(build: Build) -> str:
    """Return a sentence about what became of the published communities."""
    try:
        with open_carried(build.path) as published:
            before = _noted(published, "stage.graph")
    except (StoreError, duckdb.Error):
        before = ""
    if before and before == _noted(build.connection, "stage.graph"):
        ((communities,),) = build.connection.execute("SELECT count(*) FROM community").fetchall()
        return f"{communities:,} same"
    return summarise_changes(build.aside(CHANGES))


def _noted(connection: duckdb.DuckDBPyConnection, key: str) -> str:
    """Return the index's note under ``key``; "" if there is none."""
    rows = connection.execute(_NOTED, [key]).fetchall()
    return str(rows[0][0]) if rows else ""

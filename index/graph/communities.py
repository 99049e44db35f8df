"""Entities and relationships -> the tree of communities, named to survive re-indexing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import dataframely as dy
import polars as pl

from index.config import GraphConfig
from index.graph.arrays import (
    build_clustered_graph,
    build_layers,
    clustered_relationships,
    in_order,
    linked_mask,
    run_mask,
)
from index.graph.hierarchy import Progress, nested_partitions
from index.graph.stable_ids import classify_changes, name_communities, overlap_previous
from index.tables import Community, CommunityMember
from ontology_etl.tables import conform

CHANGES: Final = ("new", "gone", "split", "merged", "changed", "same")


@dataclass(frozen=True)
class Communities:
    """The tree of communities and what became of those of the previous index.

    ``changes`` is (community, level, change, previous), empty without a previous index;
    ``index.graph.stable_ids`` defines the changes.
    """

    community: dy.DataFrame[Community]
    community_member: dy.DataFrame[CommunityMember]
    changes: pl.DataFrame

    @property
    def unchanged(self) -> bool:
        """Whether these are the communities of the previous index, and all of them."""
        return len(self.changes) > 0 and bool((self.changes["change"] == "same").all())


def detect_communities(
    entity: pl.DataFrame,
    relationship: pl.DataFrame,
    *,
    config: GraphConfig,
    previous: tuple[pl.DataFrame, pl.DataFrame] | None = None,
    on_progress: Progress | None = None,
) -> Communities:
    """Return the communities of the graph: every linked entity is in exactly one per level.

    Children partition their parent. Equal input gives equal communities and ids whatever the order
    of the rows. ``previous`` is (community, community_member) of the index this one replaces. An
    entity that no relationship joins to another is in no community; unless ``config`` has study
    edges, those of a run to its study do not count. Layers and a size limit in ``config``
    need the column ``predicate`` of ``relationship``. Where all are the same as before, their
    origins stay as in ``previous``, so that building again changes nothing.

    Raises ``ContractError`` where a relationship names an unknown entity or has no weight above 0.
    """
    is_run = run_mask(entity)
    clustered = clustered_relationships(relationship, config=config)
    layers = build_layers(entity, clustered, config=config) if config.constrained else []
    partitions = nested_partitions(
        build_clustered_graph(entity, clustered, config=config),
        is_run,
        config=config,
        layers=layers,
        on_progress=on_progress,
    )
    nodes = in_order(entity["entity"])
    is_linked = linked_mask(nodes, clustered)
    old = previous or (Community.create_empty(), CommunityMember.create_empty())
    levels = []
    for number, partition in enumerate(partitions):
        members = pl.DataFrame({"entity": nodes, "label": partition, "is_run": is_run})
        levels.append(_name_level(members.filter(is_linked), old, level=number))
    found = Communities(
        conform(_describe(levels), Community),
        _member_table(levels),
        _changes(levels, known=previous is not None),
    )
    return _keep_origins(found, old[0]) if found.unchanged else found


def _keep_origins(found: Communities, old: pl.DataFrame) -> Communities:
    """Return ``found`` with the origins that its communities had in the index before."""
    origins = old.select("community", "previous")
    community = found.community.drop("previous").join(origins, on="community", how="left")
    return replace(found, community=conform(community, Community))


def summarise_changes(changes: pl.DataFrame) -> str:
    """Return what changed since the previous index: ``1 new, 3 split, 40 same``."""
    counts = dict(changes["change"].value_counts().iter_rows())
    listed = [f"{counts[change]:,} {change}" for change in CHANGES if counts.get(change)]
    return ", ".join(listed) or "no previous index"


@dataclass(frozen=True)
class _Level:
    """One level with its communities named.

    ``members`` is (entity, is_run, community), ``changes`` (community, change, previous, level).
    """

    members: pl.DataFrame
    changes: pl.DataFrame


def _name_level(
    members: pl.DataFrame, previous: tuple[pl.DataFrame, pl.DataFrame], *, level: int
) -> _Level:
    """Return the level with names instead of labels; ``members`` is (entity, label, is_run)."""
    old_community, old_member = previous
    old = old_community.filter(pl.col("level") == level)
    of_level = pl.col("community").is_in(old["community"].implode())
    content = _content(members)
    overlap = overlap_previous(content, old, old_member.filter(of_level))
    names = name_communities(content, overlap, level=level)
    change = classify_changes(names, overlap, old["community"])
    named = members.join(names, on="label", maintain_order="left").drop("label")
    return _Level(named, change.with_columns(pl.lit(level, pl.Int32).alias("level")))


def _content(members: pl.DataFrame) -> pl.DataFrame:
    """Return (label, entity): the runs of each community, all its entities where it has no run."""
    has_runs = pl.col("is_run").any().over("label")
    return members.filter(pl.col("is_run") | ~has_runs).select("label", "entity")


def _member_table(levels: Sequence[_Level]) -> dy.DataFrame[CommunityMember]:
    """Return the members of all levels, sorted by key.

    Names begin with C and the level, so levels are sorted one by one and follow each other in the
    order of their numbers as text: all of them at once would be the largest sort of a build.
    """
    parts = []
    for number in sorted(range(len(levels)), key=str):
        members = levels[number].members.select("community", "entity")
        parts.append(conform(members, CommunityMember))
    return CommunityMember.cast(pl.concat(parts))


def _describe(levels: Sequence[_Level]) -> pl.DataFrame:
    """Return the community table: sizes, parents and origins.

    Levels nest, so any shared member shows the parent.
    """
    described = []
    for number, level in enumerate(levels):
        sizes = level.members.group_by("community").agg(
            runs=pl.col("is_run").sum().cast(pl.Int64),
            entities=pl.len().cast(pl.Int64),
            entity=pl.col("entity").first(),
        )
        if number:
            above = levels[number - 1].members
            parents = above.select("entity", pl.col("community").alias("parent"))
            placed = sizes.join(parents, on="entity", how="left")
        else:
            placed = sizes.with_columns(parent=pl.lit(None, pl.String))
        present = level.changes.filter(pl.col("change") != "gone")
        origin = present.select("community", "level", "previous")
        rows = placed.join(origin, on="community", how="left")
        described.append(rows.select(Community.column_names()))
    return pl.concat(described)


def _changes(levels: Sequence[_Level], *, known: bool) -> pl.DataFrame:
    stacked = pl.concat([level.changes for level in levels])
    ordered = stacked.select("community", "level", "change", "previous").sort("level", "community")
    return ordered if known else ordered.clear()

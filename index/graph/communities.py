"""Entities and relationships -> the tree of communities, with identifiers that survive re-indexing."""

from __future__ import annotations

from dataclasses import dataclass

import dataframely as dy
import polars as pl

from index.config import GraphConfig
from index.graph.arrays import build_graph, build_layers, run_mask
from index.graph.hierarchy import Progress, nested_partitions
from index.graph.stable_ids import classify_changes, name_communities, overlap_previous
from index.tables import Community, CommunityMember
from ontology_etl.tables import conform

CHANGES = ("new", "gone", "split", "merged", "changed", "same")


@dataclass(frozen=True)
class Communities:
    """The tree of communities and what became of those of the previous index.

    ``changes`` is (community, level, change, previous), empty without a previous index;
    ``index.graph.stable_ids`` defines the changes.
    """

    community: dy.DataFrame[Community]
    community_member: dy.DataFrame[CommunityMember]
    changes: pl.DataFrame


def detect_communities(
    entity: pl.DataFrame,
    relationship: pl.DataFrame,
    *,
    config: GraphConfig,
    previous: tuple[pl.DataFrame, pl.DataFrame] | None = None,
    on_progress: Progress | None = None,
) -> Communities:
    """Return the communities of the graph: every entity in exactly one per level, children
    partition their parent.

    Equal input gives equal communities and ids whatever the order of the rows. ``previous`` is
    (community, community_member) of the index this one replaces. An entity without relationships is
    a community of its own. Layers and a size in ``config`` ask for the column ``predicate`` of
    ``relationship``.

    Raises ``ContractError`` where a relationship names an unknown entity or has no weight above 0.
    """
    graph = build_graph(entity, relationship)
    is_run = run_mask(entity)
    layers = build_layers(entity, relationship, config.layers) if config.constrained else []
    partitions = nested_partitions(
        graph, is_run, config=config, layers=layers, on_progress=on_progress
    )
    old_community, old_member = previous or (
        Community.create_empty(),
        CommunityMember.create_empty(),
    )
    levels: list[pl.DataFrame] = []
    changes: list[pl.DataFrame] = []
    for level, partition in enumerate(partitions):
        members = pl.DataFrame({"entity": graph.nodes, "label": partition, "is_run": is_run})
        old = old_community.filter(pl.col("level") == level)
        named, change = _name_level(members, old, old_member, level=level)
        levels.append(members.join(named, on="label", maintain_order="left").drop("label"))
        changes.append(change)
    member = pl.concat([frame.select("community", "entity") for frame in levels])
    community = _describe(levels, changes)
    return Communities(
        conform(community, Community),
        conform(member, CommunityMember),
        _changes(changes, known=previous is not None),
    )


def summarise_changes(changes: pl.DataFrame) -> str:
    """Return what happened since the previous index in one line, e.g. ``1 new, 3 split, 12 changed,
    40 same``.
    """
    counts = dict(changes["change"].value_counts().iter_rows())
    listed = [f"{counts[change]:,} {change}" for change in CHANGES if counts.get(change)]
    return ", ".join(listed) or "no previous index"


def _name_level(
    members: pl.DataFrame, old: pl.DataFrame, old_member: pl.DataFrame, *, level: int
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return (label, community) and (community, change, previous, level) of one level."""
    content = members.filter(pl.col("is_run") | ~pl.col("is_run").any().over("label")).select(
        "label", "entity"
    )
    overlap = overlap_previous(
        content, old, old_member.filter(pl.col("community").is_in(old["community"].implode()))
    )
    named = name_communities(content, overlap, level=level)
    change = classify_changes(named, overlap, old["community"])
    return named, change.with_columns(pl.lit(level, pl.Int32).alias("level"))


def _describe(levels: list[pl.DataFrame], changes: list[pl.DataFrame]) -> pl.DataFrame:
    """Return the community table: sizes, parents (by any shared member, as levels nest) and
    origins.
    """
    described = []
    for level, members in enumerate(levels):
        sizes = members.group_by("community").agg(
            pl.col("is_run").sum().cast(pl.Int64).alias("runs"),
            pl.len().cast(pl.Int64).alias("entities"),
            pl.col("entity").first(),
        )
        parents = (
            levels[level - 1].select("entity", pl.col("community").alias("parent"))
            if level
            else None
        )
        placed = (
            sizes.join(parents, on="entity", how="left")
            if parents is not None
            else sizes.with_columns(pl.lit(None, pl.String).alias("parent"))
        )
        origin = changes[level].filter(pl.col("change") != "gone").select("community", "previous")
        described.append(
            placed.join(origin, on="community", how="left").with_columns(
                pl.lit(level, pl.Int32).alias("level")
            )
        )
    return pl.concat([frame.select(Community.column_names()) for frame in described])


def _changes(changes: list[pl.DataFrame], *, known: bool) -> pl.DataFrame:
    columns = ("community", "level", "change", "previous")
    stacked = pl.concat(changes).select(columns).sort("level", "community")
    return stacked if known else stacked.clear()

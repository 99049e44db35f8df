"""Entries of the build table about the graph and its communities; equal input gives equal entries.

graph.<predicate>.<measure>       relationships, weights and degree quantiles of each type
quality.<level>.<measure>         modularity, coverage, conductance, sizes, purity and enrichment
stability.<test>.<measure>        agreement of level 1 with itself under other seeds and fewer edges
unlinked.<kind>                   entities that nothing joins to another, which are in no community
communities.<level>.<change>      what became of the communities of the previous index
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import polars as pl

from index.config import GraphConfig
from index.graph.arrays import linked_mask
from index.graph.edges import relationship_report
from index.graph.quality import IndexTables, level_quality, stability
from index.tables import Relationship

DECIMALS: Final = 4
Entries = dict[str, object]


def relationship_entries(parts: Iterable[pl.DataFrame]) -> Entries:
    """Return counts, weights and degree quantiles of each predicate; none may be in two ``parts``.

    A key is e.g. ``graph.run-sotu.degree_p99``.
    """
    reports = [relationship_report(part) for part in (Relationship.create_empty(), *parts)]
    report = pl.concat(reports).sort("predicate")
    measures = [name for name in report.columns if name != "predicate"]
    return {
        f"graph.{row['predicate']}.{measure}": _rounded(row[measure])
        for row in report.iter_rows(named=True)
        for measure in measures
    }


def unlinked_entries(entity: pl.DataFrame, relationship: pl.DataFrame) -> Entries:
    """Return how many entities of each kind have no link in the clustered graph, and so no
    community. A key is e.g. ``unlinked.run``.
    """
    ordered = entity.sort("entity")
    is_linked = linked_mask(ordered["entity"], relationship)
    kinds = ordered.filter(~is_linked).group_by("kind").len().sort("kind")
    return {f"unlinked.{kind}": count for kind, count in kinds.iter_rows()}


def quality_entries(tables: IndexTables, *, config: GraphConfig) -> Entries:
    """Return the measures of every level, and the stability of level 1.

    Stability is skipped above ``stability_max_relationships``.
    """
    entries: Entries = {}
    for level, metric, value in level_quality(tables, config=config).iter_rows():
        entries[f"quality.{level}.{metric}"] = _rounded(value)
    relationships = len(tables.relationship)
    if relationships > config.stability_max_relationships:
        entries["stability.skipped"] = f"{relationships} relationships"
        return entries
    tested = stability(tables.entity, tables.relationship, config=config, seed=config.seed)
    figures = tested.unpivot(["ari", "nmi"], index="test")
    for test, measure, value in figures.iter_rows():
        entries[f"stability.{test}.{measure}"] = _rounded(value)
    return entries


def change_entries(changes: pl.DataFrame) -> Entries:
    """Return how many communities of a level are new, split … since the previous index."""
    counts = changes.group_by("level", "change").len().sort("level", "change")
    return {f"communities.{level}.{change}": count for level, change, count in counts.iter_rows()}


def _rounded(value: float) -> float:
    return round(value, DECIMALS)

"""What the build table says about the graph and its communities: keys and values, the same for
equal input.

graph.<predicate>.<measure>       relationships, weights and degree quantiles of each relationship type
quality.<level>.<measure>         modularity, coverage, conductance, sizes, purity and enrichment of each level
stability.<test>.<measure>        agreement of level 1 with itself under other seeds and with edges taken out
communities.<level>.<change>      what became of the communities of the previous index
"""

from __future__ import annotations

import polars as pl

from index.config import GraphConfig
from index.graph.edges import relationship_report
from index.graph.metrics import level_quality, stability

DECIMALS = 4
Entries = dict[str, object]


def relationship_entries(relationship: pl.DataFrame) -> Entries:
    """Return counts, weights and degree quantiles per predicate, e.g.
    ``graph.run-sotu.degree_p99``.
    """
    report = relationship_report(relationship)
    measures = [name for name in report.columns if name != "predicate"]
    return {
        f"graph.{row['predicate']}.{measure}": _rounded(row[measure])
        for row in report.iter_rows(named=True)
        for measure in measures
    }


def quality_entries(
    entity: pl.DataFrame,
    relationship: pl.DataFrame,
    annotation: pl.DataFrame,
    community: pl.DataFrame,
    community_member: pl.DataFrame,
    *,
    config: GraphConfig,
) -> Entries:
    """Return the measures of every level, and the stability of level 1 unless the graph is above
    the limit for it.
    """
    quality = level_quality(
        entity, relationship, annotation, community, community_member, config=config
    )
    entries: Entries = {
        f"quality.{level}.{metric}": _rounded(value)
        for level, metric, value in quality.select("level", "metric", "value").iter_rows()
    }
    if len(relationship) > config.stability_max_relationships:
        return entries | {"stability.skipped": f"{len(relationship)} relationships"}
    tested = stability(entity, relationship, config=config, seed=config.seed)
    figures = tested.unpivot(["ari", "nmi"], index="test").iter_rows()
    return entries | {
        f"stability.{test}.{measure}": _rounded(value) for test, measure, value in figures
    }


def change_entries(changes: pl.DataFrame) -> Entries:
    """Return how many communities of each level are new, split, merged, ...; none without a
    previous index.
    """
    counts = changes.group_by("level", "change").len().sort("level", "change")
    return {f"communities.{level}.{change}": count for level, change, count in counts.iter_rows()}


def _rounded(value: float) -> float:
    return round(value, DECIMALS)

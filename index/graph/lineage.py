"""The part of the ontologies that connects the terms of an index.

An index uses a few thousand of 2.6 million taxa. Chains of unused ancestors between them (human has
thirty) would only make communities without a run, so they are contracted. Besides the used terms,
the graph has the branching ancestors, where the lineages of two or more used terms meet; each term
is linked to its nearest ancestor in the graph. The result has fewer than twice as many terms as are
used, whatever the size of the ontology.
"""

from __future__ import annotations

import polars as pl


def branching_terms(closure: pl.DataFrame, used: pl.Series) -> pl.Series:
    """Return the unused ancestors where lineages of used terms meet, sorted.

    ``closure`` is (descendant, ancestor, distance) with distance 0 for the term itself. Of several
    ancestors above the same used terms the nearest is kept. This is exact for a tree. In BTO and
    DOID, where a term may have several parents, two incomparable ancestors with equally many used
    terms and the same first used term count as one.
    """
    used_terms = used.implode()
    above = closure.filter(pl.col("descendant").is_in(used_terms))
    ancestors = above.group_by("ancestor").agg(
        terms=pl.len(),
        first=pl.col("descendant").min(),
        reach=pl.col("distance").sum(),
    )
    meeting = ancestors.filter(pl.col("terms") > 1).sort("reach", "ancestor")
    nearest = meeting.unique(["terms", "first"], keep="first", maintain_order=True)
    unused = nearest.filter(~pl.col("ancestor").is_in(used_terms))
    return unused["ancestor"].sort()


def nearest_kept_ancestors(closure: pl.DataFrame, kept: pl.Series) -> pl.DataFrame:
    """Return (curie, ancestor): each term of the graph with its nearest ancestor in the graph.

    A term has several rows where several ancestors are equally near. ``closure`` must list the
    ancestors of the used terms as descendants too, as ``ontology_etl.closure`` does.
    """
    kept_terms = kept.implode()
    both_kept = pl.col("descendant", "ancestor").is_in(kept_terms)
    above = closure.filter(both_kept, pl.col("distance") > 0)
    least = pl.col("distance").min().over("descendant")
    nearest = above.filter(pl.col("distance") == least)
    return nearest.select(pl.col("descendant").alias("curie"), "ancestor").sort("curie", "ancestor")

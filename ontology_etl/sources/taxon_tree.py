"""The tree of NCBI Taxonomy: one parent per taxon, merged taxa followed, no circles."""

from __future__ import annotations

from typing import Final

import numpy as np
import polars as pl

from ontology_etl.closure import path_ends
from ontology_etl.errors import MalformedRowError
from ontology_etl.sources.taxdump import LEAST_FAULTS, MOST_FAULTS
from ontology_etl.tables import reject

_REFETCH: Final = "fetch the taxdump again and compare its md5"


def unique_nodes(nodes: pl.DataFrame, source: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return ``(nodes, rejected)``: the first row of each taxid; the others are rejected.

    Raises ``MalformedRowError`` where more than a few taxids have two parents or ranks.
    """
    if nodes["tax_id"].n_unique() == len(nodes):
        return nodes, reject(source, [], "")
    first = nodes.filter(pl.col("tax_id").is_first_distinct())
    again = nodes.filter(~pl.col("tax_id").is_first_distinct())
    same = ["tax_id", "parent", "rank"]
    contradiction = again.join(first, on=same, how="anti", nulls_equal=True)
    repeated = again.join(first, on=same, how="semi", nulls_equal=True)
    if len(contradiction) > max(LEAST_FAULTS, MOST_FAULTS * len(nodes)):
        reason = f"taxid {contradiction['tax_id'][0]} has two parents or ranks"
        row = int(contradiction["row"][0])
        raise MalformedRowError(source, reason, row=row, remedy=_REFETCH)
    rejected = [
        reject(source, repeated["row"], "taxid stated twice"),
        reject(source, contradiction["row"], "taxid with a second parent or rank"),
    ]
    return first, pl.concat(rejected)


def resolve_merged(
    merged: pl.DataFrame, live: pl.Series, source: str
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return ``(merged, rejected)``: old taxids with the live taxid ``new`` that replaces each.

    Chains of merges are followed. ``new`` is null, and counted, where a chain ends at no live
    taxid. An old taxid that is live again is rejected.
    """
    live_taxids = live.implode()
    revived = merged.filter(pl.col("old").is_in(live_taxids))
    still_merged = merged.join(
        revived,
        on="row",
        how="anti",
    )
    retired = still_merged.unique("old", keep="first", maintain_order=True)
    old = retired["old"].to_numpy()
    end = np.arange(_largest(live, merged["old"], merged["new"]) + 1, dtype=np.int32)
    end[old] = retired["new"].to_numpy()
    end = path_ends(end)
    followed = retired.with_columns(pl.Series("new", end[old], dtype=pl.Int32))
    is_live = pl.col("new").is_in(live_taxids)
    resolved = followed.with_columns(pl.when(is_live).then("new"))
    lost = resolved.filter(pl.col("new").is_null())
    rejected = [
        reject(source, revived["row"], "merged taxid is live"),
        reject(source, lost["row"], "merged into a taxid that is not live"),
    ]
    return resolved, pl.concat(rejected)


def attach_parents(
    nodes: pl.DataFrame, merged: pl.DataFrame, source: str
) -> tuple[pl.DataFrame, int, pl.DataFrame]:
    """Return ``(nodes, repairs, rejected)``: every parent is live, its successor, or null."""
    live = nodes["tax_id"].implode()
    unknown = nodes.filter(~pl.col("parent").is_in(live))
    parent = pl.when(pl.col("parent") != pl.col("tax_id")).then("parent")
    if unknown.is_empty():
        return nodes.with_columns(parent), 0, reject(source, [], "")
    redirect = merged.select(pl.col("old").alias("parent"), "new")
    moved = unknown.join(
        redirect,
        on="parent",
        how="left",
    )
    joined = nodes.join(
        moved.select("row", "new"),
        on="row",
        how="left",
        maintain_order="left",
    )
    is_unknown = pl.col("row").is_in(unknown["row"].implode())
    corrected = pl.when(is_unknown).then("new").otherwise(parent)
    fixed = joined.with_columns(corrected.alias("parent")).drop("new")
    dangling = moved.filter(pl.col("new").is_null())["row"]
    repairs = len(moved) - len(dangling)
    return fixed, repairs, reject(source, dangling, "parent taxid does not exist")


def check_rooted(nodes: pl.DataFrame, source: str) -> None:
    """Raise ``MalformedRowError`` for a taxon whose parents form a circle."""
    taxid = nodes["tax_id"].to_numpy()
    above = np.arange(int(taxid.max()) + 1, dtype=np.int32)
    above[taxid] = nodes["parent"].fill_null(nodes["tax_id"]).to_numpy()
    top = path_ends(above)[taxid]
    circular = np.flatnonzero(above[top] != top)
    if not len(circular):
        return
    on_circle = int(top[circular[0]])
    row = int(nodes.filter(pl.col("tax_id") == on_circle)["row"][0])
    count = f"({len(circular)} taxa hang on it)"
    reason = f"the parents of taxid {on_circle} run in a circle {count}"
    raise MalformedRowError(source, reason, row=row, remedy=_REFETCH)


def _largest(*taxids: pl.Series) -> int:
    return max(int(each.to_numpy().max(initial=0)) for each in taxids)

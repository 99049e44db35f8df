"""Community identifiers that depend on content and survive re-indexing.

The content of a community is its runs, or all its entities where it has no run. A new community is
named by a digest of its content, so equal input gives equal ids and a community that is carried
down a level keeps its digits. If there is a previous index, a community takes the id of the old
community of the same level that it overlaps most, from Jaccard 0.5 up.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Final

import polars as pl

MIN_JACCARD: Final = 0.5
MIN_SHARE: Final = 0.1
"""Share of the content of either from which an old community is an origin of a new one."""
SHORT: Final = 8
LONG: Final = 16
"""Hexadecimal digits of an id; the long form is used only where two short ids collide."""


def name_communities(content: pl.DataFrame, overlap: pl.DataFrame, *, level: int) -> pl.DataFrame:
    """Return (label, community): the inherited id where there is one, else ``C<level>-<digest>``.

    ``content`` is (label, entity); ``overlap`` comes from ``overlap_previous``.
    """
    digests = content_digests(content)
    inherited = inherit_ids(overlap)
    prefix = pl.lit(f"C{level}-")
    named = digests.join(inherited, on="label", how="left").with_columns(
        short=prefix + pl.col("digest").str.head(SHORT),
        long=prefix + pl.col("digest"),
    )
    taken = named["community"].drop_nulls()
    is_fresh = pl.col("community").is_null()
    same_short = pl.col("short").count().over("short", is_fresh)
    collides = pl.col("short").is_in(taken.implode()) | (same_short > 1)
    fresh_id = pl.when(collides).then("long").otherwise("short")
    community = pl.coalesce("community", fresh_id)
    return named.select("label", community.alias("community")).sort("label")


def content_digests(content: pl.DataFrame) -> pl.DataFrame:
    """Return (label, digest): 16 hex digits of the sorted content of each community."""
    by_label = content.sort("label", "entity").group_by("label", maintain_order=True)
    listed = by_label.agg(pl.col("entity").str.join("\n"))
    digests = [_digest(text) for text in listed["entity"]]
    return listed.select("label", pl.Series("digest", digests, dtype=pl.String))


def overlap_previous(
    content: pl.DataFrame, community: pl.DataFrame, member: pl.DataFrame
) -> pl.DataFrame:
    """Return one row per new and old community that share content, closest first.

    The columns are (label, old, shared, size, old_size, jaccard). ``community`` and ``member`` are
    the tables of the previous index at one level.
    """
    old_size = pl.when(pl.col("runs") > 0).then("runs").otherwise("entities")
    old = community.select(old="community", old_size=old_size)
    sizes = content.group_by("label").agg(size=pl.len().cast(pl.Int64))
    met = content.join(member, on="entity").rename({"community": "old"})
    shared = met.group_by("label", "old").agg(shared=pl.len().cast(pl.Int64))
    union = pl.col("size") + pl.col("old_size") - pl.col("shared")
    joined = shared.join(sizes, on="label").join(old, on="old")
    measured = joined.with_columns(jaccard=pl.col("shared") / union)
    return measured.sort(["jaccard", "old", "label"], descending=[True, False, False])


def inherit_ids(overlap: pl.DataFrame) -> pl.DataFrame:
    """Return (label, community): each new community with the old id that it takes; ids are unique.

    It is the best match of both sides, Jaccard 0.5 or more; ties go to the lexically smaller old
    id, then the lower label.
    """
    close = overlap.filter(pl.col("jaccard") >= MIN_JACCARD)
    best_of_new = close.unique("label", keep="first", maintain_order=True)
    best = best_of_new.unique("old", keep="first", maintain_order=True)
    return best.select("label", pl.col("old").alias("community"))


def origins(overlap: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of ``overlap`` that share a tenth of the new or of the old community."""
    of_new = pl.col("shared") >= MIN_SHARE * pl.col("size")
    of_old = pl.col("shared") >= MIN_SHARE * pl.col("old_size")
    return overlap.filter(of_new | of_old)


def classify_changes(named: pl.DataFrame, overlap: pl.DataFrame, old: pl.Series) -> pl.DataFrame:
    """Return (community, change, previous) for every new and every vanished community of a level.

    ``named`` is (label, community), ``old`` the ids of the previous index. A change is one of:
    ``same`` (equal content), ``changed`` (same id, other content), ``split`` (its main origin has
    several offspring), ``merged`` (several origins), ``new`` (no origin) or ``gone`` (an old
    community without offspring). ``previous`` lists the origins, largest first, comma-separated;
    null where there are none.
    """
    kin = origins(overlap).sort(["label", "shared", "old"], descending=[False, True, False])
    ancestry = named.join(_ancestry(kin), on="label", how="left")
    present = ancestry.select("community", _change().alias("change"), "previous")
    gone = old.filter(~old.is_in(kin["old"].implode()))
    vanished = pl.DataFrame({"community": gone}).with_columns(
        change=pl.lit("gone"),
        previous=pl.col("community"),
    )
    return pl.concat([present, vanished]).sort("community")


def _ancestry(kin: pl.DataFrame) -> pl.DataFrame:
    """Return (label, previous, origins, offspring, equal) of each new community with an origin.

    ``offspring`` counts the new communities that descend from its main origin.
    """
    offspring = kin.group_by("old").agg(offspring=pl.len())
    counted = kin.join(offspring, on="old", maintain_order="left")
    return counted.group_by("label", maintain_order=True).agg(
        previous=pl.col("old").str.join(","),
        origins=pl.len(),
        offspring=pl.col("offspring").first(),
        equal=(pl.col("jaccard") == 1).any(),
    )


def _change() -> pl.Expr:
    return (
        pl.when(pl.col("origins").is_null())
        .then(pl.lit("new"))
        .when("equal")
        .then(pl.lit("same"))
        .when(pl.col("origins") > 1)
        .then(pl.lit("merged"))
        .when(pl.col("offspring") > 1)
        .then(pl.lit("split"))
        .otherwise(pl.lit("changed"))
    )


def _digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=LONG // 2).hexdigest()

"""Community identifiers that say what is inside and survive re-indexing.

The content of a community is its runs, or all its entities where it has no run. A new community is
named by a digest of its content, so equal input gives equal ids and a community that is carried
down a level keeps its digits. Against a previous index it takes the id of the old community of the
same level it overlaps most, from Jaccard 0.5 up.
"""

from __future__ import annotations

from hashlib import blake2b

import polars as pl

MIN_JACCARD = 0.5
MIN_SHARE = 0.1  # an old community is an origin of a new one from this share of either's content
SHORT, LONG = 8, 16  # hex digits; the long form only where two short ones collide


def name_communities(content: pl.DataFrame, overlap: pl.DataFrame, *, level: int) -> pl.DataFrame:
    """Return (label, community): the inherited id where there is one, else ``C<level>-<digest>``.

    ``content`` is (label, entity); ``overlap`` comes from ``overlap_previous``.
    """
    digests = content_digests(content)
    inherited = inherit_ids(overlap)
    prefix = pl.lit(f"C{level}-")
    named = digests.join(inherited, on="label", how="left").with_columns(
        (prefix + pl.col("digest").str.head(SHORT)).alias("short"),
        (prefix + pl.col("digest")).alias("long"),
    )
    taken = named["community"].drop_nulls()
    fresh = pl.col("community").is_null()
    clash = pl.col("short").is_in(taken.implode()) | (
        pl.col("short").count().over("short", fresh) > 1
    )
    unique = pl.when(clash).then("long").otherwise("short")
    return named.select("label", pl.coalesce("community", unique).alias("community")).sort("label")


def content_digests(content: pl.DataFrame) -> pl.DataFrame:
    """Return (label, digest): 16 hex digits of the sorted content of each community."""
    listed = (
        content.sort("label", "entity")
        .group_by("label", maintain_order=True)
        .agg(pl.col("entity").str.join("\n"))
    )
    digests = [
        blake2b(text.encode(), digest_size=LONG // 2).hexdigest() for text in listed["entity"]
    ]
    return listed.select("label", pl.Series("digest", digests, dtype=pl.String))


def overlap_previous(
    content: pl.DataFrame, community: pl.DataFrame, member: pl.DataFrame
) -> pl.DataFrame:
    """Return (label, old, shared, size, old_size, jaccard) for each new and old community that
    share content.

    ``community`` and ``member`` are the tables of the previous index at one level.
    """
    old = community.select(
        pl.col("community").alias("old"),
        pl.when(pl.col("runs") > 0).then("runs").otherwise("entities").alias("old_size"),
    )
    sizes = content.group_by("label").agg(pl.len().cast(pl.Int64).alias("size"))
    shared = (
        content.join(member, on="entity")
        .group_by("label", pl.col("community").alias("old"))
        .agg(pl.len().cast(pl.Int64).alias("shared"))
    )
    union = pl.col("size") + pl.col("old_size") - pl.col("shared")
    return (
        shared.join(sizes, on="label")
        .join(old, on="old")
        .with_columns((pl.col("shared") / union).alias("jaccard"))
        .sort(["jaccard", "old", "label"], descending=[True, False, False])
    )


def inherit_ids(overlap: pl.DataFrame) -> pl.DataFrame:
    """Return (label, community): each new community with the old id it takes, none twice.

    The best match of both sides, Jaccard 0.5 or more; ties go to the lexically smaller old id, then
    the lower label.
    """
    close = overlap.filter(pl.col("jaccard") >= MIN_JACCARD)
    best = close.unique("label", keep="first", maintain_order=True).unique(
        "old", keep="first", maintain_order=True
    )
    return best.select("label", pl.col("old").alias("community"))


def origins(overlap: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of ``overlap`` where a tenth of the new or of the old community is shared, or
    more.
    """
    return overlap.filter(
        (pl.col("shared") >= MIN_SHARE * pl.col("size"))
        | (pl.col("shared") >= MIN_SHARE * pl.col("old_size"))
    )


def classify_changes(named: pl.DataFrame, overlap: pl.DataFrame, old: pl.Series) -> pl.DataFrame:
    """Return (community, change, previous) for every new and every vanished community of a level.

    ``named`` is (label, community), ``old`` the ids of the previous index. A change is one of:
    ``same`` (equal content), ``changed`` (same id, other content), ``split`` (its main origin has
    several offspring), ``merged`` (several origins), ``new`` (no origin) or ``gone`` (an old
    community without offspring). ``previous`` lists the origins, largest first, comma-separated;
    null where there are none.
    """
    kin = origins(overlap).sort(["label", "shared", "old"], descending=[False, True, False])
    offspring = kin.group_by("old").agg(pl.len().alias("offspring"))
    lineage = (
        kin.join(offspring, on="old", maintain_order="left")
        .group_by("label", maintain_order=True)
        .agg(
            pl.col("old").str.join(",").alias("previous"),
            pl.len().alias("origins"),
            pl.col("offspring").first(),
            (pl.col("jaccard") == 1).any().alias("equal"),
        )
    )
    change = (
        pl.when(pl.col("origins").is_null()).then(pl.lit("new"))
        .when("equal").then(pl.lit("same"))
        .when(pl.col("origins") > 1).then(pl.lit("merged"))
        .when(pl.col("offspring") > 1).then(pl.lit("split"))
        .otherwise(pl.lit("changed"))
    )  # fmt: skip
    present = named.join(lineage, on="label", how="left").select(
        "community", change.alias("change"), "previous"
    )
    gone = old.filter(~old.is_in(kin["old"].implode()))
    vanished = pl.DataFrame({"community": gone}).select(
        "community", pl.lit("gone").alias("change"), pl.col("community").alias("previous")
    )
    return pl.concat([present, vanished]).sort("community")

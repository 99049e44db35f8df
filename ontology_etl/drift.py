"""What changed between two releases of an ontology, and which annotations that touches."""

from __future__ import annotations

from typing import Final

import polars as pl

CHANGES: Final = ("added", "merged", "obsoleted", "renamed")


def drift(old: pl.DataFrame, new: pl.DataFrame) -> pl.DataFrame:
    """Return ``change, curie, old, new`` from two Term tables, sorted by change and CURIE; equal releases give no row.

    ``added``: a live term that was absent or obsolete (new: label). ``merged``: now obsolete, with a replacement (old:
    label, new: CURIE). ``obsoleted``: now obsolete or absent, without one (old: label). ``renamed``: both labels.

    >>> terms = {"curie": ["BTO:1", "BTO:2"], "label": ["lung", "gut"], "obsolete": [False] * 2}
    >>> old = pl.DataFrame(terms | {"replaced_by": [None, None]}, schema_overrides={"replaced_by": pl.String})
    >>> drift(old, old.with_columns(label=pl.col("label").replace("gut", "intestine"))).rows()
    [('renamed', 'BTO:2', 'gut', 'intestine')]
    """
    columns = ["curie", "label", "obsolete", "replaced_by"]
    both = old.select(columns).join(new.select(columns), on="curie", how="full", coalesce=True, suffix="_new")
    was_live = ~pl.col("obsolete").fill_null(True)
    is_live = ~pl.col("obsolete_new").fill_null(True)
    replacement = pl.col("replaced_by_new")
    change = (
        pl.when(~was_live & is_live)
        .then(pl.lit("added"))
        .when(was_live & ~is_live & replacement.is_not_null())
        .then(pl.lit("merged"))
        .when(was_live & ~is_live)
        .then(pl.lit("obsoleted"))
        .when(was_live & is_live & (pl.col("label") != pl.col("label_new")))
        .then(pl.lit("renamed"))
    )
    return (
        both.with_columns(change=change)
        .filter(pl.col("change").is_not_null())
        .select(
            "change",
            "curie",
            old=pl.when(pl.col("change") != "added").then("label"),
            new=pl.when(pl.col("change") == "merged").then(replacement).when(is_live).then("label_new"),
        )
        .sort("change", "curie")
    )


def touched(changes: pl.DataFrame, curies: pl.Series) -> pl.DataFrame:
    """Return the rows of ``changes`` whose term is used, with its count in ``curies`` as ``uses``, most first."""
    uses = curies.drop_nulls().value_counts(name="uses").rename({curies.name: "curie"})
    return changes.join(uses, on="curie").sort(["uses", "change", "curie"], descending=[True, False, False])

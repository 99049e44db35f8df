"""What changed between two releases of an ontology, and which annotations that touches."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import polars as pl

_STRINGS: Final = {"ontology": pl.String, "found": pl.String}
CHANGES: Final = ("added", "merged", "obsoleted", "renamed")


def drift(old: pl.DataFrame, new: pl.DataFrame) -> pl.DataFrame:
    """Return ``change, curie, old, new`` from two Term tables, sorted by change and CURIE; equal
    releases give no row.

    ``added``: a live term that was absent or obsolete (new: label). ``merged``: now obsolete, with
    a replacement (old: label, new: CURIE). ``obsoleted``: now obsolete or absent, without one (old:
    label). ``renamed``: both labels.

    >>> terms = {"curie": ["BTO:1", "BTO:2"], "label": ["lung", "gut"], "obsolete": [False] * 2}
    >>> old = pl.DataFrame(terms | {"replaced_by": [None, None]}, schema_overrides={"replaced_by": pl.String})
    >>> drift(old, old.with_columns(label=pl.col("label").replace("gut", "intestine"))).rows()
    [('renamed', 'BTO:2', 'gut', 'intestine')]
    """
    columns = ["curie", "label", "obsolete", "replaced_by"]
    both = old.select(columns).join(
        new.select(columns), on="curie", how="full", coalesce=True, suffix="_new"
    )
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
            new=pl.when(pl.col("change") == "merged")
            .then(replacement)
            .when(is_live)
            .then("label_new"),
        )
        .sort("change", "curie")
    )


def touched(changes: pl.DataFrame, curies: pl.Series) -> pl.DataFrame:
    """Return the rows of ``changes`` whose term is used, with its count in ``curies`` as ``uses``,
    most first.
    """
    uses = curies.drop_nulls().value_counts(name="uses").rename({curies.name: "curie"})
    return changes.join(uses, on="curie").sort(
        ["uses", "change", "curie"], descending=[True, False, False]
    )


def compare_releases(recorded: pl.DataFrame, digests: Mapping[str, str]) -> pl.DataFrame:
    """Return ontology, version, source, state of the releases ``recorded`` in an index against the
    files at hand.

    ``digests`` are the sha256 of those files by ontology. ``state``: same, other, or absent where
    there is none.
    """
    found = pl.DataFrame(
        {"ontology": list(digests), "found": list(digests.values())}, schema_overrides=_STRINGS
    )
    state = (
        pl.when(pl.col("found").is_null()).then(pl.lit("absent"))
        .when(pl.col("found") == pl.col("sha256")).then(pl.lit("same"))
        .otherwise(pl.lit("other"))
    )  # fmt: skip
    joined = recorded.join(found, on="ontology", how="left").with_columns(state=state)
    return joined.select("ontology", "version", "source", "state").sort("ontology")

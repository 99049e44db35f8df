"""Compare two releases of an ontology, and find the annotations that the changes affect."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import polars as pl

_COMPARED: Final = ("curie", "label", "obsolete", "replaced_by")
_DIGESTS: Final = {"ontology": pl.String, "found": pl.String}


def drift(old: pl.DataFrame, new: pl.DataFrame) -> pl.DataFrame:
    """Return ``change, curie, old, new`` from two Term tables, sorted by change and CURIE.

    Equal releases give no row. ``added``: a live term that was absent or obsolete (new: label).
    ``merged``: now obsolete, with a replacement (old: label, new: CURIE). ``obsoleted``: now
    obsolete or absent, without a replacement (old: label). ``renamed``: both labels.

    >>> terms = {"curie": ["BTO:1", "BTO:2"], "label": ["lung", "gut"], "obsolete": [False] * 2}
    >>> replaced_by = pl.lit(None, pl.String).alias("replaced_by")
    >>> old = pl.DataFrame(terms).with_columns(replaced_by)
    >>> new = old.with_columns(label=pl.col("label").replace("gut", "intestine"))
    >>> drift(old, new).rows()
    [('renamed', 'BTO:2', 'gut', 'intestine')]
    """
    before = old.select(_COMPARED)
    after = new.select(_COMPARED)
    both = before.join(
        after,
        on="curie",
        how="full",
        coalesce=True,
        suffix="_new",
    )
    changed = both.with_columns(change=_change()).filter(pl.col("change").is_not_null())
    change = pl.col("change")
    is_live = ~pl.col("obsolete_new").fill_null(True)
    now = pl.when(change == "merged").then("replaced_by_new").when(is_live).then("label_new")
    described = changed.select(
        "change",
        "curie",
        old=pl.when(change != "added").then("label"),
        new=now,
    )
    return described.sort("change", "curie")


def touched(changes: pl.DataFrame, curies: pl.Series) -> pl.DataFrame:
    """Return the ``changes`` to terms in ``curies`` with how often each ``uses`` it, most first."""
    uses = curies.drop_nulls().value_counts(name="uses").rename({curies.name: "curie"})
    used = changes.join(uses, on="curie")
    return used.sort(
        ["uses", "change", "curie"],
        descending=[True, False, False],
    )


def compare_releases(recorded: pl.DataFrame, digests: Mapping[str, str]) -> pl.DataFrame:
    """Return [ontology, version, source, state]: the releases of an index compared with the files.

    ``recorded`` is the release table of the index, ``digests`` the sha256 of the files by ontology.
    ``state`` is same, other, or absent where there is no file.
    """
    columns = {"ontology": list(digests), "found": list(digests.values())}
    found = pl.DataFrame(columns, schema_overrides=_DIGESTS)
    state = (
        pl.when(pl.col("found").is_null())
        .then(pl.lit("absent"))
        .when(pl.col("found") == pl.col("sha256"))
        .then(pl.lit("same"))
        .otherwise(pl.lit("other"))
    )
    compared = recorded.join(
        found,
        on="ontology",
        how="left",
    ).with_columns(state=state)
    return compared.select("ontology", "version", "source", "state").sort("ontology")


def _change() -> pl.Expr:
    """Return what happened to a term between the releases, or null."""
    was_live = ~pl.col("obsolete").fill_null(True)
    is_live = ~pl.col("obsolete_new").fill_null(True)
    is_replaced = pl.col("replaced_by_new").is_not_null()
    is_renamed = pl.col("label") != pl.col("label_new")
    return (
        pl.when(~was_live & is_live)
        .then(pl.lit("added"))
        .when(was_live & ~is_live & is_replaced)
        .then(pl.lit("merged"))
        .when(was_live & ~is_live)
        .then(pl.lit("obsoleted"))
        .when(was_live & is_live & is_renamed)
        .then(pl.lit("renamed"))
    )

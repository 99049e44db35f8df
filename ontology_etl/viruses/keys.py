"""Names of viruses compared: what a name is, and the key that equal names share.

Names are compared folded and without blanks, so ``HSV-1``, ``HSV1`` and ``hsv 1`` are one.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from ontology_etl.folding import fold, separate

EVERYDAY, LABEL, SYNONYM, ICTV_NAME, FORMER, ABBREVIATION = range(6)
"""What a name is, from the most trusted to the least; only the most trusted meanings count."""

KINDS: Final = {
    "everyday": EVERYDAY,
    "label": LABEL,
    "synonym": SYNONYM,
    "name": ICTV_NAME,
    "former": FORMER,
    "abbreviation": ABBREVIATION,
}
OF_TAXONOMY: Final = ("label", "synonym")
"""Kinds of names that NCBI Taxonomy gives."""
KIND_OF_SCOPE: Final = {
    "EXACT": "name",
    "NARROW": "name",
    "BROAD": "former",
    "RELATED": "abbreviation",
}
"""What ICTV's names are, by the scope of the synonym."""


def name_key(name: pl.Expr) -> pl.Expr:
    """Return what names are compared by: folded, without blanks and punctuation."""
    folded = fold(separate(name))
    return folded.str.replace_all(" ", "", literal=True)


def keyed_names(names: pl.DataFrame, kind: pl.Expr) -> pl.DataFrame:
    """Return key, name, virus, kind of ``names`` [name, virus, …] that have letters or digits."""
    rows = names.with_columns(
        kind.alias("kind"),
        name_key(pl.col("name")).alias("key"),
    )
    with_letters = rows.filter(pl.col("key") != "")
    return with_letters.select("key", "name", "virus", "kind")

"""Compare names of viruses: which strings are names, and the key that equal names share.

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


_STATES: Final = ("uncultured", "unclassified", "unidentified", "unknown", "environmental")
_KINDS: Final = ("virus", "viruses", "phage", "bacteriophage")
NAMELESS: Final = tuple(f"{state}{kind}" for state in _STATES for kind in _KINDS)
"""Keys of the names that a virus has while it has none."""


def name_key(name: pl.Expr) -> pl.Expr:
    """Return the key by which names are compared: folded, without blanks and punctuation."""
    folded = fold(separate(name))
    return folded.str.replace_all(" ", "", literal=True)


def keyed_names(names: pl.DataFrame, kind: pl.Expr) -> pl.DataFrame:
    """Return key, name, virus, kind of the ``names`` [name, virus, …] that really name a virus.

    ICTV lists exemplars called "uncultured virus": names without letters or digits, and those that
    any virus without a name is given, are left out.
    """
    rows = names.with_columns(
        kind.alias("kind"),
        name_key(pl.col("name")).alias("key"),
    )
    telling = rows.filter(pl.col("key") != "", ~pl.col("key").is_in(NAMELESS))
    return telling.select("key", "name", "virus", "kind")

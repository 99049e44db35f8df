"""Flag imported associations by the rules for computed associations, where they can be applied.

A published row states the sizes of its groups and what was compared, but not the samples. So fields
that record handling and tiny groups are flagged, duplicates only where the publisher names them,
and single runs, host bounds and missing negatives not at all.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from index.mwas.flags import is_batch_like, is_designed, joined_flags
from index.mwas.splits import attribute_name
from index.tables import BATCH_LIKE, DESIGN, AssociationTest
from ontology_etl.tables import conform

DUPLICATE: Final = "duplicate"
NUMBERS: Final = ("num_true", "num_false", "p_value", "fold_change")


def check_imported(association: pl.DataFrame, *, min_group: int) -> pl.DataFrame:
    """Return imported rows with flags added and one ``split`` for fields published as duplicates.

    A row that its publisher names a duplicate has the numbers of the row it repeats, by which the
    two are joined, so that they count as one test when p-values are corrected.
    """
    name = attribute_name(pl.col("attribute"))
    smaller_group = pl.min_horizontal("num_true", "num_false")
    flags = [
        pl.col("flag"),
        pl.when(is_batch_like(name)).then(pl.lit(BATCH_LIKE)),
        pl.when(is_designed(name, pl.col("value"))).then(pl.lit(DESIGN)),
        pl.when(smaller_group < min_group).then(pl.lit("tiny group")),
    ]
    one_test = ["source", "bioproject", "family", *NUMBERS]
    named_duplicate = pl.col("flag").str.contains(DUPLICATE, literal=True)
    repeated = named_duplicate.fill_null(False).any().over(one_test)
    numbers = pl.concat_str(pl.col(NUMBERS).cast(pl.String).fill_null("-"), separator="/")
    checked = association.with_columns(
        flag=joined_flags(flags),
        split=pl.when(repeated).then(numbers).otherwise("split"),
    )
    return conform(checked, AssociationTest)

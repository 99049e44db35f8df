"""Published metadata-wide associations: one row per BioProject, virus family and metadata value.

The layout is Open Virome's (github.com/serratus-bio/open-virome). Licence: the facts are Serratus
data, public domain. Fields that split the samples in the same way are joined by TABs, and are
separated: the first has the test, the others say so in ``flag``. The publisher's test is not
stated, hence ``test`` = imported.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import polars as pl

from index.records import Records
from index.sources.accessions import BIOPROJECT
from index.sources.layout import Layout, optional, required
from index.sources.numbers import number
from index.sources.rejection import Rule
from index.sources.source import SERRATUS, Source
from index.sources.tabular import read_table, sound_rows, to_table
from index.tables import AssociationTest

LAYOUT: Final = Layout(
    "mwas_csv",
    (
        required("bioproject_id", "BioProject accession", "PRJNA389927").must_be(BIOPROJECT),
        required("family", "virus family", "Microviridae"),
        required(
            "metadata_field",
            "attribute; several that split the samples in the same way, joined by TABs",
            "DiseaseClass",
        ),
        required("metadata_value", "its value; as many as there are fields", "Adenoma"),
        required("num_true", "samples with the value", "12", unit="samples"),
        required("num_false", "samples with another value", "30", unit="samples"),
        required("p_value", "p-value of the test", "0.004", unit="0-1"),
        optional(
            "mean_rpm_true",
            "mean abundance of the family with the value",
            "41.5",
            unit="reads per million",
        ),
        optional(
            "mean_rpm_false", "mean abundance with another value", "3.1", unit="reads per million"
        ),
        optional(
            "sd_rpm_true", "standard deviation with the value", "12.0", unit="reads per million"
        ),
        optional(
            "sd_rpm_false", "standard deviation with another value", "2.2", unit="reads per million"
        ),
        optional("fold_change", "change of the mean abundance", "3.7", unit="log2"),
        optional("test_statistic", "statistic of the test", "2.9", unit="that of the test"),
    ),
)
COUNTS: Final = ("num_true", "num_false")
_SIZES: Final = [number(name).floor() for name in COUNTS]
NUMBERS: Final = (
    "p_value", "mean_rpm_true", "mean_rpm_false", "sd_rpm_true", "sd_rpm_false", "fold_change",
    "test_statistic",
)  # fmt: skip
MAX_SAMPLES: Final = 1e12
DUPLICATE: Final = "duplicate of another field"
NOT_NEGATIVE: Final = ("mean_rpm_true", "mean_rpm_false", "sd_rpm_true", "sd_rpm_false")
RULES: Final = (
    Rule(
        "no family, field or value",
        pl.any_horizontal(pl.col("family", "metadata_field", "metadata_value").is_null()),
    ),
    Rule(
        "more samples than there can be",
        pl.any_horizontal([(size > MAX_SAMPLES).fill_null(False) for size in _SIZES]),
    ),
    Rule("a group is empty", pl.any_horizontal([size.fill_null(0) < 1 for size in _SIZES])),
    Rule(
        "p-value is not between 0 and 1",
        ~number("p_value").is_between(0, 1).fill_null(False),
        shows="p_value",
    ),
    Rule(
        "a mean or deviation below 0",
        pl.any_horizontal([(number(name) < 0).fill_null(False) for name in NOT_NEGATIVE]),
    ),
    Rule(
        "as many fields as values are needed",
        pl.col("fields").list.len() != pl.col("values").list.len(),
    ),
)


def read(path: Path) -> Records:
    """Return the associations of a published table, uncorrected; ``source`` is the file's name."""
    rows = read_table(path, LAYOUT).with_columns(
        fields=pl.col("metadata_field").str.split("\t"),
        values=_values(),
    )
    kept, rejected, counts = sound_rows(rows, path, LAYOUT, *RULES)
    associations = _one_row_per_field(kept).select(
        "family",
        *(size.cast(pl.Int64) for size in _SIZES),
        pl.col(NUMBERS).cast(pl.Float64, strict=False),
        bioproject="bioproject_id",
        attribute=pl.col("fields").str.strip_chars(),
        value=pl.col("values").str.strip_chars(),
        test=pl.lit("imported"),
        flag=pl.when(pl.col("place") > 0).then(pl.lit(DUPLICATE)),
        source=pl.lit(path.name),
    )
    return Records(
        association=to_table(associations, AssociationTest),
        rejected=rejected,
        rows=counts,
    )


def _one_row_per_field(rows: pl.DataFrame) -> pl.DataFrame:
    """Return a row per field and value, numbered in ``place``; first ones come first."""
    numbered = rows.with_columns(place=pl.int_ranges(pl.col("fields").list.len()))
    single = numbered.explode("fields", "values", "place")
    named = single.filter(pl.col("fields") != "", pl.col("values") != "")
    return named.sort("place", maintain_order=True)


def _values() -> pl.Expr:
    """Return the values of the fields; the value of a single field may hold TABs."""
    whole = pl.concat_list("metadata_value")
    split = pl.col("metadata_value").str.split("\t")
    has_several_fields = pl.col("metadata_field").str.contains("\t")
    return pl.when(has_several_fields).then(split).otherwise(whole)


SOURCE: Final = Source(read, "published metadata-wide associations", SERRATUS, (LAYOUT,))

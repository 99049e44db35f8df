"""Imported associations: the flags they can have, what counts as one test, and what their p-values
may claim.
"""

from __future__ import annotations

import polars as pl
import pytest

from index.mwas.correction import adjust
from index.mwas.imported import check_imported
from index.tables import AssociationTest
from tests.graph_zoo import filled

DUPLICATE = "duplicate of another field"


def published(
    rows: list[tuple[str, str, int, int, float, str | None]], *, project: str = "SYNP1"
) -> pl.DataFrame:
    """Return imported rows of attribute, value, group sizes, p-value and the publisher's flag."""
    columns = ["attribute", "value", "num_true", "num_false", "p_value", "flag"]
    frame = pl.DataFrame(rows, schema=columns, schema_overrides={"flag": pl.String}, orient="row")
    said = {"test": "imported", "source": "mwas.csv", "fold_change": 2.0}
    return filled(frame, AssociationTest, bioproject=project, family="SYNviridae", **said)


@pytest.mark.parametrize(
    ("attribute", "num_true", "num_false", "flag"),
    [
        ("tissue", 12, 20, None),
        ("replicate", 12, 20, "batch-like field"),
        ("replicate", 3, 24, "batch-like field; tiny group"),
        ("BioSample", 12, 20, "batch-like field"),
        ("SampleName", 24, 1, "batch-like field; tiny group"),
        ("sampling campaign", 12, 20, "batch-like field"),
        ("Name", 12, 20, "batch-like field"),
        ("host name", 12, 20, None),
        ("samp_size", 12, 20, "batch-like field"),
        ("body size", 12, 20, None),
        ("Ribozero?", 12, 20, "batch-like field"),
        ("stage", 12, 3, "tiny group"),
        ("repeat-rich", 12, 20, None),
    ],
)
def test_imported_rows_are_flagged_by_the_rules_of_computed_ones(
    attribute: str, num_true: int, num_false: int, flag: str | None
) -> None:
    checked = check_imported(
        published([(attribute, "x", num_true, num_false, 0.01, None)]), min_group=4
    )
    assert checked["flag"].to_list() == [flag]


def test_flags_of_the_publisher_stay() -> None:
    checked = check_imported(published([("replicate", "1", 3, 20, 0.01, DUPLICATE)]), min_group=4)
    assert checked["flag"].to_list() == [f"{DUPLICATE}; batch-like field; tiny group"]


def test_fields_published_as_duplicates_count_as_one_test() -> None:
    rows = published(
        [
            ("host", "bat", 12, 20, 0.01, None),
            ("isolate", "bat", 12, 20, 0.01, DUPLICATE),
            ("sex", "male", 15, 17, 0.04, None),
        ]
    )
    corrected = adjust(check_imported(rows, min_group=4)).sort("attribute")
    assert corrected["q_value"].to_list() == pytest.approx([0.02, 0.02, 0.04])


@pytest.mark.parametrize(
    ("num_true", "num_false", "least"), [(1, 19, 0.1), (2, 8, 2 / 45), (12, 20, 1e-8)]
)
def test_no_imported_p_value_counts_for_more_than_its_groups_can_show(
    num_true: int, num_false: int, least: float
) -> None:
    [row] = adjust(published([("tissue", "leaf", num_true, num_false, 1e-8, None)])).iter_rows(
        named=True
    )
    assert (row["p_value"], row["q_value"]) == (1e-8, pytest.approx(least))


def test_nothing_imported_is_nothing_checked() -> None:
    assert check_imported(AssociationTest.create_empty(), min_group=4).is_empty()
    assert adjust(AssociationTest.create_empty()).is_empty()

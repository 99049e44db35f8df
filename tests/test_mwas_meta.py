"""Effects combined over projects, and the figures."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from index.mwas.meta import combine_projects
from index.tables import AssociationTest
from tests.graph_zoo import filled

LEAF = "BTO:0000713"


def study_table(
    rows: list[tuple[str, int, int, float, float, float, float]], *, curie: str | None = LEAF
) -> pl.DataFrame:
    """Return associations from rows of project, group sizes, means and standard deviations (true,
    false).
    """
    columns = [
        "bioproject", "num_true", "num_false", "mean_rpm_true", "mean_rpm_false", "sd_rpm_true",
        "sd_rpm_false",
    ]  # fmt: skip
    frame = pl.DataFrame(rows, schema=columns, orient="row")
    named = {"family": "SYNviridae", "attribute": "tissue (BTO)", "value": "leaf", "curie": curie}
    return filled(frame, AssociationTest, **named, source="computed", test="permutation")


def test_two_equal_studies_keep_their_effect_and_have_no_heterogeneity() -> None:
    row = combine_projects(
        study_table([("P1", 10, 10, 12.0, 10.0, 2.0, 2.0), ("P2", 10, 10, 12.0, 10.0, 2.0, 2.0)])
    ).row(0, named=True)
    assert row["effect"] == pytest.approx(1 - 3 / (4 * 18 - 1))  # Hedges' correction of d = 1
    assert (row["projects"], row["projects_agreeing"], row["num_true"], row["num_false"]) == (
        2,
        2,
        20,
        20,
    )
    assert row["i_squared"] == 0
    assert row["ci_low"] < row["effect"] < row["ci_high"]


def test_random_effects_weights_are_those_of_the_textbook() -> None:
    studies = [
        ("P1", 10, 12, 5.0, 3.0, 1.5, 1.0),
        ("P2", 30, 25, 8.0, 8.5, 2.0, 2.5),
        ("P3", 8, 40, 9.0, 4.0, 3.0, 2.0),
    ]
    g, v = [], []
    for _, a, b, mean_a, mean_b, sd_a, sd_b in studies:
        pooled = np.sqrt(((a - 1) * sd_a**2 + (b - 1) * sd_b**2) / (a + b - 2))
        effect = (mean_a - mean_b) / pooled * (1 - 3 / (4 * (a + b - 2) - 1))
        g.append(effect)
        v.append((a + b) / (a * b) + effect**2 / (2 * (a + b)))
    effects, w = np.array(g), 1 / np.array(v)
    q = (w * (effects - (w * effects).sum() / w.sum()) ** 2).sum()
    tau2 = max(0.0, (q - 2) / (w.sum() - (w**2).sum() / w.sum()))
    weights = 1 / (np.array(v) + tau2)
    row = combine_projects(study_table(studies)).row(0, named=True)
    assert row["effect"] == pytest.approx((weights * effects).sum() / weights.sum())
    assert row["i_squared"] == pytest.approx(1 - 2 / q)
    assert row["projects_agreeing"] == 2


@pytest.mark.parametrize(
    "table",
    [
        study_table([("P1", 10, 10, 5.0, 4.0, 1.0, 1.0)]),
        study_table(
            [("P1", 10, 10, 5.0, 4.0, 1.0, 1.0), ("P2", 10, 10, 5.0, 4.0, 1.0, 1.0)], curie=None
        ),
        study_table([("P1", 10, 10, 5.0, 4.0, 0.0, 0.0), ("P2", 10, 10, 5.0, 4.0, 1.0, 1.0)]),
        AssociationTest.create_empty(),
    ],
    ids=["one project", "not grounded", "no spread", "empty"],
)
def test_what_cannot_be_combined_has_no_row(table: pl.DataFrame) -> None:
    assert combine_projects(table).is_empty()


def test_interval_covers_no_effect_as_often_as_it_says() -> None:
    """Type-I error of the combination over 400 repeats of four null studies of skewed reads."""
    rng = np.random.default_rng(1)
    rows = []
    for study in range(4 * 400):
        groups = rng.lognormal(2, 1, 12), rng.lognormal(2, 1, 20)
        (true, sd_true), (false, sd_false) = ((group.mean(), group.std(ddof=1)) for group in groups)
        rows.append((f"P{study}", 12, 20, true, false, sd_true, sd_false))
    repeat = pl.col("bioproject").str.slice(1).cast(pl.Int64) // 4
    repeated = study_table(rows).with_columns(family=pl.format("SYN{}viridae", repeat))
    combined = combine_projects(repeated)
    assert len(combined) == 400
    assert (combined["p_value"] <= 0.05).mean() < 0.05 + 4 * np.sqrt(0.05 * 0.95 / 400)

"""The axis of each chart is the quantity drawn: it reaches around all that is drawn in its unit."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from importlib import resources
from typing import Any, TypeAlias

import duckdb
import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from index.mwas.figures import draw_combined, draw_forest, draw_volcano
from index.mwas.meta import combine_projects, study_effects
from index.reports.figure_data import read_figure_data
from index.reports.figures import draw_report
from index.store.build import open_index
from query.atlas.content import gather_content
from query.atlas.page import page_of
from tests.chromium import Page
from tests.conftest import BuiltIndex
from tests.test_mwas_meta import study_table

AMOUNT = st.floats(0, 1e6)
Charts: TypeAlias = Callable[[str], list[dict[str, Any]]]
"""Returns the charts with axes of a view of the page."""


def points_beyond(axes: Axes) -> list[tuple[float, float]]:
    """Return the points of lines, bars and scatters of ``axes`` that its limits leave out."""
    drawn = [line.get_xydata() for line in axes.lines if line.get_transform() == axes.transData]
    drawn += [collection.get_offsets() for collection in axes.collections]
    drawn += [patch.get_xy() for patch in axes.patches if hasattr(patch, "get_closed")]
    drawn += [patch.get_corners() for patch in axes.patches if hasattr(patch, "get_corners")]
    (left, right), (bottom, top) = sorted(axes.get_xlim()), sorted(axes.get_ylim())
    points = [(float(x), float(y)) for part in drawn for x, y in np.asarray(part)]
    return [(x, y) for x, y in points if not (left <= x <= right and bottom <= y <= top)]


def beyond(figure: Figure) -> list[tuple[float, float]]:
    return [point for axes in figure.axes for point in points_beyond(axes)]


def associations(amounts: list[tuple[float, float, float]]) -> pl.DataFrame:
    """Return rows whose means are the first two amounts, with an interval as wide as the third."""
    rows = [(f"P{n}", 9, 9, true, false, 1.0, 1.0) for n, (true, false, _) in enumerate(amounts)]
    table = study_table(rows)
    difference = pl.col("mean_rpm_true") - pl.col("mean_rpm_false")
    wide = pl.Series([width for *_, width in amounts])
    ratio = (pl.col("mean_rpm_true") + 0.1) / (pl.col("mean_rpm_false") + 0.1)
    return table.with_columns(
        ci_low=difference - wide, ci_high=difference + wide, fold_change=ratio.log(2),
        q_value=pl.lit(0.01), p_value=pl.lit(0.001),
    )  # fmt: skip


@settings(max_examples=20)
@given(st.lists(st.tuples(AMOUNT, AMOUNT, AMOUNT), min_size=1, max_size=6))
def test_a_forest_and_a_volcano_reach_around_what_they_draw(
    amounts: list[tuple[float, float, float]],
) -> None:
    table = associations(amounts)
    forest, volcano = draw_forest(table, title="A"), draw_volcano(table, title="B")
    assert beyond(forest) == beyond(volcano) == []
    assert forest.axes[0].get_xlabel().startswith("difference of mean RPM\n")
    assert volcano.axes[0].get_xlabel() == "log2 fold change of mean RPM"
    ends = {x for line in forest.axes[0].lines for x in map(float, line.get_xdata())}
    assert {*table["ci_low"], *table["ci_high"]} <= ends


def test_intervals_of_combined_effects_that_are_cut_have_an_arrow() -> None:
    rows = [("P1", 9, 9, 12.0, 10.0, 2.0, 2.0), ("P2", 9, 9, 10.0, 18.0, 2.0, 2.0)]
    table = study_table(rows)
    (axes,) = draw_combined(study_effects(table), combine_projects(table), title="").axes
    outside = {height for _, height in points_beyond(axes)}
    arrows = {line.get_ydata()[0] for line in axes.lines if line.get_marker() in ("<", ">")}
    assert outside, "two projects that disagree have an interval that no axis should hold"
    assert outside <= arrows
    assert axes.get_xlabel().endswith("cut at arrows")


def test_the_figure_of_a_report_reaches_around_what_it_draws(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    rows = sample_db.execute("SELECT community FROM report ORDER BY community").fetchall()
    for (community,) in rows[::5]:
        drawn = draw_report(read_figure_data(sample_db, community))
        assert beyond(drawn) == [], community


DRAWN = """
charts.map((chart) => chart.getModel()).filter((model) => model.getComponent('xAxis')).map((model) => {
  const axes = ['xAxis', 'yAxis'].map((name) => model.getComponent(name).axis);
  const points = model.getSeries().flatMap((series) => {
    const data = series.getData();
    return data.mapArray((at) => data.getStore().getValues(at));
  });
  return {
    name: model.getComponent('xAxis').get('name'),
    extents: axes.map((axis) => [axis.type, axis.scale.getExtent()]),
    points: points.map((values) => [...values]),
    option: model.option.series[0].data.map((one) => one && one.value !== undefined ? one.value : one),
  };
})
"""  # noqa: E501


@pytest.fixture(scope="module")
def drawn(sample_index: BuiltIndex, page: Page, tmp_path_factory: pytest.TempPathFactory) -> Charts:
    """Return a function that returns the charts with axes of a view of the atlas."""
    file = tmp_path_factory.mktemp("axes") / "atlas.html"
    with open_index(sample_index.path) as con:
        file.write_text(page_of(gather_content(con, most_reports=20_000)), encoding="utf-8")
    page.width(1280)
    page.go(f"file://{file}")

    def charts(view: str) -> list[dict[str, Any]]:
        page.run(f"history.replaceState(null, '', '#/{view}'); go(false)")
        page.wait("charts.length")
        return page.run(DRAWN)  # type: ignore[no-any-return]

    return charts


def test_every_chart_of_the_page_reaches_around_what_it_draws(
    drawn: Charts, sample_db: duckdb.DuckDBPyConnection
) -> None:
    reports = sample_db.execute("SELECT community FROM report ORDER BY community").fetchall()
    views = ["pairs", "associations", *(community for (community,) in reports)]
    names = set()
    for view in views:
        for chart in drawn(view):
            names.add(chart["name"])
            (kind, (low, high)), *_ = chart["extents"]
            assert kind == "value"
            for values in chart["option"]:
                ends = values if isinstance(values, list) else [values]
                across = [ends[place] for place in (0, 2, 3) if place < len(ends)]
                assert all(low <= end <= high for end in across if end is not None), (view, ends)
    assert any("per million, 95% interval" in name for name in names)
    assert any("Hedges' g" in name for name in names)


def test_the_forest_of_a_report_draws_differences_of_means_on_their_own_axis(
    drawn: Charts, sample_db: duckdb.DuckDBPyConnection
) -> None:
    reports = gather_content(sample_db, most_reports=20_000).reports
    community, report = next((k, v) for k, v in sorted(reports.items()) if v["associations"])
    (forest,) = [one for one in drawn(community) if "95% interval" in one["name"]]
    stated = [
        [row["difference"], row["ci_low"], row["ci_high"]]
        for row in report["associations"]
        if row["ci_low"] is not None
    ]
    assert "difference of mean" in forest["name"]
    assert [[unplaced(v[0]), unplaced(v[2]), unplaced(v[3])] for v in forest["option"]] == [
        pytest.approx(row, rel=1e-3) for row in stated
    ]


def test_the_page_says_which_means_are_of_kmers(page: Page) -> None:
    source = resources.files("query.atlas.assets").joinpath("atlas.js").read_text()
    written = re.search(r"^function measured\(.*?^}", source, re.DOTALL | re.MULTILINE)
    assert written
    kmers, reads = {"flag": "tiny group;k-mer shares"}, {"flag": None}
    cases = json.dumps([[reads], [kmers], [reads, kmers]])
    said = page.run(f"(() => {{ {written[0]}; return {cases}.map(measured); }})()")
    assert said == [
        "reads (or coverage) per million",
        "k-mers per million",
        "reads, coverage or k-mers per million",
    ]


def unplaced(place: float) -> float:
    """Return the difference at a place of the symmetric logarithmic axis."""
    return place if abs(place) <= 1 else float(np.sign(place) * 10 ** (abs(place) - 1))

"""Figures of reports: drawn the same twice, captions that say what is drawn."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from matplotlib.figure import Figure

from index.drawing import save_figure
from index.reports.figures import plot_report
from index.reports.map_figure import plot_map


@pytest.mark.parametrize("suffix", [".svg", ".png"])
def test_figures_are_drawn_the_same_twice(
    sample_db: duckdb.DuckDBPyConnection, tmp_path: Path, suffix: str
) -> None:
    ((community,),) = sample_db.execute("SELECT min(community) FROM report").fetchall()
    drawn = []
    for name in ("one", "two"):
        report, overview = tmp_path / f"{name}{suffix}", tmp_path / f"map_{name}{suffix}"
        captions = plot_report(sample_db, community, report), plot_map(sample_db, overview)
        drawn.append((report.read_bytes(), overview.read_bytes(), captions))
    assert drawn[0] == drawn[1]


def test_caption_of_a_report_states_its_own_numbers(
    sample_db: duckdb.DuckDBPyConnection, tmp_path: Path
) -> None:
    query = (
        "SELECT community, c.runs FROM report JOIN community c USING (community) ORDER BY "
        "c.runs DESC LIMIT 1"
    )
    ((community, runs),) = sample_db.execute(query).fetchall()
    caption = plot_report(sample_db, community, tmp_path / "facts.svg")
    value = caption.partition("Furthest above it: ")[2].partition(", ")[0]
    ((tally,),) = sample_db.execute(
        "SELECT max(runs) FROM fact WHERE community = $1 AND value = $2", [community, value]
    ).fetchall()
    assert caption.startswith(f"{community}, {runs:,} runs")
    assert f"({tally:,} run" in caption


def test_map_shows_every_reported_community_of_a_small_level(
    sample_db: duckdb.DuckDBPyConnection, tmp_path: Path
) -> None:
    query = "SELECT count(*) FROM report JOIN community USING (community) WHERE level = 0"
    ((reported,),) = sample_db.execute(query).fetchall()
    assert plot_map(sample_db, tmp_path / "map.svg").startswith(
        f"The {min(reported, 40)} largest communities"
    )


@pytest.mark.parametrize("text", [r"$\\frac{1}{0}$", "$x$", "cost $5 and $6", "$$"])
def test_a_dollar_sign_of_the_data_is_shown_and_begins_no_formula(
    tmp_path: Path, text: str
) -> None:
    figure = Figure()
    axes = figure.subplots()
    axes.set_title(text)
    axes.set_yticks([1], [text])
    axes.annotate(text, (1, 1))
    axes.set_xscale("log")
    save_figure(figure, tmp_path / "x.svg")
    svg = (tmp_path / "x.svg").read_text()
    assert svg.count(f"<!-- {text} -->") == 3
    assert "mathdefault" in svg

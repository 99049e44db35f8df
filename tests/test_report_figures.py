"""Figures of reports: drawn the same twice, captions that say what is drawn."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from matplotlib.figure import Figure

from index.drawing import save_figure
from index.reports.figures import plot_report


@pytest.mark.parametrize("suffix", [".svg", ".png"])
def test_a_figure_is_drawn_the_same_twice_and_its_caption_states_its_numbers(
    sample_db: duckdb.DuckDBPyConnection, tmp_path: Path, suffix: str
) -> None:
    query = (
        "SELECT community, c.runs FROM report JOIN community c USING (community) ORDER BY "
        "c.runs DESC LIMIT 1"
    )
    ((community, runs),) = sample_db.execute(query).fetchall()
    drawn = []
    for name in ("one", "two"):
        report = tmp_path / f"{name}{suffix}"
        caption = plot_report(sample_db, community, report)
        drawn.append((report.read_bytes(), caption))
    assert drawn[0] == drawn[1]
    value = caption.partition("Furthest above it: ")[2].partition(", ")[0]
    ((tally,),) = sample_db.execute(
        "SELECT max(runs) FROM fact WHERE community = $1 AND value = $2", [community, value]
    ).fetchall()
    assert caption.startswith(f"{community}, {runs:,} runs")
    assert f"({tally:,} run" in caption


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

"""The map of communities: every disc is named, coloured by what its title names, and covered by
nothing.
"""

from __future__ import annotations

import colorsys
from pathlib import Path

import duckdb
import numpy as np
import polars as pl
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Circle

from index.reports.map_figure import COLOURS, draw_map, plot_map, read_nodes
from index.reports.map_layout import box_sizes, disc_radii, spread_apart


@pytest.fixture
def nodes(sample_db: duckdb.DuckDBPyConnection) -> pl.DataFrame:
    return read_nodes(sample_db, 0)


def links_of(nodes: pl.DataFrame) -> pl.DataFrame:
    ends = nodes["community"].to_list()
    return pl.DataFrame({"source": ends[:1] * (len(ends) - 1), "target": ends[1:], "weight": 1.0})


def discs(figure: Figure) -> list[Circle]:
    return [patch for patch in figure.axes[0].patches if isinstance(patch, Circle)]


def test_every_community_is_one_disc_with_its_label(nodes: pl.DataFrame) -> None:
    figure = draw_map(nodes, links_of(nodes))
    assert len(discs(figure)) == len(nodes)
    assert [text.get_text() for text in figure.axes[0].texts] == nodes["label"].to_list()


def test_legend_names_the_colours_that_are_drawn(nodes: pl.DataFrame) -> None:
    figure = draw_map(nodes, links_of(nodes))
    drawn = {tuple(disc.get_facecolor()[:3]) for disc in discs(figure)}
    legend = figure.axes[0].get_legend()
    assert legend is not None
    named = [text.get_text().rpartition(" (")[0] for text in legend.get_texts()]
    assert drawn == {to_rgb(COLOURS[name]) for name in named}
    assert set(named) == set(nodes["group"])


def test_no_colour_is_grey_and_no_two_are_alike() -> None:
    saturation = {name: colorsys.rgb_to_hls(*to_rgb(colour))[2] for name, colour in COLOURS.items()}
    assert [name for name, value in saturation.items() if value < 0.3] == []
    assert len(set(COLOURS.values())) == len(COLOURS)


@pytest.mark.parametrize(
    ("label", "group"),
    [
        ("Human Flaviviridae", "mammals"),
        ("Anas Orthomyxoviridae", "birds"),
        ("Grapevine Closteroviridae", "plants"),
        ("Deformed-wing Black-queen-cell", "arthropods"),
        ("Rhizosphere Fiersviridae", "metagenomes of an environment"),
        ("Yeast Totiviridae", "fungi"),
    ],
)
def test_colour_is_that_of_the_organism_in_the_title(
    nodes: pl.DataFrame, label: str, group: str
) -> None:
    assert nodes.filter(pl.col("label") == label)["group"].to_list() == [group]


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("count", [0, 1, 2, 40])
def test_boxes_end_apart_wherever_they_start(count: int, seed: int) -> None:
    radii = disc_radii(np.arange(count, 0, -1))
    boxes = box_sizes(["Rhinolophus Coronaviridae"] * count, radii)
    at = spread_apart(np.random.default_rng(seed).uniform(0.0, 8.0, (count, 2)), boxes)
    gap = np.abs(at[:, None] - at[None]) - (boxes[:, None] + boxes[None]) / 2
    covered = (gap < -0.01).all(axis=2)
    np.fill_diagonal(covered, False)
    assert not covered.any()


def test_labels_drawn_do_not_cover_one_another(nodes: pl.DataFrame) -> None:
    figure = draw_map(nodes, links_of(nodes))
    figure.canvas.draw()
    frames = [text.get_window_extent() for text in figure.axes[0].texts]
    hits = [
        (first, second)
        for number, first in enumerate(frames)
        for second in frames[:number]
        if first.overlaps(second)
    ]
    assert hits == []


def test_level_without_reports_is_an_empty_map(
    sample_db: duckdb.DuckDBPyConnection, tmp_path: Path
) -> None:
    assert plot_map(sample_db, tmp_path / "map.svg", level=9).startswith(
        "The 0 largest communities"
    )

"""The map of a level: its largest communities, what they were sequenced from, and what ties them
together.

Discs have the area of their runs and the colour of what the title names as sequenced. Every disc
has its label; discs and labels are pushed apart until none covers another.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

import duckdb
import numpy as np
import polars as pl

from index.drawing import new_figure, save_figure
from index.reports.map_layout import (
    FOOT,
    HEIGHT,
    WIDTH,
    box_sizes,
    disc_radii,
    lay_out,
    spread_apart,
)
from index.reports.phrases import counted
from index.store.frames import rows_over

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    Points = NDArray[np.float64]

COMMUNITIES_SHOWN: Final = 40
LINKS_SHOWN: Final = 120

MAMMALS: Final = "mammals"
VIRUSES: Final = "virus libraries"
OTHER: Final = "other organisms"
GROUPS: Final = {
    "NCBITaxon:40674": MAMMALS,
    "NCBITaxon:8782": "birds",
    "NCBITaxon:7742": "other vertebrates",
    "NCBITaxon:6656": "arthropods",
    "NCBITaxon:33208": "other animals",
    "NCBITaxon:33090": "plants",
    "NCBITaxon:4751": "fungi",
    "NCBITaxon:410656": "metagenomes of an organism",
    "NCBITaxon:410657": "metagenomes of an environment",
    "NCBITaxon:2": "bacteria",
    "NCBITaxon:10239": VIRUSES,
}
"""Group of an organism label by the first of these taxa at or above it (NCBI Taxonomy)."""
COLOURS: Final = {
    MAMMALS: "#d95f02",
    "birds": "#e6ab02",
    "other vertebrates": "#f4a582",
    "arthropods": "#7b3294",
    "other animals": "#c994c7",
    "plants": "#1b9e3e",
    "fungi": "#8c510a",
    "metagenomes of an organism": "#e7298a",
    "metagenomes of an environment": "#2166ac",
    "bacteria": "#8fd9e8",
    VIRUSES: "#00807c",
    OTHER: "#b8c400",
}
LINE: Final = "#d4d4d4"
_FONT_PT: Final = 7.5
_ABOVE: Final = 0.105
"""From the middle of a disc with its label to the middle of the disc."""


def plot_map(connection: duckdb.DuckDBPyConnection, path: Path, *, level: int = 0) -> str:
    """Write the largest reported communities of ``level`` and the relationships between them;
    return the caption.
    """
    nodes = read_nodes(connection, level)
    shown = nodes["community"].to_list()
    links = connection.sql(_LINKS, params=[shown, LINKS_SHOWN]).pl()
    save_figure(draw_map(nodes, links), path)
    largest = "none"
    if shown:
        runs = counted(nodes["runs"][0], "run")
        largest = f"{nodes['label'][0]} ({runs})"
    return (
        f"The {len(nodes)} largest communities of level {level} that have a report: area by runs, "
        f"colour by what "
        f"the title says was sequenced, lines by the weight of the {len(links):,} strongest "
        f"bundles of relationships. "
        f"Largest: {largest}."
    )


def read_nodes(connection: duckdb.DuckDBPyConnection, level: int) -> pl.DataFrame:
    """Return [community, runs, label, group] of the largest reported communities of ``level``,
    largest first.
    """
    largest = connection.sql(_NODES, params=[level, COMMUNITIES_SHOWN])
    nodes: pl.DataFrame = largest.pl()
    shown = nodes["community"].to_list()
    places = range(len(GROUPS))
    roots = pl.DataFrame({"root": list(GROUPS), "place": places})
    named = rows_over(connection, _NAMED, {"group_root": roots}, params=[shown])

    group_of = dict.fromkeys(shown, VIRUSES)
    for community, root in named.select("community", "root").iter_rows():
        group_of[community] = GROUPS.get(root, OTHER)
    groups = list(group_of.values())
    return nodes.with_columns(pl.Series("group", groups, dtype=pl.String))


def draw_map(nodes: pl.DataFrame, links: pl.DataFrame) -> Figure:
    """Return the figure of ``nodes`` [community, runs, label, group] and ``links`` [source, target,
    weight].
    """
    figure, axes = _canvas()
    radii = disc_radii(nodes["runs"].to_numpy())
    boxes = box_sizes(nodes["label"].to_list(), radii)
    middles = spread_apart(lay_out(nodes, links), boxes)
    centres = middles + np.array([0.0, _ABOVE])
    at = dict(zip(nodes["community"], centres.tolist(), strict=True))
    _draw_links(axes, links, at)
    _draw_discs(axes, nodes, centres, radii)
    _draw_legend(axes, nodes["group"].to_list())

    return figure


def _canvas() -> tuple[Figure, Axes]:
    """Return a figure whose one pair of axes measures inches."""
    figure = new_figure(WIDTH, HEIGHT, layout=None)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set(xlim=(0, WIDTH), ylim=(-FOOT, HEIGHT - FOOT))
    axes.set_axis_off()
    return figure, axes


def _draw_links(axes: Axes, links: pl.DataFrame, at: Mapping[str, list[float]]) -> None:
    heaviest = max([1.0, *links["weight"]])
    for source, target, weight in links.iter_rows():
        x, y = at[source]
        other_x, other_y = at[target]
        part = weight / heaviest
        width = 0.4 + 3.0 * part**0.5
        axes.plot([x, other_x], [y, other_y], color=LINE, linewidth=width, zorder=1)


def _draw_discs(axes: Axes, nodes: pl.DataFrame, centres: Points, radii: Points) -> None:
    """Draw each disc with its label below it, on white."""
    from matplotlib.patches import Circle
    from matplotlib.patheffects import withStroke

    halo = withStroke(linewidth=2.5, foreground="white")
    rows = zip(centres.tolist(), radii.tolist(), nodes["label"], nodes["group"], strict=True)
    for (x, y), radius, label, group in rows:
        disc = Circle((x, y), radius, facecolor=COLOURS[group], edgecolor="white", zorder=2)
        axes.add_patch(disc)
        below = y - radius - 0.03
        name = axes.text(x, below, label, fontsize=_FONT_PT, ha="center", va="top", zorder=3)
        name.set_path_effects([halo])


def _draw_legend(axes: Axes, groups: list[str]) -> None:
    """Name the colours that are drawn, in the order of ``COLOURS``, with how many communities have
    each.
    """
    from matplotlib.lines import Line2D

    shown = [group for group in COLOURS if group in groups]
    if not shown:
        return
    handles = []
    for group in shown:
        label = f"{group} ({groups.count(group)})"
        disc = Line2D([], [], marker="o", linestyle="", color=COLOURS[group], label=label)
        handles.append(disc)
    axes.legend(
        handles=handles,
        title="sequenced, as the title names it (communities)",
        loc="lower center",
        ncols=min(6, len(handles)),
        fontsize=8,
        title_fontsize=8,
        frameon=False,
        handletextpad=0.1,
    )


_NODES: Final = """
SELECT c.community, c.runs, r.label FROM distinct_community c JOIN report r USING (community)
WHERE $1 BETWEEN c.level AND c.last_level ORDER BY c.runs DESC, c.community LIMIT $2
"""

# What follows " in " in a title is what was sequenced; a title that names none of it takes what
# most runs state.
_NAMED: Final = """
WITH titled AS (
    SELECT community,
           lower(coalesce(nullif(regexp_extract(title, ' in (.*)$', 1), ''), title)) AS sequenced
    FROM report WHERE list_contains($1::VARCHAR[], community)
),
named AS (
    SELECT t.community, f.curie FROM titled t JOIN fact f USING (community)
    WHERE (f.facet IN ('host', 'environment', 'virus')
           OR f.facet = 'label' AND contains(t.sequenced, lower(f.value)))
      AND (f.facet = 'virus') = contains(t.sequenced, 'libraries')
    QUALIFY row_number() OVER (
        PARTITION BY t.community
        ORDER BY NOT contains(t.sequenced, lower(f.value)),
                 position(lower(f.value) IN t.sequenced), f.runs DESC, f.value
    ) = 1
)
SELECT n.community, min_by(g.root, g.place) AS root
FROM named n LEFT JOIN closure c ON c.descendant = n.curie
LEFT JOIN group_root g ON g.root = c.ancestor
GROUP BY n.community
"""

# Weights are summed as decimals: the sum of doubles depends on the order that threads add in, and
# so would the layout.
_LINKS: Final = """
WITH member AS (
    SELECT entity, community FROM community_member
    WHERE list_contains($1::VARCHAR[], community)
)
SELECT least(a.community, b.community) AS source, greatest(a.community, b.community) AS target,
       sum(r.weight::DECIMAL(18, 6))::DOUBLE AS weight
FROM relationship r JOIN member a ON a.entity = r.source JOIN member b ON b.entity = r.target
WHERE a.community <> b.community GROUP BY ALL ORDER BY weight DESC, source, target LIMIT $2
"""

"""The map of a level: its largest communities, what they were sequenced from, and what ties them
together.

Discs have the area of their runs and the colour of what the title names as sequenced. Every disc
has its label; discs and labels are pushed apart until none covers another.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

import duckdb
import numpy as np
import polars as pl

from index.reports.phrases import counted
from index.store.frames import rows_over

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    Points = NDArray[np.float64]

COMMUNITIES_SHOWN: Final = 40
LINKS_SHOWN: Final = 120
LAYOUT_SEED: Final = 42

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

WIDTH: Final = 12.0
HEIGHT: Final = 8.0
_MARGIN: Final = 0.25
_FOOT: Final = 0.75
"""Inches at the bottom for the legend."""
_FONT_PT: Final = 7.5
_LETTER: Final = 0.073
_LINE_HEIGHT: Final = 0.17
_ABOVE: Final = 0.105
"""From the middle of a disc with its label to the middle of the disc."""
_LARGEST_DISC: Final = 0.34
_SMALLEST_DISC: Final = 0.07
_DISCS: Final = 4.0
"""Square inches that the squares around all discs take at most, so that there is room for their
labels.
"""
_ROUNDS: Final = 600
_ACROSS_EVERY: Final = 10
_STEP: Final = 0.5
_TOUCHING: Final = 1e-6
_CLEARANCE: Final = 0.005


def plot_map(connection: duckdb.DuckDBPyConnection, path: Path, *, level: int = 0) -> str:
    """Write the largest reported communities of ``level`` and the relationships between them;
    return the caption.
    """
    from index.reports.figures import save_figure

    nodes = read_nodes(connection, level)
    links = connection.sql(_LINKS, params=[nodes["community"].to_list(), LINKS_SHOWN]).pl()
    save_figure(draw_map(nodes, links), path)
    first = f"{nodes['label'][0]} ({counted(nodes['runs'][0], 'run')})" if len(nodes) else "none"
    return (
        f"The {len(nodes)} largest communities of level {level} that have a report: area by runs, "
        f"colour by what "
        f"the title says was sequenced, lines by the weight of the {len(links):,} strongest "
        f"bundles of relationships. "
        f"Largest: {first}."
    )


def read_nodes(connection: duckdb.DuckDBPyConnection, level: int) -> pl.DataFrame:
    """Return [community, runs, label, group] of the largest reported communities of ``level``,
    largest first.
    """
    roots = pl.DataFrame({"root": list(GROUPS), "place": range(len(GROUPS))})
    nodes: pl.DataFrame = connection.sql(_NODES, params=[level, COMMUNITIES_SHOWN]).pl()
    shown = [nodes["community"].to_list()]
    named = rows_over(connection, _NAMED, {"group_root": roots}, params=shown)
    group_of = {row["community"]: _group(row) for row in named.iter_rows(named=True)}
    groups = [group_of.get(community, VIRUSES) for community in nodes["community"]]
    return nodes.with_columns(pl.Series("group", groups, dtype=pl.String))


def draw_map(nodes: pl.DataFrame, links: pl.DataFrame) -> Figure:
    """Return the figure of ``nodes`` [community, runs, label, group] and ``links`` [source, target,
    weight].
    """
    figure, axes = _canvas()
    radii = disc_radii(nodes["runs"].to_numpy())
    boxes = spread_apart(_layout(nodes, links), box_sizes(nodes["label"].to_list(), radii))
    centres = boxes + np.array([0.0, _ABOVE])
    at = dict(zip(nodes["community"], centres.tolist(), strict=True))
    _draw_links(axes, links, at)
    _draw_discs(axes, nodes, centres, radii)
    _draw_legend(axes, nodes["group"].to_list())
    return figure


def disc_radii(runs: NDArray[np.int64]) -> Points:
    """Return the radius of each disc in inches: its area grows with its runs."""
    parts = runs / max(1, int(runs.max(initial=1)))
    fitting = np.sqrt(_DISCS / (4.0 * max(1.0, parts.sum())))
    return np.asarray(np.maximum(_SMALLEST_DISC, min(_LARGEST_DISC, fitting) * np.sqrt(parts)))


def box_sizes(labels: list[str], radii: Points) -> Points:
    """Return width and height in inches of each disc with its label below, shape (n, 2)."""
    wide = np.array([_LETTER * len(label) + 0.08 for label in labels])
    return np.column_stack([np.maximum(wide, 2 * radii), 2 * radii + _LINE_HEIGHT + 0.08])


def spread_apart(centres: Points, boxes: Points) -> Points:
    """Return ``centres`` moved until no two boxes overlap, all within the canvas.

    Two boxes that overlap are pushed apart along the axis on which they overlap less; now and then
    along the other one, which frees boxes stuck at the edge. Where boxes take most of the canvas,
    some may still overlap at the end.
    """
    at = centres.copy()
    low = boxes / 2 + _MARGIN
    high = np.array([WIDTH, HEIGHT - _FOOT]) - boxes / 2 - _MARGIN
    reach = (boxes[:, None] + boxes[None]) / 2
    for number in range(1, _ROUNDS + 1):
        at = np.clip(at, low, high)
        push = _push(at, reach, across=number % _ACROSS_EVERY == 0)
        if not push.any():
            break
        at = at + push
    return np.clip(at, low, high)


def _push(at: Points, reach: Points, *, across: bool) -> Points:
    """Return how far each box gives way to all that overlap it; ``across``: along the axis of more
    overlap.
    """
    number = np.arange(len(at))
    apart = at[:, None] - at[None]
    overlap = reach - np.abs(apart)
    overlap[number, number] = 0.0
    hit = np.asarray((overlap > _TOUCHING).all(axis=2))
    before = np.sign(number[:, None] - number[None])
    side = np.where(apart == 0, before[:, :, None], np.sign(apart))
    part = overlap / reach
    least = part == part.min(axis=2, keepdims=True)
    along = least != across
    moved = np.where(hit[:, :, None] & along, side * (overlap / 2 + _CLEARANCE), 0.0)
    return np.asarray(_STEP * moved.sum(axis=1))


def _layout(nodes: pl.DataFrame, links: pl.DataFrame) -> Points:
    """Return a place in inches for each node, force-directed, then evened out over the canvas."""
    import igraph

    order = {community: number for number, community in enumerate(nodes["community"])}
    edges = [(order[source], order[target]) for source, target, _ in links.iter_rows()]
    graph = igraph.Graph(n=len(nodes), edges=edges)
    state = random.getstate()  # igraph draws its random numbers from Python's generator
    random.seed(LAYOUT_SEED)
    try:
        layout = graph.layout_fruchterman_reingold(
            weights=links["weight"].log1p().to_list() or None, niter=1000
        )
    finally:
        random.setstate(state)
    return _evened(np.array(layout.coords, dtype=np.float64).reshape(-1, 2))


def _evened(places: Points) -> Points:
    """Return ``places`` over the whole canvas: each coordinate half by its rank, so that no outlier
    takes the room.
    """
    if not len(places):
        return places
    ranks = places.argsort(axis=0).argsort(axis=0) / max(1, len(places) - 1)
    span = np.ptp(places, axis=0)
    scaled = (places - places.min(axis=0)) / np.where(span > 0, span, 1.0)
    room = np.array([WIDTH, HEIGHT - _FOOT]) - 2 * _MARGIN
    return np.asarray(_MARGIN + (0.7 * ranks + 0.3 * scaled) * room)


def _group(row: Mapping[str, object]) -> str:
    """Return the group of the organism that a title names first; other where it is under none of
    the roots.
    """
    return OTHER if row["root"] is None else GROUPS[str(row["root"])]


def _canvas() -> tuple[Figure, Axes]:
    """Return a figure whose one pair of axes measures inches."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, HEIGHT))
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set(xlim=(0, WIDTH), ylim=(-_FOOT, HEIGHT - _FOOT))
    axes.set_axis_off()
    return figure, axes


def _draw_links(axes: Axes, links: pl.DataFrame, at: Mapping[str, list[float]]) -> None:
    heaviest = max([1.0, *links["weight"]])
    for source, target, weight in links.iter_rows():
        (x, y), (x2, y2) = at[source], at[target]
        axes.plot(
            [x, x2], [y, y2], color=LINE, linewidth=0.4 + 3.0 * (weight / heaviest) ** 0.5, zorder=1
        )


def _draw_discs(axes: Axes, nodes: pl.DataFrame, centres: Points, radii: Points) -> None:
    """Draw each disc with its label below it, on white."""
    from matplotlib.patches import Circle
    from matplotlib.patheffects import withStroke

    halo = [withStroke(linewidth=2.5, foreground="white")]
    rows = zip(centres.tolist(), radii.tolist(), nodes["label"], nodes["group"], strict=True)
    for (x, y), radius, label, group in rows:
        axes.add_patch(
            Circle((x, y), radius, facecolor=COLOURS[group], edgecolor="white", zorder=2)
        )
        below = y - radius - 0.03
        axes.text(
            x, below, label, fontsize=_FONT_PT, ha="center", va="top", zorder=3, path_effects=halo
        )


def _draw_legend(axes: Axes, groups: list[str]) -> None:
    """Name the colours that are drawn, in the order of ``COLOURS``, with how many communities have
    each.
    """
    from matplotlib.lines import Line2D

    shown = [group for group in COLOURS if group in groups]
    handles = [
        Line2D(
            [],
            [],
            marker="o",
            linestyle="",
            color=COLOURS[group],
            label=f"{group} ({groups.count(group)})",
        )
        for group in shown
    ]
    if handles:
        axes.legend(
            handles=handles, loc="lower center", ncols=min(6, len(handles)), fontsize=8,
            frameon=False,
            title="sequenced, as the title names it (communities)", title_fontsize=8,
            handletextpad=0.1,
        )  # fmt: skip


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
    WHERE f.facet IN ('host', 'environment', 'virus')
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

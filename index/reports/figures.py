"""The figure of a report: what marks one community.

Three panels: shares over those of the parent, with their intervals; pairs of virus and host, with
how expected each is; the place of the community between its parent and its children. It comes with
its caption, written from the numbers that are drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import duckdb
import polars as pl

from index.claims.phrases import counted, percent
from index.drawing import new_figure, save_figure, shorten
from index.reports.figure_data import FACETS, FigureData, read_figure_data

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS: Final = ("#2166ac", "#1b9e77", "#d95f02", "#7570b3", "#e7298a", "#a6761d")
PLAUSIBLE: Final = {
    "recorded": "#1b9e77",
    "new within class": "#e6ab02",
    "unexpected": "#d95f02",
    "resident": "#7570b3",
    "library": "#2166ac",
    "unknown": "#666666",
}
"""Colour of a pair by how expected it is."""
WIDTH: Final = 9.0
_ROW: Final = 0.24
"""Inches a row takes."""
_HEAD: Final = 0.62
"""Inches that title and axis of a panel take."""
_SMALLEST_LIFT: Final = 0.02
_LONGEST_NAME: Final = 54
_FONT_PT: Final = 7
_PALE: Final = "#d4d4d4"
_OWN: Final = "#2166ac"


def plot_report(connection: duckdb.DuckDBPyConnection, community: str, path: Path) -> str:
    """Write the figure of ``community`` to ``path``; return the caption."""
    drawn = read_figure_data(connection, community)
    save_figure(draw_report(drawn), path)
    return _caption(drawn)


def draw_report(drawn: FigureData) -> Figure:
    """Return the figure of a report."""
    rows = [max(1, len(frame)) for frame in (drawn.facts, drawn.pairs, drawn.parts)]
    heights = [_HEAD + _ROW * number for number in rows]
    height = sum(heights) + 0.3
    figure = new_figure(WIDTH, height)
    lifts, pairs, places = figure.subplots(3, 1, height_ratios=heights)
    title = shorten(drawn.title, 90)
    figure.suptitle(title, fontsize=9.5, x=0.01, ha="left")
    _draw_lifts(lifts, drawn.facts)
    _draw_pairs(pairs, drawn.pairs)
    _draw_places(places, drawn.parts)
    return figure


def _draw_lifts(axes: Axes, facts: pl.DataFrame) -> None:
    """Draw each share over its reference with its interval, filled where that is the parent's."""
    title = "times the share in the parent (○: in the whole index), with 95% interval"
    axes.set_title(title, fontsize=8, loc="left")
    if facts.is_empty():
        _say_nothing(axes, "nothing is stated")
        return
    axes.axvline(1.0, color=_PALE, linewidth=1.0, zorder=1)
    names = []
    for place, fact in enumerate(facts.iter_rows(named=True)):
        _draw_lift(axes, place, fact)
        names.append(f"{fact['value']} · {fact['facet']}")
    _scale_of_lifts(axes)
    _name_rows(axes, names)


def _draw_lift(axes: Axes, place: int, fact: Mapping[str, Any]) -> None:
    """Draw one share with its interval in row ``place``, and the runs behind it."""
    colour = COLOURS[FACETS.index(fact["facet"])]
    reference = fact["reference"]
    lift = fact["share"] / reference
    high = fact["high"] / reference
    low = max(fact["low"] / reference, _SMALLEST_LIFT)
    axes.plot([low, high], [place, place], color=colour, linewidth=1.6)
    fill = colour if fact["of_parent"] else "white"
    axes.plot([lift], [place], "o", markersize=5, color=colour, markerfacecolor=fill)
    share = percent(fact["share"])

    axes.text(
        1.01,
        place,
        f"{fact['runs']:,} of {fact['known']:,} ({share})",
        transform=axes.get_yaxis_transform(),
        va="center",
        fontsize=6,
    )


def _scale_of_lifts(axes: Axes) -> None:
    """Give a log axis of lifts plain numbers, and room on either side of 1."""
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    axes.set_xscale("log")
    low, high = axes.get_xlim()
    axes.set_xlim(min(low, 0.5), max(high, 2.0))
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axes.xaxis.set_minor_formatter(NullFormatter())


def _draw_pairs(axes: Axes, pairs: pl.DataFrame) -> None:
    """Draw the runs of each pair of virus and host in the colour of its plausibility."""
    from matplotlib.patches import Patch

    axes.set_title("virus in host: runs", fontsize=8, loc="left")
    if pairs.is_empty():
        _say_nothing(axes, "no run states both a virus and a host")
        return
    kinds = pairs["plausibility"].to_list()
    colours = [PLAUSIBLE[kind] for kind in kinds]
    ends = pairs.select("virus", "host").iter_rows()
    names = [f"{virus} in {host}" for virus, host in ends]
    _draw_runs(axes, pairs["runs"].to_list(), colours, names)
    shown = [Patch(color=PLAUSIBLE[kind], label=kind) for kind in PLAUSIBLE if kind in kinds]
    axes.legend(
        handles=shown,
        fontsize=6.5,
        frameon=False,
        loc="lower right",
        bbox_to_anchor=(1.0, 1.0),
        ncols=len(shown),
        borderpad=0.0,
    )


def _draw_places(axes: Axes, parts: pl.DataFrame) -> None:
    """Draw the runs of the parent, of the community and of its largest children."""
    axes.set_title(
        "its place, in runs: parent, this community, its largest parts", fontsize=8, loc="left"
    )
    tints = {0: _PALE, 1: _OWN, 2: "#92c5de"}
    prefixes = {0: "parent: ", 1: "this: ", 2: "   "}
    places = parts["place"].to_list()
    colours = [tints[place] for place in places]
    labelled = zip(places, parts["label"], strict=True)
    names = [f"{prefixes[place]}{label}" for place, label in labelled]

    _draw_runs(axes, parts["runs"].to_list(), colours, names)


def _draw_runs(axes: Axes, runs: list[int], colours: list[str], names: list[str]) -> None:
    """Draw a bar for each number of runs, with its name before it and the number behind it."""
    axes.barh(range(len(runs)), runs, color=colours)
    most = max(runs)
    axes.set_xlim(0, 1.15 * most)

    for place, tally in enumerate(runs):
        behind = tally + 0.01 * most
        axes.text(behind, place, f"{tally:,}", va="center", fontsize=6)
    _name_rows(axes, names)
    axes.set_xticks([])
    axes.spines["bottom"].set_visible(False)


def _name_rows(axes: Axes, names: list[str]) -> None:
    shown = [shorten(name, _LONGEST_NAME) for name in names]
    places = range(len(shown))
    axes.set_yticks(places, shown, fontsize=_FONT_PT)
    axes.set_ylim(len(shown) - 0.4, -0.6)
    axes.tick_params(axis="x", labelsize=6)

    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def _say_nothing(axes: Axes, text: str) -> None:
    axes.set_axis_off()
    axes.text(0.0, 0.5, text, fontsize=_FONT_PT, transform=axes.transAxes)


def _caption(drawn: FigureData) -> str:
    start = (
        f"{drawn.community}, {counted(drawn.runs, 'run')}: share of the runs with each value among "
        "those that state its facet, over that of the parent or the index, with its 95% interval; "
        "pairs of virus and host; parent and parts."
    )
    if drawn.facts.is_empty():
        return f"{start} Nothing is stated."
    by_lift = drawn.facts.sort("lift", descending=True, maintain_order=True)
    best = by_lift.row(0, named=True)
    share = percent(best["share"])
    elsewhere = percent(best["background_share"])
    runs = counted(best["runs"], "run")
    furthest = f"{best['value']}, {share} against {elsewhere} in the whole index ({runs})"
    return f"{start} Furthest above it: {furthest}."

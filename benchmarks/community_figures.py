"""Figures of communities: sizes, purity, stability, and what a resolution costs and brings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

import numpy as np
import polars as pl

from index.drawing import new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS: Final = ("#2166ac", "#1b9e77", "#d95f02", "#7570b3", "#e7298a")
GREY: Final = "#9a9a9a"


BAR_WIDTH: Final = 0.8
"""Width of the bars of one facet together; facets are 1 apart."""


def draw_communities(community: pl.DataFrame, entries: dict[str, str], *, min_runs: int) -> Figure:
    """Return sizes and purity per level, and the stability of level 1, side by side.

    ``entries`` are key and value of the build table (``index.graph.build_entries`` says which);
    what it lacks stays empty.
    """
    figure = new_figure(11.0, 3.6)
    sizes, purity, stability = figure.subplots(1, 3)
    _draw_sizes(sizes, community.filter(pl.col("runs") >= min_runs))
    _draw_purity(purity, _measures(entries, "quality."))
    _draw_stability(stability, _measures(entries, "stability."))
    return figure


def draw_resolution(sweep: pl.DataFrame, *, default: float) -> Figure:
    """Return what each resolution of ``benchmarks.resolution.resolution_sweep`` brings and costs.

    Left: purity and coverage. Right: reports, summary tokens and seconds of a question.
    """
    figure = new_figure(8.5, 3.8)
    gain, cost = figure.subplots(1, 2)
    _draw_gain(gain, sweep)
    _draw_cost(cost, sweep)
    resolutions = sweep["resolution"].to_list()
    for panel in (gain, cost):
        panel.set_xscale("log")
        panel.set_xticks(resolutions, [f"{value:g}" for value in resolutions])
        panel.minorticks_off()
        panel.axvline(default, color="black", linewidth=0.6, linestyle=":")
        panel.legend(fontsize=7, frameon=False)
    return figure


def _draw_gain(axes: Axes, sweep: pl.DataFrame) -> None:
    at = sweep["resolution"].to_list()
    purities = [name for name in sweep.columns if name.startswith("purity_")]
    for colour, name in zip(COLOURS, purities, strict=False):
        label = name.replace("_", ", ")
        axes.plot(
            at,
            sweep[name],
            marker="o",
            markersize=3,
            color=colour,
            label=label,
        )
    axes.plot(
        at,
        sweep["coverage"],
        marker="s",
        markersize=3,
        color=GREY,
        label="coverage",
    )
    axes.set(xlabel="resolution gamma", ylabel="share", ylim=(0, 1))
    axes.set_title("what a finer clustering brings")


def _draw_cost(axes: Axes, sweep: pl.DataFrame) -> None:
    at = sweep["resolution"].to_list()
    curves = (
        (sweep["reports"], COLOURS[0], "reports"),
        (sweep["summary_tokens"] / 1000, COLOURS[2], "tokens, thousands"),
        (sweep["query_s"], COLOURS[3], "seconds a question, at most"),
    )
    for values, colour, label in curves:
        axes.plot(
            at,
            values,
            marker="o",
            markersize=3,
            color=colour,
            label=label,
        )
    axes.set(xlabel="resolution gamma", ylabel="reports, tokens or seconds", title="what it costs")
    _plain_log(axes, "y")


def _draw_sizes(axes: Axes, community: pl.DataFrame) -> None:
    """Draw, per level, how many communities have at least so many runs."""
    levels = sorted(community.group_by("level"))
    for colour, ((level,), group) in zip(COLOURS, levels, strict=False):
        runs = group["runs"].sort(descending=True).to_numpy()
        counts = np.arange(1, len(runs) + 1)
        label = f"level {level}: {len(runs)}"
        axes.step(
            runs,
            counts,
            where="post",
            color=colour,
            label=label,
        )
    axes.set(xlabel="runs", ylabel="communities of at least that many", title="sizes")
    _plain_log(axes, "x")
    _plain_log(axes, "y")
    if len(community):
        axes.legend(fontsize=7, frameon=False)


def _draw_purity(axes: Axes, quality: pl.DataFrame) -> None:
    """Draw the purity of each facet as one bar per level.

    A dotted line shows what one community of all runs would have.
    """
    split = quality.with_columns(
        kind=pl.col("measure").str.extract(r"^(purity|enrichment), ", 1),
        facet=pl.col("measure").str.extract(r", (.+)$", 1),
    ).drop_nulls("kind")
    facets = split["facet"].unique().sort().to_list()
    levels = split["group"].unique().sort().to_list()
    rows = split.select("kind", "group", "facet", "value").iter_rows()
    found = {(kind, level, facet): value for kind, level, facet, value in rows}
    width = BAR_WIDTH / max(1, len(levels))
    middle = (len(levels) - 1) / 2
    for number, level in enumerate(levels):
        places = [place + (number - middle) * width for place in range(len(facets))]
        heights = [found.get(("purity", level, facet), 0.0) for facet in facets]
        colour = COLOURS[number % len(COLOURS)]
        axes.bar(
            places,
            heights,
            width,
            color=colour,
            label=f"level {level}",
        )
    for place, facet in enumerate(facets):
        coarsest = levels[0]
        background = found["purity", coarsest, facet] / found["enrichment", coarsest, facet]
        ends = [place - 0.45, place + 0.45]
        axes.plot(
            ends,
            [background] * 2,
            color="black",
            linewidth=1,
            linestyle=":",
        )
    axes.set_xticks(
        range(len(facets)),
        facets,
        fontsize=7,
    )
    axes.set(ylim=(0, 1), ylabel="share of runs", title="purity (dotted: all runs in one)")


def _draw_stability(axes: Axes, tested: pl.DataFrame) -> None:
    tests = tested["group"].unique().sort().to_list()
    for number, measure in enumerate(("ari", "nmi")):
        of_measure = tested.filter(pl.col("measure") == measure)
        values = dict(of_measure.select("group", "value").iter_rows())
        places = [place + (number - 0.5) * 0.35 for place in range(len(tests))]
        heights = [values[test] for test in tests]
        bars = axes.bar(
            places,
            heights,
            0.35,
            color=COLOURS[number],
            label=measure.upper(),
        )
        axes.bar_label(bars, fmt="%.2f", fontsize=7)
    axes.set_xticks(
        range(len(tests)),
        tests,
        fontsize=7,
    )
    least = min([0.0, *tested["value"]])  # agreement below chance is below zero
    axes.set(ylim=(least, 1.25), ylabel="agreement with level 1", title="stability")
    if tests:
        axes.legend(fontsize=7, frameon=False, loc="upper center", ncols=2)


def _plain_log(axes: Axes, which: Literal["x", "y"]) -> None:
    """Make an axis logarithmic with plain numbers at powers of ten.

    An upright axis has numbers at 2 and 5 times these, too.
    """
    from matplotlib.ticker import LogLocator, NullLocator, StrMethodFormatter

    axes.set(**{f"{which}scale": "log"})
    axis = axes.xaxis if which == "x" else axes.yaxis
    axis.set_major_locator(LogLocator(subs=(1.0,) if which == "x" else (1.0, 2.0, 5.0)))
    axis.set_major_formatter(StrMethodFormatter("{x:,.0f}"))
    axis.set_minor_locator(NullLocator())
    axis.set_tick_params(labelsize=7)


def _measures(entries: dict[str, str], prefix: str) -> pl.DataFrame:
    """Return (group, measure, value) of the numeric entries ``<prefix><group>.<measure>``."""
    rows = []
    for key, value in entries.items():
        group, dot, measure = key.removeprefix(prefix).partition(".")
        if key.startswith(prefix) and dot:
            rows.append((group, measure, value))
    schema = {
        "group": pl.String,
        "measure": pl.String,
        "value": pl.String,
    }
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    return frame.with_columns(pl.col("value").cast(pl.Float64))

"""Figures of communities: sizes, purity and stability of an index, and what a resolution costs and
brings.

Files are SVG or PNG by their suffix, drawn without a display and without dates, so equal input
gives equal bytes.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS: Final = ("#2166ac", "#1b9e77", "#d95f02", "#7570b3", "#e7298a")
GREY: Final = "#9a9a9a"


def plot_communities(
    community: pl.DataFrame, entries: dict[str, str], path: Path, *, min_runs: int
) -> Path:
    """Write sizes and purity per level, and the stability of level 1, side by side.

    ``entries`` are key and value of the build table (``index.graph.build_entries`` says which);
    what it lacks stays empty.
    """
    figure, (sizes, purity, stability) = _axes(11.0, 3.6, panels=3)
    _draw_sizes(sizes, community.filter(pl.col("runs") >= min_runs))
    _draw_purity(purity, _measures(entries, "quality."))
    _draw_stability(stability, _measures(entries, "stability."))
    return _save(figure, path)


def plot_resolution(sweep: pl.DataFrame, path: Path, *, default: float) -> Path:
    """Write purity and modularity, reports and summary tokens over the resolutions of
    ``index.graph.metrics``' sweep.
    """
    figure, (gain, cost) = _axes(8.5, 3.8, panels=2)
    at = sweep["resolution"].to_list()
    purities = [name for name in sweep.columns if name.startswith("purity_")]
    for colour, name in zip(COLOURS, purities, strict=False):
        gain.plot(
            at, sweep[name], marker="o", markersize=3, color=colour, label=name.replace("_", ", ")
        )
    gain.plot(at, sweep["coverage"], marker="s", markersize=3, color=GREY, label="coverage")
    gain.set(
        xlabel="resolution gamma",
        ylabel="share",
        ylim=(0, 1),
        title="what a finer clustering brings",
    )
    cost.plot(at, sweep["reports"], marker="o", markersize=3, color=COLOURS[0], label="reports")
    cost.plot(
        at,
        sweep["summary_tokens"] / 1000,
        marker="o",
        markersize=3,
        color=COLOURS[2],
        label="tokens, thousands",
    )
    cost.plot(
        at,
        sweep["query_s"],
        marker="o",
        markersize=3,
        color=COLOURS[3],
        label="seconds a question, at most",
    )
    cost.set(xlabel="resolution gamma", title="what it costs")
    _plain_log(cost, "y")
    for panel in (gain, cost):
        panel.set_xscale("log")
        panel.set_xticks(at, [f"{value:g}" for value in at])
        panel.minorticks_off()
        panel.axvline(default, color="black", linewidth=0.6, linestyle=":")
        panel.legend(fontsize=7, frameon=False)
    return _save(figure, path)


def _draw_sizes(axes: Axes, community: pl.DataFrame) -> None:
    """Draw, per level, how many communities have at least so many runs."""
    for colour, (level, group) in zip(COLOURS, sorted(community.group_by("level")), strict=False):
        runs = np.sort(group["runs"].to_numpy())[::-1]
        axes.step(
            runs,
            np.arange(1, len(runs) + 1),
            where="post",
            color=colour,
            label=f"level {level[0]}: {len(runs)}",
        )
    axes.set(xlabel="runs", ylabel="communities of at least that many", title="sizes")
    _plain_log(axes, "x")
    _plain_log(axes, "y")
    if len(community):
        axes.legend(fontsize=7, frameon=False)


def _draw_purity(axes: Axes, quality: pl.DataFrame) -> None:
    """Draw the purity of each facet as one bar per level, and what one community of all runs would
    have as a line.
    """
    split = quality.with_columns(
        pl.col("measure").str.extract(r"^(purity|enrichment), ", 1).alias("kind"),
        pl.col("measure").str.extract(r", (.+)$", 1).alias("facet"),
    ).drop_nulls("kind")
    facets, levels = (
        split["facet"].unique().sort().to_list(),
        split["group"].unique().sort().to_list(),
    )
    width = 0.8 / max(1, len(levels))
    found = {
        (row[0], row[1], row[2]): row[3]
        for row in split.select("kind", "group", "facet", "value").iter_rows()
    }
    for number, level in enumerate(levels):
        places = [place + (number - (len(levels) - 1) / 2) * width for place in range(len(facets))]
        heights = [found.get(("purity", level, facet), 0.0) for facet in facets]
        axes.bar(
            places, heights, width, color=COLOURS[number % len(COLOURS)], label=f"level {level}"
        )
    for place, facet in enumerate(facets):
        background = found["purity", levels[0], facet] / found["enrichment", levels[0], facet]
        axes.plot(
            [place - 0.45, place + 0.45],
            [background] * 2,
            color="black",
            linewidth=1,
            linestyle=":",
        )
    axes.set_xticks(range(len(facets)), facets, fontsize=7)
    axes.set(ylim=(0, 1), ylabel="share of runs", title="purity (dotted: all runs in one)")


def _draw_stability(axes: Axes, tested: pl.DataFrame) -> None:
    tests = tested["group"].unique().sort().to_list()
    for number, measure in enumerate(("ari", "nmi")):
        values = dict(
            tested.filter(pl.col("measure") == measure).select("group", "value").iter_rows()
        )
        places = [place + (number - 0.5) * 0.35 for place in range(len(tests))]
        bars = axes.bar(
            places,
            [values[test] for test in tests],
            0.35,
            color=COLOURS[number],
            label=measure.upper(),
        )
        axes.bar_label(bars, fmt="%.2f", fontsize=7)
    axes.set_xticks(range(len(tests)), tests, fontsize=7)
    axes.set(ylim=(0, 1.25), ylabel="agreement with level 1", title="stability")
    if tests:
        axes.legend(fontsize=7, frameon=False, loc="upper center", ncols=2)


def _plain_log(axes: Axes, which: Literal["x", "y"]) -> None:
    """Make an axis logarithmic with plain numbers at powers of ten, upwards at 2 and 5 times these
    too.
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
    rows = [
        (*key.removeprefix(prefix).split(".", 1), value)
        for key, value in entries.items()
        if key.startswith(prefix)
    ]
    whole = [row for row in rows if len(row) == 3]
    frame = pl.DataFrame(
        whole, schema={"group": pl.String, "measure": pl.String, "value": pl.String}, orient="row"
    )
    return frame.with_columns(pl.col("value").cast(pl.Float64))


def _axes(width: float, height: float, *, panels: int) -> tuple[Figure, list[Axes]]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, list(figure.subplots(1, panels))


def _save(figure: Figure, path: Path) -> Path:
    import matplotlib as mpl

    with mpl.rc_context({"svg.hashsalt": "communities"}):
        figure.savefig(path, dpi=150, metadata={"Date": None} if path.suffix == ".svg" else None)
    return path

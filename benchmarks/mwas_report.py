"""Figures of the benchmarks of associations as plots and as one Markdown table."""

from __future__ import annotations

import json
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.mwas_cohorts import PLANTED_SAMPLES

GROUP_SIZES = (4, 8, 16, 32)
FOLDS = (2, 4, 8, 16, 32)
TABLES = {
    "compare": (
        ("samples", "samples", "{:,}"),
        ("pairs", "pairs", "{:,}"),
        ("scipy_cpu_ms_per_pair", "scipy, ms CPU a pair", "{:.1f}"),
        ("test_cpu_ms_per_pair", "the same test here", "{:.3f}"),
        ("test_ratio", "ratio", "{:,.0f}x"),
        ("row_cpu_ms_per_pair", "whole row here", "{:.3f}"),
        ("row_ratio", "ratio", "{:,.0f}x"),
    ),
    "scale": (
        ("pairs", "pairs", "{:,}"),
        ("seconds", "seconds, two threads", "{:,.1f}"),
        ("cpu_seconds", "seconds CPU", "{:,.1f}"),
        ("peak_mb", "peak MB", "{:,.0f}"),
    ),
    "power": (
        ("group", "group of 64", "{}"),
        ("fold", "planted fold", "{:g}"),
        ("power", "called", "{:.0%}"),
        ("power_rank", "by rank test alone", "{:.0%}"),
        ("fdr", "false share of calls", "{:.3f}"),
    ),
    "recall": (
        ("planted", "planted in data/sample", "{}"),
        ("recall", "called by their attribute", "{:.0%}"),
        ("recall_any_attribute", "called by any attribute", "{:.0%}"),
        ("tests_called", "tests called", "{}"),
        ("called_elsewhere", "elsewhere", "{:.1%}"),
    ),
}
"""Of each benchmark the figures of the Markdown table: key, title, format."""


def plot_scale(measured: list[dict[str, float]], path: Path) -> None:
    """Write seconds over pairs, both axes logarithmic, with the line of linear growth through the
    last point.
    """
    figure, axes = _axes(
        5,
        3.5,
        columns=1,
    )
    pairs, seconds = [row["pairs"] for row in measured], [row["cpu_seconds"] for row in measured]
    axes[0].loglog(
        pairs,
        seconds,
        "o-",
        label="CPU, 10,000 resamples",
    )
    axes[0].loglog(
        pairs, [row["seconds"] for row in measured], "o:", label="wall, two threads, machine shared"
    )
    axes[0].loglog(
        pairs,
        [seconds[-1] * count / pairs[-1] for count in pairs],
        "--",
        color="grey",
        label="linear",
    )
    axes[0].set(
        xlabel="pairs of value and family",
        ylabel="seconds",
    )
    axes[0].legend(fontsize=8)
    _save(figure, path)


def plot_power(measured: list[dict[str, float]], path: Path) -> None:
    """Write power (dotted: of the rank test) and observed false discovery rate over fold change, by
    group size.
    """
    figure, axes = _axes(
        8.5,
        3.5,
        columns=2,
    )
    for group in GROUP_SIZES:
        rows = [row for row in measured if row["group"] == group]
        folds = [row["fold"] for row in rows]
        [line] = axes[0].plot(
            folds,
            [row["power"] for row in rows],
            "o-",
            label=f"{group} of {PLANTED_SAMPLES} samples",
        )
        axes[0].plot(
            folds,
            [row["power_rank"] for row in rows],
            ":",
            color=line.get_color(),
        )
        errors = [2 * row["fdr_error"] for row in rows]
        axes[1].errorbar(
            folds,
            [row["fdr"] for row in rows],
            yerr=errors,
            fmt="o-",
            capsize=2,
        )
    axes[1].axhline(
        0.05,
        color="black",
        linestyle=":",
        linewidth=0.8,
    )
    axes[0].set(
        xlabel="planted fold change", ylabel="planted effects called at q <= 0.05", ylim=(0, 1.02)
    )
    axes[1].set(
        xlabel="planted fold change",
        ylabel="false share of calls, 2 standard errors",
        ylim=(0, None),
    )
    for one in axes:
        one.set_xscale(
            "log",
            base=2,
        )
        one.set_xticks(FOLDS, [f"{fold:g}" for fold in FOLDS])
    axes[0].legend(fontsize=8)
    _save(figure, path)


def write_table(path: Path) -> None:
    """Write the figures of all runs so far, read back from their JSON files, as Markdown tables for
    the README.
    """
    tables = []
    for name, columns in TABLES.items():
        source = path.parent / f"mwas_{name}.json"
        if source.is_file():
            found = json.loads(source.read_text())
            rows = found if isinstance(found, list) else [found]
            lines = [
                f"| {' | '.join(shape.format(row[key]) for key, _, shape in columns)} |"
                for row in rows
            ]
            head = [
                f"| {' | '.join(title for _, title, _ in columns)} |",
                f"|{'---:|' * len(columns)}",
            ]
            tables.append("\n".join([f"`python -m benchmarks.mwas {name}`", "", *head, *lines]))
    path.write_text("\n\n".join(tables) + "\n")


def _axes(width: float, height: float, *, columns: int) -> tuple[Figure, list[Axes]]:
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, list(figure.subplots(1, columns, squeeze=False)[0])


def _save(figure: Figure, path: Path) -> None:
    with mpl.rc_context({"svg.hashsalt": "mwas"}):
        figure.savefig(
            path,
            metadata={"Date": None},
        )

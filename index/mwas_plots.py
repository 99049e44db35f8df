"""Figures of associations: volcano (effect against q-value) and forest (effects with intervals, project by project).

Files are SVG or PNG by their suffix, drawn without a display and without dates, so equal input gives equal bytes.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import polars as pl

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIGNIFICANT_Q: Final = 0.05
LABELLED: Final = 8
MOST_ROWS: Final = 40
GREY, RED, BLUE = "#b8b8b8", "#b2182b", "#2166ac"


def plot_volcano(association: pl.DataFrame, path: Path, *, title: str) -> Path:
    """Write a volcano plot of the rows of ``association`` that have a q-value; hollow points carry a flag.

    The strongest unflagged rows are named, one per test.
    """
    shown = association.filter(pl.col("q_value").is_not_null() & pl.col("fold_change").is_not_null()).with_columns(
        height=-pl.col("q_value").clip(lower_bound=1e-300).log10(), flagged=pl.col("flag").is_not_null()
    )
    figure, axes = _axes(7.5, 4.5)
    significant = pl.col("q_value") <= SIGNIFICANT_Q
    for colour, rule in (
        (GREY, ~significant),
        (RED, significant & (pl.col("fold_change") > 0)),
        (BLUE, significant & (pl.col("fold_change") <= 0)),
    ):
        part = shown.filter(rule)
        faces = [("none" if flagged else colour) for flagged in part["flagged"]]
        axes.scatter(part["fold_change"], part["height"], s=14, facecolors=faces, edgecolors=colour, linewidths=0.7)
    axes.axhline(-pl.select(pl.lit(SIGNIFICANT_Q).log10()).item(), color="black", linewidth=0.6, linestyle=":")
    _name_strongest(axes, shown.filter(significant & ~pl.col("flagged")))
    axes.set(xlabel="log2 fold change of mean RPM", ylabel="-log10 q", title=title)
    return _save(figure, path)


def _name_strongest(axes: Axes, called: pl.DataFrame) -> None:
    """Number the strongest points and list their names beside the plot: many share the smallest q-value."""
    ranked = called.sort(pl.col("fold_change").abs(), "family", "value", descending=[True, False, False])
    strongest = ranked.sort("q_value", maintain_order=True).unique(
        ["bioproject", "family", "split"], keep="first", maintain_order=True
    )
    lines = []
    for number, row in enumerate(strongest.head(LABELLED).iter_rows(named=True), start=1):
        point = (row["fold_change"], row["height"])
        axes.annotate(str(number), point, fontsize=6, textcoords="offset points", xytext=(0, 4), ha="center")
        lines.append(f"{number}  {row['family']}\n    {_short(row['attribute'])}={_short(row['value'])}")
    axes.text(1.02, 1.0, "\n".join(lines), transform=axes.transAxes, fontsize=6, va="top")


def plot_forest(association: pl.DataFrame, path: Path, *, title: str) -> Path:
    """Write the difference of mean RPM of each row with its 95 % interval, the smallest q-values first.

    At most ``MOST_ROWS`` rows; those without an interval cannot be drawn.
    """
    drawable = association.filter(pl.all_horizontal(pl.col("ci_low", "ci_high").is_finite()))
    shown = drawable.sort("q_value", "p_value", "bioproject", "value", nulls_last=True).head(MOST_ROWS)
    figure, axes = _axes(7.0, 1.2 + 0.25 * len(shown))
    names = []
    for place, row in enumerate(shown.iter_rows(named=True)):
        difference = row["mean_rpm_true"] - row["mean_rpm_false"]
        called = row["q_value"] is not None and row["q_value"] <= SIGNIFICANT_Q
        colour = (RED if difference > 0 else BLUE) if called else GREY
        axes.plot([row["ci_low"], row["ci_high"]], [place, place], color=colour, linewidth=1.2)
        axes.plot([difference], [place], "o", color=colour, markersize=4, fillstyle="none" if row["flag"] else "full")
        groups = f"{row['num_true']} v {row['num_false']}"
        names.append(f"{row['bioproject']}  {row['family']}  {_short(row['value'])}  {groups}")
    axes.axvline(0, color="black", linewidth=0.6)
    axes.set_xscale("symlog", linthresh=1.0)
    axes.set_yticks(range(len(names)), names, fontsize=6)
    axes.invert_yaxis()
    axes.set(xlabel="difference of mean RPM, 95 % interval (symmetric log scale)", title=title)
    return _save(figure, path)


def _axes(width: float, height: float) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots()


def _save(figure: Figure, path: Path) -> Path:
    import matplotlib as mpl

    with mpl.rc_context({"svg.hashsalt": "mwas"}):
        figure.savefig(path, dpi=150, metadata={"Date": None} if path.suffix == ".svg" else None)
    return path


def _short(value: str, length: int = 28) -> str:
    return value if len(value) <= length else value[: length - 1] + "…"

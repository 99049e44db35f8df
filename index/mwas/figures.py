"""Figures of associations: volcano, forest, and forest of effects combined over projects.

A volcano shows effects against q-values, a forest effects with their intervals.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import polars as pl

from index.drawing import new_figure, shorten
from index.mwas.meta import EFFECT
from index.stated import COVERAGE_BASED, KMER_BASED

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIGNIFICANT_Q: Final = 0.05
LABELLED: Final = 8
MOST_ROWS: Final = 40
MOST_EFFECTS: Final = 8
LONGEST_NAME: Final = 28
GREY, RED, BLUE = "#b8b8b8", "#b2182b", "#2166ac"


def draw_volcano(association: pl.DataFrame, *, title: str) -> Figure:
    """Return a volcano plot of the rows of ``association`` that have a q-value.

    Hollow points carry a flag. The strongest unflagged rows are named, one per test.
    """
    drawable = pl.all_horizontal(pl.col("q_value", "fold_change").is_not_null())
    shown = association.filter(drawable).with_columns(
        height=-pl.col("q_value").clip(lower_bound=1e-300).log10(),
        flagged=pl.col("flag").is_not_null(),
    )
    significant = pl.col("q_value") <= SIGNIFICANT_Q
    rises = pl.col("fold_change") > 0
    falls = pl.col("fold_change") <= 0

    figure = new_figure(7.5, 4.5)
    axes = figure.subplots()
    _scatter(axes, shown.filter(~significant), GREY)
    _scatter(axes, shown.filter(significant & rises), RED)
    _scatter(axes, shown.filter(significant & falls), BLUE)
    threshold = pl.select(pl.lit(SIGNIFICANT_Q).log10()).item()
    axes.axhline(-threshold, color="black", linewidth=0.6, linestyle=":")
    _name_strongest(axes, shown.filter(significant & ~pl.col("flagged")))
    axes.set(xlabel=f"log2 fold change of mean {_measure(shown)}", ylabel="-log10 q", title=title)
    return figure


def _scatter(axes: Axes, points: pl.DataFrame, colour: str) -> None:
    """Draw ``points``, hollow where they are flagged."""
    faces = [("none" if flagged else colour) for flagged in points["flagged"]]
    axes.scatter(
        points["fold_change"],
        points["height"],
        s=14,
        facecolors=faces,
        edgecolors=colour,
        linewidths=0.7,
    )


def _name_strongest(axes: Axes, called: pl.DataFrame) -> None:
    """Number the strongest points and list their names next to the plot.

    The names would not fit at the points: many share the smallest q-value.
    """
    size_of_effect = pl.col("fold_change").abs()
    ranked = called.sort(size_of_effect, "family", "value", descending=[True, False, False])
    by_q = ranked.sort("q_value", maintain_order=True)
    strongest = by_q.unique(["bioproject", "family", "split"], keep="first", maintain_order=True)
    lines = []
    for number, row in enumerate(strongest.head(LABELLED).iter_rows(named=True), start=1):
        axes.annotate(
            str(number),
            (row["fold_change"], row["height"]),
            fontsize=6,
            textcoords="offset points",
            xytext=(0, 4),
            ha="center",
        )
        attribute = shorten(row["attribute"], LONGEST_NAME)
        value = shorten(row["value"], LONGEST_NAME)
        lines.append(f"{number}  {row['family']}\n    {attribute}={value}")
    axes.text(
        1.02,
        1.0,
        "\n".join(lines),
        transform=axes.transAxes,
        fontsize=6,
        va="top",
    )


def draw_forest(association: pl.DataFrame, *, title: str) -> Figure:
    """Return the difference of mean RPM of each row with its 95 % interval.

    At most ``MOST_ROWS`` rows, the smallest q-values first; those without an interval cannot be
    drawn.
    """
    drawable = association.filter(pl.all_horizontal(pl.col("ci_low", "ci_high").is_finite()))
    strongest = drawable.sort("q_value", "p_value", "bioproject", "value", nulls_last=True)
    shown = strongest.head(MOST_ROWS)
    figure = new_figure(7.0, 1.2 + 0.25 * len(shown))
    axes = figure.subplots()
    axes.set_xscale("symlog", linthresh=1.0)
    names = []
    for place, row in enumerate(shown.iter_rows(named=True)):
        _draw_difference(axes, place, row)
        value = shorten(row["value"], LONGEST_NAME)
        groups = f"{row['num_true']} v {row['num_false']}"
        names.append(f"{row['bioproject']}  {row['family']}  {value}  {groups}")

    axes.axvline(0, color="black", linewidth=0.6)
    axes.set_yticks(range(len(names)), names, fontsize=6)
    axes.invert_yaxis()
    axes.set(
        xlabel=f"difference of mean {_measure(shown)}\n95 % interval, symmetric log scale",
        title=title,
    )
    return figure


def _draw_difference(axes: Axes, place: int, row: dict[str, Any]) -> None:
    """Draw the difference of an association with its interval at height ``place``."""
    difference = row["mean_rpm_true"] - row["mean_rpm_false"]
    called = row["q_value"] is not None and row["q_value"] <= SIGNIFICANT_Q
    colour = _colour_of(difference) if called else GREY
    axes.plot([row["ci_low"], row["ci_high"]], [place, place], color=colour, linewidth=1.2)
    fill = "none" if row["flag"] else "full"
    axes.plot([difference], [place], "o", color=colour, markersize=4, fillstyle=fill)


def _colour_of(effect: float) -> str:
    """Return the colour of a significant effect."""
    return RED if effect > 0 else BLUE


def draw_combined(studies: pl.DataFrame, combined: pl.DataFrame, *, title: str) -> Figure:
    """Return effects over projects: Hedges' g of each project and, as a diamond, the combined g.

    Each has its 95 % interval. ``studies`` as ``study_effects`` returns them, ``combined`` rows of
    meta_association; the ``MOST_EFFECTS`` smallest q-values (of equals the effects seen in most
    projects), and of each the ``MOST_ROWS / MOST_EFFECTS`` largest projects.
    """
    ranked = combined.sort(
        "q_value",
        "projects",
        "attribute",
        "curie",
        descending=[False, True, False, False],
    )
    chosen = ranked.head(MOST_EFFECTS)
    names: list[str] = []
    figure = new_figure(7.0, 1.2)
    axes = figure.subplots()
    for effect in chosen.iter_rows(named=True):
        for row in _largest_projects(studies, effect):
            _draw_study(axes, len(names), row)
            names.append(f"{row['bioproject']}  {row['num_true']} v {row['num_false']}")
        _draw_diamond(axes, len(names), effect)
        value = shorten(effect["value"], LONGEST_NAME)
        projects = f"all {effect['projects']}: q = {effect['q_value']:.2g}"
        names.append(f"{effect['family']}  {value}, {projects}")
        axes.axhline(len(names) - 0.5, color=GREY, linewidth=0.4)

    drawn = studies.join(chosen, on=EFFECT, how="semi")
    reach = _reach(drawn, chosen)
    is_cut = _mark_cut(axes, reach)
    figure.set_figheight(1.2 + 0.25 * len(names))
    axes.axvline(0, color="black", linewidth=0.6)
    axes.set_yticks(range(len(names)), names, fontsize=6)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_xlim(-reach, reach)
    cut = ", cut at arrows" if is_cut else ""
    axes.set(
        xlabel=f"standardised difference of means (Hedges' g), 95 % interval{cut}",
        title=title,
    )
    return figure


def _largest_projects(studies: pl.DataFrame, effect: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the studies of ``effect`` with the most biosamples, by project."""
    same_effect = [pl.col(name) == effect[name] for name in EFFECT]
    biosamples = pl.col("num_true") + pl.col("num_false")
    own = studies.filter(pl.all_horizontal(same_effect))
    by_size = own.sort(biosamples, descending=True)
    largest = by_size.head(MOST_ROWS // MOST_EFFECTS)
    return largest.sort("bioproject").iter_rows(named=True)


def _draw_study(axes: Axes, place: int, row: dict[str, Any]) -> None:
    """Draw the effect in a project with its interval at height ``place``."""
    g = row["g"]
    reach = 1.96 * row["variance"] ** 0.5
    axes.plot([g - reach, g + reach], [place, place], color=GREY, linewidth=1.2)
    axes.plot([g], [place], "s", color="#707070", markersize=3)


def _draw_diamond(axes: Axes, place: int, effect: dict[str, Any]) -> None:
    """Draw a combined effect as a diamond as wide as its interval."""
    g = effect["effect"]
    called = effect["q_value"] <= SIGNIFICANT_Q
    axes.fill(
        [effect["ci_low"], g, effect["ci_high"], g],
        [place, place - 0.3, place, place + 0.3],
        color=_colour_of(g) if called else "#404040",
    )


def _reach(studies: pl.DataFrame, combined: pl.DataFrame) -> float:
    """Return how far from zero all effects and the intervals of most projects reach.

    The interval of two projects may reach a hundred times as far as their effects.
    """
    half_interval = 1.96 * pl.col("variance").sqrt()
    ends = pl.col("g").abs() + half_interval
    most = studies.select(ends).to_series().quantile(0.95)
    effects = [*studies["g"].to_list(), *combined["effect"].to_list()]
    furthest = max([float(most or 1.0), *map(abs, effects)])
    return float(1.15 * furthest)


def _mark_cut(axes: Axes, reach: float) -> bool:
    """Draw an arrow where a line extends beyond ``reach``; return whether any does."""
    from matplotlib.patches import Polygon

    intervals = [line for line in axes.lines if line.get_transform() == axes.transData]
    lines = [np.asarray(line.get_xydata()) for line in intervals]
    diamonds = [patch.get_xy() for patch in axes.patches if isinstance(patch, Polygon)]
    is_cut = False
    for points in [*lines, *map(np.asarray, diamonds)]:
        height = float(points[0, 1])
        ends = points[:, 0].tolist()
        for side, marker, end in ((-reach, "<", -min(ends)), (reach, ">", max(ends))):
            if end > reach:
                is_cut = True
                axes.plot([side], [height], marker, color="black", markersize=4, clip_on=False)
    return is_cut


def _measure(association: pl.DataFrame) -> str:
    """Return what the means of ``association`` are of: reads, unless a flag says otherwise."""
    flags = association["flag"].drop_nulls()
    if flags.str.contains(KMER_BASED, literal=True).any():
        return "k-mers per million"
    is_coverage = flags.str.contains(COVERAGE_BASED, literal=True).any()
    return "RPM or coverage per million" if is_coverage else "RPM"

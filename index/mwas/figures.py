"""Figures of associations: volcano (effect against q-value) and forest (effects with intervals,
project by project, and what they come to over projects).

Files are SVG or PNG by their suffix, drawn without a display and without dates, so equal input
gives equal bytes.
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
MOST_EFFECTS: Final = 8
GREY, RED, BLUE = "#b8b8b8", "#b2182b", "#2166ac"


def plot_volcano(association: pl.DataFrame, path: Path, *, title: str) -> Path:
    """Write a volcano plot of the rows of ``association`` that have a q-value; hollow points carry
    a flag.

    The strongest unflagged rows are named, one per test.
    """
    shown = association.filter(
        pl.col("q_value").is_not_null() & pl.col("fold_change").is_not_null()
    ).with_columns(
        height=-pl.col("q_value").clip(lower_bound=1e-300).log10(),
        flagged=pl.col("flag").is_not_null(),
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
        axes.scatter(
            part["fold_change"],
            part["height"],
            s=14,
            facecolors=faces,
            edgecolors=colour,
            linewidths=0.7,
        )
    axes.axhline(
        -pl.select(pl.lit(SIGNIFICANT_Q).log10()).item(),
        color="black",
        linewidth=0.6,
        linestyle=":",
    )
    _name_strongest(axes, shown.filter(significant & ~pl.col("flagged")))
    axes.set(xlabel="log2 fold change of mean RPM", ylabel="-log10 q", title=title)
    return _save(figure, path)


def _name_strongest(axes: Axes, called: pl.DataFrame) -> None:
    """Number the strongest points and list their names beside the plot: many share the smallest
    q-value.
    """
    ranked = called.sort(
        pl.col("fold_change").abs(), "family", "value", descending=[True, False, False]
    )
    strongest = ranked.sort("q_value", maintain_order=True).unique(
        ["bioproject", "family", "split"], keep="first", maintain_order=True
    )
    lines = []
    for number, row in enumerate(strongest.head(LABELLED).iter_rows(named=True), start=1):
        point = (row["fold_change"], row["height"])
        axes.annotate(
            str(number), point, fontsize=6, textcoords="offset points", xytext=(0, 4), ha="center"
        )
        lines.append(
            f"{number}  {row['family']}\n    {_short(row['attribute'])}={_short(row['value'])}"
        )
    axes.text(1.02, 1.0, "\n".join(lines), transform=axes.transAxes, fontsize=6, va="top")


def plot_forest(association: pl.DataFrame, path: Path, *, title: str) -> Path:
    """Write the difference of mean RPM of each row with its 95 % interval, the smallest q-values
    first.

    At most ``MOST_ROWS`` rows; those without an interval cannot be drawn.
    """
    drawable = association.filter(pl.all_horizontal(pl.col("ci_low", "ci_high").is_finite()))
    shown = drawable.sort("q_value", "p_value", "bioproject", "value", nulls_last=True).head(
        MOST_ROWS
    )
    figure, axes = _axes(7.0, 1.2 + 0.25 * len(shown))
    names = []
    for place, row in enumerate(shown.iter_rows(named=True)):
        difference = row["mean_rpm_true"] - row["mean_rpm_false"]
        called = row["q_value"] is not None and row["q_value"] <= SIGNIFICANT_Q
        colour = (RED if difference > 0 else BLUE) if called else GREY
        axes.plot([row["ci_low"], row["ci_high"]], [place, place], color=colour, linewidth=1.2)
        axes.plot(
            [difference],
            [place],
            "o",
            color=colour,
            markersize=4,
            fillstyle="none" if row["flag"] else "full",
        )
        groups = f"{row['num_true']} v {row['num_false']}"
        names.append(f"{row['bioproject']}  {row['family']}  {_short(row['value'])}  {groups}")
    axes.axvline(0, color="black", linewidth=0.6)
    axes.set_xscale("symlog", linthresh=1.0)
    axes.set_yticks(range(len(names)), names, fontsize=6)
    axes.invert_yaxis()
    axes.set(xlabel="difference of mean RPM, 95 % interval (symmetric log scale)", title=title)
    return _save(figure, path)


def plot_combined(studies: pl.DataFrame, combined: pl.DataFrame, path: Path, *, title: str) -> Path:
    """Write effects over projects: each project's Hedges' g with its 95 % interval, the combined
    one as a diamond.

    ``studies`` as ``study_effects`` returns them, ``combined`` rows of meta_association; the
    ``MOST_EFFECTS`` smallest q-values (of equals the effects seen in most projects), and of each
    the ``MOST_ROWS / MOST_EFFECTS`` largest projects.
    """
    chosen = combined.sort(
        "q_value", "projects", "attribute", "curie", descending=[False, True, False, False]
    )
    chosen = chosen.head(MOST_EFFECTS)
    names, place = [], 0
    figure, axes = _axes(7.0, 1.2)
    for effect in chosen.iter_rows(named=True):
        own = studies.filter(
            pl.all_horizontal(
                pl.col(name) == effect[name] for name in ("family", "attribute", "curie")
            )
        )
        largest = own.sort(pl.col("num_true") + pl.col("num_false"), descending=True).head(
            MOST_ROWS // MOST_EFFECTS
        )
        for row in largest.sort("bioproject").iter_rows(named=True):
            reach = 1.96 * row["variance"] ** 0.5
            axes.plot(
                [row["g"] - reach, row["g"] + reach], [place, place], color=GREY, linewidth=1.2
            )
            axes.plot([row["g"]], [place], "s", color="#707070", markersize=3)
            names.append(f"{row['bioproject']}  {row['num_true']} v {row['num_false']}")
            place += 1
        called = effect["q_value"] <= SIGNIFICANT_Q
        colour = (RED if effect["effect"] > 0 else BLUE) if called else "#404040"
        corners = [effect["ci_low"], effect["effect"], effect["ci_high"], effect["effect"]]
        axes.fill(corners, [place, place - 0.3, place, place + 0.3], color=colour)
        names.append(
            f"{_short(effect['value'])}, all {effect['projects']}: q = {effect['q_value']:.2g}"
        )
        place += 1
        axes.axhline(place - 0.5, color=GREY, linewidth=0.4)
    figure.set_figheight(1.2 + 0.25 * place)
    axes.axvline(0, color="black", linewidth=0.6)
    axes.set_yticks(range(len(names)), names, fontsize=6)
    axes.set_ylim(place - 0.5, -0.5)
    reach_shown = _reach(studies.join(chosen, on=["family", "attribute", "curie"], how="semi"))
    axes.set_xlim(-reach_shown, reach_shown)
    axes.set(xlabel="standardised difference of mean RPM (Hedges' g), 95 % interval", title=title)
    return _save(figure, path)


def _reach(studies: pl.DataFrame) -> float:
    """Return how far from zero the intervals of most projects reach; a combined interval of two
    projects may be cut.
    """
    ends = studies.select(pl.col("g").abs() + 1.96 * pl.col("variance").sqrt()).to_series()
    return float(ends.quantile(0.95) or 1.0) * 1.15


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

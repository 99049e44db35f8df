"""The figure of a report: what stands out in one community (``index.reports.map_figure`` shows all
of a level).

It comes with its caption, written from the numbers that are drawn. Files are SVG or PNG by their
suffix, drawn without a display and without dates, so equal input gives equal bytes.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import duckdb
import polars as pl

from index.reports.findings.write import SELDOM
from index.reports.phrases import counted, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FACETS: Final = ("species", "family", "host", "tissue", "disease", "geography")
VALUES_SHOWN: Final = 4
COLOURS: Final = ("#2166ac", "#1b9e77", "#d95f02", "#7570b3", "#e7298a", "#a6761d")
_LONGEST_NAME: Final = 42


def plot_report(connection: duckdb.DuckDBPyConnection, community: str, path: Path) -> str:
    """Write the strongest facts of ``community`` beside their share in the whole index; return the
    caption.
    """
    ((runs, title),) = connection.execute(_TITLE, [community]).fetchall()
    facts = connection.sql(
        _FACTS, params=[community, list(FACETS), VALUES_SHOWN, SELDOM * runs]
    ).pl()
    figure, axes = _axes(7.5, 1.2 + 0.27 * max(len(facts), 3))
    colours = [COLOURS[FACETS.index(facet)] for facet in facts["facet"]]
    places = list(range(len(facts)))
    axes.barh(places, facts["share"].to_list(), color=colours, height=0.7)
    axes.scatter(
        facts["background_share"], places, marker="|", s=90, color="black", linewidths=1.4, zorder=3
    )
    axes.set_yticks(places, [_short(value) for value in facts["value"]], fontsize=7)
    axes.set_ylim(len(facts) - 0.4, -0.6)
    for place, tally, share in zip(places, facts["runs"], facts["share"], strict=True):
        axes.text(min(share, 1.0) + 0.01, place, f"{tally:,}", va="center", fontsize=6)
    axes.set(
        xlim=(0, 1.12), xlabel="share of the runs that state the facet; black tick: whole index"
    )
    axes.set_title(_short(title, 80), fontsize=9, loc="left")
    _legend(axes, [facet for facet in FACETS if facet in facts["facet"].to_list()])
    save_figure(figure, path)
    return _report_caption(community, runs, facts)


def _report_caption(community: str, runs: int, facts: pl.DataFrame) -> str:
    start = (
        f"{community}, {counted(runs, 'run')}: share of the runs with each value among those "
        f"that state its facet."
    )
    if facts.is_empty():
        return f"{start} Nothing is stated."
    best = facts.sort("lift", descending=True, maintain_order=True).row(0, named=True)
    return (
        f"{start} The black tick is the same share in the whole index. Furthest above it: "
        f"{best['value']}, "
        f"{percent(best['share'])} against {percent(best['background_share'])} "
        f"({counted(best['runs'], 'run')})."
    )


def _legend(axes: Axes, facets: list[str]) -> None:
    from matplotlib.patches import Patch

    if facets:
        patches = [Patch(color=COLOURS[FACETS.index(facet)], label=facet) for facet in facets]
        axes.legend(handles=patches, fontsize=7, frameon=False, loc="lower right")


def _axes(width: float, height: float) -> tuple[Figure, Axes]:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots()


def save_figure(figure: Figure, path: Path) -> None:
    """Write ``figure`` to ``path`` without dates and with fixed identifiers."""
    import matplotlib as mpl

    with mpl.rc_context({"svg.hashsalt": "report"}):
        figure.savefig(path, dpi=150, metadata={"Date": None} if path.suffix == ".svg" else None)


def _short(text: str, length: int = _LONGEST_NAME) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"


_TITLE: Final = (
    "SELECT c.runs, r.title FROM community c JOIN report r USING (community) WHERE community = $1"
)

_FACTS: Final = """
SELECT facet, value, runs, share, background_share, lift FROM fact
WHERE community = $1 AND list_contains($2::VARCHAR[], facet)
QUALIFY row_number() OVER (PARTITION BY facet ORDER BY rank) <= $3
    AND max(runs / share) OVER (PARTITION BY facet) >= $4
ORDER BY list_position($2::VARCHAR[], facet), rank
"""

"""Figures of reports: what stands out in one community, and how the largest communities lie to one
another.

Each figure comes with its caption, written from the numbers that are drawn. Files are SVG or PNG by
their suffix, drawn without a display and without dates, so equal input gives equal bytes.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING, Final

import duckdb
import polars as pl

from index.reports.findings import SELDOM
from index.reports.phrases import counted, percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FACETS: Final = ("species", "family", "host", "tissue", "disease", "geography")
VALUES_SHOWN: Final = 4
COMMUNITIES_SHOWN: Final = 40
LABELLED: Final = 20
COLOURS: Final = ("#2166ac", "#1b9e77", "#d95f02", "#7570b3", "#e7298a", "#a6761d")
GREY: Final = "#b8b8b8"
LAYOUT_SEED: Final = 42
LINKS_SHOWN: Final = 120
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
    _save(figure, path)
    return _report_caption(community, runs, facts)


def plot_map(connection: duckdb.DuckDBPyConnection, path: Path, *, level: int = 0) -> str:
    """Write the largest reported communities of ``level`` and the relationships between them;
    return the caption.
    """
    nodes = connection.sql(_NODES, params=[level, COMMUNITIES_SHOWN]).pl()
    links = connection.sql(_LINKS, params=[nodes["community"].to_list(), LINKS_SHOWN]).pl()
    families = nodes.drop_nulls("family").group_by("family").agg(pl.col("runs").sum())
    families = families.sort("runs", "family", descending=[True, False])
    shown = families["family"].head(len(COLOURS)).to_list()
    at = _layout(nodes, links)
    figure, axes = _axes(9.0, 6.5)
    heaviest = max([1.0, *links["weight"]])
    place = dict(zip(nodes["community"], at, strict=True))
    for source, target, weight in links.iter_rows():
        ends = list(zip(place[source], place[target], strict=True))
        axes.plot(*ends, color=GREY, linewidth=0.4 + 3.0 * (weight / heaviest) ** 0.5, zorder=1)
    sizes = [30 + 900 * runs / max([1, *nodes["runs"]]) for runs in nodes["runs"]]
    colours = [
        COLOURS[shown.index(family)] if family in shown else GREY for family in nodes["family"]
    ]
    axes.scatter(
        [x for x, _ in at], [y for _, y in at], s=sizes, c=colours, edgecolors="white", zorder=2
    )
    for (x, y), label in list(zip(at, nodes["label"], strict=True))[:LABELLED]:
        axes.annotate(
            label,
            (x, y),
            fontsize=6,
            ha="center",
            va="bottom",
            xytext=(0, 4),
            textcoords="offset points",
        )
    axes.set_axis_off()
    for family, colour in zip(shown, COLOURS, strict=False):
        axes.scatter([], [], s=30, c=colour, label=family)
    if shown:
        axes.legend(
            fontsize=7,
            frameon=False,
            loc="lower right",
            title="leading virus family",
            title_fontsize=7,
        )
    _save(figure, path)
    first = f"{nodes['label'][0]} ({counted(nodes['runs'][0], 'run')})" if len(nodes) else "none"
    return (
        f"The {len(nodes)} largest communities of level {level} that have a report: area by runs, colour by leading "
        f"virus family, lines by the weight of the {len(links):,} strongest bundles of relationships. Largest: {first}."
    )


def _layout(nodes: pl.DataFrame, links: pl.DataFrame) -> list[tuple[float, float]]:
    """Return a place for each node, force-directed; igraph draws its random numbers from Python's
    generator.
    """
    import igraph

    order = {community: number for number, community in enumerate(nodes["community"])}
    edges = [(order[source], order[target]) for source, target, _ in links.iter_rows()]
    graph = igraph.Graph(n=len(nodes), edges=edges)
    state = random.getstate()
    random.seed(LAYOUT_SEED)
    try:
        layout = graph.layout_fruchterman_reingold(
            weights=links["weight"].log1p().to_list() or None, niter=1000
        )
    finally:
        random.setstate(state)
    return [(float(x), float(y)) for x, y in layout.coords]


def _report_caption(community: str, runs: int, facts: pl.DataFrame) -> str:
    start = f"{community}, {counted(runs, 'run')}: share of the runs with each value among those that state its facet."
    if facts.is_empty():
        return f"{start} Nothing is stated."
    best = facts.sort("lift", descending=True, maintain_order=True).row(0, named=True)
    return (
        f"{start} The black tick is the same share in the whole index. Furthest above it: {best['value']}, "
        f"{percent(best['share'])} against {percent(best['background_share'])} ({counted(best['runs'], 'run')})."
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


def _save(figure: Figure, path: Path) -> None:
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

_NODES: Final = """
SELECT c.community, c.runs, r.label, max(f.value) AS family
FROM community c JOIN report r USING (community)
LEFT JOIN fact f ON f.community = c.community AND f.facet = 'family' AND f.rank = 1
WHERE c.level = $1 GROUP BY ALL ORDER BY c.runs DESC, c.community LIMIT $2
"""

_LINKS: Final = """
WITH member AS (SELECT entity, community FROM community_member WHERE list_contains($1::VARCHAR[], community))
SELECT least(a.community, b.community) AS source, greatest(a.community, b.community) AS target, sum(r.weight) AS weight
FROM relationship r JOIN member a ON a.entity = r.source JOIN member b ON b.entity = r.target
WHERE a.community <> b.community GROUP BY ALL ORDER BY weight DESC, source, target LIMIT $2
"""

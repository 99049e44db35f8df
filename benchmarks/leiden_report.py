"""The figures of ``benchmarks.leiden`` as published: JSON that grows by engine and size, a table, a
drawing.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import polars as pl

Row = dict[str, Any]
NAMED: Final = {
    "ours": "this project, igraph, whole hierarchy",
    "ours-networkit": "this project, networkit refined by igraph, whole hierarchy",
    "graspologic": "graspologic hierarchical_leiden (Microsoft GraphRAG), whole hierarchy",
    "igraph": "igraph, one level",
    "leidenalg": "leidenalg, one level",
    "networkit": "networkit ParallelLeiden, one thread, one level",
}
COLUMNS: Final = {
    "cpu_s": "CPU s", "peak_gb": "peak GB", "modularity": "modularity", "levels": "levels",
    "communities": "communities", "nmi_coarse": "NMI coarse", "nmi_fine": "NMI fine",
}  # fmt: skip


def merge_rows(file: Path, rows: list[Row]) -> list[Row]:
    """Write ``rows`` into the JSON at ``file`` in place of those of the same engine and size;
    return all, sorted.

    An engine that is not installed leaves its last measurement as it is.
    """
    before = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else []
    by_key = {}
    for row in [*before, *rows]:
        if "edges" in row:
            by_key[row["edges"], row["engine"]] = row
    order = list(NAMED)
    merged = sorted(
        by_key.values(),
        key=lambda row: (row["edges"], order.index(row["engine"])),
    )
    file.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(merged, indent=1)
    file.write_text(f"{text}\n", encoding="utf-8")
    return merged


def as_markdown(rows: list[Row]) -> str:
    """Return one table per size; wall seconds are in the JSON only, as they say how busy the
    machine was.
    """
    parts = []
    for edges in sorted({row["edges"] for row in rows}):
        sized = [row for row in rows if row["edges"] == edges]
        header = ["engine", *COLUMNS.values()]
        lines = ["| " + " | ".join(header) + " |", "|---|" + "---:|" * len(COLUMNS)]
        lines += [
            f"| {NAMED[row['engine']]} | " + " | ".join(_cell(row[key]) for key in COLUMNS) + " |"
            for row in sized
        ]
        parts.append(f"{edges:,} edges\n\n" + "\n".join(lines))
    return "\n\n".join(parts) + "\n"


def plot(rows: list[Row], path: Path) -> Path:
    """Draw CPU seconds, peak memory and agreement with the planted blocks of every engine, one
    colour per size.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    frame = pl.DataFrame(rows)
    engines = [name for name in NAMED if name in frame["engine"]]
    sizes = frame["edges"].unique().sort().to_list()
    figure = Figure(figsize=(10, 3.2), layout="constrained")
    panels = figure.subplots(1, 3, sharey=True)
    for panel, (key, label) in zip(
        panels,
        (
            ("cpu_s", "CPU seconds"),
            ("peak_gb", "peak memory, GB"),
            ("nmi_fine", "NMI, fine blocks"),
        ),
        strict=True,
    ):
        for place, (edges, colour) in enumerate(zip(sizes, ("#92c5de", "#2166ac"), strict=False)):
            found = dict(frame.filter(pl.col("edges") == edges).select("engine", key).iter_rows())
            at = [
                number + (place - 0.5) * 0.38
                for number, name in enumerate(engines)
                if name in found
            ]
            bars = panel.barh(
                at, [found[name] for name in engines if name in found], 0.38, color=colour
            )
            panel.bar_label(bars, fmt="%g", fontsize=6, padding=1)
            bars.set_label(f"{edges:,} edges")
        panel.set_xscale("log" if key == "cpu_s" else "linear")
        panel.set(xlabel=label)
        panel.margins(x=0.18)
    panels[0].set_yticks(range(len(engines)), engines)
    panels[0].invert_yaxis()
    figure.legend(
        *panels[0].get_legend_handles_labels(),
        fontsize=7,
        frameon=False,
        loc="outside upper center",
        ncols=2,
    )
    with mpl.rc_context({"svg.hashsalt": "leiden"}):
        figure.savefig(path, dpi=150, metadata={"Date": None} if path.suffix == ".svg" else None)
    return path


def _cell(value: Any) -> str:
    return ", ".join(f"{count:,}" for count in value) if isinstance(value, list) else f"{value:,}"

"""Figures of benchmarks.scale, kept by cohort and size, as a table and a drawing."""

from __future__ import annotations

import json
import math
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any, Final

COUNTED: Final = ("relationship", "community")
LEAST_SHOWN_S: Final = 1.0
Build = dict[str, Any]


def merge_builds(file: Path, build: Build) -> list[Build]:
    """Write ``build`` to ``file`` in place of one of the same cohort and size; return all, ordered
    by both.
    """
    before = json.loads(file.read_text(encoding="utf-8")) if file.is_file() else []
    others = [one for one in before if _key(one) != _key(build)]
    builds = sorted([*others, build], key=_key)
    file.write_text(json.dumps(builds, indent=1) + "\n", encoding="utf-8")
    return builds


def growth(sizes: list[int], figures: list[float]) -> list[float]:
    """Return the exponent of growth from each size to the next.

    >>> growth([10, 100, 1000], [1.0, 10.0, 200.0])
    [1.0, 1.3]
    """
    steps = zip(pairwise(sizes), pairwise(figures), strict=True)
    return [
        round(math.log(high / low) / math.log(more / few), 2) for (few, more), (low, high) in steps
    ]


def as_markdown(builds: list[Build]) -> str:
    """Return counts, seconds, memory and growth per cohort and size, then seconds and memory of
    each stage.
    """
    columns = (
        "cohort",
        "runs",
        "relationships",
        "communities",
        "CPU s",
        "wall s",
        "peak GB",
        "file GB",
        "CPU exponent",
        "memory exponent",
    )
    lines = [_row(columns), "|---|" + "---:|" * (len(columns) - 1)]
    for _, group in groupby(
        builds,
        key=lambda build: build["cohort"],
    ):
        listed = list(group)
        sizes = [build["runs"] for build in listed]
        cpu = growth(sizes, [build["cpu_seconds"] for build in listed])
        memory = growth(sizes, [build["peak_memory_mb"] for build in listed])
        for build, of_time, of_memory in zip(listed, ["", *cpu], ["", *memory], strict=True):
            counts = [
                f"{number:,}" for number in (build["runs"], *map(build["counts"].get, COUNTED))
            ]
            spent = [f"{build[key]:,.0f}" for key in ("cpu_seconds", "total_seconds")]
            stored = [f"{build[key] / 1024:.1f}" for key in ("peak_memory_mb", "file_mb")]
            lines.append(_row([build["cohort"], *counts, *spent, *stored, of_time, of_memory]))
    return "\n".join([*lines, "", *_stages(builds), ""])


def plot(builds: list[Build], file: Path) -> None:
    """Draw CPU seconds and peak memory over runs on logarithmic axes, with the line of linear
    growth.
    """
    import matplotlib as mpl
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 3.5), layout="constrained")
    panels = figure.subplots(1, 2)
    measures = ("cpu_seconds", "peak_memory_mb"), ("CPU seconds", "peak memory, MB")
    for panel, key, label in zip(panels, *measures, strict=True):
        for cohort, group in groupby(builds, key=lambda build: build["cohort"]):
            points = [(build["runs"], build[key]) for build in group]
            panel.loglog(*zip(*points, strict=True), marker="o", label=cohort)
        most = max(builds, key=lambda build: build["runs"])
        sizes = sorted({build["runs"] for build in builds})
        panel.loglog(
            sizes,
            [most[key] * size / most["runs"] for size in sizes],
            "--",
            color="grey",
            label="linear",
        )
        panel.set(xlabel="runs", ylabel=label)
        panel.grid(
            visible=True,
            which="both",
            alpha=0.3,
        )
        panel.legend(fontsize=7, frameon=False)
    with mpl.rc_context({"svg.hashsalt": "scale"}):
        figure.savefig(file, dpi=150, metadata={"Date": None} if file.suffix == ".svg" else None)


def _stages(builds: list[Build]) -> list[str]:
    """Return the lines of a table of stages: CPU and wall seconds and peak GB of each build."""
    named = [f"{build['cohort']}, {build['runs']:,} runs" for build in builds]
    stages = list(dict.fromkeys(stage for build in builds for stage in build["seconds"]))
    lines = [
        "CPU s / wall s / peak GB of each stage:",
        "",
        _row(["stage", *named]),
        "|---|" + "---:|" * len(named),
    ]
    shown = [
        stage
        for stage in stages
        if max(one["seconds"].get(stage, 0.0) for one in builds) >= LEAST_SHOWN_S
    ]
    return lines + [_row([stage, *(_cost(build, stage) for build in builds)]) for stage in shown]


def _cost(build: Build, stage: str) -> str:
    if stage not in build["seconds"]:
        return ""
    cpu, wall, peak = (
        build[part][stage] for part in ("stage_cpu_seconds", "seconds", "stage_peak_mb")
    )
    return f"{cpu:,.0f} / {wall:,.0f} / {peak / 1024:.1f}"


def _row(cells: list[Any] | tuple[str, ...]) -> str:
    return "| " + " | ".join(map(str, cells)) + " |"


def _key(build: Build) -> tuple[str, int]:
    return build["cohort"], build["runs"]

"""How time and memory of a build grow: synthetic cohorts of several sizes through the whole index, without a model.

    python -m benchmarks.scale --runs 1e4,1e5,1e6 --plot scale.svg

Each build is a process of its own. The exponent says how a figure grows with the number of runs from one size to the
next: 1 is linear, 2 would be quadratic.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from benchmarks.cohort import write_cohort
from benchmarks.cohort_draw import Shape

SEED: Final = 1
STAGES_SHOWN: Final = 8


def build_cohort(runs: int, folder: Path) -> dict[str, Any]:
    """Make a cohort of ``runs`` runs in ``folder``, index it, and return the summary of the build."""
    print(write_cohort(folder, Shape(runs=runs, seed=SEED), as_parquet=True), file=sys.stderr, flush=True)
    command = [sys.executable, "-m", "flows.index", "--inputs", str(folder / "inputs.toml")]
    options = ["--db", str(folder / "virome.duckdb"), "--no-llm", "--json"]
    done = subprocess.run([*command, *options], stdout=subprocess.PIPE, check=True)
    summary: dict[str, Any] = json.loads(done.stdout)
    return summary


def growth(sizes: list[int], figures: list[float]) -> list[float]:
    """Return the exponent of growth from each size to the next.

    >>> growth([10, 100, 1000], [1.0, 10.0, 200.0])
    [1.0, 1.3]
    """
    steps = zip(pairwise(sizes), pairwise(figures), strict=True)
    return [round(math.log(high / low) / math.log(more / few), 2) for (few, more), (low, high) in steps]


def as_markdown(sizes: list[int], summaries: list[dict[str, Any]]) -> str:
    """Return counts, seconds, memory and growth per size, and the slowest stages of the largest."""
    seconds = [float(summary["total_seconds"]) for summary in summaries]
    memory = [float(summary["peak_memory_mb"]) for summary in summaries]
    columns = ("runs", "relationships", "communities", "seconds", "peak GB", "time exponent", "memory exponent")
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    exponents = zip(["", *growth(sizes, seconds)], ["", *growth(sizes, memory)], strict=True)
    for runs, summary, (of_time, of_memory) in zip(sizes, summaries, exponents, strict=True):
        counts = summary["counts"]
        peak = summary["peak_memory_mb"] / 1024
        cells = (f"{runs:,}", f"{counts['relationship']:,}", f"{counts['community']:,}")
        lines.append("| " + " | ".join([*cells, f"{summary['total_seconds']:.0f}", f"{peak:.1f}"]) + " | "
                     + f"{of_time} | {of_memory} |")  # fmt: skip
    slowest = sorted(summaries[-1]["seconds"].items(), key=lambda stage: -stage[1])[:STAGES_SHOWN]
    stages = "\n".join(f"- {stage}: {spent:.0f} s" for stage, spent in slowest)
    return "\n".join(lines) + f"\n\nSlowest stages at {sizes[-1]:,} runs:\n\n{stages}"


def plot(sizes: list[int], summaries: list[dict[str, Any]], file: Path) -> None:
    """Draw seconds and peak memory over runs on logarithmic axes."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 3.5), layout="constrained")
    panels = figure.subplots(1, 2)
    for panel, key, label in zip(
        panels, ("total_seconds", "peak_memory_mb"), ("seconds", "peak memory, MB"), strict=True
    ):
        panel.loglog(sizes, [summary[key] for summary in summaries], marker="o")
        panel.set(xlabel="runs", ylabel=label)
        panel.grid(visible=True, which="both", alpha=0.3)
    figure.savefig(file)


def main() -> None:
    """Build every size and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", default="1e4,1e5,1e6", help="sizes, comma-separated (default: %(default)s)")
    parser.add_argument("--plot", type=Path, help="draw the growth to this file, SVG or PNG")
    parser.add_argument("--json", type=Path, help="write the summaries of the builds to this file")
    options = parser.parse_args()
    sizes = [int(float(text)) for text in options.runs.split(",")]
    with tempfile.TemporaryDirectory() as folder:
        summaries = [build_cohort(runs, Path(folder) / str(runs)) for runs in sizes]
    if options.json:
        options.json.write_text(json.dumps(summaries, indent=2) + "\n")
    if options.plot:
        plot(sizes, summaries, options.plot)
    print(as_markdown(sizes, summaries))


if __name__ == "__main__":
    main()

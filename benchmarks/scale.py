"""How time and memory of a build grow: synthetic cohorts of several sizes through the whole index, without a model.

    python -m benchmarks.scale --runs 1e4,1e5,1e6 --ontologies ../shared/data/ontologies
    python -m benchmarks.scale --runs 7.7e6 --described 0.1 --config benchmarks/published.toml

Each build is a process of its own. The exponent says how a figure grows with the number of runs from one size to the
next: 1 is linear, 2 would be quadratic. CPU seconds stand beside wall seconds, which a busy machine stretches.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import shutil
import subprocess
import sys
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from benchmarks.cohort import SLICED, write_cohort
from benchmarks.cohort_draw import Shape

RESULTS: Final = Path(__file__).parent / "results"
SEED: Final = 1
KEPT: Final = ("counts", "seconds", "total_seconds", "peak_memory_mb", "content_hash")
COUNTED: Final = ("relationship", "community")
STAGES_SHOWN: Final = 8


def build_cohort(runs: int, folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Make a cohort of ``runs`` runs in ``folder``, index it, and return the summary of the build."""
    releases = {name: options.ontologies / file.name for name, file in SLICED.items()} if options.ontologies else SLICED
    shape = Shape(runs=runs, seed=SEED, described_share=options.described)
    print(write_cohort(folder, shape, as_parquet=True, ontologies=releases), file=sys.stderr, flush=True)
    command = [sys.executable, "-m", "flows.index", "--inputs", str(folder / "inputs.toml")]
    command += ["--db", str(folder / "virome.duckdb"), "--no-llm", "--json"]
    command += ["--config", str(options.config)] if options.config else []
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    summary: dict[str, Any] = json.loads(done.stdout)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    shutil.rmtree(folder)
    return {"runs": runs, "cpu_seconds": round(spent, 1), **{name: summary[name] for name in KEPT}}


def growth(sizes: list[int], figures: list[float]) -> list[float]:
    """Return the exponent of growth from each size to the next.

    >>> growth([10, 100, 1000], [1.0, 10.0, 200.0])
    [1.0, 1.3]
    """
    steps = zip(pairwise(sizes), pairwise(figures), strict=True)
    return [round(math.log(high / low) / math.log(more / few), 2) for (few, more), (low, high) in steps]


def as_markdown(builds: list[dict[str, Any]]) -> str:
    """Return counts, seconds, memory and growth per size, and the slowest stages of the largest."""
    sizes = [build["runs"] for build in builds]
    cpu = growth(sizes, [build["cpu_seconds"] for build in builds])
    memory = growth(sizes, [build["peak_memory_mb"] for build in builds])
    columns = (
        "runs", "relationships", "communities", "CPU s", "wall s", "peak GB", "CPU exponent", "memory exponent",
    )  # fmt: skip
    lines = ["| " + " | ".join(columns) + " |", "|" + "---:|" * len(columns)]
    for build, of_time, of_memory in zip(builds, ["", *cpu], ["", *memory], strict=True):
        counts = [f"{number:,}" for number in (build["runs"], *map(build["counts"].get, COUNTED))]
        spent = [f"{build[key]:,.0f}" for key in ("cpu_seconds", "total_seconds")]
        cells = [*counts, *spent, f"{build['peak_memory_mb'] / 1024:.1f}", str(of_time), str(of_memory)]
        lines.append("| " + " | ".join(cells) + " |")
    slowest = sorted(builds[-1]["seconds"].items(), key=lambda stage: -stage[1])[:STAGES_SHOWN]
    stages = "\n".join(f"- {stage}: {spent:.0f} s" for stage, spent in slowest)
    return "\n".join(lines) + f"\n\nSlowest stages at {sizes[-1]:,} runs (wall):\n\n{stages}\n"


def plot(builds: list[dict[str, Any]], file: Path) -> None:
    """Draw CPU seconds and peak memory over runs on logarithmic axes, with the line of linear growth."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 3.5), layout="constrained")
    sizes = [build["runs"] for build in builds]
    panels = figure.subplots(1, 2)
    for panel, key, label in zip(
        panels, ("cpu_seconds", "peak_memory_mb"), ("CPU seconds", "peak memory, MB"), strict=True
    ):
        measured = [build[key] for build in builds]
        panel.loglog(sizes, measured, marker="o", label="measured")
        panel.loglog(sizes, [measured[-1] * size / sizes[-1] for size in sizes], "--", color="grey", label="linear")
        panel.set(xlabel="runs", ylabel=label)
        panel.grid(visible=True, which="both", alpha=0.3)
        panel.legend(fontsize=7, frameon=False)
    with mpl.rc_context({"svg.hashsalt": "scale"}):
        figure.savefig(file, dpi=150, metadata={"Date": None} if file.suffix == ".svg" else None)


def main() -> None:
    """Build every size, write figures after each one, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", default="1e4,1e5,1e6", help="sizes, comma-separated (default: %(default)s)")
    parser.add_argument("--ontologies", type=Path, help="folder of full releases (default: those of the sample)")
    parser.add_argument("--described", type=float, default=1.0, help="share of projects with sample metadata")
    parser.add_argument("--config", type=Path, help="parameters of the builds, TOML")
    parser.add_argument(
        "--json", type=Path, default=RESULTS / "scale.json", help="figures go here, and beside it as .md and .svg"
    )
    options = parser.parse_args()
    builds: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as folder:
        for runs in (int(float(text)) for text in options.runs.split(",")):
            builds.append(build_cohort(runs, Path(folder) / str(runs), options))
            options.json.write_text(json.dumps(builds, indent=1) + "\n", encoding="utf-8")
            options.json.with_suffix(".md").write_text(as_markdown(builds), encoding="utf-8")
            plot(builds, options.json.with_suffix(".svg"))
    print(as_markdown(builds))


if __name__ == "__main__":
    main()

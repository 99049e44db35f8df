"""How time and memory of a build grow: synthetic cohorts of several sizes, without a model.

    python -m benchmarks.scale --runs 1e4,1e5,1e6 --ontologies ../shared/data/ontologies
    python -m benchmarks.scale --cohort dense --runs 1e6 --ontologies ../shared/data/ontologies
    python -m benchmarks.scale --cohort published --ontologies ../shared/data/ontologies

Each build is a process of its own. Figures are kept by cohort and size, so that sizes measured at
different times are in one table. The exponent says how a figure grows with the number of runs
from one size to the next: 1 is linear, 2 would be quadratic. Wall seconds
grow on a busy machine, so CPU seconds are beside them.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from benchmarks.cohort import SLICED, write_cohort
from benchmarks.cohort_shape import Shape
from benchmarks.places import add_record_option, results_folder
from benchmarks.scale_report import as_markdown, merge_builds, plot

SEED: Final = 1
KEPT: Final = (
    "counts",
    "seconds",
    "stage_cpu_seconds",
    "stage_peak_mb",
    "total_seconds",
    "peak_memory_mb",
    "content_hash",
)
PUBLISHED_RUNS: Final = 7_680_426


class CohortKind(NamedTuple):
    """A kind of cohort: its shape but for the number of runs, that number, and the parameters of
    its index.
    """

    shape: Shape
    runs: str
    config: Path | None = None


COHORTS: Final = {
    "described": CohortKind(Shape(runs=0, seed=SEED), "1e4,1e5,1e6"),
    "dense": CohortKind(Shape(runs=0, seed=SEED, stat_taxa=8), "1e6"),
    "stat": CohortKind(
        Shape(runs=0, seed=SEED, stat_taxa=8, described_share=0.1),
        "1e5,1e6",
        Path(__file__).with_name("stat.toml"),
    ),
    "published": CohortKind(
        Shape(runs=0, seed=SEED, positive_share=0.283, described_share=0.1),
        str(PUBLISHED_RUNS),
        Path(__file__).with_name("published.toml"),
    ),
}
"""``described``: every project describes its samples. ``dense``: twice as many relationships, about
ten a run, by the organisms that k-mers show. ``stat``: the same profiles as a graph of k-mers at
the rank of order; seven runs in ten have one, one project in ten is described. ``published``: the
sizes of the real graph (runs, sOTUs, run-sOTU rows), one project in ten described.
"""


def build_cohort(
    name: str, runs: int, folder: Path, ontologies: Mapping[str, Path]
) -> dict[str, Any]:
    """Make the cohort ``name`` of ``runs`` runs in ``folder``, index it, and return the summary of
    the build.
    """
    cohort = COHORTS[name]
    shape = replace(cohort.shape, runs=runs)
    print(
        write_cohort(
            folder,
            shape,
            as_parquet=True,
            ontologies=ontologies,
        ),
        file=sys.stderr,
        flush=True,
    )
    command = [sys.executable, "-m", "flows.index", "--inputs", str(folder / "inputs.toml")]
    command += ["--db", str(folder / "virome.duckdb"), "--no-llm", "--json"]
    command += ["--config", str(cohort.config)] if cohort.config else []
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    summary: dict[str, Any] = json.loads(done.stdout)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    file_mb = (folder / "virome.duckdb").stat().st_size >> 20
    shutil.rmtree(folder)
    kept = {name: summary[name] for name in KEPT}
    return {
        "cohort": name,
        "runs": runs,
        "cpu_seconds": round(spent, 1),
        "file_mb": file_mb,
        **kept,
    }


def _releases(folder: Path) -> dict[str, Path]:
    """Return the full releases in ``folder``; the slice of the sample where it has none."""
    releases = {}
    for name, sliced in SLICED.items():
        full = folder / sliced.name
        releases[name] = full if full.exists() else sliced
    return releases


def main() -> None:
    """Build every size, write figures after each one, and print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--cohort",
        choices=COHORTS,
        default="described",
        help="kind of cohort (default: %(default)s)",
    )
    parser.add_argument("--runs", help="sizes, comma-separated (default: those of the cohort)")
    parser.add_argument(
        "--ontologies", type=Path, help="folder of full releases (default: those of the sample)"
    )
    parser.add_argument(
        "--scratch", type=Path, help="where cohorts and indexes are made and removed"
    )
    add_record_option(parser)
    options = parser.parse_args()
    file = results_folder(record=options.record) / "scale.json"
    folder = options.ontologies
    ontologies = _releases(folder) if folder else SLICED
    sizes = [int(float(text)) for text in (options.runs or COHORTS[options.cohort].runs).split(",")]
    if options.scratch:
        options.scratch.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=options.scratch) as scratch:
        for runs in sizes:
            build = build_cohort(options.cohort, runs, Path(scratch) / str(runs), ontologies)
            builds = merge_builds(file, build)
            file.with_suffix(".md").write_text(as_markdown(builds), encoding="utf-8")
            plot(builds, file.with_suffix(".svg"))
    print(as_markdown(builds))


if __name__ == "__main__":
    main()

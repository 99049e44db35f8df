"""What parts on a Dask cluster cost where there are no more cores: two workers on this machine.

    python -m benchmarks.scale_out --runs 20000 --record

Builds one cohort alone and with a scheduler and two workers, and compares the seconds of the stages
that are split, and the digests of both indexes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

from benchmarks.cohort import write_cohort
from benchmarks.cohort_shape import Shape
from benchmarks.places import add_record_option, results_folder

STAGES: Final = ("ground metadata", "test associations")
ADDRESS: Final = "tcp://127.0.0.1:28786"
PARTS: Final = 4
HEAD: Final = """# Parts on a cluster of this machine

A cohort of {runs:,} runs built alone, and with a Dask scheduler and two workers on the same
{cores} cores, {parts} parts of the runs and 8 of the projects
(`python -m benchmarks.scale_out --runs {runs} --record`). Load of the machine when it began:
{load:.1f}. CPU is that of the build; that of the workers is not in it.

| stage | alone, wall s | alone, CPU s | cluster, wall s | cluster, CPU s of the build |
|---|---:|---:|---:|---:|
"""


def main() -> None:
    """Build twice and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--runs", type=int, default=20_000, help="runs of the cohort")
    add_record_option(parser)
    options = parser.parse_args()
    load, _, _ = os.getloadavg()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_cohort(folder / "cohort", Shape(runs=options.runs, seed=5), as_parquet=True)
        alone = build(folder, "alone", {})
        cluster = {
            "VIROME_DASK": ADDRESS,
            "VIROME_DASK_FOLDER": str(folder / "shared"),
            "VIROME_DASK_RUNS": str(-(-options.runs // PARTS)),
        }
        with two_workers():
            spread = build(folder, "spread", cluster)
    head = HEAD.format(runs=options.runs, cores=os.cpu_count(), parts=PARTS, load=load)
    text = head + "\n".join(table(alone, spread)) + f"\n\nDigests: {equality(alone, spread)}.\n"
    target = results_folder(record=options.record) / "scale_out.md"
    target.write_text(text)
    print(text)


@contextmanager
def two_workers() -> Iterator[None]:
    """Run a scheduler and two workers of one thread until the block ends."""
    dask = [sys.executable, "-m", "dask"]
    worker = [*dask, "worker", ADDRESS, "--nthreads", "1", "--no-dashboard"]
    with ExitStack() as started:
        for command in ([*dask, "scheduler", "--host", ADDRESS, "--no-dashboard"], worker, worker):
            process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
            started.callback(process.wait)
            started.callback(process.terminate)
        yield


def build(folder: Path, name: str, environ: Mapping[str, str]) -> dict[str, Any]:
    """Return the summary of a build of the cohort."""
    command = [sys.executable, "-m", "flows.index", "--no-llm", "--quiet", "--json"]
    command += ["--inputs", str(folder / "cohort" / "inputs.toml")]
    command += ["--db", str(folder / f"{name}.duckdb")]
    done = subprocess.run(
        command, check=True, stdout=subprocess.PIPE, text=True, env={**os.environ, **environ}
    )
    summary: dict[str, Any] = json.loads(done.stdout)
    return summary


def table(alone: dict[str, Any], spread: dict[str, Any]) -> Iterator[str]:
    """Yield a row for each stage that is split."""
    for stage in STAGES:
        figures = [
            summary[kind][stage]
            for summary in (alone, spread)
            for kind in ("seconds", "stage_cpu_seconds")
        ]
        yield " | ".join([f"| {stage}", *(f"{figure:.1f}" for figure in figures)]) + " |"


def equality(alone: dict[str, Any], spread: dict[str, Any]) -> str:
    """Return whether both indexes have the same content."""
    is_equal = alone["content_hash"] == spread["content_hash"]
    return "equal" if is_equal else "NOT EQUAL"


if __name__ == "__main__":
    main()

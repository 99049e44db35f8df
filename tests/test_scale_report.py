"""Figures of the scale benchmark: kept by cohort and size, and printed with how they grow."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.scale_report import as_markdown, growth, merge_builds, plot
from flows.progress import Progress, silent


def build(cohort: str, runs: int, *, cpu_seconds: float, peak_mb: int = 2048) -> dict[str, Any]:
    """Return the figures of a build of one stage."""
    return {
        "cohort": cohort, "runs": runs, "cpu_seconds": cpu_seconds,
        "total_seconds": cpu_seconds / 2, "file_mb": 512,
        "peak_memory_mb": peak_mb, "counts": {"relationship": 5 * runs, "community": runs // 10},
        "seconds": {"cluster": cpu_seconds / 2}, "stage_cpu_seconds": {"cluster": cpu_seconds},
        "stage_peak_mb": {"cluster": peak_mb},
    }  # fmt: skip


def test_a_size_measured_again_takes_the_place_of_the_old_figures(tmp_path: Path) -> None:
    file = tmp_path / "scale.json"
    for one in (
        build("b", 100, cpu_seconds=9),
        build("a", 100, cpu_seconds=1),
        build("b", 10, cpu_seconds=1),
    ):
        merge_builds(file, one)
    merged = merge_builds(file, build("b", 100, cpu_seconds=10))
    listed = [(one["cohort"], one["runs"], one["cpu_seconds"]) for one in merged]
    assert listed == [("a", 100, 1), ("b", 10, 1), ("b", 100, 10)]
    assert json.loads(file.read_text(encoding="utf-8")) == merged


def test_growth_is_stated_within_a_cohort_only() -> None:
    table = as_markdown(
        [
            build("a", 1000, cpu_seconds=5),
            build("b", 100, cpu_seconds=4),
            build("b", 1000, cpu_seconds=40),
        ]
    )
    rows = [line for line in table.splitlines() if line.startswith(("| a", "| b"))]
    assert rows == [
        "| a | 1,000 | 5,000 | 100 | 5 | 2 | 2.0 | 0.5 |  |  |",
        "| b | 100 | 500 | 10 | 4 | 2 | 2.0 | 0.5 |  |  |",
        "| b | 1,000 | 5,000 | 100 | 40 | 20 | 2.0 | 0.5 | 1.0 | 0.0 |",
    ]
    assert "| cluster | 5 / 2 / 2.0 | 4 / 2 / 2.0 | 40 / 20 / 2.0 |" in table


@pytest.mark.parametrize(
    ("figures", "exponent"), [([1.0, 10.0], 1.0), ([1.0, 100.0], 2.0), ([3.0, 3.0], 0.0)]
)
def test_the_exponent_of_growth(figures: list[float], exponent: float) -> None:
    assert growth([10, 100], figures) == [exponent]


def test_the_drawing_is_the_same_for_the_same_figures(tmp_path: Path) -> None:
    builds = [build("a", 100, cpu_seconds=4), build("b", 1000, cpu_seconds=40)]
    for name in ("one.svg", "two.svg"):
        plot(builds, tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()


@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="elsewhere the kernel forgets no peak"
)
def test_a_stage_states_its_own_peak_and_the_build_the_highest() -> None:
    progress = Progress(say_line=silent)
    for name, size in (("before", 0), ("large", 200 << 20), ("small", 0)):
        progress.stage(name)(fill)(size)
    assert progress.peak_mb["large"] >= progress.peak_mb["small"] + 150
    assert progress.highest_mb() == max(progress.peak_mb.values())
    assert (
        set(progress.peak_mb)
        == set(progress.seconds)
        == set(progress.cpu_seconds)
        == {"before", "large", "small"}
    )


def fill(size: int) -> None:
    """Have ``size`` bytes in memory for a moment."""
    assert len(b"x" * size) == size

"""What a build says about the values it could not ground, and what its stages take."""

from __future__ import annotations

import sys

import duckdb
import pytest

from flows.progress import Progress, silent
from flows.summary import UNGROUNDED_KEPT
from tests.conftest import BuiltIndex


def test_most_frequent_values_without_a_term_are_listed_with_their_runs(
    sample_index: BuiltIndex, sample_db: duckdb.DuckDBPyConnection
) -> None:
    frequent = sample_index.summary.ungrounded
    runs = [value.runs for value in frequent]
    assert 0 < len(frequent) <= UNGROUNDED_KEPT
    assert runs == sorted(runs, reverse=True)
    assert {value.outcome for value in frequent} <= {"ungrounded", "ambiguous"}
    ((most,),) = sample_db.execute(
        "SELECT max(runs) FROM ungrounded WHERE outcome IN ('ungrounded', 'ambiguous')"
    ).fetchall()
    assert frequent[0].runs == most
    assert (
        f"{frequent[0].facet}: {frequent[0].text} ({frequent[0].outcome})"
        in sample_index.summary.text()
    )
    assert frequent[-1].text in sample_index.summary.markdown()


@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="elsewhere the kernel forgets no peak"
)
def test_a_stage_states_its_own_peak_and_the_build_the_highest() -> None:
    progress = Progress(say_line=silent)
    for name, size in (("before", 0), ("large", 200 << 20), ("small", 0)):
        progress.stage(name)(fill)(size)
    assert progress.peak_mb["large"] >= progress.peak_mb["small"] + 150
    assert progress.highest_mb() == max(progress.peak_mb.values())
    assert set(progress.peak_mb) == set(progress.cpu_seconds) == {"before", "large", "small"}


def fill(size: int) -> None:
    """Have ``size`` bytes in memory for a moment."""
    assert len(b"x" * size) == size

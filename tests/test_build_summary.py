"""What a build says about the values it could not ground."""

from __future__ import annotations

import duckdb

from flows.summary import UNGROUNDED_KEPT
from tests.conftest import BuiltIndex


def test_most_frequent_values_without_a_term_are_told_with_their_runs(
    sample_index: BuiltIndex, sample_db: duckdb.DuckDBPyConnection
) -> None:
    told = sample_index.summary.ungrounded
    runs = [value.runs for value in told]
    assert 0 < len(told) <= UNGROUNDED_KEPT
    assert runs == sorted(runs, reverse=True)
    assert {value.outcome for value in told} <= {"ungrounded", "ambiguous"}
    ((most,),) = sample_db.execute(
        "SELECT max(runs) FROM ungrounded WHERE outcome IN ('ungrounded', 'ambiguous')"
    ).fetchall()
    assert told[0].runs == most
    assert f"{told[0].facet}: {told[0].text} ({told[0].outcome})" in sample_index.summary.text()
    assert told[-1].text in sample_index.summary.markdown()

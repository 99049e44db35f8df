"""What a build says about the values it could not ground."""

from __future__ import annotations

import duckdb

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

"""Where samples are asked for, an answer says how many biosamples its runs are of."""

from __future__ import annotations

from typing import cast

import duckdb
import pytest

from query.global_search.headlines.biosamples import biosamples_counted
from query.global_search.matched_runs import MatchedRuns
from query.global_search.matched_values import MatchedValues
from query.reading.intent import Intent
from query.reading.kinds import Kind
from query.reading.question import Question
from query.reading.reading import Reading


def asked(text: str, kind: str = "count") -> Question:
    reading = Reading(kind=cast("Kind", kind))
    return Question(text, Intent((), associations=False, explicit=False), (), (), (), (), reading)


@pytest.fixture
def matched() -> MatchedRuns:
    """Return three matching runs of two biosamples, one of them without a stated one."""
    con = duckdb.connect()
    con.execute("""
CREATE TABLE run AS FROM (VALUES ('r1', 's1'), ('r2', 's1'), ('r3', NULL), ('r4', 's2'))
r(run, biosample);
CREATE TEMP TABLE matched AS FROM (VALUES ('r1'), ('r2'), ('r3')) m(run)""")
    return MatchedRuns(con, 3, 4, ("virus",), (), MatchedValues(con))


@pytest.mark.parametrize("text", ["How many pig samples have EBV?", "biosamples with EBV, a count"])
def test_biosamples_are_counted_where_samples_are_asked_for(
    matched: MatchedRuns, text: str
) -> None:
    said = biosamples_counted(asked(text), matched)
    assert said == "These runs are of 1 biosample; 1 of them states none."


def test_runs_are_not_counted_twice(matched: MatchedRuns) -> None:
    assert biosamples_counted(asked("How many pig runs have EBV?"), matched) == ""
    assert biosamples_counted(asked("Which samples have EBV?", "list"), matched) == ""

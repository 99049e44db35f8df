"""Follow-ups: a request in words, then lines that change it, each with the request it makes."""

from __future__ import annotations

import duckdb
import pytest

from query.reading import read
from query.reading.canonical import read_canonical
from query.reading.reader import NO_CHANGE
from query.request import say
from query.request.plainly import plainly

DIALOGUES = """
How many runs carry EBV?
and in lung?
  How many runs carry EBV and are from the tissue lung?
how many of these carry influenza A virus too?
  How many runs carry EBV and are from the tissue lung and carry influenza A virus?

List viruses in runs from the host bats.
only from China
  List viruses in runs from the host bats and the country China.

List hosts of runs that carry coronaviruses.
as csv
  List hosts of runs that carry coronaviruses.
and astroviruses?
  List hosts of runs that carry astroviruses.

How many runs from the host human carry EBV?
influenza A virus instead
  How many runs from the host human carry influenza A virus?
without EBV
  How many runs from the host human carry influenza A virus and do not carry EBV?
instead of influenza A virus, EBV
  How many runs from the host human carry EBV?

How many runs were released in 2017?
what about 2018
  How many runs were released in 2018?
which of those have a virus
  Show runs that were released in 2018 and carry any virus.
how many of them have a virus
  How many runs were released in 2018 and carry any virus?

Are there any runs that carry EBV and carry influenza A virus?
list them
  Show runs that carry EBV and carry influenza A virus.

Show runs that carry EBV with reads above 1000.
only with identity over 95
  Show runs that carry EBV with identity above 95 with reads above 1000.

List tissues of runs that carry EBV.
only at 90 % identity
  List tissues of runs that carry EBV at 90 percent identity or more.
in how many studies?
  How many studies are in runs that carry EBV at 90 percent identity or more?

List the 5 most frequent viruses in runs from the host pigs.
and cattle?
  List the 5 most frequent viruses in runs from the host cattle.
top 10
  List the 10 most frequent viruses in runs from the host cattle.

Describe the virus EBV.
in which hosts?
  List hosts of runs that carry EBV.

Of runs from the host bat, what share carry coronaviruses?
and of pigs?
  Of runs from the host pigs, what share carry coronaviruses?
at species level?
  Of runs from the host pigs, what share carry coronaviruses at 90 percent identity or more?

Are there any runs that carry coronaviruses and are from the host bats?
which ones?
  List viruses of coronaviruses in runs from the host bats.
where were they collected?
  List countries of runs from the host bats that carry coronaviruses.

Summarise the number of reads of EBV.
and identity?
  Summarise the identity of EBV.

How many runs carry EBV and are from the host bats?
pigs, too
  How many runs carry EBV and are from the host bats or pigs?
without cell lines
  How many runs carry EBV and are from the host bats or pigs and do not have a recorded cell line?

List viruses in runs from the host human.
only coronaviruses
  List viruses of coronaviruses in runs from the host human.
confirmed ones
  List viruses of coronaviruses at 90 percent identity or more in runs from the host human.

What is the evidence for EBV?
and in bats?
  What is the evidence for EBV in runs from the host bats?
which runs?
  Show runs from the host bats that carry EBV.

Of runs that carry EBV, what share are from the host human?
the other way round
  Of runs from the host human, what share carry EBV?
"""


@pytest.mark.parametrize("dialogue", DIALOGUES.strip().split("\n\n"))
def test_a_follow_up_changes_the_request_before_it(
    sample_db: duckdb.DuckDBPyConnection, dialogue: str
) -> None:
    first, *rest = dialogue.splitlines()
    (before,) = read(sample_db, first).requests
    lines = iter(rest)
    for question, meant in zip(lines, lines, strict=True):
        reading = read(sample_db, question, previous=before)
        wanted = read_canonical(meant.strip())
        assert wanted is not None
        assert len(reading.requests) == 1
        assert plainly(reading.requests[0]) == plainly(wanted), (question, say(reading.requests[0]))
        before = reading.requests[-1]


def test_a_follow_up_changes_what_is_compared(sample_db: duckdb.DuckDBPyConnection) -> None:
    sides = "Compare runs from the host bats with runs from the host pigs: what share of runs "
    (before,) = read(sample_db, f"{sides}carry EBV?").requests
    (after,) = read(sample_db, "and coronaviruses?", previous=before).requests
    assert say(after) == f"{sides}carry coronaviruses?"


@pytest.mark.parametrize("line", ["both", "the other way round", "hm"])
def test_a_line_that_changes_nothing_says_so(
    sample_db: duckdb.DuckDBPyConnection, line: str
) -> None:
    (before,) = read(sample_db, "How many runs carry EBV?").requests
    after = read(sample_db, line, previous=before)
    assert not after.requests
    assert after.refusal == NO_CHANGE


def test_stored_rows_have_no_runs_to_point_back_to(sample_db: duckdb.DuckDBPyConnection) -> None:
    (before,) = read(sample_db, "what is the biggest community?").requests
    assert read(sample_db, "what viruses are in it", previous=before).refusal == NO_CHANGE

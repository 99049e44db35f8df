"""Follow-ups: a question, then lines that change it, each with the request that it makes."""

from __future__ import annotations

import duckdb
import pytest

from query.reading import read
from query.request import say

DIALOGUES = """
How many runs carry EBV?
  How many runs carry EBV?
and in lung?
  How many runs carry EBV and are from the tissue lung?
how many of these carry influenza A virus too?
  How many runs carry EBV and are from the tissue lung and carry influenza A virus?

Which viruses are found in bats?
  List viruses in runs that have bats as host.
only from China
  List viruses in runs that have bats as host and are from the country China.

Which hosts carry coronaviruses?
  List hosts in runs that carry coronaviruses.
as csv
  List hosts in runs that carry coronaviruses.
and astroviruses?
  List hosts in runs that carry astroviruses.

How many human runs carry EBV?
  How many runs have human as host and carry EBV?
influenza A virus instead
  How many runs have human as host and carry influenza A virus?
without EBV
  How many runs have human as host and carry influenza A virus and do not carry EBV?

Which tissues carry EBV?
  List tissues in runs that carry EBV.
only at 90 % identity
  List tissues in runs that carry EBV at 90 percent identity or more.
in how many studies?
  How many studies are in runs that carry EBV at 90 percent identity or more?

Top 5 viruses in pigs
  List viruses in runs that have pigs as host; the first 5.
and cattle?
  List viruses in runs that have cattle as host; the first 5.
top 10
  List viruses in runs that have cattle as host; the first 10.

What is known about EBV?
  Describe the virus EBV.
in which hosts?
  List hosts in runs that carry EBV.

What share of bat runs carry coronaviruses?
  Of runs that have bat as host, what share carry coronaviruses?
and of pigs?
  Of runs that have pigs as host, what share carry coronaviruses?
at species level?
  Of runs that have pigs as host, what share carry coronaviruses at 90 percent identity or more?

Are there coronaviruses in bats?
  Are there any runs that carry coronaviruses and have bats as host?
which ones?
  List viruses of coronaviruses in runs that have bats as host.
where were they collected?
  List countries in runs that have bats as host and carry coronaviruses.

median reads of EBV
  Summarise number of reads of EBV in all runs.
and identity?
  Summarise identity of EBV in all runs.
"""


@pytest.mark.parametrize("dialogue", DIALOGUES.strip().split("\n\n"))
def test_a_follow_up_changes_the_request_before_it(
    sample_db: duckdb.DuckDBPyConnection, dialogue: str
) -> None:
    previous = None
    lines = iter(dialogue.splitlines())
    for question, meant in zip(lines, lines, strict=True):
        reading = read(sample_db, question, previous=previous)
        assert [say(request) for request in reading.requests] == [meant.strip()], question
        previous = reading.requests[-1]

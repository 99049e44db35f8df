"""What is ranked, shared or not expected: wordings people use, and headlines that answer them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from query.config import QueryConfig
from query.evaluation.gold import Gold
from query.evaluation.judging import judge
from query.evaluation.observing import Observation, observe
from query.evaluation.questions import Asked, GoldQuestion
from query.global_search.headlines.compared.differences import Side
from query.global_search.headlines.compared.shared import shared_by_sides
from query.global_search.matched_runs import MatchedRuns
from query.global_search.matched_values import MatchedValues
from query.reading.asked.besides import asks_in_common, asks_unexpected
from query.reading.intent import Intent, is_stop_word
from query.reading.kinds import beyond_counts, kind_of, order_of
from query.reading.question import Question
from query.reading.reading import Reading
from query.reading.respelling.rules import respelled
from tests.query_index import make_index, opened


@pytest.fixture(scope="module")
def con(tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    path: Path = make_index(tmp_path_factory.mktemp("orders") / "index.duckdb")
    with opened(path) as connection:
        yield connection


def rows(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")] for line in table.strip().splitlines()[1:]]


SPELLED = """
as typed                                              | as read
hi, any chance there is HCMV in endothelial cells?    | is there HCMV in endothelial cells?
Could you please tell me which hosts have EBV         | which hosts have EBV
I wonder whether rats ever had a picornavirus         | whether rats ever had a picornavirus
poxviruses of cattle: present or not?                 | is there poxviruses of cattle?
In how many lung runs was EBV not found?              | In how many lung runs without EBV
runs w/ Zika & w/o dengue                             | runs with Zika and without dengue
EBV-negative B-lymphocyte runs                        | B-lymphocyte runs without EBV
the most EBV-positive runs                            | the most EBV positive runs
hosts that aren't human                               | hosts that are not human
top3 tissues                                          | top 3 tissues
disease-free mice                                     | disease-free mice
"""


@pytest.mark.parametrize(("typed", "read"), rows(SPELLED))
def test_asides_and_shorthand_are_spelled_out(typed: str, read: str) -> None:
    assert respelled(typed) == read


FRAMES = """
frame                                                  | kind      | order
which host has the highest share of runs with _        | rank      | largest share
in which tissue is the percentage of _ positive runs greatest | rank | largest share
share of _ by host                                     | rank      | largest share
what is the rarest virus family in _                   | rank      | fewest runs
_ by country                                           | list      | most runs
how many runs of _ per tissue                          | list      | most runs
what share of _ runs have _                            | share     | most runs
are _ more frequent in _ or in _                       | compare   | most runs
overlap between _ and _ viruses                        | compare   | most runs
which attributes predict _                             | associate | most runs
"""


@pytest.mark.parametrize(("frame", "kind", "order"), rows(FRAMES))
def test_frame_says_what_is_ranked_by_what(frame: str, kind: str, order: str) -> None:
    explicit = any(word in frame for word in ("host", "tissue", "family", "country"))
    assert (kind_of(frame, explicit=explicit), order_of(frame)) == (kind, order)


def test_what_is_shared_or_not_expected_is_asked_for_by_words_of_its_own() -> None:
    assert asks_in_common("viruses shared by _ and _")
    assert not asks_in_common("what share of _ have _")
    assert asks_unexpected("are there suspicious viruses in _")
    assert not asks_unexpected("which viruses are in _")


BEYOND = """
frame                                 | topic
how do _ and _ differ in their viruses |
how can i find the hosts of _         |
which attributes predict _            |
will it be predicted next year        | dates
"""


@pytest.mark.parametrize(("frame", "topic"), rows(BEYOND))
def test_what_is_to_come_is_beyond_counts(frame: str, topic: str) -> None:
    limit = beyond_counts(frame)
    assert (limit.topic if limit else "") == topic


@pytest.mark.parametrize("word", ["carrying", "looked", "mentions", "turned", "runs"])
def test_other_forms_of_a_plain_word_are_plain(word: str) -> None:
    assert is_stop_word(word)


@pytest.mark.parametrize("word", ["bears", "seeds", "leaves", "recover", "cause", "tick", "wine"])
def test_words_with_a_meaning_are_not_plain(word: str) -> None:
    assert not is_stop_word(word)


HEADLINES = """
question                                                    | says
In which tissue is the share of coronaviruses greatest?     | intestine (6 of 18, 33%)
Which tissue has the lowest share of coronaviruses?         | lung (0 of 12, 0%)
What is the rarest virus family in bats?                    | Virus families, 1 of 2, fewest runs first: Astroviridae (4 runs)
What do bats and pigs have in common?                       | have in common: no virus families; no virus species
What do coronaviruses and astroviruses have in common?      | (4 runs) have in common no hosts; no environments; the tissues intestine
Which places do coronaviruses and astroviruses share?       | have in common no places. No run carries both.
Compare the viruses of bats and pigs                        | Any virus is found in 10 of 12 searched runs of Chiroptera
Are coronaviruses found in both bats and pigs?              | No, not in Sus scrofa (pigs)
Are there unexpected viruses in bats?                       | No unexpected virus
How many Chinese runs are there?                            | 8 runs of 36 are from China
"""  # noqa: E501


@pytest.mark.parametrize(("question", "says"), rows(HEADLINES))
def test_headline_answers_what_is_ranked_shared_or_unexpected(
    con: duckdb.DuckDBPyConnection, question: str, says: str
) -> None:
    assert says in observe(con, question, config=QueryConfig()).headline


FOUND = """
run | family        | stated
R1  | Coronaviridae | Bat coronavirus
R2  | Coronaviridae |
R3  | Astroviridae  |
R4  | Coronaviridae | Bat coronavirus
"""


def side(name: str, runs: list[str]) -> Side:
    con = duckdb.connect()
    con.execute("CREATE TABLE detection (run VARCHAR, family VARCHAR, stated VARCHAR)")
    found = [[cell or None for cell in row] for row in rows(FOUND)]
    con.executemany("INSERT INTO detection VALUES (?, ?, ?)", found)
    con.execute("CREATE TEMP TABLE matched AS SELECT unnest($1::VARCHAR[]) AS run", [runs])
    return Side(name, MatchedRuns(con, len(runs), 4, (), (), MatchedValues(con)), len(runs))


def test_shared_viruses_are_those_of_every_side() -> None:
    sides = [side("bats", ["R1", "R2", "R3"]), side("pigs", ["R4"])]
    question = Question("?", Intent(("family", "species"), False, True), (), (), ())
    asked = replace(question, reading=Reading(facets=("family", "species")))
    assert shared_by_sides(asked, sides) == (
        "bats and pigs (3 searched runs and 1 searched run) have in common: 1 virus family, "
        "Coronaviridae (2 runs and 1 run); 1 virus species, Bat coronavirus (1 run and 1 run)."
    )


def said(headline: str) -> Observation:
    return Observation(Reading(), headline, headline)


def asking(asks: str, **asked: object) -> GoldQuestion:
    return GoldQuestion("q1", "test", "?", ("rank",), Asked(asks, **asked))  # type: ignore[arg-type]


JUDGED = """
asks       | headline                                         | fault
shares     | largest share: bat (9 of 10)                     |
shares     | largest share: pig (9 of 90)                     | the largest share is missing
fewest     | Hosts, fewest runs first: ant (1 run)            |
fewest     | Hosts: bat (9 runs)                              | a value with fewest runs is missing
common     | They have in common: bat (9 runs), ant (1 run)   |
common     | They have in common: bat, ant and cow            | names what only one of them has
common     | They differ in ant.                              | what the two share is missing
unexpected | Unexpected: ant                                  |
unexpected | There are ants.                                  | no unexpected virus is named
"""


@pytest.mark.parametrize(("asks", "headline", "fault"), rows(JUDGED))
def test_ranked_and_shared_values_are_judged_by_name_and_number(
    asks: str, headline: str, fault: str
) -> None:
    gold = Gold(
        values={"host": (("ant", 1), ("bat", 9))},
        shares=(("bat", 9, 10), ("pig", 9, 90)),
        others=frozenset({"cow"}),
        names=("ant",),
    )
    question = asking(asks, facets=("host",), limit=1)
    assert (judge(question, gold, said(headline)).fault or "") == fault

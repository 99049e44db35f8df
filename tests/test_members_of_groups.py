"""Members of a group of viruses, what is left out of a list, what runs state, and two questions in
one sentence; on the sample, beside SQL of its own.
"""

from __future__ import annotations

import duckdb
import pytest

from query.errors import BeyondCountsError, NoEvidenceError
from query.reading.question import read_question
from query.reading.several import read_questions
from tests.test_chatty_questions import con, headline, rows

__all__ = ["con"]

SAYS = """
question | says
top three coronaviruses by number of runs | Virus species, 3 of 13: Severe acute respiratory syndrome-related coronavirus (45 runs)
rarest picornavirus | fewest runs first: Rhinovirus C (1 run)
List the coronaviruses from most to least frequent | Virus species, 5 of 13: Severe acute respiratory syndrome-related coronavirus (45 runs)
Which bat coronaviruses are there? | Virus species: Rousettus bat coronavirus HKU9 (21 runs)
Which of the coronaviruses is the rarest? | fewest runs first
How many coronaviruses are there? | 11 virus species and 5 less certain (like one, or as reported) in 239 of 239 runs of Coronaviridae
coronaviruses in bats | found in 36 of 94 searched runs of Chiroptera (bats) (38%). Virus species: Rousettus bat coronavirus HKU9 (21 runs)
Which coronaviruses are not found in lung? | Of 16 virus species of Coronaviridae (coronaviruses), 5 are found in no run of lung: Porcine epidemic diarrhea virus (32 runs)
pig coronavirus | Coronaviridae (coronavirus) is found in 38 of 145 searched runs of Sus scrofa (pig)
viruses in pigs | 145 runs of Sus scrofa (pigs); 113 of the 145 searched carry a virus. Virus families: Picornaviridae (41 runs)
Flu runs that are not accompanied by dengue | 78 of 2,468 searched runs
How many flu runs do not also have dengue? | 78 of 2,468 searched runs
How many of the flu runs also have dengue? | 8 of 86 runs
runs without release date | No run has no stated release date.
In how many countries is flu found? | 5 places in 86 of 86 runs
flu: how many pig runs? | found in 12 of 145 searched runs of Sus scrofa (pig)
Is flu in pigs (Sus scrofa) or ducks more often? | Sus scrofa (pigs) and Anas (ducks) differ
List runs where flu and dengue are together | By accession: SYNR0001219
What is SYNP0000001 about and which viruses does it hold? | SYNP0000001 “Enteric RNA viruses of cave-dwelling bats, Viet Nam” has 36 runs of
Which has more runs with flu, pigs or ducks? | Of runs with Influenza A virus (flu): 47 runs of Anas (ducks), and 12 of Sus scrofa (pigs).
"""  # noqa: E501


@pytest.mark.parametrize(("question", "says"), rows(SAYS))
def test_headline_says(con: duckdb.DuckDBPyConnection, question: str, says: str) -> None:
    assert says in headline(con, question)


COUNTED = """
question | query
How many runs have a double-stranded RNA virus? | SELECT count(DISTINCT run) FROM detection WHERE virus IN (SELECT virus FROM virus WHERE starts_with(genome, 'dsRNA'))
How many runs have a single-stranded DNA virus? | SELECT count(DISTINCT run) FROM detection WHERE virus IN (SELECT virus FROM virus WHERE starts_with(genome, 'ssDNA'))
How many runs say nothing about the host? | SELECT count(*) FROM run WHERE run NOT IN (SELECT run FROM annotation WHERE facet = 'host')
How many runs state where they come from? | SELECT count(DISTINCT run) FROM annotation WHERE facet = 'geography'
share of runs with a country | SELECT count(DISTINCT run) FROM annotation WHERE facet = 'geography'
Runs that state a host, a tissue and a disease | SELECT count(*) FROM (SELECT run FROM annotation WHERE facet IN ('host', 'tissue', 'disease') GROUP BY run HAVING count(DISTINCT facet) = 3)
"""  # noqa: E501


@pytest.mark.parametrize(("question", "query"), rows(COUNTED))
def test_headline_has_the_number_of_its_own_sql(
    con: duckdb.DuckDBPyConnection, question: str, query: str
) -> None:
    ((number,),) = con.execute(query).fetchall()
    assert f"{number:,} " in headline(con, question)


def test_what_is_left_out_of_a_list_narrows_no_runs(con: duckdb.DuckDBPyConnection) -> None:
    listed = headline(con, "viruses in pigs apart from coronaviruses")
    assert listed.startswith(
        "145 runs of Sus scrofa (pigs); 113 of the 145 searched carry a virus."
    )
    assert "Other than Coronaviridae (coronaviruses): virus families, 5 of 6" in listed
    reading = read_question(con, "viruses in pigs apart from coronaviruses").reading
    assert ([one.label for one in reading.excepted], reading.without) == (["Coronaviridae"], ())
    ruled = read_question(con, "pigs without coronaviruses").reading
    assert (ruled.excepted, [one.label for one in ruled.without]) == ((), ["Coronaviridae"])


def test_two_questions_in_a_sentence_are_read_one_after_the_other(
    con: duckdb.DuckDBPyConnection,
) -> None:
    text = "From how many countries do flu runs come, and how many of them are of pigs?"
    first, second = read_questions(con, text)
    assert (first.reading.kind, first.reading.facets) == ("count", ("geography",))
    assert {one.label for one in second.mentions} == {"Influenza A virus", "Sus scrofa"}
    said = headline(con, text)
    assert said.startswith("5 places in 86 of 86 runs of Influenza A virus (flu)")
    assert "12 of 86 runs" in said


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Which families are found in pigs, and how many runs have Influenza A virus?", "count"),
        ("Which viruses are in pigs, and is there Influenza A virus?", "exists"),
        ("Who carries flu, and in which tissues?", "list"),
    ],
)
def test_a_second_question_needs_no_word_that_points_back(
    con: duckdb.DuckDBPyConnection, text: str, asked: str
) -> None:
    first, second = read_questions(con, text)
    assert second.reading.kind == asked
    assert first.text == text.partition(", and ")[0]


def test_a_second_question_that_is_not_understood_is_named(con: duckdb.DuckDBPyConnection) -> None:
    said = headline(con, "How many runs have flu, and does that depend on the weather?")
    assert said.startswith("Influenza A virus")
    assert "What is asked behind that has no answer: not understood: depend" in said


ONE_QUESTION = """
Which tissues have flu, and in which animals?
How many runs have dengue, and which hosts are most of them from?
Which viruses turn up in pigs, and what goes with them?
Which hosts carry flu and how often?
Which family is found in pigs and in ducks?
"""


@pytest.mark.parametrize("text", ONE_QUESTION.strip().splitlines())
def test_one_reading_that_covers_both_parts_stays_one(
    con: duckdb.DuckDBPyConnection, text: str
) -> None:
    assert len(read_questions(con, text)) == 1


REFUSED = """
question | why
Can flu spread through the air? | not how it spreads
Will flu come back next year? | not when something happened or will
blue seventeen under of lung the sideways yonder virus | not understood: blue, seventeen
foot-and-mouth disease virus: in which tissues? | no run carries Foot-and-mouth disease virus
Which viruses are in both gruffalo pigs and ducks? | not understood: gruffalo
"""


@pytest.mark.parametrize(("question", "why"), rows(REFUSED))
def test_what_is_not_understood_or_beyond_counts_is_refused(
    con: duckdb.DuckDBPyConnection, question: str, why: str
) -> None:
    with pytest.raises((NoEvidenceError, BeyondCountsError), match=why):
        headline(con, question)


def test_abundance_and_values_of_attributes_are_tests(con: duckdb.DuckDBPyConnection) -> None:
    more = headline(con, "Is Coronaviridae more abundant in juvenile samples?")
    assert more.startswith("Yes: 4 of 4 associations tested of Coronaviridae with “juvenile”")
    assert "with sex" in headline(con, "Which families are associated with sex?")
    assert "with sex" in headline(con, "Which virus families differ between the sexes?")


def test_all_viruses_of_a_run_are_named_or_counted(con: duckdb.DuckDBPyConnection) -> None:
    ((run, viruses),) = con.execute(
        "SELECT run, list(DISTINCT coalesce(stated, family)) FROM detection GROUP BY run "
        "ORDER BY count(DISTINCT coalesce(stated, family)) DESC, run LIMIT 1"
    ).fetchall()
    said = headline(con, f"What is in {run}?")
    known = [one for one in viruses if one]
    named = [one for one in known if one in said]
    assert named == known or f" of {len(known)}: " in said

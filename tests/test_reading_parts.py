"""Questions of several parts, shares of a whole, diseases and their viruses, and what is declined.

Read by the composer alone, so that nothing hangs on the tuned model.
"""

from __future__ import annotations

import duckdb
import pytest

from query.errors import UnclearQuestionError
from query.languages import language_of
from query.reading import Reading, read
from query.reading.deciding import NOT_VIRUSES
from query.reading.index_values import index_values
from query.reading.items import items_of
from query.reading.names import find_names
from query.reading.parts import parts_of
from query.reading.tokens import tokens_of
from query.request import say

PARTS = """
which hosts and tissues carry EBV | which hosts carry EBV | which tissues carry EBV
how many EBV runs, and from which countries | how many EBV runs , and from | which countries
list run, host and tissue of EBV runs | list run , host and tissue of EBV runs
how many EBV runs are from bats, and how many from pigs | how many EBV runs are from bats , and | how many from pigs
how many pig runs are there, and the countries | how many pig runs are there , and the | countries
hosts that state the sex and the country | hosts that state the sex and the country
"""  # noqa: E501


@pytest.mark.parametrize("line", PARTS.strip().splitlines())
def test_a_question_is_cut_where_it_asks_again(
    sample_db: duckdb.DuckDBPyConnection, line: str
) -> None:
    question, *parts = (cell.strip() for cell in line.split("|"))
    tokens = tokens_of(question)
    items = items_of(tokens, find_names(sample_db, tokens))
    assert [" ".join(item.text for item in part) for part in parts_of(items)] == parts


READ = """
How many EBV runs are from bats, how many from pigs?
  How many runs carry EBV and have bats as host?
  How many runs carry EBV and have pigs as host?

How many bat runs carry EBV, and from which countries?
  How many runs have bat as host and carry EBV?
  List countries in runs that have bat as host and carry EBV.

How many runs carry viruses?
  How many runs carry any virus?

Which runs carry no virus?
  Show run for runs that do not carry any virus.

How many bat runs carry EBV, and what goes with it?
  How many runs have bat as host and carry EBV?
  List communities in runs that have bat as host and carry EBV; the first 5.

Of the runs with EBV, how many are from bats?
  Of runs that carry EBV, what share have bats as host?
"""


def _likeliest(reading: Reading, number: int) -> list[str]:
    return [say(request) for request in (reading.requests or reading.choices[0])[:number]]


@pytest.mark.usefixtures("composed_only")
@pytest.mark.parametrize("case", READ.strip().split("\n\n"))
def test_each_part_is_of_the_runs_it_means(sample_db: duckdb.DuckDBPyConnection, case: str) -> None:
    question, *said = (line.strip() for line in case.splitlines())
    assert _likeliest(read(sample_db, question), len(said)) == said


@pytest.mark.usefixtures("composed_only")
def test_other_organisms_are_not_detected(sample_db: duckdb.DuckDBPyConnection) -> None:
    reading = read(sample_db, "Is Plasmodium falciparum detected in bats?")
    assert reading.refusal == NOT_VIRUSES
    assert not reading.choices


def test_the_language_of_a_question_is_known() -> None:
    languages = {
        "Welche Viren kommen in Fledermäusen vor?": "German",
        "Dans quels pays trouve-t-on le virus ?": "French",
        "¿En qué tejidos se encuentra?": "Spanish",
        "Em que países foi encontrado o vírus da raiva?": "Portuguese",
        "猪样本中有哪些病毒?": "Chinese",
        "Which viruses are found in pigs of La Paz?": None,
        "EBV in lung": None,
    }
    assert {text: language_of(text) for text in languages} == languages


def test_a_question_in_another_language_shows_its_names() -> None:
    error = UnclearQuestionError(
        "…", unknown=(), choices=("How many runs are there?",), language="German", names=("Fl (x)",)
    )
    assert "German" in error.message
    assert "Fl (x)" in error.message


def test_a_region_beside_its_country_is_no_country_of_its_name() -> None:
    con = duckdb.connect()
    con.execute(
        "CREATE TABLE annotation AS SELECT * FROM (VALUES ('geography', 'Georgia'), "
        "('geography', 'USA: Georgia'), ('geography', 'USA')) v (facet, value)"
    )
    con.execute("CREATE TABLE run (library_strategy VARCHAR, library_source VARCHAR)")
    con.execute("CREATE TABLE searched (source VARCHAR)")
    con.execute("CREATE TABLE detection (source VARCHAR, reported_name VARCHAR, virus VARCHAR)")
    con.execute("CREATE TABLE virus (virus VARCHAR, species VARCHAR)")
    con.execute("CREATE TABLE stated_attribute (attribute VARCHAR)")
    values = index_values(con)
    assert values["georgia"]["country"] == ("Georgia", None)
    for written in ("Georgia, USA", "US state of Georgia", "state of Georgia", "Georgia (USA)"):
        assert values[written.lower()] == {"place": ("USA: Georgia", None)}

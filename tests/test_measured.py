"""Conditions that no name says, and of which runs a share is: read, counted, or refused.

``tests/gold/counts.tsv`` holds questions of the sample with SQL that shares nothing with the
product's own; a question without SQL is to be refused.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Final

import duckdb
import pytest

from index.store.read import open_index
from query.config import QueryConfig
from query.errors import BeyondCountsError
from query.global_search.ask import ask_from_facts, ask_model
from query.mode import Asking
from query.reading.asked.whole import whole_of
from query.reading.measured.conditions import measured_names
from query.reading.names.named_terms import name_words
from query.reading.question import read_question
from query.reading.respelling.rules import respelled
from tests.conftest import BuiltIndex

GOLD: Final = Path(__file__).parent / "gold" / "counts.tsv"


def gold_rows() -> list[tuple[str, str]]:
    with GOLD.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        return [(row["question"], row["sql"] or "") for row in rows]


ANSWERED: Final = [row for row in gold_rows() if row[1]]
REFUSED: Final = [question for question, sql in gold_rows() if not sql]


@pytest.mark.parametrize(("question", "sql"), ANSWERED)
def test_each_number_of_the_gold_is_in_the_headline(
    sample_db: duckdb.DuckDBPyConnection, question: str, sql: str
) -> None:
    (gold,) = sample_db.execute(sql).fetchall()
    answer = ask_from_facts(sample_db, question, config=QueryConfig()).answer
    headline, *_ = answer.split("\n\n")
    said = headline.replace(",", "").replace("(", " ").replace(")", " ").replace(";", " ").split()
    for number in gold:
        assert str(number) in said, headline


@pytest.mark.parametrize("question", REFUSED)
def test_what_the_tables_do_not_hold_is_refused_by_its_name(
    sample_db: duckdb.DuckDBPyConnection, question: str
) -> None:
    with pytest.raises(BeyondCountsError, match=r"the index holds|answers count runs"):
        ask_from_facts(sample_db, question, config=QueryConfig())


READ: Final = """
words                                                | facet    | value
hits of >= 98 % identity                             | hits     | identity >= 98
flu with 98% identity or better                      | hits     | identity >= 98
identity above 95 percent                            | hits     | identity > 95
hits diverging more than 30 % from any known virus   | hits     | identity < 70
hits below 70 %                                      | hits     | identity < 70
divergent hits below 70 %                            | hits     | identity < 70
novel viruses of bats                                | hits     | identity < 90
at least a million reads                             | hits     | reads >= 1000000
fewer than 1,000 reads                               | hits     | reads < 1000
a score of at most 50                                | hits     | score <= 50
a coverage over 10                                   | hits     | coverage > 10
more than one virus                                  | several  | >= 2
at least three different viruses                     | several  | >= 3
two or more viruses                                  | several  | >= 2
exactly one virus                                    | several  | = 1
mixed infections                                     | several  | >= 2
risk group 4 agents                                  | risk     | RG4
BSL-3 viruses                                        | risk     | RG3
hazard level III                                     | risk     | RG3
biosafety level 3 or higher                          | risk     | RG3|RG4
RNA-Seq runs                                         | strategy | RNA-Seq
whole genome shotgun libraries                       | strategy | WGS
metatranscriptomes                                   | source   | METATRANSCRIPTOMIC
with a known country                                 | stated   | geography
whose host is unknown                                | stated   | !host
released before 1950                                 | year     | 1949
of the runs that name a host                         | stated   | host
of the runs that state where they come from          | stated   | geography
no tissue is stated                                  | stated   | !tissue
that mention a sex or a disease                      | stated   | sex|disease
without a bioproject                                 | stated   | !bioproject
released in 2018                                     | year     | 2018
between 2018 and 2020                                | year     | 2018|2019|2020
2018-2019                                            | year     | 2018|2019
before 2017                                          | year     | 2015|2016
since 2023                                           | year     | 2023|2024
"""


def test_conditions_are_read_from_their_words(sample_db: duckdb.DuckDBPyConnection) -> None:
    for line in READ.strip().splitlines()[1:]:
        text, facet, value = (cell.strip() for cell in line.split("|", 2))
        words, _ = name_words(respelled(text))
        found = measured_names(sample_db, words)
        senses = [sense for one in found for sense in one.senses]
        assert {one.facet for one in senses} == {facet}, text
        assert "|".join(dict.fromkeys(str(one.value) for one in senses)) == value, text


@pytest.mark.parametrize(
    "text",
    [
        "98 runs of pigs",
        "is it identical to rabies virus",
        "one virus of bats",
        "group 4",
        "human without disease",
        "enterovirus 71 in lung",
        "top 10 viruses",
        "which several",
        "how many different viruses in pigs",
    ],
)
def test_other_words_are_no_condition(sample_db: duckdb.DuckDBPyConnection, text: str) -> None:
    words, _ = name_words(respelled(text))
    assert measured_names(sample_db, words) == []


WHOLES: Final = """
frame                                               | kind  | names of the whole
share of _ runs among the ones positive for _       | share | 1
of the runs with _ how many percent are _           | share | 0
among _ positive runs which proportion is from _    | share | 0
how many of the _ runs with _ are from _            | count | 0 1
out of those with _ what percentage is from _       | share | 0
among the runs that carry _ what share is _         | share | 0
what fraction of the _ runs carry _                 | share | 0
share of _ runs with _                              | share |
prevalence of _ in _                                | share |
how many _ runs carry _                             | count |
how many _ runs are there and how many of those carry _ | count | 0
among _ which virus leads                           | list  |
"""


def test_the_whole_of_a_share_is_what_its_words_say() -> None:
    for line in WHOLES.strip().splitlines()[1:]:
        frame, kind, names = (cell.strip() for cell in line.split("|"))
        whole = whole_of(frame, kind)  # type: ignore[arg-type]
        assert whole == tuple(int(name) for name in names.split()), frame


def test_a_condition_holds_for_the_hits_of_the_virus_that_is_named(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    """Identity of another virus in the same run says nothing."""
    question = read_question(sample_db, "Dengue virus with at least 98 % identity")
    assert question.groups == ("virus",)
    answer = ask_from_facts(sample_db, question.text, config=QueryConfig()).answer
    assert answer.startswith("Dengue virus with at least 98% identity is found in")


def test_years_are_listed_in_their_order_and_said_to_be_of_release(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    answer = ask_from_facts(sample_db, "China runs by year", config=QueryConfig()).answer
    headline, *_ = answer.split("\n\n")
    years = [year for year in map(str, range(2015, 2025)) if f"{year} (" in headline]
    assert len(years) > 3
    assert [headline.index(f"{year} (") for year in years] == sorted(
        headline.index(f"{year} (") for year in years
    )
    assert "when a sample was taken is not held" in headline


def test_viruses_of_a_risk_group_are_listed_alone(sample_db: duckdb.DuckDBPyConnection) -> None:
    """Others in the same runs are company, and not of the group."""
    wanted = sample_db.execute(
        "SELECT DISTINCT stated FROM detection WHERE stated IS NOT NULL AND taxon IN"
        " (SELECT virus FROM virus_risk WHERE risk_group = 'RG4')"
    ).fetchall()
    question = "Which risk group 4 agents does the index hold?"
    answer = ask_from_facts(sample_db, question, config=QueryConfig()).answer
    headline, *_ = answer.split("\n\n")
    listed = headline.split("Virus species")[1]
    assert listed.count(" run") == len(wanted)
    assert all(name in listed for (name,) in wanted)


def test_years_and_libraries_are_compared_like_names(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    question = "Are coronaviruses more common in 2018 or 2020?"
    counts = sample_db.execute(
        "SELECT year(release_date), count(DISTINCT run) FILTER (family = 'Coronaviridae'),"
        " count(DISTINCT run) FROM run LEFT JOIN detection USING (run)"
        " WHERE year(release_date) IN (2018, 2020)"
        " AND run IN (SELECT run FROM searched) GROUP BY ALL ORDER BY ALL"
    ).fetchall()
    answer = ask_from_facts(sample_db, question, config=QueryConfig()).answer
    assert [year for year, _, _ in counts] == [2018, 2020]
    for _, found, searched in counts:
        assert f"{found} of {searched}" in answer
    libraries = ask_from_facts(
        sample_db, "Compare virus detection rate of RNA-Seq and ncRNA-Seq libraries",
        config=QueryConfig(),
    ).answer  # fmt: skip
    assert "RNA-Seq libraries" in libraries
    assert "ncRNA-Seq libraries" in libraries


def test_projects_that_are_asked_for_by_their_name_leave_studies_out(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    ((projects,),) = sample_db.execute(
        "SELECT count(DISTINCT bioproject) FROM run"
        " WHERE run IN (SELECT run FROM detection WHERE stated = 'Dengue virus')"
    ).fetchall()
    asked = "In how many BioProjects was dengue virus found?"
    answer = ask_from_facts(sample_db, asked, config=QueryConfig()).answer
    assert answer.startswith(f"{projects} projects in ")


def test_titles_of_projects_are_beside_their_accessions(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    titled = sample_db.execute(
        "SELECT bioproject, title FROM bioproject WHERE title IS NOT NULL AND bioproject IN"
        " (SELECT bioproject FROM run SEMI JOIN detection USING (run)"
        " WHERE run IN (SELECT run FROM detection WHERE stated = 'Dengue virus'))"
    ).fetchall()
    asked = "List the projects with dengue virus with their titles"
    answer = ask_from_facts(sample_db, asked, config=QueryConfig()).answer
    assert titled
    for project, title in titled:
        assert f"{project} “{title}”" in answer


def test_values_asked_for_behind_a_yes_or_no_are_listed(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    asked = "Is there Apple stem grooving virus, and in which hosts was it seen?"
    answer = ask_from_facts(sample_db, asked, config=QueryConfig()).answer
    assert answer.startswith("Yes: Apple stem grooving virus")
    assert "Hosts: Malus domestica (93 runs)." in answer


@pytest.mark.parametrize(
    "question",
    [
        "Is there Apple stem grooving virus, and in which hosts was it seen?",
        "Which hosts have dengue virus, and how many of them give no country?",
    ],
)
def test_the_command_line_answers_what_is_asked_behind_the_first(
    sample_index: BuiltIndex, question: str
) -> None:
    with open_index(sample_index.path) as con:
        asking = Asking(question, con, sample_index.path, QueryConfig())
        assert (
            ask_model(asking).answer == ask_from_facts(con, question, config=QueryConfig()).answer
        )

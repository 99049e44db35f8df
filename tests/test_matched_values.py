"""Values of the matching runs, read facet by facet, and the words of texts ranked in SQL."""

from __future__ import annotations

import math

import duckdb
import pytest

from query.global_search.headlines.listed.hosts_named import hosts_named
from query.global_search.lexical import K1, B, rank_texts, read_texts
from query.global_search.matched_runs import MatchedRuns
from query.global_search.matched_values import COMPANY, MatchedValues
from query.reading.intent import Intent
from query.reading.mentions import Mention
from query.reading.question import Question
from query.reading.reading import Reading
from query.reading.senses import Sense
from tests.test_asking_orders import rows

ANNOTATION = """
run | facet        | value       | curie
R1  | host         | bat         | T:1
R1  | host         | bat         |
R2  | host         | bat         | T:1
R2  | host         | cat         | T:2
R3  | host         | bat         | T:1
R1  | tissue       | missing     |
R2  | tissue       | lung        | U:1
R1  | geography    | USA         |
R1  | geography    | USA: Ohio   |
R1  | statOrganism | Felis catus | T:2
"""
DETECTION = """
run | stated  | family
R1  | virus A | Aviridae
R1  | virus A | Aviridae
R1  | virus B | Bviridae
R2  | virus B | Bviridae
R2  |         | Aviridae
R3  | virus A | Aviridae
"""
COUNTS = """
facet        | of_virus         | values                   | runs
host         |                  | bat 2, cat 1             | 2
tissue       |                  | lung 1                   | 1
geography    |                  | USA 1                    | 1
family       |                  | Aviridae 2, Bviridae 2   | 2
company      |                  |                          |
species      |                  | virus B 2, virus A 1     | 2
bioproject   |                  | P1 2                     | 2
family       | stated='virus A' | Aviridae 2               | 2
company      | stated='virus A' | Bviridae 2               | 2
species      | stated='virus A' | virus A 1                | 1
statOrganism |                  |                          |
sex          |                  |                          |
"""


@pytest.fixture
def con() -> duckdb.DuckDBPyConnection:
    """Three runs, of which R1 and R2 match."""
    con = duckdb.connect()
    con.execute("CREATE TABLE annotation (run TEXT, facet TEXT, value TEXT, curie TEXT)")
    con.execute("CREATE TABLE detection (run TEXT, stated TEXT, family TEXT)")
    con.execute("CREATE TABLE run AS SELECT unnest(['R1', 'R2', 'R3']) AS run, 'P1' AS bioproject")
    con.execute("CREATE TABLE searched AS SELECT 'R3' AS run, 'palm' AS source, 'one' AS search")
    for table, text in (("annotation", ANNOTATION), ("detection", DETECTION)):
        cells = [[cell or None for cell in row] for row in rows(text)]
        places = ", ".join("?" * len(cells[0]))
        con.executemany(f"INSERT INTO {table} VALUES ({places})", cells)
    con.execute("CREATE TEMP TABLE matched AS SELECT unnest(['R1', 'R2']) AS run")
    con.execute("CREATE TEMP TABLE group_run AS SELECT 'organism' AS grp, run FROM matched")
    return con


@pytest.mark.parametrize(("facet", "of_virus", "values", "runs"), rows(COUNTS))
@pytest.mark.parametrize("before", ["", "host", "family species company tissue"])
def test_a_value_counts_once_for_each_matching_run_whatever_was_read_before(
    con: duckdb.DuckDBPyConnection, facet: str, of_virus: str, values: str, runs: str, before: str
) -> None:
    matched = MatchedValues(con, of_virus, {"statOrganism"})
    matched.read(before.split())
    counts = matched.counts(facet)
    found = [f"{one.value} {one.runs}" for one in counts.values] if counts else []
    assert ", ".join(found) == values
    assert str(counts.runs if counts else "") == runs


def test_no_facet_is_read_that_was_not_asked_for(con: duckdb.DuckDBPyConnection) -> None:
    MatchedValues(con).read(["host", "family"])
    read = con.execute("SELECT DISTINCT facet FROM matched_value ORDER BY facet").fetchall()
    assert read == [("family",), ("host",)]
    assert COMPANY not in {facet for (facet,) in read}


def test_runs_of_the_index_are_searched_where_nothing_else_is_asked(
    con: duckdb.DuckDBPyConnection,
) -> None:
    matched = MatchedRuns(con, 2, 3, ("organism",), (), MatchedValues(con))
    assert matched.searched == 2
    assert matched.searched_with([]) == 3
    assert matched.in_index("family", ["Aviridae"]) == {"Aviridae": 3}


TEXTS = """
id | text
a  | bat viruses of a bat
a  | one bats' virus
b  | viruses of cats
c  | acrobats
"""


def test_texts_of_one_id_are_one_text_and_are_ranked_by_bm25(
    con: duckdb.DuckDBPyConnection,
) -> None:
    con.execute("CREATE TABLE texts (id TEXT, text TEXT)")
    con.executemany("INSERT INTO texts VALUES (?, ?)", [list(row) for row in rows(TEXTS)])
    lengths = [len("bat viruses of a bat one bats' virus"), len("viruses of cats"), len("acrobats")]
    mean = sum(lengths) / 3
    tf = 3 * (K1 + 1) / (3 + K1 * (1 - B + B * lengths[0] / mean))
    score = math.log(1 + (3 - 1 + 0.5) / (1 + 0.5)) * tf
    ((best, found),) = rank_texts(read_texts(con, "SELECT id, text FROM texts"), ["bats"])
    assert best == "a"
    assert found == pytest.approx(score)


HOSTS = """
question                            | taxon | values       | runs
Which cats carry virus A?           | T:2   | cat 1        | 1
Which felids carry virus A?         | T:9   | cat 1        | 1
Where are cats with virus A?        | T:2   |              |
Which mammals carry virus A?        | T:0   |              |
"""


@pytest.mark.parametrize(("question", "taxon", "values", "runs"), rows(HOSTS))
def test_hosts_asked_for_by_the_name_of_a_taxon_are_of_it(
    con: duckdb.DuckDBPyConnection, question: str, taxon: str, values: str, runs: str
) -> None:
    con.execute("CREATE TABLE closure (descendant TEXT, ancestor TEXT)")
    con.execute("INSERT INTO closure VALUES ('T:2', 'T:9'), ('T:1', 'T:0'), ('T:2', 'T:0')")
    word = question.split()[1]
    senses = (Sense("host", word, 2, curie=taxon),)
    named = Mention(word, 1, 2, word, "organism", senses, (taxon,))
    intent = Intent(("host",), associations=False, explicit=True)
    asked = Question(question, intent, (named,), (), (), reading=Reading(facets=("host",)))
    found = hosts_named(asked, MatchedRuns(con, 2, 3, ("organism",), (), MatchedValues(con)))
    listed = [f"{one.value} {one.runs}" for one in found.values] if found else []
    assert (", ".join(listed), str(found.runs) if found else "") == (values, runs)

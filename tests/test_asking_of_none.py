"""Viruses that no run carries, values of sides that are counted or have each of two viruses, taxa
by English names.

The first sentence of each answer is counted on the index of the bundled sample.
"""

from __future__ import annotations

import duckdb
import pytest

from query.config import QueryConfig
from query.errors import NoEvidenceError
from query.global_search.ask import ask_from_facts
from query.mode import Asking
from query.reading.question import read_question
from query.sql_search.search import answer_in_sql
from tests.conftest import BuiltIndex

ANSWERS = """
question                                                          | the first sentence has
Is avian leukosis virus found in pigs?                            | This cannot be said: Avian leukosis virus is found in no run of the index, and no run of Sus scrofa (pigs) was searched for it.
Is avian leukosis virus in there, y/n                             | This cannot be said: Avian leukosis virus is found in no run of the index, and no run was searched for it.
How many pig runs have avian leukosis virus?                      | Avian leukosis virus is found in no run of the index, and no run of Sus scrofa (pig) was searched for it.
Are influenza A and avian leukosis virus found together in pigs?  | Influenza A virus is found in 12 of 145 searched runs of Sus scrofa (pigs).
Do pigs have more projects than cattle?                           | Yes: 4 projects in 145 of 145 runs of Sus scrofa (pigs)
Do cattle have more projects than pigs?                           | No: 2 projects in 52 of 52 runs of Bos taurus (cattle)
Are there more projects on pigs or on cattle?                     | 2 projects in 52 of 52 runs of Bos taurus (cattle)
Is the number of bioprojects larger for pigs than for cattle?     | 4 projects in 145 of 145 runs of Sus scrofa (pigs)
how many mouse runs (family Muridae)?                             | 75 runs of 2,500 are from Muridae (mouse)
how many mouse runs?                                              | 53 runs of 2,500 are from Mus musculus (mouse)
what share of pig runs has no virus named?                        | 38 of 145 runs of Sus scrofa (pig) (26%) have no named virus.
how many runs have DC virus?                                      | Drosophila C virus (DC virus) is found in 30 of 2,468 searched runs
Which viruses were seen in one run only?                          | Virus species with exactly 1 run: 18 of 256
Influenza A in pigs vs cattle - which has the higher share?       | differ in Influenza A virus
Influenza A in pigs vs QX - which has the higher share?           | not understood: QX
Which hosts have both dengue and West Nile virus?                 | In different runs, 1 host has each of them: Culicidae.
are more cattle runs or more pig runs virus positive?             | Any virus is found in
Is deformed wing virus in DF (drosophila flies)?                  | searched runs of Drosophila
Deformed wing virus: n runs?                                      | is found in 50 of 2,468 searched runs
which host has fewest runs?                                       | Cryphonectria parasitica (18 runs); Rousettus aegyptiacus and Sclerotinia sclerotiorum have as many.
What is Coronaviridae associated with in SYNP0000001?             | [the same samples: source_material = juvenile] [the other samples: age_class = adult]
Which viruses are in hogs but absent from ducks?                  | Found in Sus scrofa (hogs) and in no run of Anas (ducks)
"""  # noqa: E501
HEEDED = """
pigs: which viruses?
influenza: which hosts are the positive runs from?
"""


def rows(table: str) -> list[tuple[str, str]]:
    lines = [line.partition("|") for line in table.strip().splitlines()[1:]]
    return [(question.strip(), said.strip()) for question, _, said in lines]


def answered(con: duckdb.DuckDBPyConnection, question: str) -> str:
    try:
        return ask_from_facts(con, question, config=QueryConfig()).answer
    except NoEvidenceError as error:
        return str(error)


@pytest.mark.parametrize(("question", "said"), rows(ANSWERS))
def test_first_sentence_answers(
    sample_db: duckdb.DuckDBPyConnection, question: str, said: str
) -> None:
    first, *_ = answered(sample_db, question).split("\n\n")
    assert said in first


def test_a_virus_of_no_run_has_no_points_and_no_matching_runs(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    config = QueryConfig()
    answer = ask_from_facts(sample_db, "Is avian leukosis virus found in pigs?", config=config)
    assert answer.points == ()
    assert answer.coverage is not None
    assert answer.coverage.runs_matching == answer.coverage.read == 0


def test_values_of_a_virus_of_no_run_are_refused(sample_db: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(NoEvidenceError, match="no run carries Avian leukosis virus"):
        ask_from_facts(sample_db, "Which hosts carry avian leukosis virus?", config=QueryConfig())


def test_a_table_does_not_count_other_runs_for_a_virus_of_no_run(
    sample_index: BuiltIndex, sample_db: duckdb.DuckDBPyConnection
) -> None:
    text = "How many pig runs have avian leukosis virus?"
    with pytest.raises(NoEvidenceError, match="no run carries Avian leukosis virus"):
        answer_in_sql(Asking(text, sample_db, sample_index.path, QueryConfig()))


@pytest.mark.parametrize("question", HEEDED.strip().splitlines())
def test_a_topic_that_is_heeded_is_not_said_to_stand_beside(
    sample_db: duckdb.DuckDBPyConnection, question: str
) -> None:
    assert read_question(sample_db, question).mentions
    assert "Read as said beside" not in answered(sample_db, question)


ENGLISH = """
word      | taxon
murids    | Muridae
aphidids  | Aphididae
dipterans | Diptera
plasmids  |
"""


@pytest.mark.parametrize(("word", "taxon"), rows(ENGLISH))
def test_an_english_word_made_of_a_scientific_name_is_its_taxon(
    sample_db: duckdb.DuckDBPyConnection, word: str, taxon: str
) -> None:
    read = read_question(sample_db, f"Which viruses are found in {word}?")
    assert [one.label for one in (*read.mentions, *read.absent)] == ([taxon] if taxon else [])

"""Questions for stored rows (tests, pairs, communities, studies) and what is not read."""

from __future__ import annotations

import duckdb
import pytest

from query.compiler import run
from query.reading.accessions import described_accession
from query.reading.items import Item, items_of
from query.reading.names import find_names
from query.reading.stored import asks_for_records, stored_parts, stored_request
from query.reading.stored_words import stored_words
from query.reading.tokens import tokens_of
from query.request import Describe, Records, Request, say
from query.request.records import TABLES


def items(con: duckdb.DuckDBPyConnection, text: str) -> list[Item]:
    tokens = tokens_of(text)
    return items_of(tokens, find_names(con, tokens))


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("how many MWAS tests are there", "Count tests."),
        ("MWAS tests flagged as batch-like: count",
         "Count tests whose flag contains batch-like."),
        ("significant MWAS associations", "List tests whose q_value is at most 0.05."),
        ("MWAS associations with q below 0.01", "List tests whose q_value is below 0.01."),
        ("the 10 strongest associations of the MWAS",
         "List tests; sorted by q_value, ascending; the first 10."),
        ("all associations of the MWAS, significant or not", "List tests."),
        ("meta-analysis results with at least 4 projects",
         "List effects whose projects is at least 4."),
        ("how many virus-host pairs per plausibility class", "Count pairs by plausibility."),
        ("virus-host pairs marked unexpected with over 20 runs",
         "List pairs whose plausibility is unexpected and whose runs is above 20."),
        ("virus-host pairs with Homo sapiens", "List pairs whose host is Homo sapiens."),
        ("No. of communities at level 2", 'Count communities whose level is "2".'),
        ("community reports rated 9 or better in risk group 4",
         "List reports whose risk_group is RG4 and whose rating is at least 9."),
        ("community reports, best rated first", "List reports; sorted by rating, descending."),
        ("which studies have 'ribosome profiling' in the title",
         "List studies whose title contains ribosome profiling."),
        ("which ontologies and versions do you use", "Show ontology and version of vocabularies."),
        ("which version of the NCBI taxonomy is used",
         "Show ontology and version of vocabularies whose ontology is NCBITaxon."),
    ],
)  # fmt: skip
def test_a_question_for_stored_rows_is_a_request_that_runs(
    sample_db: duckdb.DuckDBPyConnection, question: str, said: str
) -> None:
    request = stored_request(sample_db, items(sample_db, question))

    assert request is not None
    assert say(request) == said
    run(sample_db, request)


@pytest.mark.parametrize(
    "question",
    [
        "MWAS tests of gobbledygook",
        "MWAS associations of flumps with q below 0.01",
        "virus-host pairs that are not unexpected",
        "virus-host pairs except unexpected",
        "MWAS tests in humans",
        "studies with a title",
        "what fold change",
        "communities rated 7",
    ],
)
def test_a_question_with_words_that_would_be_lost_is_not_read(
    sample_db: duckdb.DuckDBPyConnection, question: str
) -> None:
    assert stored_request(sample_db, items(sample_db, question)) is None


@pytest.mark.parametrize(
    ("question", "is_stored"),
    [
        ("which associations of the MWAS are significant", True),
        ("how plausible is Zika virus in humans", True),
        ("which ontologies are used", True),
        ("how many runs have Zika virus", False),
        ("what is associated with coronaviridae", True),
        ("which primer pair should I order", False),
        ("build me a tree", False),
        ("test test", False),
        ("which studies have Zika virus", False),
    ],
)
def test_only_plain_words_for_stored_rows_overrule_the_model(
    sample_db: duckdb.DuckDBPyConnection, question: str, *, is_stored: bool
) -> None:
    assert asks_for_records(items(sample_db, question)) is is_stored


def test_a_second_count_is_of_the_rows_of_the_first(sample_db: duckdb.DuckDBPyConnection) -> None:
    first = Request(Records("tests", count=True))

    then = stored_request(sample_db, items(sample_db, "how many came out significant"), first)

    assert then is not None
    assert say(then) == "Count tests whose q_value is at most 0.05."


def test_a_part_that_names_further_columns_belongs_to_the_part_before(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    parts = [items(sample_db, text) for text in ("which ontologies and", "which versions")]
    runs = [items(sample_db, text) for text in ("which hosts and", "which tissues")]

    assert len(stored_parts(parts)) == 1
    assert len(stored_parts(runs)) == 2


@pytest.mark.parametrize(
    ("question", "kind", "name"),
    [
        ("what's SRP130953 about", "study", "SRP130953"),
        ("describe the study SRP130953", "study", "SRP130953"),
        ("metadata of SRR10011223", "run", "SRR10011223"),
        ("PRJNA398089 please", "project", "PRJNA398089"),
        ("SAMD00013661: which sample is this", "biosample", "SAMD00013661"),
        ("community C0-15c91bae, summary?", "community", "C0-15c91bae"),
    ],
)
def test_an_accession_is_described(
    sample_db: duckdb.DuckDBPyConnection, question: str, kind: str, name: str
) -> None:
    assert described_accession(items(sample_db, question)) == Request(Describe(kind, name))  # type: ignore[arg-type]


def test_two_accessions_are_not_described_as_one(sample_db: duckdb.DuckDBPyConnection) -> None:
    assert described_accession(items(sample_db, "SRP130953 and SRP130954")) is None


def test_every_word_is_of_a_table_and_a_column_that_exist() -> None:
    columns = {column for table in TABLES.values() for column in table.columns}
    for phrase, meanings in stored_words().items():
        for meaning in meanings:
            assert set(meaning.tables) <= set(TABLES), phrase
            if meaning.role == "column":
                assert meaning.value in columns, phrase

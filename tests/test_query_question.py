"""A question read: terms with their descendants, absent terms, intent."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from query.global_search.matching import match_runs
from query.reading.intent import ASKED_BY, read_intent
from query.reading.mentions import Mention
from query.reading.names.asides import spelled_out
from query.reading.names.named_terms import NamedTerm
from query.reading.names.unlisted import with_metagenomes
from query.reading.question import read_question
from query.reading.senses import Sense
from query.reading.written.asking_names import asking_names
from tests.query_index import make_index, opened


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_index(tmp_path_factory.mktemp("question") / "index.duckdb")


@pytest.fixture
def con(index: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with opened(index) as connection:
        yield connection


MENTIONS = """
question                                      | named
viruses of bats                               | organism:Chiroptera
Which viruses occur in the bat gut?           | organism:Chiroptera, tissue:gut
greater horseshoe bats from China             | organism:Rhinolophus ferrumequinum, geography:China
coronaviruses in the lung                     | virus:Coronaviridae, tissue:lung
kobuvirus                                     | virus:kobuvirus
Porcine kobuvirus                             | virus:Porcine kobuvirus
yellow fever mosquitoes of Brazil             | organism:Aedes aegypti, geography:Brazil
patients with bronchial asthma                | disease:asthma
runs of project SYNP4                         | bioproject:SYNP4
who studied sylvatic things                   | title:sylvatic
"""


def rows(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")] for line in table.strip().splitlines()[1:]]


@pytest.mark.parametrize(("question", "named"), rows(MENTIONS))
def test_question_names_terms(con: duckdb.DuckDBPyConnection, question: str, named: str) -> None:
    found = read_question(con, question)
    assert ", ".join(f"{mention.group}:{mention.label}" for mention in found.mentions) == named
    assert found.absent == ()


MATCHES = """
question                                      | runs | kept             | dropped
viruses of bats                               | 12   | organism         |
bat gut                                       | 10   | organism, tissue |
bats and pigs                                 | 20   | organism         |
bats in Germany                               | 12   | organism         | geography
coronaviruses of Myotis lucifugus             | 6    | virus            | organism
lung of humans                                | 10   | organism, tissue |
Which viruses are there?                      | 36   |                  |
"""


@pytest.mark.parametrize(("question", "runs", "kept", "dropped"), rows(MATCHES))
def test_runs_match_every_group_and_any_term_of_a_group(
    con: duckdb.DuckDBPyConnection, question: str, runs: str, kept: str, dropped: str
) -> None:
    matching = match_runs(con, read_question(con, question))
    assert (matching.runs, ", ".join(matching.kept), ", ".join(matching.dropped)) == (
        int(runs),
        kept,
        dropped,
    )


def test_term_that_no_run_carries_is_absent_and_not_a_mention(
    con: duckdb.DuckDBPyConnection,
) -> None:
    question = read_question(con, "viruses of penguins")
    assert [mention.label for mention in question.absent] == ["Spheniscidae"]
    assert question.mentions == ()


def test_values_are_counted_once_per_run_most_runs_first(con: duckdb.DuckDBPyConnection) -> None:
    matched = match_runs(con, read_question(con, "bat gut"))
    families = matched.value_counts(["family"], limit=5)["family"]
    assert [(one.value, one.runs) for one in families] == [
        ("Coronaviridae", 6),
        ("Astroviridae", 4),
    ]
    assert matched.in_index("family", ["Coronaviridae", "Astroviridae"]) == {
        "Coronaviridae": 6,
        "Astroviridae": 4,
    }


def test_virus_asked_for_is_kept_apart_from_its_company(con: duckdb.DuckDBPyConnection) -> None:
    matched = match_runs(con, read_question(con, "coronaviruses"))
    species = matched.value_counts(["species"], limit=5)["species"]
    assert [one.value for one in species] == ["Bat coronavirus HKU5"]


def test_two_questions_do_not_share_their_runs(con: duckdb.DuckDBPyConnection) -> None:
    bats = match_runs(con, read_question(con, "bat gut"))
    match_runs(con, read_question(con, "asthma"))
    assert [one.value for one in bats.value_counts(["family"], limit=5)["family"]] == [
        "Coronaviridae",
        "Astroviridae",
    ]


INTENTS = """
question                            | facets                                                   | associations
Which viruses turn up?              | family, species                                          | False
In which tissues and countries?     | tissue, geography                                        | False
hosts, and what goes with them      | host                                                     | True
"""  # noqa: E501


@pytest.mark.parametrize(("question", "facets", "associations"), rows(INTENTS))
def test_intent_is_read_from_whole_words(question: str, facets: str, associations: str) -> None:
    intent = read_intent(question)
    assert (", ".join(intent.facets), str(intent.associations)) == (facets, associations)


def test_words_of_a_name_are_no_intent(con: duckdb.DuckDBPyConnection) -> None:
    assert read_question(con, "Yellow fever virus").intent.explicit is False


@pytest.mark.parametrize(
    ("asked", "stated", "name"),
    [
        ("lassa", ("Lassa virus", "reported as x"), "Lassa virus (Mammarenavirus x; lassa)"),
        ("lassa", ("Lassa virus", "Mammarenavirus-like"), "Mammarenavirus x (lassa)"),  # more
        ("Lassa virus", ("Lassa virus",), "Lassa virus (Mammarenavirus x)"),
        ("lassa", ("reported as Lassa virus",), "Mammarenavirus x (lassa)"),
        ("arenas", ("Lassa virus", "Junin virus"), "Mammarenavirus x (arenas)"),  # a group of both
    ],
)
def test_a_virus_is_named_as_reports_do_and_by_its_label(
    asked: str, stated: tuple[str, ...], name: str
) -> None:
    label = "Mammarenavirus x"
    senses = tuple(Sense("species", label, 3, curie="NCBITaxon:1", value=one) for one in stated)
    assert Mention(asked, 0, 1, label, "virus", senses).name == name


def test_words_of_a_virus_in_parentheses_name_no_place() -> None:
    virus = Mention("vsv", 0, 1, "Vesicular stomatitis Indiana virus", "virus", ())
    place = Mention("indiana", 1, 2, "USA: Indiana", "geography", ())
    words = ["VSV", "Indiana"]
    assert spelled_out(words, [virus, place], [], {1}) == ([replace(virus, end=2)], [])
    assert spelled_out(words, [virus, place], [], ()) == ([virus, place], [])


def test_a_metagenome_is_named_by_words_that_only_ask_by_themselves() -> None:
    viral = NamedTerm(0, 2, "label", "grounded", (("NCBITaxon:3", "viral metagenome"),))
    species = NamedTerm(0, 2, "label", "grounded", (("NCBITaxon:4", "virus species"),))
    assert asking_names([viral], ["viral", "metagenomes"]) == [viral]
    assert asking_names([species], ["virus", "species"]) == []


def test_a_biome_is_named_by_the_metagenome_that_runs_are_of() -> None:
    con = duckdb.connect()
    con.execute("CREATE TABLE annotation (facet VARCHAR, value VARCHAR, curie VARCHAR)")
    con.execute(
        "INSERT INTO annotation VALUES ('environment', 'peat metagenome', 'NCBITaxon:1'), "
        "('label', 'brine metagenome', 'NCBITaxon:2'), ('environment', 'human metagenome', NULL)"
    )
    stretches = {(0, 1): ("peat", "peats"), (1, 2): ("brine",), (2, 3): ("human",)}
    human = NamedTerm(2, 3, "label", "grounded", (("NCBITaxon:9606", "Homo sapiens"),))
    named = with_metagenomes(con, [human], stretches)
    assert [one.terms for one in named] == [
        (("NCBITaxon:9606", "Homo sapiens"),),
        (("NCBITaxon:1", "peat metagenome"),),
    ]


STUDY = """
question                                                     | runs
SRP000077 contents                                           | 2
A paper I read cites study SRP000077, can you list its hosts? | 2
My PhD student forgot study SRP000077. Which viruses has it? | 2
"""


@pytest.mark.parametrize(("question", "runs"), rows(STUDY))
def test_a_study_is_an_accession_that_is_never_set_aside(
    index: Path, tmp_path: Path, question: str, runs: str
) -> None:
    copied = tmp_path / "index.duckdb"
    shutil.copy(index, copied)
    with duckdb.connect(copied) as writing:
        stated = "UPDATE run SET study = 'SRP000077' WHERE run IN (FROM chosen)"
        writing.execute(f"WITH chosen AS (SELECT run FROM run ORDER BY run LIMIT 2) {stated}")
    with opened(copied) as con:
        asked = read_question(con, question)
        matching = match_runs(con, asked)
    assert asked.reading.accessions == ("SRP000077",)
    assert [one.group for one in asked.mentions] == ["bioproject"]
    assert matching.runs == int(runs)


@pytest.mark.parametrize("word", sorted(set().union(*ASKED_BY.values())))
def test_every_word_that_asks_for_values_may_stand_behind_a_name(
    con: duckdb.DuckDBPyConnection, word: str
) -> None:
    for name in ("Coronaviridae", "bat", "lung"):
        assert read_question(con, f"Which {name} {word}s are there?").text

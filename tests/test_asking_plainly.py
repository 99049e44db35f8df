"""Questions in everyday wordings: what is asked behind a colon or a dash, sides set side by side,
a second question without its verb, a whole before a colon.

The first sentence of each is counted on the index of ``tests/query_index``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from query.config import QueryConfig
from query.errors import NoEvidenceError
from query.global_search.ask import ask_from_facts
from tests.query_index import make_index, opened


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_index(tmp_path_factory.mktemp("plainly") / "index.duckdb")


@pytest.fixture
def con(index: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with opened(index) as connection:
        yield connection


ANSWERS = """
question                                      | the first sentence has
bats - list the families                      | Virus families: Coronaviridae (6 runs) and Astroviridae (4 runs).
Coronaviridae: bats or pigs?                  | differ in Coronaviridae (6 of 12, 50% against 0 of 8, 0%, q = 0.042).
coronavirus or kobuvirus in bats              | Each by itself: 6 of Coronaviridae (coronavirus) and 0 of kobuvirus.
Do more than half of the bat runs contain Coronaviridae? | No: Coronaviridae is found in 6 of 12 searched runs of Chiroptera (bat) (50%).
Do at least 50% of the bat runs contain Coronaviridae? | Yes: Coronaviridae is found in 6 of 12 searched runs
Are all pig runs from China?                  | No: 0 of 8 runs of Sus scrofa (pig) are from China.
Do most coronavirus runs come from bats?      | Yes: 6 of 6 runs with Coronaviridae (coronavirus) (100%) are from Chiroptera
Are all human runs of asthma?                 | That cannot be said of all of them: 8 of 10 runs of Homo sapiens (human) (80%) are of asthma.
Is a disease filled in for every human run?   | No: 8 of 10 runs of Homo sapiens (human) (80%) have a stated disease.
Is a disease stated more often in human runs than in pig runs? | Yes: 8 of 10 runs of Homo sapiens (human) (80%) and 0 of 8 runs of Sus scrofa (pig) (0%) have a stated disease: the difference holds (q = 0.0011).
Do bat runs or pig runs state a country more often? | 12 of 12 runs of Chiroptera (bat) (100%) and 8 of 8 runs of Sus scrofa (pig) (100%) have a stated country: the difference does not hold
bats: which species?                          | Host species: Rhinolophus ferrumequinum (8 runs) and Myotis lucifugus (4 runs).
How many bat species are there?               | 2 host species in 12 of 12 runs of Chiroptera (bat)
How many runs have a host and a country?      | 36 runs of 36 have a stated host and a stated country
Which country is SYNR05 from?                 | SYNR05 is a run of
Which hosts carry viruses of the family Coronaviridae? | Hosts: Rhinolophus ferrumequinum (6 runs).
Which hosts have coronaviruses, in order of runs | Hosts: Rhinolophus ferrumequinum (6 runs).
Which host species carry coronaviruses?       | Host species: Rhinolophus ferrumequinum (6 runs).
runs with more than one coronavirus           | At least 2 species of Coronaviridae (coronavirus)
coronavirus or kobuvirus, but not both        | Exactly one of Coronaviridae (coronavirus) and kobuvirus is found in 12 of 36 searched runs (33%): 6 of Coronaviridae (coronavirus) and 6 of kobuvirus.
runs lacking both coronaviruses and kobuvirus | carry no Coronaviridae (coronaviruses) or kobuvirus.
coronaviruses in bats: which are they?        | Virus species: Bat coronavirus HKU5 (6 runs).
Is Yellow fever virus found in tissues other than lung? | This cannot be said: Yellow fever virus is found in 6 runs, and no tissue is stated for any of them
bats: how many altogether                     | 12 runs of 36 are from Chiroptera (bats)
Set bats and pigs side by side                | differ in Picornaviridae (0 of 12, 0% against 6 of 8, 75%
Is there more coronavirus or more kobuvirus?  | 6 carry Coronaviridae (coronavirus) (17%) and 6 carry kobuvirus (17%).
viruses in bats but never in pigs             | Found in Chiroptera (bats) and in no run of Sus scrofa (pigs)
pigs with kobuvirus or coronavirus or both    | found in 6 of 8 searched runs of Sus scrofa (pigs) (75%).
From what hosts come the most runs with coronavirus? give 1 | Hosts: Rhinolophus ferrumequinum (6 runs).
How often is coronavirus seen, and how often Porcine kobuvirus? | Porcine kobuvirus is found in 6 of 36 searched runs (17%).
How many bat runs do NOT show coronaviruses?  | 6 of 12 searched runs of Chiroptera (bat) (50%) carry no
coronaviruses of bats: which ones and how many runs each | Virus species: Bat coronavirus HKU5 (6 runs).
Runs where Porcine kobuvirus was found and coronaviruses were not | 6 runs of Porcine kobuvirus and no Coronaviridae (coronaviruses)
Which of bats, pigs and humans have coronaviruses? | With Coronaviridae (coronaviruses): Chiroptera (bats) (6 of 12 searched runs). Without Coronaviridae (coronaviruses): Sus scrofa (pigs) (0 of 8 searched runs) and Homo sapiens (humans) (0 of 10 searched runs).
Which of bats, pigs and humans have no coronavirus? | Without Coronaviridae (coronavirus): Sus scrofa (pigs) (0 of 8 searched runs) and Homo sapiens (humans) (0 of 10
How many human runs are not labelled as asthma? | 2 more runs state no disease: with these, 2 are not labelled so.
Which of bats, pigs and humans have asthma?   | With asthma: Homo sapiens (humans) (8 of 8 runs that state a disease). No disease is stated for: Chiroptera (bats) (12 runs) and Sus scrofa (pigs) (8 runs).
Which of bats and pigs has more coronavirus?  | differ in Coronaviridae (coronavirus) (6 of 12, 50% against 0 of 8, 0%, q = 0.042).
Are there more bat runs than pig runs?        | Yes: 12 runs of Chiroptera (bat), and 8 of Sus scrofa (pig).
Are there fewer bat runs than pig runs?       | No: 12 runs of Chiroptera (bat), and 8 of Sus scrofa (pig).
bats compared with pigs - share of runs with any virus | Chiroptera (bats)
How many runs of bats and pigs together?      | 20 runs of 36 are from Chiroptera (bats) or Sus scrofa (pigs)
How many runs lack a stated disease?          | 28 runs of 36 have no stated disease
how often is the disease missing              | 28 runs of 36 (78%) have no stated disease
top 2 bats with coronavirus                   | Host species: Rhinolophus ferrumequinum (6 runs).
Is it true that coronaviruses never occur in pigs? | The claim holds here: Coronaviridae (coronaviruses) is found in none of the 8 searched runs of Sus scrofa (pigs).
Is it true that coronaviruses have not been found in bats? | The claim does not hold: Coronaviridae (coronaviruses) is found in 6 of 12
Are there no runs from pigs with kobuvirus?   | The claim does not hold: kobuvirus is found in 6 of 8 searched runs of Sus scrofa (pigs) (75%).
bats vs pigs: where is the coronavirus rate higher? | differ in Coronaviridae (coronavirus) (6 of 12, 50% against 0 of 8, 0%, q = 0.042).
Does Porcine kobuvirus appear in more pig runs or in more bat runs? | differ in Porcine kobuvirus (6 of 8, 75% against 0 of 12, 0%, q < 0.001).
In bats, are there more runs with coronavirus or with kobuvirus? | Coronaviridae (coronavirus) is found more often (q = 0.031). No run carries both.
Which families are not found in pigs?         | Found in the index and in no run of Sus scrofa (pigs): 4 virus families, Pneumoviridae (8 runs), Coronaviridae (6 runs), Flaviviridae (6 runs) and Astroviridae (4 runs).
How many coronavirus species are there?       | 1 virus species in 6 of 6 runs of Coronaviridae (coronavirus)
"""  # noqa: E501


def rows(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")] for line in table.strip().splitlines()[1:]]


@pytest.mark.parametrize(("question", "expected"), rows(ANSWERS))
def test_everyday_wording_is_answered(
    con: duckdb.DuckDBPyConnection, question: str, expected: str
) -> None:
    answer = ask_from_facts(con, question, config=QueryConfig()).answer
    assert expected in answer.splitlines()[0]


def test_a_denial_that_rules_out_no_name_refuses(con: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(NoEvidenceError, match="not understood: not"):
        ask_from_facts(con, "pig runs that were not washed", config=QueryConfig())


@pytest.mark.parametrize(
    ("question", "slip"),
    [
        ("Kobuvurus C - how many runs?", "Kobuvurus"),
        ("Rhinolofus ferrumequinum: runs with coronavirus?", "Rhinolofus"),
        ("coronavirus in bats, how mny runs?", "mny"),
    ],
)
def test_a_slip_before_or_in_a_question_refuses_it(
    con: duckdb.DuckDBPyConnection, question: str, slip: str
) -> None:
    with pytest.raises(NoEvidenceError, match=f"not understood: {slip}"):
        ask_from_facts(con, question, config=QueryConfig())


@pytest.mark.parametrize("slip", ["Yelow fever virus", "Yellow fevre virus", "Bat coronvirus HKU5"])
def test_a_misspelt_virus_is_proposed_by_its_whole_name(
    con: duckdb.DuckDBPyConnection, slip: str
) -> None:
    with pytest.raises(NoEvidenceError) as refused:
        ask_from_facts(con, f"Which hosts have {slip}?", config=QueryConfig())
    assert refused.value.nearest[0] in ("Yellow fever virus", "Bat coronavirus HKU5")


def test_a_side_within_the_other_has_no_runs_alone(sample_db: duckdb.DuckDBPyConnection) -> None:
    asked = "compare feces and gut: in which is Picornaviridae found more often?"
    answer = ask_from_facts(sample_db, asked, config=QueryConfig()).answer
    assert "no run is feces alone (145 runs of several)" in answer.splitlines()[0]

"""Names as people write them: adjectives, compounds, homonyms, identifiers, kinds of viruses, and
in how many runs a value has to be. Read on the sample, as text tables.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import duckdb
import pytest

from query.config import QueryConfig
from query.errors import NoEvidenceError
from query.global_search.ask import ask_from_facts
from query.reading.asked.in_runs import in_runs_of
from query.reading.question import read_question
from query.reading.reading import reading_text
from query.reading.written import everyday

READ: Final = """
question                                      | read
porcine lung viruses                          | organism: Sus scrofa (porcine); tissue: lung
human liver viruses                           | organism: Homo sapiens (human); tissue: liver
murine runs with dengue virus                 | organism: Mus musculus (murine)
bovine and porcine runs                       | organism: Bos taurus (bovine) or Sus scrofa
viruses of bumblebees                         | organism: Bombus (bumblebees)
viruses of fruitflies                         | organism: Drosophila
nematodes                                     | organism: Nematoda (nematodes)
viruses of sea lions                          | carried by no run: Otariidae (sea lions)
viruses of shrimps                            | organism: Dendrobranchiata (shrimps)
viruses of zebras                             | carried by no run: Equus grevyi or Equus quagga
freshwater sediment compared with soil: share of runs with dengue virus | kind: compare
colon or ileum                                | tissue: colon or ileum
viruses of taxid 9823                         | organism: Sus scrofa
runs of BTO:0000763                           | tissue: lung
DOID:552                                      | disease: pneumonia
viruses of non-human animals                  | without organism: Homo sapiens (human)
Which insect viruses are in mosquitoes?       | organism: Culicidae (mosquitoes)
Which pig viruses are found in ducks?         | not understood: pig viruses
cancer viruses in blood                       | not understood: cancer viruses
Zandrel pig virus in pigs: how many runs?     | not understood: Zandrel pig virus
taxid 99999999                                | not understood: taxid
tissues and cell lines with dengue            | facets: tissue
Is Deformd-wing virus in pigs?                | not understood: Deformd-wing
How many lungg runs have dengue?              | so that this cannot be answered: lungg
PRRSV in pigs                                 | virus: Porcine reproductive
runs with XYZQV                               | not understood: XYZQV
human runs with pig viruses                   | not understood: pig viruses
tick-borne viruses in pigs                    | not understood: tick-borne viruses
pig, influenza A virus                        | organism: Sus scrofa (pig); virus: Influenza A virus
runs from Africa                              | geography: Africa
Which European countries have pig runs?       | facets: geography; geography: Europe (european)
which mosquito species carry dengue           | facets: host; organism: Culicidae (mosquito)
Phaseolus vulgaris with Phaseolus vulgaris alphaendornavirus 1 | organism: Phaseolus vulgaris
My dog vomits, is that a dengue virus?        | beyond counts: advice
Do mice get over dengue?                      | beyond counts: prognosis
virus families in pigs                        | facets: family; organism: Sus scrofa (pigs)
tissues with at least 50 runs                 | values in: at least 50 runs
share of pig runs with more than 10 runs      | not understood: with more than 10 runs
"""


def _rows(table: str) -> list[tuple[str, ...]]:
    _, *lines = table.strip().splitlines()
    return [tuple(cell.strip() for cell in line.split("|")) for line in lines]


@pytest.mark.parametrize(("question", "read"), _rows(READ))
def test_a_name_as_people_write_it_is_read(
    sample_db: duckdb.DuckDBPyConnection, question: str, read: str
) -> None:
    lines = reading_text(read_question(sample_db, question).reading).splitlines()
    for part in read.split("; "):
        name, _, value = part.partition(": ")
        said = [line.partition(": ")[2] for line in lines if line.startswith(f"{name}: ")]
        assert any(value in one for one in said), lines


def test_hosts_that_say_which_viruses_are_meant_are_no_runs_of_their_own(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    of_all = read_question(sample_db, "Which insect viruses are in mosquitoes?").reading
    assert [one.label for one in of_all.subjects] == ["Culicidae"]
    with pytest.raises(NoEvidenceError, match="pig viruses"):
        ask_from_facts(sample_db, "Which pig viruses are found in ducks?", config=QueryConfig())


IN_RUNS: Final = """
frame                                       | asked              | rest
hosts with at least 100 runs                | at least 100 runs  | hosts
countries having 50 or more samples         | at least 50 runs   | countries
families seen in fewer than ten _ runs      | fewer than 10 runs | families _
which hosts have more than 1,000 libraries  | more than 1,000 runs | which hosts
hosts of _                                  | none               | hosts of _
runs with at least 3 viruses                | none               | runs with at least 3 viruses
"""


@pytest.mark.parametrize(("frame", "asked", "rest"), _rows(IN_RUNS))
def test_in_how_many_runs_is_read(frame: str, asked: str, rest: str) -> None:
    in_runs, left = in_runs_of(frame)
    assert (in_runs.text if in_runs else "none", left) == (asked, rest)


def test_values_of_so_many_runs_are_all_listed_and_no_other(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    answer = ask_from_facts(sample_db, "tissues with at least 50 runs", config=QueryConfig()).answer
    headline, *_ = answer.split("\n\n")
    gold = sample_db.execute(
        "SELECT value, count(DISTINCT run) AS runs FROM annotation WHERE facet = 'tissue'"
        " GROUP BY value HAVING runs >= 50"
    ).fetchall()
    listed = re.findall(r"(?:: |, | and )([\w -]+?) \((\d+) runs\)", headline)
    assert {(name, int(runs)) for name, runs in listed} == set(gold)
    assert len(gold) > 1


def test_a_number_asked_for_decides_yes_or_no(sample_db: duckdb.DuckDBPyConnection) -> None:
    enough = "Is influenza A virus found in at least 10 runs?"
    too_few = "Is influenza A virus found in at least 10000 runs?"
    config = QueryConfig()
    assert ask_from_facts(sample_db, enough, config=config).answer.startswith("Yes: ")
    assert ask_from_facts(sample_db, too_few, config=config).answer.startswith("No: ")


def test_each_number_asked_for_is_said(sample_db: duckdb.DuckDBPyConnection) -> None:
    counts = {
        virus: sample_db.execute(
            "SELECT count(DISTINCT run) FROM detection SEMI JOIN searched USING (run)"
            " WHERE stated = ?",
            [virus],
        ).fetchall()[0][0]
        for virus in ("Dengue virus", "Rift Valley fever virus")
    }
    question = "numbers of runs for dengue virus and Rift Valley fever virus"
    answer = ask_from_facts(sample_db, question, config=QueryConfig()).answer
    for virus, runs in counts.items():
        assert re.search(rf"{virus}[^.]* is found in {runs} of", answer), answer


def test_either_and_both_are_counted(sample_db: duckdb.DuckDBPyConnection) -> None:
    question = (
        "How many runs carry dengue virus or Rift Valley fever virus, and how many have both?"
    )
    answer = ask_from_facts(sample_db, question, config=QueryConfig()).answer
    ((either,),) = sample_db.execute(
        "SELECT count(DISTINCT run) FROM detection SEMI JOIN searched USING (run)"
        " WHERE stated IN ('Dengue virus', 'Rift Valley fever virus')"
    ).fetchall()
    first, *_ = answer.split(". ")
    assert f" {either} of " in first
    assert "Dengue virus and Rift Valley fever virus" in answer.split("\n\n")[0]


def test_viruses_that_no_other_run_carries_are_listed(sample_db: duckdb.DuckDBPyConnection) -> None:
    question = "Which virus families are only found in tomato?"
    answer = ask_from_facts(sample_db, question, config=QueryConfig()).answer
    gold = sample_db.execute(
        "WITH here AS (SELECT run FROM annotation WHERE facet = 'host' AND value ="
        " 'Solanum lycopersicum') SELECT DISTINCT family FROM detection SEMI JOIN here USING (run)"
        " WHERE family NOT IN (SELECT family FROM detection ANTI JOIN here USING (run)"
        " WHERE family IS NOT NULL)"
    ).fetchall()
    first, *_ = answer.split(". ")
    assert len(gold) > 1
    assert f"{len(gold)} virus families" in first
    assert all(family in first for (family,) in gold)


@pytest.mark.parametrize("name", ["host_words", "sample_words", "virus_words"])
def test_lists_of_everyday_words_are_in_order_and_short_enough_to_be_found(name: str) -> None:
    path = Path(everyday.__file__).with_name(f"{name}.tsv")
    header, *lines = path.read_text(encoding="utf-8").splitlines()
    rows = [tuple(line.split("\t")) for line in lines]
    assert header == "word\tcurie\tlabel"
    assert rows == sorted(set(rows), key=lambda row: (row[0], row[2]))
    assert [row for row in rows if row[0] != row[0].lower() or len(row[0].split()) > 4] == []

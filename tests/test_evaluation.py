"""Questions with known answers: what is asked, what is true, and when an answer is right."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import duckdb
import pytest

from ontology_etl.errors import MalformedRowError
from query.evaluation.conditions import carrying, known_without, parse_conditions
from query.evaluation.generated import make_questions
from query.evaluation.gold import Gold, gold_of
from query.evaluation.judging import judge
from query.evaluation.observing import Observation
from query.evaluation.questions import Asked, GoldQuestion, read_questions
from query.reading.reading import Reading


def rows(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")] for line in table.strip().splitlines()[1:]]


def asking(asks: str, kind: str, **asked: object) -> GoldQuestion:
    return GoldQuestion("q1", "test", "?", (kind,), Asked(asks, **asked))  # type: ignore[arg-type]


def said(headline: str) -> Observation:
    refused = headline.removeprefix("refused ") if headline.startswith("refused") else None
    return Observation(Reading(), headline, headline, refused=refused)


VERDICTS = """
kind   | asks    | runs | whole | truth   | headline                                              | fault
count  | found   | 61   | 900   | yes     | West Nile virus is found in 61 of 900 runs.           |
count  | found   | 61   | 900   | yes     | West Nile virus is found in 62 of 900 runs.           | a number is missing or wrong
share  | found   | 61   | 900   | yes     | It is found in 61 runs.                               | a number is missing or wrong
share  | found   | 1200 | 9000  | yes     | It is found in 1,200 of 9,000 runs (13%).             |
count  | found   | 1    | 900   | yes     | HSV-1 is found in none of the 900 runs.               | a number is missing or wrong
exists | found   | 61   | 900   | yes     | Yes: it is found in 61 of 900 runs.                   |
exists | found   | 61   | 900   | yes     | It is found in 61 of 900 runs.                        | does not say yes
exists | found   | 0    | 900   | no      | No: it is found in none of the 900 runs.              |
exists | found   | 0    | 900   | no      | Yes: it is found in 2 of 900 runs.                    | says yes
exists | found   | 0    | 900   | unknown | No: it is found in none of the 900 runs.              | does not say that it is unknown
exists | found   | 0    | 900   | unknown | This cannot be said: no place is stated for any run.  |
exists | found   | 0    | 0     | unknown | refused NoEvidenceError                               |
count  | found   | 61   | 900   | yes     | refused NoEvidenceError                               | refused wrongly
count  | runs    | 268  | 900   |         | 268 runs of 900 are Sweden.                           |
beyond | refuse  | 0    | 0     |         | refused BeyondCountsError                             |
beyond | refuse  | 0    | 0     |         | It is found in 61 of 900 runs.                        | answered what the index cannot know
list   | none    | 0    | 0     |         | No run of the index is annotated with it.             |
list   | none    | 0    | 0     |         | Yes: 4 runs.                                          | does not say that there is none
list   | propose | 0    | 0     |         | Did you mean zika for “ziko”?                         |
list   | propose | 0    | 0     |         | 285 runs of macaques.                                 | a slip of the pen is not noticed
"""  # noqa: E501


@pytest.mark.parametrize(
    ("kind", "asks", "runs", "whole", "truth", "headline", "fault"), rows(VERDICTS)
)
def test_a_headline_is_right_only_with_the_exact_answer(
    kind: str, asks: str, runs: str, whole: str, truth: str, headline: str, fault: str
) -> None:
    gold = Gold(int(runs), int(whole), truth or None)  # type: ignore[arg-type]
    assert (judge(asking(asks, kind), gold, said(headline)).fault or "") == fault


LISTS = """
limit | headline                                        | fault
      | Hosts: bat (9 runs), pig (4 runs), cow (4 runs) |
      | Hosts: bat (9 runs), pig (4 runs), ant (4 runs) |
      | Hosts: bat (8 runs), pig (4 runs), cow (4 runs) | a value is missing, or its runs are wrong
2     | Hosts: bat (9 runs) and cow (4 runs)            |
2     | Hosts: bat (9 runs), pig (4 runs), cow (4 runs) | lists more values than asked for
1     | Hosts: bat (9 runs)                             |
1     | Hosts: bat (9 runs) and pig (4 runs)            | lists more values than asked for
"""


@pytest.mark.parametrize(("limit", "headline", "fault"), rows(LISTS))
def test_values_with_as_many_runs_may_take_the_place_of_each_other(
    limit: str, headline: str, fault: str
) -> None:
    gold = Gold(values={"host": (("bat", 9), ("ant", 4), ("cow", 4), ("pig", 4), ("emu", 1))})
    question = asking("values", "list", limit=int(limit) if limit else None)
    assert (judge(question, gold, said(headline)).fault or "") == fault


@pytest.mark.parametrize(
    ("cell", "value", "reason"),
    [
        ("asks", "wonder", "asks 'wonder' is not one of"),
        ("find", "virus-11082", "'virus-11082' is not facet:value of"),
        ("among", "!host:NCBITaxon:9606", "only a virus can be asked for as absent"),
        ("half", "middle", "half 'middle' is not one of open, spent, apart"),
    ],
)
def test_a_wrong_cell_names_file_row_and_reason(
    tmp_path: Path, cell: str, value: str, reason: str
) -> None:
    row = dict.fromkeys(
        ("id", "half", "theme", "kind", "asks", "find", "among", "without", "against", "facet",
        "limit"),
        "",
    )  # fmt: skip
    row |= {"half": "open", "asks": "runs", "kind": "count", "question": "How many?", cell: value}
    path = tmp_path / "questions.tsv"
    path.write_text("\t".join(row) + "\n" + "\t".join(row.values()) + "\n")
    with pytest.raises(MalformedRowError, match=rf"questions.tsv, row 2: .*{reason}"):
        read_questions(path)


def test_hand_written_questions_cover_every_theme_and_no_text_comes_twice() -> None:
    questions = read_questions()
    themes = Counter(one.theme for one in questions)
    halves = Counter(one.half for one in questions)
    assert min(halves["open"], halves["apart"]) >= 50
    assert len({one.text for one in questions}) == len(questions)
    assert themes.keys() >= {
        "abbreviation", "slip", "comparison", "negation", "ranking", "accession", "unanswerable",
        "offtopic",
    }  # fmt: skip


def test_templates_give_three_hundred_questions_in_five_wordings_each(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    questions = make_questions(sample_db, fills=3, seed=1)
    kinds = {kind for one in questions for kind in one.kinds}
    wordings = Counter(one.theme for one in questions)
    assert len(questions) >= 300
    assert min(wordings.values()) >= 5
    assert kinds >= {
        "describe", "list", "count", "share", "exists", "compare", "rank", "associate", "identify",
        "beyond",
    }  # fmt: skip
    assert questions == make_questions(sample_db, fills=3, seed=1)
    assert questions != make_questions(sample_db, fills=3, seed=2)


def test_searched_runs_split_into_those_with_a_virus_and_those_known_without(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    def count(select: str) -> int:
        return int(
            sample_db.execute(f"SELECT count(DISTINCT run) FROM ({select})").fetchall()[0][0]
        )

    family = parse_conditions("family:Coronaviridae")
    absent = parse_conditions("!family:Coronaviridae")
    searched = count("SELECT run FROM searched UNION SELECT run FROM detection")
    assert count(carrying(family)) + count(known_without(family)) == searched
    assert count(carrying(absent)) == count(known_without(family))


def test_gold_of_the_sample_holds_what_was_planted(sample_db: duckdb.DuckDBPyConnection) -> None:
    asked = Asked("runs", among=parse_conditions("place:Eswatini"))
    question = GoldQuestion("q1", "planted", "How many runs are from Eswatini?", ("count",), asked)
    assert gold_of(sample_db, question).runs == 34

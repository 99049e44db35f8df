"""Questions as they are read and as they are answered: the first sentence of each, counted on the
index of ``tests/query_index``.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from query.config import QueryConfig
from query.errors import (
    BeyondCountsError,
    EmptyQuestionError,
    NoEvidenceError,
    QuestionTooLongError,
)
from query.global_search.ask import ask_from_facts
from query.reading.limits import LIMITS
from query.reading.question import read_question
from query.reading.reading import reading_record, reading_text
from tests.query_index import make_index, opened


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_index(tmp_path_factory.mktemp("asking") / "index.duckdb")


@pytest.fixture
def con(index: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with opened(index) as connection:
        yield connection


def rows(table: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.split("|")] for line in table.strip().splitlines()[1:]]


def first_line(con: duckdb.DuckDBPyConnection, question: str) -> str:
    return ask_from_facts(con, question, config=QueryConfig()).answer.splitlines()[0]


KINDS = """
question                                                     | kind
bats                                                         | describe
viruses of the lung                                          | describe
Tell me about Yellow fever virus                             | describe
In which tissues are coronaviruses seen?                     | list
What do bats carry?                                          | list
Hosts of Porcine kobuvirus, which are they?                  | list
How many runs hold coronaviruses?                            | count
In how many pigs was Porcine kobuvirus seen?                 | count
Number of bat samples with a coronavirus                     | count
Share of pig runs with Porcine kobuvirus                     | share
What percentage of bats have coronaviruses?                  | share
How common is Porcine kobuvirus in pigs?                     | share
Is there a coronavirus in bats?                              | exists
Do pigs carry Porcine kobuvirus?                             | exists
Any coronavirus in the lung?                                 | exists
Have mosquitoes ever had Yellow fever virus?                 | exists
bats versus pigs                                             | compare
How do the viruses of bats differ from those of pigs?        | compare
Compare lung and intestine                                   | compare
the most frequent virus families                             | rank
Top 3 hosts                                                  | rank
Rank places by runs                                          | rank
What is Coronaviridae associated with?                       | associate
Which samples correlate with Coronaviridae                   | associate
SYNP2                                                        | describe
How many different hosts have coronaviruses?                 | count
Of the bat runs, how large a part has coronaviruses?         | share
What portion of pigs has a coronavirus?                      | share
Lung as against intestine                                    | compare
Coronaviruses in Peru?                                       | exists
Hosts of coronaviruses                                       | list
Virus families of pigs                                       | list
Lung samples: are coronaviruses in them?                     | exists
Is anything in the metadata tied to Coronaviridae?           | associate
Which attributes are linked with Coronaviridae?              | associate
Strongest associations of Coronaviridae                      | associate
Is Coronaviridae associated with intestine anywhere?         | associate
Significant links of Coronaviridae with metadata, strongest first | associate
Which families have the most associations?                   | associate
Coronaviruses: which ones and how many runs each?            | list
Are coronaviruses or kobuviruses more common in pigs?        | compare
Coronavirus vs kobuvirus: which is found in more runs?       | compare
Coronaviruses in bats and pigs, which has more?              | compare
"""


@pytest.mark.parametrize(("question", "kind"), rows(KINDS))
def test_kind_is_read_from_the_words_between_the_names(
    con: duckdb.DuckDBPyConnection, question: str, kind: str
) -> None:
    assert read_question(con, question).reading.kind == kind


PARTS = """
question                               | part    | names
bats without coronaviruses             | without | Coronaviridae
intestine but not lung                 | without | lung
mammals other than pigs                | without | Sus scrofa
bats except Myotis lucifugus           | without | Myotis lucifugus
mosquitoes, neither bats nor pigs      | without | Chiroptera, Sus scrofa
bats in the lung                       | without |
bats versus pigs                       | sides   | Chiroptera, Sus scrofa
pig intestine and not pig lung         | without | lung
bats versus pigs versus mosquitoes     | sides   | Chiroptera, Sus scrofa, Culicidae
Are coronaviruses rarer in pigs than elsewhere? | sides | Sus scrofa
bat lung compared with bat intestine   | sides   | lung, intestine
Compare the viruses of bats and pigs   | sides   | Chiroptera, Sus scrofa
both kobuvirus and coronavirus         | each    | kobuvirus, Coronaviridae
kobuvirus or coronavirus               | each    |
kobuvirus and also coronavirus         | each    | kobuvirus, Coronaviridae
bats without any virus                 | without | any virus
bats free of viruses                   | without | any virus
bats without viruses of pigs           | without |
coronaviruses outside bats             | without | Chiroptera
coronaviruses from outside bats        | without | Chiroptera
bats where coronaviruses are absent    | without | Coronaviridae
pigs in which no coronavirus was found | without | Coronaviridae
viruses of animals apart from pigs     | without | Sus scrofa
"""


@pytest.mark.parametrize(("question", "part", "names"), rows(PARTS))
def test_names_play_the_part_that_their_place_gives(
    con: duckdb.DuckDBPyConnection, question: str, part: str, names: str
) -> None:
    played = getattr(read_question(con, question).reading, part)
    assert ", ".join(one.label for one in played) == names


ANSWERS = """
question                                      | first line holds
Are coronaviruses found in bats?              | Yes: Coronaviridae (coronaviruses) is found in 6 of 12
coronaviruses in bats                         | found in 6 of 12 searched runs of Chiroptera (bats) (50%).
What share of bat runs have coronaviruses?    | is found in 6 of 12 searched runs of Chiroptera (bat) (50%).
How many bat samples hold a coronavirus?      | is found in 6 of 12 searched runs of Chiroptera (bat) (50%).
Do pigs carry coronaviruses?                  | No: Coronaviridae (coronaviruses) is found in none of the 8
Does asthma come with Yellow fever virus?     | This cannot be said: Yellow fever virus is found in 6 runs
Yellow fever virus in the lung                | and no tissue is stated for any of them
Which hosts does Yellow fever virus have?     | Hosts: Aedes aegypti (6 runs)
What infects pigs?                            | Virus families: Picornaviridae (6 runs)
top 2 virus families                          | Virus families, 2 of 5: Pneumoviridae (8 runs)
How many hosts have coronaviruses?            | 1 host in 6 of 6 runs of Coronaviridae (coronaviruses)
bats without coronaviruses                    | 6 of 12 searched runs of Chiroptera (bats) (50%) carry no
How many pigs were screened without any virus?| 2 of 8 searched runs of Sus scrofa (pigs) (25%) carry no virus.
Which host has the most viruses?              | Hosts, 1 of
Which host has the highest share of coronaviruses? | of fewer searched runs, Rhinolophus ferrumequinum (6 of 8, 75%)
What's in SYNP2?                              | 8 runs
bats without coronaviruses in the lung        | All 2 searched runs of Chiroptera (bats) and lung carry no
Sus scrofa but not intestine                  | No run is from Sus scrofa and a tissue other than intestine at once
bats in Germany                               | at once: 12 are from Chiroptera (bats) and 18 are from Germany.
both coronavirus and Porcine kobuvirus        | are found together in none of the 36
bats versus pigs                              | Chiroptera (bats) and Sus scrofa (pigs) differ in
Do coronaviruses occur more often in bats or in pig samples? | Chiroptera (bats) and Sus scrofa (pig) differ in
Virus detection rate: bats vs pigs            | Any virus is found in 10 of 12 searched runs of Chiroptera (bats) (83%) and 6 of 8 searched runs of Sus scrofa (pigs) (75%): the difference does not hold (q = 1).
We read of other viruses. Which viruses are in coronavirus runs? | Virus families: Coronaviridae (6 runs)
Which other viruses are found together with coronaviruses? | No other virus with a name is found in the same runs.
Compare bats, pigs and mosquitoes             | Picornaviridae, more in Sus scrofa (pigs) than in the others
bats versus all other hosts                   | other hosts differ in Coronaviridae (6 of 12, 50% against 0 of 24
Coronavirus runs where the host is not pig: how many? | 6 of 28 searched runs of a host other than Sus scrofa
list the animals in which coronaviruses were seen | Hosts: Rhinolophus ferrumequinum (6 runs)
list the animals coronaviruses were found in  | Hosts: Rhinolophus ferrumequinum (6 runs)
Which viruses infect pigs?                    | A virus found in a run need not have infected the host.
Do the viruses of bats differ in lung and gut?| cannot be tested: one side has 2 searched runs only.
Which animals carry coronaviruses?            | Hosts: Rhinolophus ferrumequinum
What share of the coronavirus runs come from bats? | 6 of 6 runs with Coronaviridae (coronavirus) (100%) are from Chiroptera (bats). 6 of these runs state a host.
What share of all coronavirus runs are from Brazil? | 0 of 6 runs with Coronaviridae (coronavirus) are from Brazil. 6 of these runs state a place.
Coronavirus vs kobuvirus: which is in more runs? | Of 36 searched runs, 6 carry Coronaviridae (coronavirus) (17%) and 6 carry kobuvirus (17%).
Is Coronaviridae associated with intestine?   | Yes: 1 of 1 association tested of Coronaviridae with intestine holds after correction (q of at most 0.05), in 1 project. Strongest associations that hold: Coronaviridae with tissue = intestine in SYNP1 (q = 0.004, log2 fold change +6.1, 10 against 2 samples).
Is Pneumoviridae associated with asthma?      | No: no association of Pneumoviridae with asthma holds after correction: 1 test in 1 project did not.
Is Coronaviridae associated with asthma?      | This cannot be said: of 2 associations tested for Coronaviridae in 1 project, none names asthma.
Which families have the most associations?    | 2 of 4 associations tested of the index hold after correction (q of at most 0.05), in 1 project.
Coronaviruses: which ones and how many runs each? | Virus species: Bat coronavirus HKU5 (6 runs).
Which viruses are in bats but not in pigs?    | Found in Chiroptera (bats) and in no run of Sus scrofa (pigs): 2 virus families, Coronaviridae (6 runs) and Astroviridae (4 runs); 2 virus species
Virus families of mosquitoes but not of bats  | in no run of Chiroptera (bats): 1 virus family, Flaviviridae (6 runs).
Which viruses do Mammalia other than pigs have? | 22 runs of Mammalia and a host other than Sus scrofa (pigs)
compare coronaviruses and kobuviruses by host | Coronaviridae (coronaviruses): hosts Rhinolophus ferrumequinum (6 runs).
Yellow fever virus in Peru                    | No run of the index is annotated with Peru
SYNP2                                         | 8 runs
"""  # noqa: E501


@pytest.mark.parametrize(("question", "expected"), rows(ANSWERS))
def test_first_line_answers(con: duckdb.DuckDBPyConnection, question: str, expected: str) -> None:
    assert expected in first_line(con, question)


SHARES = """
question                                  | says that a share is no rate
Is Caliciviridae found in gastroenteritis? | yes
gastroenteritis                           | yes
Are coronaviruses found in bats?          | no
bats                                      | no
"""


@pytest.mark.parametrize(("question", "expected"), rows(SHARES))
def test_a_share_where_runs_without_a_virus_are_hardly_listed_is_called_no_rate(
    sample_db: duckdb.DuckDBPyConnection, question: str, expected: str
) -> None:
    assert ("is no detection rate" in first_line(sample_db, question)) == (expected == "yes")


BEYOND = """
question                                    | topic
Which viruses cause asthma?                 | cause
Is Yellow fever virus responsible for it?   | cause
Does Yellow fever virus give you asthma?    | cause
Can asthma be cured?                        | cure
Is there a vaccine for Yellow fever virus?  | cure
How many species of bats are there in the world? | nature
How deadly is Yellow fever virus?           | prognosis
When did bats get coronaviruses?            | dates
Did coronaviruses in bats go up since 2018?     | dates
Which year were the bat samples collected?      | collection dates
In what year was Porcine kobuvirus found?   | dates
Who discovered Yellow fever virus?          | persons
Should I keep bats?                         | advice
Why do bats carry coronaviruses?            | mechanism
"""


@pytest.mark.parametrize(("question", "topic"), rows(BEYOND))
def test_question_beyond_counts_is_refused_with_a_question_that_is_not(
    con: duckdb.DuckDBPyConnection, question: str, topic: str
) -> None:
    with pytest.raises(BeyondCountsError) as refused:
        first_line(con, question)
    assert next(limit.why for limit in LIMITS if limit.topic == topic) in refused.value.message
    assert refused.value.exit_code == 8
    assert first_line(con, refused.value.ask)


UNKNOWN_THINGS = """
question                              | reason
What is the capital of Germany?       | not understood: capital
Do bats sleep?                        | not understood: sleep
Is Yellow fever virus airborne?       | not understood: airborne
How many pigs with a coronavirus recovered? | not understood: recovered
Which receptor do coronaviruses have? | not understood: receptor
Does a coronavirus immortalise bats?  | not understood: immortalise
Which symptoms come with Yellow fever virus? | not understood: symptoms
Where did coronaviruses come from originally? | not understood: originally
viruses of unicorns                   | not understood: unicorns
Foobarvirus in pigs                   | not understood: Foobarvirus
coronavirdae in bats                  | not understood: coronavirdae
¿Hay coronavirus en los murciélagos?  | not understood
SELECT * FROM run; DROP TABLE run     | not understood: SELECT
SRR999999999                          | no run, sample, project or community
viruses of C2-0123abcd                | community of this index is C2-0123abcd
what is there?                        | it names nothing to look for
viruses of penguins                   | no run states Spheniscidae
"""


@pytest.mark.parametrize(("question", "reason"), rows(UNKNOWN_THINGS))
def test_question_about_what_is_not_understood_is_refused(
    con: duckdb.DuckDBPyConnection, question: str, reason: str
) -> None:
    with pytest.raises(NoEvidenceError) as refused:
        first_line(con, question)
    assert reason in refused.value.message
    assert "ask: query global" in refused.value.remedy


def test_slip_is_proposed_and_not_assumed(con: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(NoEvidenceError) as refused:
        first_line(con, "coronavirdae in bats")
    assert "Coronaviridae" in refused.value.nearest
    assert refused.value.remedy.endswith('ask: query global "Coronaviridae in bats"')


def test_names_that_rule_each_other_out_match_nothing_and_that_is_said(
    con: duckdb.DuckDBPyConnection,
) -> None:
    said = first_line(con, "bats without bats")
    assert said.startswith(
        "No run is from Chiroptera (bats) and a host other than Chiroptera (bats) at once"
    )


@pytest.mark.parametrize("question", ["", " ", "?!", "\x00\x07"])
def test_question_without_a_word_is_empty(con: duckdb.DuckDBPyConnection, question: str) -> None:
    with pytest.raises(EmptyQuestionError):
        first_line(con, question)


def test_endless_question_is_refused_at_once(con: duckdb.DuckDBPyConnection) -> None:
    started = time.perf_counter()
    with pytest.raises(QuestionTooLongError, match="at most 1,000"):
        first_line(con, "bat " * 250_000)
    assert time.perf_counter() - started < 1


def test_control_characters_are_blanks(con: duckdb.DuckDBPyConnection) -> None:
    assert first_line(con, "bat\x1b\x00gut") == first_line(con, "bat gut")


@pytest.mark.parametrize("word", ["bats", "gut", "Coronaviridae", "viruses"])
def test_single_word_that_names_or_asks_is_answered(
    con: duckdb.DuckDBPyConnection, word: str
) -> None:
    assert " runs" in first_line(con, word)


@pytest.mark.parametrize("word", ["unicorn", "run", "7"])
def test_single_word_that_means_nothing_is_refused(
    con: duckdb.DuckDBPyConnection, word: str
) -> None:
    with pytest.raises(NoEvidenceError):
        first_line(con, word)


def test_reading_is_printed_as_text_and_as_plain_values(con: duckdb.DuckDBPyConnection) -> None:
    reading = read_question(con, "top 5 hosts of coronaviruses, not bats").reading
    assert reading_text(reading).splitlines() == [
        "kind: rank",
        "facets: host",
        "virus: Coronaviridae (coronaviruses)",
        "without organism: Chiroptera (bats)",
        "limit: 5",
    ]
    record = reading_record(reading)
    assert (record["kind"], record["limit"]) == ("rank", 5)
    assert record["without"] == {"organism": ["Chiroptera (bats)"]}


def test_no_word_of_a_question_is_lost(con: duckdb.DuckDBPyConnection) -> None:
    question = read_question(con, "purple coronaviruses of sleepy bats")
    assert question.reading.not_understood == ("purple", "sleepy")


def test_a_community_is_called_by_its_title_and_counted_like_any_runs(
    sample_db: duckdb.DuckDBPyConnection,
) -> None:
    query = "SELECT community, title, runs FROM report JOIN community USING (community) LIMIT 1"
    ((community, title, runs),) = sample_db.execute(query).fetchall()
    contents = first_line(sample_db, f"What is in {community}?")
    assert contents.startswith(f"{community} “{title}” has {runs:,} run")
    counted = first_line(sample_db, f"How many runs of {community} carry a virus?")
    assert f"of {runs:,} searched" in counted or f"{runs:,} runs" in counted


LETTERS = """
question                        | answer
human rhinovirus A              | Rhinovirus A is found in
human enterovirus B             | Enterovirus B is found in
Enterovirus A                   | no run carries Enterovirus A
enterovirus 71                  | not understood: 71
Is influenza A found in pigs?   | Influenza A virus (influenza A) is found in
"""


@pytest.mark.parametrize(("question", "answer"), rows(LETTERS))
def test_a_letter_behind_a_virus_counts_and_is_never_dropped(
    sample_db: duckdb.DuckDBPyConnection, question: str, answer: str
) -> None:
    if answer.startswith(("not understood", "no run carries", "no run states")):
        with pytest.raises(NoEvidenceError, match=answer):
            first_line(sample_db, question)
    else:
        assert answer in first_line(sample_db, question)


def test_a_virus_of_which_only_parts_are_names_is_refused(con: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(NoEvidenceError, match="not understood: bat asthma virus"):
        ask_from_facts(con, "pig runs with bat asthma virus", config=QueryConfig())


@pytest.mark.parametrize(
    "question",
    [
        "How many bat runs per month",
        "Which virus is found in the most countries?",
        "Which coronavirus infects the largest number of hosts?",
        "Which hosts have only one virus family?",
        "Which families are found in every host?",
        "Which species occur in at least 2 hosts?",
    ],
)
def test_what_only_a_table_can_say_is_left_to_sql(
    con: duckdb.DuckDBPyConnection, question: str
) -> None:
    assert read_question(con, question).reading.beyond is None
    with pytest.raises(NoEvidenceError, match="query sql"):
        ask_from_facts(con, question, config=QueryConfig())


@pytest.mark.parametrize(
    "question", ["coronaviruses in bats during winter", "bats and unobtainium"]
)
def test_what_runs_are_said_to_be_of_is_never_mere_wording(
    con: duckdb.DuckDBPyConnection, question: str
) -> None:
    with pytest.raises(NoEvidenceError, match=r"not understood: (winter|unobtainium)"):
        ask_from_facts(con, question, config=QueryConfig())

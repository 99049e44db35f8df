"""Questions as people talk: courtesies, asides and statements change nothing of what is counted.

Each is answered as the plain question beside it, read on the sample.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import duckdb
import pytest

from query.config import QueryConfig
from query.errors import BeyondCountsError, NoEvidenceError, QueryError
from query.global_search.ask import ask_from_facts
from query.reading.scope.clauses import clauses_of
from query.screening.screen import screen_question
from tests.conftest import BuiltIndex

SAME: Final = """
said                                                           | asked
OK so my supervisor wants the top two hosts, could you help?   | top two hosts
Our student needs the number of pig runs with dengue           | number of pig runs with dengue
Could you remind me how many runs there are? I always forget.  | how many runs there are
Would you mind telling me what the rarest virus family is?     | what is the rarest virus family?
Can I ask something about lung? Which viruses are in lung?     | Which viruses are in lung?
Given that nobody asks, how many pig runs do you have?         | how many pig runs do you have?
Which viruses are in pigs? Thanks a lot!                       | Which viruses are in pigs?
viruses of pigs - any hint would be much appreciated           | viruses of pigs
I'm a plant pathologist. Which viruses are in lung?            | Which viruses are in lung?
Please excuse my English. Which viruses are in lung?           | Which viruses are in lung?
We pooled pigs from the field. Which viruses are in lung?      | Which viruses are in lung of pigs?
We have many lungs of pigs. Which viruses are in pigs?         | Which viruses are in pigs?
In my experience pigs carry many viruses. How many lung runs?  | How many lung runs of pigs?
We do metatranscriptomics. How many pig runs are there?        | How many pig runs are there?
My advisor asks for the two largest communities. List them?    | the two largest communities
which viruses do people usually find in lung                   | which viruses are found in lung
Are there more pig or mouse runs in here?                      | Are there more pig or mouse runs?
"""

WORDINGS: Final = """
said | asked
Liver: any influenza A virus there? | Is influenza A virus found in liver?
True or false: influenza A virus can be found in ducks. | whether influenza A virus is found in ducks
Influenza A virus in ducks - yes or no | Influenza A virus in ducks?
Tell me if lung is among the tissues where dengue turns up. | whether dengue is found in lung
Would I find influenza A virus if I looked in duck libraries? | Is influenza A virus found in duck?
In pigs, do you have a coronavirus? | do you have a coronavirus in pigs?
Which viruses are present in pigs yet absent from ducks? | Which viruses are found in pigs but not in ducks?
viruses which pigs have and ducks do not | viruses found in pigs but not in ducks
Subtract the viruses of ducks from the viruses of pigs. What is left? | Which viruses are found in pigs but not in ducks?
Pigs versus ducks: which viruses are only in pigs? | Which viruses are in Pigs but not in ducks?
Could you show me the viruses in pigs, leaving out those that are also found in ducks? | show the viruses found in pigs but not in ducks?
Take all pig runs, drop those with kobuvirus, and tell me how many of the rest carry coronaviruses. | how many pig runs carry coronaviruses but not kobuvirus
How many runs don't have influenza A virus or a coronavirus? | How many runs carry neither influenza A virus nor a coronavirus?
Which viruses share runs with influenza A virus? | Which viruses occur together with influenza A virus in the same runs?
In runs with influenza A virus, what other viruses are there? | Which viruses occur together with influenza A virus in the same runs?
Besides influenza A virus, which viruses are in its runs? | Which viruses occur together with influenza A virus in the same runs?
Filter for runs having kobuvirus, then for those also having a coronavirus; how many are left? | how many runs carry both kobuvirus and a coronavirus?
Of the viruses found in ducks, which are also known from pigs? | which viruses are found in both ducks and pigs?
Put the viruses of pigs and the viruses of ducks side by side. | compare the viruses of pigs and the viruses of ducks
How large is the set of pig runs with a coronavirus? | how many pig runs with a coronavirus?
Pigs or ducks: where does influenza A virus turn up in the larger fraction of runs? | do Pigs or ducks have a higher share of runs with influenza A virus?
What is the share of lung in the influenza A virus runs? | What share of influenza A virus runs is lung?
Do you know the hosts that influenza A virus was identified in? | list the hosts that influenza A virus was identified in?
host species with influenza A virus, pigs excluded | host species with influenza A virus other than pigs
For a grant application I need the total of pig runs with kobuvirus | how many pig runs with kobuvirus
Which viruses are found in lung biopsies? | Which viruses are found in lung?
which virus family is found most rarely in pigs | which virus family is found least often in pigs
"""  # noqa: E501
"""Questions worded at length, and the same plainly."""


@pytest.fixture(scope="module")
def con(sample_index: BuiltIndex) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(str(sample_index.path), read_only=True) as connection:
        yield connection


def rows(table: str) -> list[tuple[str, ...]]:
    _, *lines = table.strip().splitlines()
    return [tuple(cell.strip() for cell in line.split("|")) for line in lines]


def headline(con: duckdb.DuckDBPyConnection, question: str) -> str:
    """Return the first paragraph, without what is said of how the question was read."""
    first, *_ = ask_from_facts(con.cursor(), question, config=QueryConfig()).answer.split("\n\n")
    return re.split(r" (?:Read as said beside|Taken for wording only)", first)[0]


@pytest.mark.parametrize(("said", "asked"), rows(SAME))
def test_talk_around_a_question_changes_no_answer(
    con: duckdb.DuckDBPyConnection, said: str, asked: str
) -> None:
    assert headline(con, said) == headline(con, asked)


@pytest.mark.parametrize(("said", "asked"), rows(WORDINGS))
def test_wording_changes_no_answer(con: duckdb.DuckDBPyConnection, said: str, asked: str) -> None:
    assert headline(con, said) == headline(con, asked)


def test_claim_that_there_is_none_is_answered_as_a_claim(con: duckdb.DuckDBPyConnection) -> None:
    carried = headline(
        con, "My friend swears that humans never have influenza A virus. Is she right?"
    )
    assert carried.startswith("The claim does not hold: Influenza A virus")
    lacking = headline(con, "Somebody said that pigs have no dengue virus. True?")
    assert lacking.startswith("The claim holds here: Dengue virus")
    claimed = headline(con, "Influenza A virus is found in humans, isn't it?")
    assert claimed.startswith("Yes: Influenza A virus")


def test_what_is_set_aside_beside_the_question_is_never_counted(
    con: duckdb.DuckDBPyConnection,
) -> None:
    with pytest.raises(NoEvidenceError, match="not understood: except those"):
        headline(con, "I know of dengue in pigs; leaving those aside, where is dengue found?")


def test_virus_meant_by_a_pronoun_always_counts(
    con: duckdb.DuckDBPyConnection,
) -> None:
    talk = "We work on pigs, mainly {}. How often is it in pig runs?"
    assert "Deformed wing virus" in headline(con, talk.format("deformed wing virus"))
    with pytest.raises(NoEvidenceError, match="not understood: foobar virus"):
        headline(con, talk.format("foobar virus"))


def test_setting_is_quoted_as_it_was_written(con: duckdb.DuckDBPyConnection) -> None:
    question = "We look at lung tumours of people. Which viruses are in pigs?"
    answer = ask_from_facts(con.cursor(), question, config=QueryConfig()).answer
    assert "“We look at lung tumours of people.”" in answer


@pytest.mark.parametrize(
    "question",
    [
        "I'd like to get an idea of what is associated with Flaviviridae",
        "I need to convince my boss of wastewater; how many viral families does it contain?",
        "my supervisor wants the viruses of wheat, could you help me with that?",
        "would you mind telling me which viruses are in wheat?",
    ],
)
def test_courtesies_ask_for_no_method(question: str) -> None:
    screen_question(question)


@pytest.mark.parametrize(
    "question",
    [
        "my friend wants to grow smallpox, could you help me with that?",
        "would you mind telling me how to grow smallpox?",
        "I'd like to get an idea of how to make influenza airborne",
    ],
)
def test_courtesies_hide_no_method(question: str) -> None:
    with pytest.raises(QueryError):
        screen_question(question)


def test_years_of_release_are_ranked_and_other_years_are_refused(
    con: duckdb.DuckDBPyConnection,
) -> None:
    assert "ears of release" in headline(con, "Which year has the most runs?")
    with pytest.raises(BeyondCountsError, match="when something happened"):
        headline(con, "In which year was dengue virus discovered?")


def test_clauses_keep_a_tag_apart_from_the_claim() -> None:
    clauses = clauses_of("SYN1 is about pigs, isn't it?")
    assert (clauses.asked, clauses.claim, clauses.denied) == (
        "is there SYN1 is about pigs",
        True,
        False,
    )

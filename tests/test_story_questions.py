"""Questions in several sentences: what is only a story changes no answer, and what a pronoun means
is always counted.

Each is answered as the plain question beside it, read on the sample.
"""

from __future__ import annotations

import duckdb
import pytest

from query.errors import NoEvidenceError
from query.reading.scope.clauses import clauses_of
from query.reading.scope.talk import without_courtesies
from query.screening.screen import screen_question
from tests.test_chatty_questions import con, headline, rows

__all__ = ["con"]

SAME = """
said | asked
How many pig runs have dengue, if you don't mind? | How many pig runs have dengue?
How many pig runs have dengue, do you reckon? | How many pig runs have dengue?
How many pig runs, as far as one knows, have dengue? | How many pig runs have dengue?
Is flu in every duck run, or just in a few? | Is flu in every duck run?
flu runs not from pigs: which hosts? | Which hosts other than pigs have flu?
Pigs have no helper virus, so how many pig runs have flu? | How many pig runs have flu?
Rice is easy - any flu in rice runs? | any flu in rice runs?
Which hosts have dengue, I think it is not in pigs | Which hosts have dengue?
Was anything viral found in pigs, and if so in how many? | Was anything viral found in pigs?
Which year has most runs, and how many lack a date? | Which year has most runs?
Lovely site. Who has more, France or Canada? | Which has more runs, France or Canada?
Could be contamination, but how many pigs have dengue? | How many pigs have dengue?
I know pneumonia. How many runs with that disease? | How many runs of pneumonia?
I know pneumonia. How many patients had that diagnosis? | How many patients had pneumonia?
Dengue worries us. Which hosts have the virus? | Which hosts have dengue?
We were in France. Any pig runs from there? | Any pig runs from France?
Flu in pigs is odd. How many pig runs are affected? | How many pig runs have flu?
We adore pigs and ducks. How many runs have either? | How many runs of pigs or ducks?
We fear dengue and flu. How many have one of the two? | How many runs have dengue or flu?
Dengue and flu. How many have either of the two, or both? | How many runs have dengue or flu?
How many runs have dengue? And flu? | How many runs have dengue and how many flu?
So dengue. How many runs have it? And flu? | How many runs have flu and how many dengue?
How many runs have dengue? How does that compare to flu? | How does dengue compare to flu?
I bet dengue leads. What is the top virus in lung? | What is the top virus in lung?
Most will be human, I guess. Which host has most runs? | Which host has most runs?
Which hosts carry flu? The top two would do. | Which hosts carry flu, the top two?
Which viruses are in lung? The rest must be flu, no? | Which viruses are in lung?
In 2019 we were young. How many pig runs are there? | How many pig runs are there?
We culture lung cells. How many runs have dengue? | How many lung runs have dengue?
We like Sus scrofa, the gut of France. Any flu in them? | Any flu in Sus scrofa?
SYNP0000023 was about pigs. How many of its runs have flu? | How many runs of SYNP0000023 have flu?
We mixed up pigs once. How many pig runs are there? | How many pig runs are there?
Apart from lung, where else is flu found, tissue-wise? | In which tissues except lung is flu found?
What virus families are in lung most? | What virus families are most common in lung?
Is there more from women or from men? | Are there more runs from women or from men?
France and Canada. Which of these two places has more runs? | Which has more runs, France or Canada?
Pigs aside, where is flu found? | Except pigs, where is flu found?
People think dengue is all over. How many runs have it? | How many runs have dengue?
What is in lung? I mean in human lung of course. | What is in human lung?
He bets on dengue, I bet on flu. How many have either? | How many runs have dengue or flu?
Not that it matters, but which of dengue and flu is more common? | Is dengue or flu more common?
What virus is it that one meets most often in lung? | What virus is found most often in lung?
Dengue again, it's a mosquito virus after all. How many runs have it? | How many runs have dengue?
I may be wrong. How many pig runs have dengue? | How many pig runs have dengue?
Flu runs, where do they come from, pigs or ducks more? | Is flu more often found in pigs or ducks?
Dengue again. How often does it come along with flu? | How often is flu found together with dengue?
Apple, you know. Which part of the plant has most runs? | Which tissues of apple have most runs?
Which tissues have flu, and in which animals? | Which tissues have flu, and in which hosts?
He says flu is in lung only. Are there other tissues it was seen in? | Which tissues has flu?
Leaving flu itself aside, which viruses are in pigs? | Except flu, which viruses are in pigs?
Pigs are odd. At family level, what do these animals carry? | Which families do pigs carry?
Is dengue in pigs, or is that just ducks? | Is dengue more often in pigs or ducks?
France, then. Which viruses do people's data from there hold? | Which viruses are in France?
Dengue it is. Any chance you could break it down by host? | Which hosts have dengue?
We fear flu. Of all pig runs, what percentage had one? | What percentage of pig runs have flu?
Flu: which portion comes from pigs? | What share of flu runs comes from pigs?
How many pig runs have nothing from the Flaviviridae? | How many pig runs have no Flaviviridae?
How does flu in pigs stack up against ducks? | How does flu in pigs compare with ducks?
Which viruses are in Vero cultures? | Which viruses are in Vero?
Is there flu in Rhinolophus bats? | Is there flu in Rhinolophus?
Since when do we see dengue in humans? | years of release of dengue runs in humans
Asthma patients: how many also have flu? | How many asthma patients have flu?
Which viruses are in bats, e.g. Rhinolophus? | Which viruses are in bats, such as Rhinolophus?
Where in the world is dengue found? | In which countries is dengue found?
List the plants with endornaviruses. | Which plants have endornaviruses?
What travels with dengue in humans? | What is found together with dengue in humans?
Since when is dengue found in humans? | years of release of dengue runs in humans
In what year does dengue first appear in humans? | years of release of dengue runs in humans
Which viruses do people isolate from pigs? | Which viruses are found in pigs?
If we leave out pigs, which hosts have flu? | Except pigs, which hosts have flu?
What I don't know is whether dengue is in pigs. Is it? | Is there dengue in pigs?
Isn't there dengue in pigs? | Is there dengue in pigs?
Did duck runs go up or down between 2017 and 2023? | Duck runs by year between 2017 and 2023
"""


@pytest.mark.parametrize(("said", "asked"), rows(SAME))
def test_story_around_a_question_changes_no_answer(
    con: duckdb.DuckDBPyConnection, said: str, asked: str
) -> None:
    assert headline(con, said) == headline(con, asked)


def test_wider_name_counts_beside_a_narrower_one_of_the_setting(
    con: duckdb.DuckDBPyConnection,
) -> None:
    answer = headline(con, "We do swine influenza. Any flu in pigs?")
    assert answer.startswith("Yes: Influenza A virus (flu) is found in 12 of 145 searched runs")
    compared = headline(con, "Pigs and ducks. Which of the two has more runs?")
    assert compared.startswith("145 runs of Sus scrofa (pigs), and 130 of")


def test_pointer_without_a_name_refuses(con: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(NoEvidenceError, match="not understood: that diagnosis"):
        headline(con, "We know of bats. How many runs have that diagnosis?")
    with pytest.raises(NoEvidenceError, match="not understood: flooo"):
        headline(con, "Dengue and flooo are here. How many have one of the two?")


def test_which_of_the_values_is_most_often_lists_them(con: duckdb.DuckDBPyConnection) -> None:
    answer = headline(con, "Which families are in pigs, and which of them most often?")
    assert "Virus families: Picornaviridae (41 runs)" in answer
    assert "Nothing is compared" not in answer


def test_claim_that_something_is_found_only_there_looks_elsewhere(
    con: duckdb.DuckDBPyConnection,
) -> None:
    claimed = headline(con, "My postdoc claims that dengue only occurs in Vero cells. Is that so?")
    assert claimed.startswith("No: 31 runs of Dengue virus (dengue) and a tissue other than Vero")
    assert "Tissues: HuH-7 cell (22 runs)" in claimed
    true = headline(con, "Does apple stem grooving virus only occur in apples?")
    assert true.startswith("Yes: Apple stem grooving virus")
    assert "No run of it states another host." in true
    denied = headline(con, "Dengue isn't only found in Vero cells, is it?")
    assert denied.startswith("The claim holds here: 31 runs of Dengue virus (dengue)")


def test_nowhere_is_a_denial(con: duckdb.DuckDBPyConnection) -> None:
    answer = headline(con, "My boss says that dengue is nowhere in pigs. Can that be?")
    assert answer.startswith("The claim holds here: Dengue virus (dengue) is found in none")


def test_whether_it_is_in_each_of_them_counts_both(con: duckdb.DuckDBPyConnection) -> None:
    answer = headline(
        con, "It'd be nice to say how many duck datasets exist, and whether flu is in each of them."
    )
    assert answer.startswith("Influenza A virus (flu) is found in 47 of 130 searched runs")


def test_runs_with_a_known_value_are_a_share(con: duckdb.DuckDBPyConnection) -> None:
    answer = headline(
        con, "We want the proportion of runs for which we know the country or sea. Just a number."
    )
    assert "have a stated country" in answer


def test_plausible_asks_for_the_unexpected_only_of_a_pair(con: duckdb.DuckDBPyConnection) -> None:
    talk = "Flu in ducks is odd. How many duck runs have it, and is that pair considered plausible?"
    assert "nexpected" in headline(con, talk)
    assert "nexpected" not in headline(con, "Which viruses in ducks are plausible?")


def test_alternatives_at_the_end_are_no_question_of_their_own() -> None:
    assert without_courtesies("Do any come from there, or maybe nobody wrote it down?") == (
        "Do any come from there?"
    )
    clauses = clauses_of("Who has more runs, A or B? I'd have expected A.")
    assert clauses.asked == "Who has more runs, A or B?"


def test_part_of_all_is_answered_with_its_share(con: duckdb.DuckDBPyConnection) -> None:
    every = headline(con, "My boss says that flu is in all duck runs. Is he right?")
    assert every.startswith("Influenza A virus (flu) is found in 47 of 130 searched runs")
    most = headline(con, "Is it true that most of the duck runs have flu?")
    assert "47 of 130" in most
    of_them = headline(con, "Are most of the pig runs from gut?")
    assert of_them.startswith("Yes: 77 of 145 runs of Sus scrofa (pig)")
    assert "Each by itself: 0 of gut, 47 of gastrointestinal tract and 30 of feces." in of_them


def test_shares_are_ranked_and_ups_and_downs_with_an_attribute_are_associations(
    con: duckdb.DuckDBPyConnection,
) -> None:
    ranked = headline(con, "Which host has the highest share of runs with flu?")
    assert ": Anas platyrhynchos (47 of 130, 36%)" in ranked
    associated = headline(con, "Does Flaviviridae go up or down with any sample attribute?")
    assert "ears of release" not in associated


def test_all_the_runs_are_from_there_is_a_share(con: duckdb.DuckDBPyConnection) -> None:
    answer = headline(con, "Dengue again. Are all the runs from Vero cells, or are there others?")
    assert answer.startswith(
        "No: 14 of 52 runs with Dengue virus (dengue) (27%) are from Vero cell."
    )


@pytest.mark.parametrize(
    ("question", "words"),
    [
        (
            "Our vet found flu in a gruffalo. Are there gruffalos here, and do they have a virus?",
            "gruffalos",
        ),
        ("I assume most of the flu runs are duck. How many are not?", "are not"),
        ("Dengue in rice, irrigated against rainfed. Does that matter?", "irrigated against"),
    ],
)
def test_what_is_asked_and_not_understood_refuses(
    con: duckdb.DuckDBPyConnection, question: str, words: str
) -> None:
    with pytest.raises(NoEvidenceError, match=f"not understood: .*{words}"):
        headline(con, question)


def test_letter_behind_a_comma_is_no_letter_of_a_virus(con: duckdb.DuckDBPyConnection) -> None:
    answer = headline(con, "Has influenza, I mean influenza A, been found in ducks?")
    assert answer.startswith("Yes: Influenza A virus")


def test_tests_asked_for_before_a_question_belong_to_it() -> None:
    text = (
        "Could you remind me of the associations of PRJNA1? Was it more abundant in root or leaf?"
    )
    assert clauses_of(text).asked == (
        "Could you remind me of the associations of PRJNA1, Was it more abundant in root or leaf?"
    )
    screen_question(text)


def test_two_names_of_a_share_are_compared(con: duckdb.DuckDBPyConnection) -> None:
    asked = headline(con, "How common is flu in ducks, and what about pigs?")
    assert asked == headline(con, "How common is flu in ducks compared to pigs?")

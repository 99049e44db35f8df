"""Answers say what explains their hits better, and where a number rests on another organism.

A congener with more reads in the same runs, sources that list only hits, sides that no source
searched, and libraries of another organism than the host.
"""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest

from index.claims import (
    Compared,
    Fisher,
    FoundIn,
    HitsOnly,
    OtherOrganism,
    Outweighed,
    OutweighedViruses,
    Ranking,
)
from query.answers import answer_request
from query.local_search.triples import Triple
from query.request import (
    And,
    Compare,
    Count,
    Describe,
    Has,
    Hit,
    Request,
    Share,
    Summary,
    Values,
)
from query.request.measures import Measure
from query.request.run_sets import EVERYTHING, RunSet
from tests.answer_worlds import (
    BAT,
    BETA,
    HUMAN,
    MOSQUITO,
    ONE,
    TWO,
    VALUES,
    VIRUSES,
    carries,
    world_of,
)
from tests.request_world import fill, world_index

RUNS = """
run  host     found          searched
R1   human    one@97,two@97  nt
R2   human    one@97,two@97  nt
R3   bat      one@97         nt
R4   bat      two@97         nt
R5   bat      -              nt
R6   human    -              nt
R7   human    beta@97        palm
R8   human    beta@97        palm
R9   human    -              -
R10  bat      beta@97        palm
R11  bat      -              palm
"""
"""Where a run has both viruses, two has four times the reads of one. Beta is searched by palm,
which lists only hits of human runs; of mosquitoes there are no runs but by their library: R7, R8.
"""


@pytest.fixture(scope="module")
def index() -> Iterator[duckdb.DuckDBPyConnection]:
    with world_index() as con:
        con.execute("UPDATE virus SET rank = 'species' WHERE species IS NOT NULL")
        fill(con, world_of(RUNS, scope="nt:one nt:two palm:beta"))
        con.execute(f"UPDATE detection SET congener = '{VIRUSES['two'][0]}', congener_ratio = 4 "
                    f"WHERE virus = '{VIRUSES['one'][0]}' AND run <> 'R3'")  # fmt: skip
        con.executemany(
            "INSERT INTO sequenced (run, host, organism) VALUES (?, ?, ?)",
            [(run, VALUES["human"][0], VALUES["mosquito"][0]) for run in ("R7", "R8")],
        )
        yield con


# --- congeners -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("measure", "of", "runs", "whole"),
    [
        (Count(), carries(ONE), 2, 3),
        (Count("biosample"), carries(ONE), 2, 3),
        (Share(carries(ONE)), HUMAN, 2, 2),
        (Values(("host",)), carries(ONE), 2, 3),
        (Values(("host",), each=Share(carries(ONE))), EVERYTHING, 2, 3),
        (Summary("identity", Hit((ONE,))), EVERYTHING, 2, 3),
        (Describe("virus", ONE), EVERYTHING, 2, 3),
        (Compare(Count(), (carries(ONE), carries(TWO))), EVERYTHING, 2, 3),
        (Compare(Share(carries(ONE)), (HUMAN, BAT)), EVERYTHING, 2, 3),
        (Compare(Count(), (HUMAN, BAT)), carries(ONE), 2, 3),
        (Compare(Count("run", Hit((ONE,))), (HUMAN, BAT)), EVERYTHING, 2, 3),
    ],
)
def test_every_kind_of_answer_names_the_congener_with_more_reads(
    index: duckdb.DuckDBPyConnection, measure: Measure, of: RunSet, runs: int, whole: int
) -> None:
    answer = answer_request(index, Request(measure, of=of))
    (claim,) = [claim for claim in answer.claims if isinstance(claim, Outweighed)]
    assert claim.congener in ("Alpha two", TWO)
    assert claim.which.startswith(f"{runs} of the runs with")
    assert (claim.times, claim.is_most) == (4.0, 2 * runs > whole)
    assert f"may be those of {claim.congener}, which typically has 4 times as many" in answer.text


def test_a_virus_that_no_congener_outweighs_is_said_alone(
    index: duckdb.DuckDBPyConnection,
) -> None:
    for of in (carries(TWO), And((carries(ONE), BAT))):
        answer = answer_request(index, Request(Count(), of=of))
        assert not any(isinstance(claim, Outweighed) for claim in answer.claims)


@pytest.mark.parametrize(
    "request_",
    [
        Request(Values(("virus",))),
        Request(Values(("species",))),
        Request(Compare(Values(("virus",)), (HUMAN, BAT))),
    ],
)
def test_a_list_of_viruses_says_which_a_congener_outweighs(
    index: duckdb.DuckDBPyConnection, request_: Request
) -> None:
    answer = answer_request(index, request_)
    (found,) = [claim for claim in answer.claims if isinstance(claim, OutweighedViruses)]
    ((virus, relative, runs, _),) = found.viruses
    assert (virus, relative, runs) in [
        ("Alpha one", "Alpha two", 2),
        ("Alpha virus one", "Alpha two", 2),
    ]
    listed = [claim for claim in answer.claims if isinstance(claim, Ranking)]
    named = {place.name for claim in listed for place in claim.places}
    assert not found.left_out or virus not in named


def test_a_list_without_such_viruses_says_nothing(index: duckdb.DuckDBPyConnection) -> None:
    answer = answer_request(index, Request(Values(("virus",)), of=BAT))
    assert not any(isinstance(claim, OutweighedViruses) for claim in answer.claims)


# --- what was searched ---------------------------------------------------------------------------


def test_a_side_that_no_source_searched_is_not_compared(index: duckdb.DuckDBPyConnection) -> None:
    sides = (And((HUMAN, Has("study", ("S1",)))), MOSQUITO)
    answer = answer_request(index, Request(Compare(Count(), sides), of=carries(TWO)))
    assert isinstance(answer.claims[0], FoundIn)
    assert answer.claims[0].number == 2
    assert "more runs" not in answer.text
    assert "no source searched those runs for it" in answer.text.lower()


@pytest.mark.parametrize("measure", [Share(carries(BETA)), Count("run", Hit((BETA,)))])
def test_shares_of_hits_only_are_not_compared(
    index: duckdb.DuckDBPyConnection, measure: Share | Count
) -> None:
    request = Request(Compare(measure, (HUMAN, BAT)))
    answer = answer_request(index, request)
    (hits_only,) = [claim for claim in answer.claims if isinstance(claim, HitsOnly)]
    (lead,) = [claim for claim in answer.claims if isinstance(claim, Compared | Ranking)]
    sides = lead.sides if isinstance(lead, Compared) else lead.places
    assert [(side.number, side.share) for side in sides] == [(2, None), (1, None)]
    assert hits_only.where == "from Homo testus"
    assert not any(isinstance(claim, Fisher) for claim in answer.claims)


@pytest.mark.parametrize(("subject_runs", "is_rate"), [(305, True), (2953, False)])
def test_a_triple_of_hits_only_has_no_share_and_no_test(subject_runs: int, is_rate: bool) -> None:
    triple = Triple(
        "mice", "mice", "family", "Alphaviridae", 305, 305, 2902, 10_000, 16, "R1",
        subject_runs=subject_runs,
    )  # fmt: skip
    assert (
        "305 of 305 runs of mice searched for it (100%), 3.4 times" in triple.sentence
    ) is is_rate
    if not is_rate:
        assert triple.sentence == (
            "Alphaviridae is found in 305 runs of mice, all that a source lists as searched for "
            "it; from 16 known projects and studies, e.g. R1."
        )


# --- libraries -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("measure", "of", "number", "whole"),
    [
        (Count(), And((carries(BETA), HUMAN)), 2, 2),
        (Count(), HUMAN, 2, 6),
        (Values(("virus",)), HUMAN, 2, 6),
        (Compare(Share(carries(BETA)), (HUMAN, BAT)), EVERYTHING, 2, 3),
    ],
)
def test_runs_of_a_host_say_how_many_are_libraries_of_another_organism(
    index: duckdb.DuckDBPyConnection, measure: Measure, of: RunSet, number: int, whole: int
) -> None:
    answer = answer_request(index, Request(measure, of=of))
    (found,) = [claim for claim in answer.claims if isinstance(claim, OtherOrganism)]
    assert (found.number, found.whole, found.further) == (number, whole, False)
    assert "of Aedes testus taken from Homo testus" in answer.text


@pytest.mark.parametrize("measure", [Count(), Values(("virus",))])
def test_libraries_of_what_is_asked_for_from_another_host_are_said(
    index: duckdb.DuckDBPyConnection, measure: Measure
) -> None:
    answer = answer_request(index, Request(measure, of=MOSQUITO))
    (found,) = [claim for claim in answer.claims if isinstance(claim, OtherOrganism)]
    assert (found.number, found.further) == (2, True)
    assert "2 further runs are of Aedes testus taken from Homo testus" in answer.text


def test_answers_that_are_not_about_hosts_say_nothing_of_libraries(
    index: duckdb.DuckDBPyConnection,
) -> None:
    answer = answer_request(index, Request(Count(), of=carries(BETA)))
    assert not any(isinstance(claim, OtherOrganism) for claim in answer.claims)

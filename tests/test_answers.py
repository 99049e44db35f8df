"""Answers in words: what they say of how sure a number is, of names, of doubt, and of sides."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from hypothesis import given
from scipy import stats

from index.claims import (
    Claim,
    Compared,
    Counted,
    Fisher,
    FoundIn,
    NamedNumber,
    NeverSearched,
    NotFound,
    Ranking,
    ShareOf,
    SpeciesInstead,
    Supported,
    YesOrNo,
)
from query.answers import answer_reading, answer_request
from query.answers.answering import in_doubt
from query.answers.charts import chart_of, draw_chart
from query.answers.doubting import Findings, judge
from query.answers.names import CalledNames
from query.answers.run_words import runs_words
from query.compiler.expecting import Relative, Relatives
from query.reading.reading import NameInQuestion, Reading
from query.request import (
    And,
    Carries,
    Compare,
    Count,
    Evidence,
    Exists,
    Has,
    Hit,
    Not,
    Or,
    Range,
    Records,
    Request,
    Share,
    Top,
    Values,
    Where,
)
from query.request.measures import Measure
from query.request.run_sets import RunSet
from tests.answer_worlds import BAT, BETA, HUMAN, MOSQUITO, ONE, TWO, carries, world_of
from tests.request_world import fill, run_sets, world_index
from tests.tiny_index import keep_what_is_read, mark_runs, read_anew

STRAIN = "NCBITaxon:30"
RUNS = """
run host  searched found
R1  human nt       one@97
R2  human nt       one@85
R3  bat   nt       one@95/two
R4  bat   nt       two@99
R5  -     nt       two@99
R6  human nt       -
R7  bat   nt       -
R8  -     -        -
"""


@pytest.fixture(scope="module")
def index() -> Iterator[duckdb.DuckDBPyConnection]:
    with world_index() as con:
        term = [STRAIN, "Alpha one strain X", "NCBITaxon", "no rank", False]
        con.execute(
            "INSERT INTO term (curie, label, ontology, rank, obsolete) VALUES (?, ?, ?, ?, ?)", term
        )
        con.execute(f"INSERT INTO term_edge VALUES ('{STRAIN}', 'parent', 'NCBITaxon:3')")
        con.execute("UPDATE virus SET rank = 'species' WHERE species IS NOT NULL")
        fill(con, world_of(RUNS, scope="nt:one nt:two"))
        yield con


@pytest.fixture
def changed(index: duckdb.DuckDBPyConnection) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield the index for a test to change, and change it back."""
    index.begin()
    read_anew(index)
    yield index
    index.rollback()
    keep_what_is_read(index)


# --- what is answered beside what is asked --------------------------------------------------------


def test_that_none_is_found_says_little_where_no_run_with_the_virus_states_the_field(
    changed: duckdb.DuckDBPyConnection,
) -> None:
    request = Request(Exists(), And((HUMAN, carries(ONE))))
    assert "not stated" not in answer_request(changed, request, names=[]).text
    changed.execute("DELETE FROM annotation WHERE run IN ('R1', 'R2', 'R3')")
    mark_runs(changed)
    text = answer_request(changed, request, names=[]).text
    assert "Host is not stated for any of the 3 runs with Alpha virus one" in text


def _answered(index: duckdb.DuckDBPyConnection, request: Request) -> list[Request]:
    answer = answer_reading(index, Reading("", (request,)))
    return [result.request for result in answer.results]


def test_studies_are_bioprojects_where_runs_state_no_other(
    changed: duckdb.DuckDBPyConnection,
) -> None:
    request = Request(Values(("study",)), carries(ONE))
    assert _answered(changed, request)[:1] == [request]
    changed.execute("UPDATE run SET study = NULL")
    assert _answered(changed, request)[0] == Request(Values(("project",)), carries(ONE))


def test_effects_that_were_not_tested_are_followed_by_single_tests(
    index: duckdb.DuckDBPyConnection,
) -> None:
    where = (Where("value", values=("rumen",)), Where("q_value", range=Range(at_most=0.05)))
    asked = _answered(index, Request(Records("effects", where=where)))
    tables = [request.measure.table for request in asked if isinstance(request.measure, Records)]
    assert list(dict.fromkeys(tables)) == ["effects", "tests"]


# --- how sure ------------------------------------------------------------------------------------


def test_runs_whose_match_is_weaker_are_counted_apart(index: duckdb.DuckDBPyConnection) -> None:
    answer = answer_request(index, Request(Count(), of=carries(ONE)))
    found = answer.claims[0]
    assert isinstance(found, FoundIn)
    assert (found.number, found.searched, found.supported) == (3, 7, True)
    assert found.confirmed == Supported(
        number=1, whole=3, others=("below 90 %", "nearer a relative")
    )


def test_a_lack_is_not_said_of_runs_that_nobody_searched(
    index: duckdb.DuckDBPyConnection,
) -> None:
    (claim, *more) = answer_request(index, Request(Count(), of=Not(carries(BETA)))).claims
    assert isinstance(claim, NeverSearched)
    assert more == []


def test_seas_are_no_countries(changed: duckdb.DuckDBPyConnection) -> None:
    for name, place in (("R1", "Peru: Lima"), ("R2", "Peru: Cusco"), ("R3", "North Sea")):
        changed.execute("INSERT INTO annotation (run, facet, value) VALUES (?, 'geography', ?)",
                        [name, place])  # fmt: skip
    countries, seas = (
        answer_request(changed, Request(Values((field,)))).text for field in ("country", "sea")
    )
    assert ("Peru" in countries, "North Sea" in countries) == (True, False)
    assert ("Peru" in seas, "North Sea" in seas) == (False, True)


@pytest.mark.parametrize(
    ("of", "verdict", "claim"),
    [
        (carries(TWO), "Yes", FoundIn),
        (carries(TWO) & HUMAN, "Not in these data", NotFound),
        (carries(ONE) & BAT, "Perhaps", FoundIn),
    ],
)
def test_yes_needs_support_and_no_needs_a_search(
    index: duckdb.DuckDBPyConnection, of: RunSet, verdict: str, claim: type[Claim]
) -> None:
    lead = answer_request(index, Request(Exists(), of=of)).claims[0]
    assert isinstance(lead, YesOrNo)
    assert (lead.verdict, type(lead.because)) == (verdict, claim)


def test_a_strain_is_answered_by_its_species(index: duckdb.DuckDBPyConnection) -> None:
    lead = answer_request(index, Request(Count(), of=carries(STRAIN))).claims[0]
    assert isinstance(lead, SpeciesInstead)
    assert (lead.virus, lead.numbers()[0]) == ("Alpha one strain X", 3)


@pytest.mark.parametrize(
    ("measure", "of", "lead"),
    [
        (Exists(), carries(STRAIN), "Perhaps"),
        # runs that are not there were not left unsearched
        (Exists(), MOSQUITO & carries(ONE), "The index has no runs from Aedes testus."),
        (Count(), And((BAT, Not(BAT), carries(BETA))), "The index has no runs"),
        # a list that its limits leave empty says them
        (Values(by="virus", at_least=900), BAT, "No virus is found in at least 900 runs from Myo"),
        (Values(by="virus", absent_in=BAT), BAT, "None: every virus found in runs from Myotis te"),
        (Values(by="host", absent_in=BAT), BAT, "None: every host recorded"),
        (Values(by="host", at_least=900), BAT, "No host is recorded for at least 900 runs from M"),
    ],
)
def test_an_answer_begins(
    index: duckdb.DuckDBPyConnection, measure: Measure, of: RunSet, lead: str
) -> None:
    assert answer_request(index, Request(measure, of=of)).lead.startswith(lead)


# --- names ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("corrected", "said"), [(False, "alfa one"), (True, ONE)], ids=["as written", "mended"]
)
def test_a_virus_is_called_as_the_user_calls_it_unless_misspelt(
    index: duckdb.DuckDBPyConnection, corrected: bool, said: str
) -> None:
    name = NameInQuestion("alfa one", 0, 8, "virus", ONE, "NCBITaxon:3", corrected)
    answer = answer_request(index, Request(Count(), of=carries(ONE)), names=[name])
    assert said.lower() in answer.lead.lower()


@given(of=run_sets())
def test_no_condition_is_lost_in_words(of: RunSet) -> None:
    said = runs_words(of, CalledNames()).lower()
    for name in _names(of):
        assert name.lower() in said, name


def _names(of: RunSet) -> list[str]:
    """Return the names that the words for a set of runs must hold."""
    match of:
        case Carries(hit):
            return [*hit.virus, *hit.other_than, *hit.source, *hit.sotu, *hit.reported]
        case Has():
            values = [part for value in of.values for part in value.split(": ")]
            return [*values, *([of.contains] if of.contains else [])]
        case Not(inner):
            return _names(inner)
        case Top():
            return _names(of.of)
        case And(parts) | Or(parts):
            return [name for part in parts for name in _names(part)]
    return []


# --- what comes next -----------------------------------------------------------------------------


def test_an_answer_has_three_bullets_at_most_and_all_when_asked(
    index: duckdb.DuckDBPyConnection,
) -> None:
    name = NameInQuestion("A1V", 0, 3, "virus", ONE, "NCBITaxon:3")
    request = Request(Count(), of=carries(ONE))
    brief, full = (
        answer_request(index, request, names=[name], full=full) for full in (False, True)
    )
    assert len(brief.bullets) <= 3
    assert len(full.bullets) >= len(brief.bullets)
    assert full.text.count("(Alpha one)") == 1, "the formal name is said once"
    assert "A1V" in full.text


def test_parts_of_a_question_are_one_answer(index: duckdb.DuckDBPyConnection) -> None:
    requests = (Request(Count(), of=carries(ONE)), Request(Values(("host",)), of=carries(TWO)))
    answer = answer_reading(index, Reading("", requests))
    first, second = (answer_request(index, request) for request in requests)
    parts = [f"{part.lead} {part.certainty}".strip() for part in (first, second)]
    assert answer.lead.splitlines() == parts
    assert not answer.certainty
    assert not answer.bullets
    assert answer.table is not None


# --- doubt ---------------------------------------------------------------------------------------


def findings(strict: int, expected: dict[str, int], beside: int = 0, clean: int = 10) -> Findings:
    """Return findings on ten runs, ``beside`` of which have more reads of a relative."""
    listed = (Relative("Beta", beside, 30.0),) if beside else ()
    classes = frozenset({"species", "nearer a relative"} if beside else {"species"})
    return Findings(10, strict, True, classes, expected, Relatives(listed, clean), 500.0)


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        (findings(10, {"recorded": 8}), "probably real"),
        (findings(10, {}), "probably real"),
        (findings(10, {"unexpected": 6, "recorded": 1}), "possibly contamination"),
        (findings(10, {"of its group": 5}), "probably real"),
        (findings(10, {"library": 9}), "sequenced on purpose"),
        (findings(10, {"other library": 9}), "possibly contamination"),
        (findings(10, {"resident": 7, "recorded": 3}), "from the cell line"),
        (findings(4, {"recorded": 9}, beside=9, clean=1), "probably a relative"),
        (findings(8, {"recorded": 9}, beside=3, clean=6), "real in part"),
        (findings(0, {"recorded": 9}, beside=10, clean=0), "probably a relative"),
        (Findings(10, 0, True, frozenset({"reported only"}), {}, Relatives((), 0), None),
         "cannot be said"),
        (Findings(10, 0, True, frozenset({"reported only"}), {"unexpected": 9}, Relatives((), 0),
                  None),
         "possibly contamination"),
        (Findings(10, 0, False, frozenset({"nearer a relative"}), {}, Relatives((), 0), None),
         "cannot be said"),
        (Findings(10, 10, True, frozenset({"species"}), {}, Relatives((), 10), 3.0),
         "cannot be said"),
    ],
)  # fmt: skip
def test_a_verdict_follows_from_identity_relatives_and_hosts(found: Findings, verdict: str) -> None:
    assert judge(found)[0] == verdict


def test_evidence_says_how_many_runs_are_of_a_laboratory(
    changed: duckdb.DuckDBPyConnection,
) -> None:
    changed.execute("UPDATE annotation SET value = 'Mus musculus', curie = 'NCBITaxon:10090' "
                    "WHERE run = 'R1' AND facet = 'host'")  # fmt: skip
    answer = answer_request(changed, Request(Evidence(Hit((ONE,)))))
    assert "1 of the runs is from laboratory rodents or their cells" in answer.text


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        (Request(Count(), of=carries(ONE)), Request(Evidence(Hit((ONE,))))),
        (Request(Exists(), of=carries(ONE) & BAT), Request(Evidence(Hit((ONE,))), of=BAT)),
        (Request(Count("run", Hit((ONE,))), of=BAT), Request(Evidence(Hit((ONE,))), of=BAT)),
        (Request(Values(("host",)), of=carries(ONE)), Request(Values(("host",)), of=carries(ONE))),
    ],
)
def test_doubt_asks_for_the_evidence_of_the_hits(asked: Request, expected: Request) -> None:
    assert in_doubt(asked) == expected


# --- sides ---------------------------------------------------------------------------------------

SIDES = """
run  host   searched  found
R1   human  nt,palm   one@97,beta@97
R2   human  nt,palm   beta@97
R3   human  nt,palm   beta@97
R4   human  nt,palm   -
R5   human  nt        one@97
R6   human  nt        one@97
R7   bat    nt        one@97
R8   bat    nt        one@97
R9   bat    nt        -
"""
"""One is looked for by nt in all runs, beta by palm in four."""


@pytest.fixture(scope="module")
def sides() -> Iterator[duckdb.DuckDBPyConnection]:
    with world_index() as con:
        fill(con, world_of(SIDES, scope="nt:one palm:beta"))
        yield con


def compared(index: duckdb.DuckDBPyConnection, measure: Measure, *sides: RunSet) -> list[Claim]:
    return list(answer_request(index, Request(Compare(measure, sides))).claims)


def test_disjoint_sides_are_tested_each_with_its_whole(sides: duckdb.DuckDBPyConnection) -> None:
    claims = compared(sides, Share(carries(ONE)), HUMAN, BAT)
    (both,) = [claim for claim in claims if isinstance(claim, Compared)]
    assert {(side.part, side.whole) for side in both.sides} == {(3, 6), (2, 3)}
    (tested,) = [claim for claim in claims if isinstance(claim, Fisher)]
    expected = stats.fisher_exact([[3, 3], [2, 1]]).pvalue
    assert tested.p_value == pytest.approx(float(expected))


def test_sides_that_share_runs_are_not_tested(sides: duckdb.DuckDBPyConnection) -> None:
    claims = compared(sides, Share(carries(ONE)), HUMAN, Has("host"))
    assert not any(isinstance(claim, Fisher) for claim in claims)


def test_viruses_are_compared_in_runs_that_were_searched_for_both(
    sides: duckdb.DuckDBPyConnection,
) -> None:
    claims = compared(sides, Count(), carries(ONE), carries(BETA))
    (both,) = [claim for claim in claims if isinstance(claim, Compared)]
    found = [(side.name, side.part, side.whole) for side in both.sides]
    assert found == [(BETA, 3, 4), (ONE, 1, 4)]
    assert both.known == "searched for both"


# --- charts --------------------------------------------------------------------------------------

RANKED = Ranking(
    begin="", places=(NamedNumber(name="a", number=30), NamedNumber(name="b", number=15))
)
SHARED = ShareOf(part=1, whole=4, runs="runs", does="carry EBV")
SHARE_BAR = ("share that carry EBV", [("runs", 0.25, "1 of 4, 25%")])


@pytest.mark.parametrize(
    ("claim", "drawn"),
    [
        (RANKED, ("runs", [("a", 30.0, "30"), ("b", 15.0, "15")])),
        (SHARED, SHARE_BAR),
        (YesOrNo(verdict="Yes", because=SHARED), SHARE_BAR),
        (Counted(number=3), None),
    ],
)
def test_a_chart_has_the_numbers_of_its_claim(
    claim: Claim, drawn: tuple[str, list[tuple[str, float, str]]] | None, tmp_path: Path
) -> None:
    chart = chart_of([claim])
    if chart is None:
        assert drawn is None
        return
    draw_chart(chart, tmp_path / "chart.svg", title="Which?")
    assert (chart.quantity, [(bar.name, bar.value, bar.said) for bar in chart.bars]) == drawn
    assert (tmp_path / "chart.svg").stat().st_size > 1_000
